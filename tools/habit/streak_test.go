package habit_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"steady/tools/habit"
)

// A timeline is a habit drawn with one letter a day: D done, m minimum, S stretch, b blank, s skip, p paused, P paused but done,
// . nothing (habits.md §3.6).
func timeline(start habit.Date, days string) (*habit.Habit, habit.Marks) {
	h := &habit.Habit{ID: 1, Type: habit.Build, Start: start, PhaseStart: start, Status: habit.Active}
	log := habit.Marks{}
	for i, c := range days {
		d := start + habit.Date(i)
		switch c {
		case 'D', 'P':
			log[d] = habit.Mark{Value: habit.Done, Variant: habit.Standard}
		case 'm':
			log[d] = habit.Mark{Value: habit.Done, Variant: habit.Minimum}
		case 'S':
			log[d] = habit.Mark{Value: habit.Done, Variant: habit.Stretch}
		case 'b':
			log[d] = habit.Mark{Value: habit.Blank}
		case 's':
			log[d] = habit.Mark{Value: habit.Skip}
		}
		if c == 'p' || c == 'P' {
			h.Pauses = append(h.Pauses, habit.Span{From: d, Until: d})
		}
		if _, logged := log[d]; logged && h.First == 0 {
			h.First = d
		}
	}
	return h, log
}

func TestStreakVectors(t *testing.T) { // S01–S44
	for _, v := range vectors[struct {
		ID, Note, Timeline string
		Start, Today       habit.Date
		ArchivedOn         habit.Date `json:"archived_on"`
		PhaseStart         habit.Date `json:"phase_start"`
		Days               []int
		Expect             struct {
			habit.Streak
			AtRisk bool `json:"at_risk"`
		}
	}](t, "streak") {
		h, log := timeline(v.Start, v.Timeline)
		if v.PhaseStart != 0 {
			h.PhaseStart = v.PhaseStart
		}
		if v.ArchivedOn != 0 {
			h.Status, h.ArchivedOn = habit.Archived, v.ArchivedOn
		}
		if v.Days != nil {
			h.Schedule = habit.Schedule{{Days: habit.DaysOf(v.Days...)}}
		}
		if got := h.Streak(log, v.Today); got != v.Expect.Streak {
			t.Errorf("%s %s: got %+v, want %+v: %s", v.ID, v.Timeline, got, v.Expect.Streak, v.Note)
		}
		standing := h.Standing(log, v.Today)
		if standing.AtRisk != v.Expect.AtRisk || standing.Current != v.Expect.Current {
			t.Errorf("%s %s: got %+v, want at risk %v, current %d: %s", v.ID, v.Timeline, standing, v.Expect.AtRisk, v.Expect.Current, v.Note)
		}
	}
}

func TestStrengthVectors(t *testing.T) { // G1–G7
	for _, v := range vectors[struct {
		ID, Note, Timeline string
		Strength           float64
	}](t, "strength") {
		start := date(t, "2026-03-02")
		h, log := timeline(start, v.Timeline)
		if got := h.Strength(log, start+habit.Date(len(v.Timeline))-1); got != v.Strength {
			t.Errorf("%s: got %v, want %v: %s", v.ID, got, v.Strength, v.Note)
		}
	}
}

func TestVariantsCountTheSame(t *testing.T) { // M01, M03: R10
	start := date(t, "2026-03-02")
	for _, days := range []string{"DDDDDDD", "DDb.DDsD", "D"} {
		h, log := timeline(start, days)
		today := start + habit.Date(len(days)) - 1
		for _, letter := range []string{"m", "S"} {
			other, otherLog := timeline(start, strings.ReplaceAll(days, "D", letter))
			if h.Streak(log, today) != other.Streak(otherLog, today) || h.Strength(log, today) != other.Strength(otherLog, today) {
				t.Errorf("%s counts otherwise with %s: a minimum is a whole day and a stretch is not more than one", days, letter)
			}
		}
	}
}

