package offline

import (
	"slices"
	"strings"
)

// certain tells whether a report means the habit that its words point to, and says nothing else. An order is enough. A word for
// done, or what was done in the past tense, needs all other words to be explained; where the habit is about when or how little, its
// thing alone says nothing.
func (m *Model) certain(r report) bool {
	if m.contradicts(r) || m.beyondDose(r) {
		return false
	}
	whole, timed, rest := m.whole(r), m.timed(r.habit), m.unexplained(r)
	switch {
	case r.deed == ordered:
		return len(rest) == 0 || !r.has(past)
	case r.has(blank):
		return true
	case r.value == valueSkip:
		return m.excused(r, whole || !timed || m.kind(r.habit) == kindDiet, rest)
	case r.value == valueBlank && r.generic():
		return whole || !before(rest, r.first(not))
	case r.value == valueBlank:
		return m.denied(r) && (whole || !timed) && !before(rest, r.first(not, no))
	case len(rest) > 0:
		return false
	case !timed:
		return true
	case r.deed == told && !r.ofThing():
		return whole || !m.besideThing(r)
	}
	return whole && m.ownDeed(r) && !r.evening()
}

// whole tells whether a habit is named by more than its thing: by its title, two things of it, one of its doses, or as a habit.
func (m *Model) whole(r report) bool {
	f := m.index.score(r.habit.doc, r.terms)
	dose := m.amountOf(r.reading, r.habit) && m.variant(r.reading, r.habit.entry) != ""
	return dose || m.wholeTitle(r.reading, r.habit) || r.has(thing) || f.ideas >= 2 || len(r.habit.doc.main) == 0 && f.strong >= 2
}

// excused tells whether a day is skipped for certain: what could not be done is the habit, or what is skipped is named.
func (m *Model) excused(r report, named bool, rest []span) bool {
	if !r.has(skip) {
		return m.denied(r)
	}
	return r.has(excuse) || named && !before(rest, r.first(skip))
}

// unexplained returns the words that have nothing to do with a habit: unknown ones and those for other things. What follows
// "after", "before" or "when" may be anything, unless the habit is about just that.
func (m *Model) unexplained(r report) []span {
	var out []span
	for _, t := range r.loose {
		out = append(out, t.span)
	}
	for _, i := range r.ideas {
		if !m.of(i, func(k string) bool { return r.habit.doc.weights[k] > 0 || m.circumstances[k] }) {
			out = append(out, span{i.from, i.to})
		}
	}
	if _, at, ok := m.anchorSpan(r.reading); ok && !m.timed(r.habit) {
		out = slices.DeleteFunc(out, func(s span) bool { return s.from >= at.from && s.to <= at.to })
	}
	return out
}

// of tells whether an idea has a key that is as asked.
func (m *Model) of(idea hit, is func(key string) bool) bool {
	return slices.ContainsFunc(m.ideaKeys(idea), is)
}

// before tells whether one of the spans begins before i; behind "not done" there may be a reason.
func before(spans []span, i int) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s.from < i })
}

// contradicts tells whether a report says two things of a day: not done and done, not done and skipped.
func (m *Model) contradicts(r report) bool {
	if !r.has(not) {
		return false
	}
	deed := slices.ContainsFunc(r.ideas, func(i hit) bool {
		return r.cued(i.from, i.to, func(c hit) bool { return c.is(past) }) && m.of(i, func(k string) bool { return r.habit.doc.weights[k] >= inTags })
	})
	return deed || r.has(done) || r.has(skip) && !r.has(excuse) || r.has(contrast) && r.has(past)
}

// beyondDose tells whether an amount is more than even the minimum of a habit that is about how little.
func (m *Model) beyondDose(r report) bool {
	h := r.habit
	return h.entry >= 0 && m.catalog[h.entry].Direction == atMost && m.amountOf(r.reading, h) && m.variant(r.reading, h.entry) == ""
}

// denied tells whether what was not done is the habit: the words for it say so, or are followed by it with nothing between but
// words such as "go" and "my".
func (m *Model) denied(r report) bool {
	if r.generic() || m.wholeTitle(r.reading, r.habit) {
		return true
	}
	for _, n := range r.cues {
		if !n.is(not) && !n.is(no) {
			continue
		}
		for _, i := range r.ideas {
			own := m.of(i, func(k string) bool { return r.habit.doc.weights[k] > 0 })
			if own && (i.from < n.to || m.words.between(string(r.norm[n.to:i.from]))) {
				return true
			}
		}
	}
	return false
}

// generic tells whether the words for "not done" are said of a habit rather than of a thing: "missed" and not "no".
func (r *reading) generic() bool { return r.valued(not, ofHabit) }

// ofThing tells whether the words for "done" can be said of the thing itself.
func (r *reading) ofThing() bool {
	return !slices.ContainsFunc(r.cues, func(h hit) bool { return h.is(done) && h.value(done) != ofThing })
}

// besideThing tells whether a report says something else of the habit's thing: a phone that is done charging.
func (m *Model) besideThing(r report) bool {
	return slices.ContainsFunc(r.ideas, func(i hit) bool {
		return !m.of(i, func(k string) bool { return r.habit.doc.weights[k] >= inTags })
	})
}

// ownDeed tells whether the words are of what the habit is, and not only of what it replaces.
func (m *Model) ownDeed(r report) bool {
	if m.kind(r.habit) != kindBreak {
		return true
	}
	e := m.catalog[r.habit.entry].Replaces
	old := m.keys(strings.Join([]string{e.En, e.Ko, e.Zh}, ", "))
	return slices.ContainsFunc(r.terms, func(t term) bool { return r.habit.doc.weights[t.key] > 0 && !slices.Contains(old, t.key) })
}

// evening tells whether a time after three in the afternoon is named: too late for what is to be early.
func (r *reading) evening() bool {
	const three = 15 * 60
	return slices.ContainsFunc(r.clocks, func(c clock) bool { return c.minutes >= three })
}

// What the catalog says of an entry (habits.md §1.3), where something branches on it.
const (
	kindBreak = "break"
	kindDiet  = "diet"
	atMost    = "at_most"
	beforeBed = "_before_bed" // ends a unit
)

func (m *Model) kind(h habit) string {
	if h.entry < 0 {
		return ""
	}
	return m.catalog[h.entry].Kind
}

// timed tells whether a habit is about when or how little, or about what one eats, so that its thing alone says nothing: having no
// coffee is not having failed to have it early.
func (m *Model) timed(h habit) bool {
	if h.entry < 0 {
		return false
	}
	e := m.catalog[h.entry]
	return e.Kind == kindBreak || e.Kind == kindDiet || e.Direction == atMost || strings.HasSuffix(e.Unit, beforeBed)
}
