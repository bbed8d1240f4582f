package offline

import (
	"slices"
	"strings"
)

// A deed is the evidence that a sentence gives for a write, from the plainest to the weakest.
type deed uint8

const (
	ordered  deed = iota // a day is to be logged
	told                 // the thing with a word for done, not done or skipped
	narrated             // the thing in the past tense
	adding               // a habit is to be added
	wished               // a wish to begin with a habit
	deeds                // the end: how many kinds there are
)

// A blocker is a sense that keeps a kind of evidence from being one.
type blocker struct {
	sense sense
	deeds []deed
}

// blockers is the table of the guard: negations, questions, conditions, plans, hearsay and doubt are never a write. When one is
// found the person is asked to say it plainly.
func blockers() []blocker {
	all := []deed{ordered, told, narrated, adding, wished}
	reports := []deed{told, narrated}
	return []blocker{
		{unless, all}, {later, all}, {said, all}, {maybe, all}, {forbid, all}, {takeBack, all},
		{pending, all}, {longAgo, all}, {beyond, all},
		{supposing, []deed{ordered, told, narrated}}, {will, reports}, {usual, reports}, {want, reports},
	}
}

// A claim is what the guard judges: the part of a message that a write rests on.
type claim struct {
	*reading
	deed deed
	from int  // where the evidence begins: what stands before it must be known words
	skip bool // a day that is excused may lie ahead, as an intention
}

// allows tells whether nothing in the sentence speaks against a write.
func (m *Model) allows(c claim) bool {
	for _, b := range m.guards {
		if !slices.Contains(b.deeds, c.deed) || c.skip && b.sense == will {
			continue
		}
		if c.has(b.sense) {
			return false
		}
	}
	return !c.asks() && !m.others(c) && !m.strangers(c)
}

// blocked tells whether a reading has a sense that keeps all evidence from being one.
func (m *Model) blocked(r *reading) bool {
	return slices.ContainsFunc(m.guards, func(b blocker) bool { return len(b.deeds) == int(deeds) && r.has(b.sense) })
}

// How much of a question a phrase is.
const (
	softAsk = 1 // a question mark, a particle: an order can be asked for politely
	hardAsk = 2 // a question word
)

// asks tells whether the sentence is a question, and not an order in the form of one.
func (c claim) asks() bool {
	worst := 0
	for _, h := range c.cues {
		if h.is(ask) {
			worst = max(worst, h.value(ask))
		}
	}
	polite := c.has(please) && c.deed != told && c.deed != narrated
	return worst == hardAsk || worst == softAsk && !polite
}

// others tells whether the deed is somebody else's. Somebody who comes along, or whom something is done to, does not matter.
func (m *Model) others(c claim) bool {
	for i, h := range c.cues {
		if !h.is(other) {
			continue
		}
		if hangul(c.norm[h.from]) {
			if !c.follows(h.to, m.words.objects...) {
				return true
			}
			continue
		}
		if c.follows(h.from, "you") { // the coach is told what it did
			return true
		}
		companion := i > 0 && c.cues[i-1].is(with) && c.skip1(c.cues[i-1].to) >= h.from
		object := slices.ContainsFunc(c.ideas, func(i hit) bool { return i.from < h.to && h.from < i.to })
		if !companion && (h.from < c.from || !object) {
			return true
		}
	}
	return false
}

// follows tells whether one of the words stands at i.
func (r *reading) follows(i int, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		n := len([]rune(w))
		return i+n <= len(r.norm) && string(r.norm[i:i+n]) == w
	})
}

func (r *reading) skip1(i int) int { return r.skip(i, " ") }

// strangers tells whether somebody may be named whom the tables do not know: an unknown word before the evidence, in Korean one
// with the particle of a subject.
func (m *Model) strangers(c claim) bool {
	for _, t := range c.loose {
		switch {
		case hangul(c.norm[t.from]):
			if m.subject(t.key) {
				return true
			}
		case t.from < c.from:
			return true
		}
	}
	return false
}

// subject tells whether a Korean word has the particle of a subject or of a topic.
func (m *Model) subject(w string) bool {
	return slices.ContainsFunc(m.words.subjects, func(p string) bool { return len(w) > len(p) && strings.HasSuffix(w, p) })
}

// quoting tells whether the evidence is in somebody's quoted words. A quoted name or value is none.
func (m *Model) quoting(r *reading, d deed) bool {
	return slices.ContainsFunc(r.quotes, func(q span) bool {
		in := func(h hit) bool { return h.from >= q.from && h.to <= q.to }
		deeds := slices.ContainsFunc(r.cues, func(h hit) bool {
			return in(h) && (h.is(done) || h.is(past) || h.is(not) || h.is(record) || h.is(skip) || h.is(me))
		})
		return deeds && (d == told || d == narrated || slices.ContainsFunc(r.ideas, in))
	})
}