func TestStandingToday(t *testing.T) {
	start := date(t, "2026-03-02") // a Monday
	for _, v := range []struct {
		days   string
		status habit.Status
		due    habit.Days
		today  string
		phase  int
		why    string
	}{
		{".", habit.Active, habit.EveryDay, "open", 1, "the first day is day 1 of its phase"},
		{"D", habit.Active, habit.EveryDay, "done", 1, "standard is the plain done"},
		{"m", habit.Active, habit.EveryDay, "minimum", 1, "a minimum shows as itself"},
		{"S", habit.Active, habit.EveryDay, "stretch", 1, "so does a stretch"},
		{"b", habit.Active, habit.EveryDay, "blank", 1, "an honest blank"},
		{"s", habit.Active, habit.EveryDay, "skip", 1, "a skip"},
		{"D.", habit.Active, habit.DaysOf(1, 3, 5), "rest", 2, "Tuesday is not scheduled"},
		{"DD", habit.Active, habit.DaysOf(1, 3, 5), "done", 2, "done on a rest day is done (E16)"},
		{"Dp", habit.Paused, habit.EveryDay, "paused", 2, "paused"},
		{"DP", habit.Paused, habit.EveryDay, "done", 2, "done in a pause is done (E17)"},
		{strings.Repeat("D", 42), habit.Active, habit.EveryDay, "done", 42, "the last day of the phase"},
		{strings.Repeat("D", 43), habit.Active, habit.EveryDay, "done", 0, "no phase after day 42"},
	} {
		h, log := timeline(start, v.days)
		h.Status, h.Schedule = v.status, habit.Schedule{{Days: v.due}}
		got := h.Standing(log, start+habit.Date(len(v.days))-1)
		if got.Today != v.today || got.Phase != v.phase {
			t.Errorf("%s: got %+v, want %s, phase day %d: %s", v.days, got, v.today, v.phase, v.why)
		}
	}
}

func TestScheduleChange(t *testing.T) { // P10: a change holds from its day on
	start := date(t, "2026-03-02")
	h, log := timeline(start, "D.D.D..D.")
	h.Schedule = habit.Schedule{{Days: habit.DaysOf(1, 3, 5)}, {From: start + 7, Days: habit.EveryDay}}
	if got := h.Streak(log, start+8); got.Current != 4 {
		t.Errorf("got %+v: rest days before the change must stay rest days", got)
	}
	h.Schedule = habit.Schedule{{Days: habit.EveryDay}}
	if got := h.Streak(log, start+8); got.Current != 1 {
		t.Errorf("got %+v: with every day due, the gaps are misses", got)
	}
}

func TestEntryAheadWaits(t *testing.T) { // E27: a change of zone moved today back
	start := date(t, "2026-03-02")
	h, log := timeline(start, "DDDD")
	if got := h.Streak(log, start+2); got.Current != 3 || got.Done30 != 3 {
		t.Errorf("got %+v: an entry of tomorrow must not count yet", got)
	}
	if got := h.Streak(log, start+3); got.Current != 4 {
		t.Errorf("got %+v: it must count when its day comes", got)
	}
}

// reference computes a streak as habits.md §3.6 words it, day by day and without any thought of speed.
func reference(h *habit.Habit, log habit.Marks, today habit.Date) habit.Streak {
	if h.Status == habit.Archived {
		today = h.ArchivedOn
	}
	first := h.Start
	for d := range log {
		first = min(first, d)
	}
	class := func(d habit.Date) string {
		switch {
		case log[d].Value == habit.Done:
			return "HIT"
		case log[d].Value == habit.Skip, h.PausedOn(d), !h.Schedule.At(d).Has(d):
			return "NEUTRAL"
		case d == today:
			return "OPEN"
		}
		return "MISS"
	}
	run := func(from habit.Date) (n int) {
		for d := from; d >= first && class(d) != "MISS"; d-- {
			if class(d) == "HIT" {
				n++
			}
		}
		return n
	}
	done := func(from, to habit.Date) (n int) {
		for d := from; d <= min(to, today); d++ {
			if log[d].Value == habit.Done {
				n++
			}
		}
		return n
	}
	s := habit.Streak{Current: run(today), Done30: done(today-29, today), Done42: done(h.PhaseStart, h.PhaseStart+41)}
	for d := first; d <= today; d++ {
		s.Longest = max(s.Longest, run(d))
	}
	trailing := 0
	for d := today - 1; d >= first && class(d) != "HIT"; d-- {
		if class(d) == "MISS" {
			trailing++
		}
	}
	open := log[today].Value != habit.Done
	s.Broken = trailing >= 2 && open
	total := done(h.PhaseStart, today)
	switch {
	case total > 0 && trailing >= 14 && open:
		s.Tier = habit.Resting
	case total >= 66:
		s.Tier = habit.Automatic
	case total >= 42:
		s.Tier = habit.Steady
	case total >= 21:
		s.Tier = habit.Rooted
	case total >= 7:
		s.Tier = habit.Sprout
	default:
		s.Tier = habit.Seed
	}
	return s
}

