package habit

import "iter"

// A Log is what is recorded of a habit.
type Log interface {
	// On returns the mark of a date, the zero Mark if there is none.
	On(d Date) Mark
}

// Marks is a log in memory.
type Marks map[Date]Mark

// On implements [Log].
func (m Marks) On(d Date) Mark { return m[d] }

// A Tier is a label for how many days were done; it promises nothing about when a habit is formed (habits.md §3.6).
type Tier string

// The tiers.
const (
	Seed      Tier = "seed"
	Sprout    Tier = "sprout"
	Rooted    Tier = "rooted"
	Steady    Tier = "steady"
	Automatic Tier = "automatic"
	Resting   Tier = "resting" // nothing for fourteen due days; one done day wakes it
)

// phaseDays is the length of a phase: 21 days to build and 21 to test.
const phaseDays = 42

// A Streak is the answer of get_streak, with its formulas in habits.md §3.6.
type Streak struct {
	Current int  `json:"current_streak"`
	Longest int  `json:"longest_streak"`
	Done30  int  `json:"done_count_30d"`
	Done42  int  `json:"done_count_phase42"`
	Tier    Tier `json:"tier"`
	// Broken is never-miss-twice (R6): two or more due days in a row were missed, and today is not done.
	Broken bool `json:"never_miss_twice_broken"`
}

// class is what a day does to a streak.
type class uint8

const (
	miss class = iota
	hit
	neutral
	open
)

// classOf returns the class of d: done is a hit; skipped, paused and unscheduled days are neutral; today without done is open,
// whatever was said of it; the rest are misses.
func (h *Habit) classOf(d, today Date, m Mark) class {
	switch {
	case m.Value == Done:
		return hit
	case m.Value == Skip || !h.DueOn(d):
		return neutral
	case d == today:
		return open
	}
	return miss
}

// asOf returns the day that the numbers of h are computed for: an archived habit is frozen on the day it was archived.
func (h *Habit) asOf(today Date) Date {
	if h.Status == Archived {
		return h.ArchivedOn
	}
	return today
}

// back yields the days from today to the first, each with its class.
func (h *Habit) back(log Log, today Date) iter.Seq2[Date, class] {
	return func(yield func(Date, class) bool) {
		for d := today; d >= h.firstDay(); d-- {
			if !yield(d, h.classOf(d, today, log.On(d))) {
				return
			}
		}
	}
}

// firstDay returns the day that the history of h begins on.
func (h *Habit) firstDay() Date {
	if h.First != 0 {
		return min(h.First, h.Start)
	}
	return h.Start
}

// Streak computes the progress of h. Entries of dates after today, which a change of zone can leave, count when they arrive.
func (h *Habit) Streak(log Log, today Date) Streak {
	today = h.asOf(today)
	var s Streak
	var run, total, missed int
	current, trailing := true, true // no miss, no kept day was seen yet
	doneToday := log.On(today).Value == Done
	for d, c := range h.back(log, today) {
		switch c {
		case hit:
			run++
			trailing = trailing && d == today
			s.count(h, d, today)
			if d >= h.PhaseStart {
				total++
			}
		case miss:
			run, current = 0, false
			if trailing {
				missed++
			}
		}
		s.Longest = max(s.Longest, run)
		if current {
			s.Current = run
		}
	}
	s.Broken = missed >= 2 && !doneToday
	s.Tier = tierOf(total)
	if total > 0 && missed >= 14 && !doneToday {
		s.Tier = Resting
	}
	return s
}

// count adds the done day d to the counts of its windows.
func (s *Streak) count(h *Habit, d, today Date) {
	if d > today-30 {
		s.Done30++
	}
	if d >= h.PhaseStart && d < h.PhaseStart+phaseDays {
		s.Done42++
	}
}

func tierOf(done int) Tier {
	switch {
	case done >= 66:
		return Automatic
	case done >= 42:
		return Steady
	case done >= 21:
		return Rooted
	case done >= 7:
		return Sprout
	}
	return Seed
}

// A Standing is how a habit stands today, as list_active_habits shows it.
type Standing struct {
	Today   string // open, done, minimum, stretch, blank, skip, rest or paused
	Current int    // days of the current streak
	AtRisk  bool   // one due day was missed and today is still to be done: the state for one nudge (R6)
	Phase   int    // day of the 42-day phase, 0 after it
}

// Standing computes how h stands. It looks back no further than it must: to the miss that ended the streak and to the last kept
// day, so that a long history costs nothing.
func (h *Habit) Standing(log Log, today Date) Standing {
	frozen := h.asOf(today)
	s := Standing{Today: h.todayWord(log.On(frozen), frozen)}
	if p := max(int(frozen-h.PhaseStart)+1, 1); p <= phaseDays {
		s.Phase = p
	}
	missed, kept, ended := 0, false, false
	for d, c := range h.back(log, frozen) {
		switch {
		case c == hit:
			kept = kept || d != frozen
			if !ended {
				s.Current++
			}
		case c == miss:
			ended = true
			if !kept {
				missed++
			}
		}
		if ended && (kept || missed > 1) {
			break
		}
	}
	s.AtRisk = missed == 1 && h.Status == Active && s.Today == "open"
	return s
}

// todayWord names the state of a day.
func (h *Habit) todayWord(m Mark, d Date) string {
	switch {
	case m.Value == Done && m.Variant != Standard && m.Variant != "":
		return string(m.Variant)
	case m.Value != "":
		return string(m.Value)
	case h.Status == Paused || h.PausedOn(d):
		return "paused"
	case !h.DueOn(d):
		return "rest"
	}
	return "open"
}