// drawn is a random habit with a random history, some of it before the start and after today.
func drawn(rt *rapid.T, start habit.Date) (*habit.Habit, habit.Marks, habit.Date) {
	letters := rapid.SliceOfN(rapid.SampledFrom([]rune("DDDDmSbs...pP")), 1, 150).Draw(rt, "days")
	h, log := timeline(start, string(letters))
	today := start + habit.Date(rapid.IntRange(0, len(letters)+20).Draw(rt, "today"))
	h.Start = start + habit.Date(rapid.IntRange(0, 5).Draw(rt, "start"))
	h.PhaseStart = h.Start + habit.Date(rapid.IntRange(0, 30).Draw(rt, "phase"))
	h.Schedule = habit.Schedule{{Days: habit.Days(rapid.IntRange(1, 127).Draw(rt, "weekdays") << 1)}}
	if rapid.Bool().Draw(rt, "archived") {
		h.Status, h.ArchivedOn = habit.Archived, max(h.Start, today-habit.Date(rapid.IntRange(0, 20).Draw(rt, "since")))
	}
	return h, log, today
}

func TestStreakIsItsDefinition(t *testing.T) {
	start := date(t, "2025-12-01")
	rapid.Check(t, func(rt *rapid.T) {
		h, log, today := drawn(rt, start)
		got, want := h.Streak(log, today), reference(h, log, today)
		if got != want {
			rt.Fatalf("got %+v, want %+v", got, want)
		}
		if s := h.Standing(log, today); s.Current != want.Current {
			rt.Fatalf("the standing has %d days, the streak %d", s.Current, want.Current)
		}
	})
}

// TestDoneNeverHurts holds that logging today as done never makes a number smaller.
func TestDoneNeverHurts(t *testing.T) {
	start := date(t, "2025-12-01")
	rapid.Check(t, func(rt *rapid.T) {
		h, log, today := drawn(rt, start)
		if h.Status == habit.Archived || today < h.Start {
			rt.Skip("only a habit that can be logged")
		}
		before := h.Streak(log, today)
		log[today] = habit.Mark{Value: habit.Done, Variant: habit.Minimum}
		after := h.Streak(log, today)
		if after.Current < before.Current || after.Longest < before.Longest || after.Done30 < before.Done30 || after.Broken {
			rt.Fatalf("before %+v, after %+v", before, after)
		}
	})
}

func BenchmarkStreakThreeYears(b *testing.B) {
	start := date(b, "2023-03-02")
	h, log := timeline(start, strings.Repeat("DDDmDSs.DDb", 100)[:3*365])
	today := start + 3*365 - 1
	for _, v := range []struct {
		name string
		do   func() int
	}{
		{"streak", func() int { return h.Streak(log, today).Longest }},
		{"standing", func() int { return h.Standing(log, today).Current }},
	} {
		b.Run(v.name, func(b *testing.B) {
			for b.Loop() {
				if v.do() < 0 {
					b.Fatal("negative")
				}
			}
		})
	}
}

func ExampleHabit_Streak() {
	start, _ := habit.ParseDate("2026-03-02")
	h, log := timeline(start, "DDD.D")
	s := h.Streak(log, start+4)
	fmt.Println(s.Current, s.Longest, s.Tier)
	// Output: 1 3 seed
}
