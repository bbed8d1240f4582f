package offline

import (
	"slices"
	"strings"
	"unicode"
)

// A span is norm[from:to] of a text.
type span struct{ from, to int }

// A term is a concept or a word of a text, as the index compares them.
type term struct {
	span
	key string
}

// A reading is a message with all that the tables find in it.
type reading struct {
	text
	cues    []hit // what is said
	ideas   []hit // what it is said of
	groups  []hit // categories
	terms   []term
	amounts []amount
	days    []day
	clocks  []clock
	quotes  []span // between quotation marks, without them
	loose   []term // words that nothing explains
	seen    [never]int
}

// has tells whether one of the senses was found.
func (r *reading) has(senses ...sense) bool {
	return slices.ContainsFunc(senses, func(s sense) bool { return r.seen[s] > 0 })
}

// first returns where the first hit with one of the senses begins, the length of the text if there is none.
func (r *reading) first(senses ...sense) int {
	for _, h := range r.cues {
		if slices.ContainsFunc(senses, h.is) {
			return h.from
		}
	}
	return len(r.norm)
}

// value returns the number of the first hit with the sense.
func (r *reading) value(s sense) (int, bool) {
	for _, h := range r.cues {
		if h.is(s) {
			return h.value(s), true
		}
	}
	return 0, false
}

// read reads a message.
func (m *Model) read(s string) *reading { return m.readText(m.words.normal.text(s)) }

func (m *Model) readText(t text) *reading {
	v := m.words
	r := &reading{text: t}
	r.cues = v.scan(t.norm)
	r.quotes = quotes(t.norm)
	r.findDays(v)
	r.findAmounts(v)
	r.ideas = slices.DeleteFunc(v.ideas.scan(t.norm), func(h hit) bool { return r.cued(h.from, h.to, hidesIdeas) })
	r.groups = slices.DeleteFunc(v.groups.scan(t.norm), func(h hit) bool { return r.cued(h.from, h.to, hidesIdeas) })
	r.cues = slices.DeleteFunc(r.cues, func(h hit) bool { return r.dated(h) || r.named(h) })
	r.addPast()
	for _, h := range r.cues {
		for _, k := range h.marks {
			r.seen[k.sense]++
		}
	}
	r.groups = slices.DeleteFunc(r.groups, r.within)
	r.terms, r.loose = m.terms(r)
	return r
}

// dated tells whether a cue is part of a date or of a time, such as the "may" of "5 May".
func (r *reading) dated(h hit) bool {
	in := func(s span) bool { return s.from <= h.from && h.to <= s.to }
	return slices.ContainsFunc(r.days, func(d day) bool { return d.explicit && in(d.span) }) ||
		slices.ContainsFunc(r.clocks, func(c clock) bool { return in(c.span) })
}

// named tells whether a cue that could be a date is part of what a thing is called, such as the "tomorrow" of a list for it.
func (r *reading) named(h hit) bool {
	slot := slices.ContainsFunc(h.marks, func(m mark) bool {
		return slices.Contains([]sense{later, today, yesterday, weekday, daily, nth}, m.sense)
	})
	part := slot || han(r.norm[h.from]) && h.to-h.from == 1 && !h.is(past)
	return part && r.within(h)
}

// within tells whether a hit is part of a longer word for a thing.
func (r *reading) within(h hit) bool {
	return slices.ContainsFunc(slices.Concat(r.ideas, r.groups), func(i hit) bool { return i.from <= h.from && h.to <= i.to && i.to-i.from > h.to-h.from })
}

// addPast adds the past tense of deeds that have the regular ending of English.
func (r *reading) addPast() {
	for _, i := range r.ideas {
		if w := string(r.norm[i.from:i.to]); strings.HasSuffix(w, "ed") && latin(r.norm[i.from]) && !r.cued(i.from, i.to, func(hit) bool { return true }) {
			r.cues = append(r.cues, hit{i.from, i.to, []mark{{past, 0}}})
		}
	}
	slices.SortStableFunc(r.cues, func(a, b hit) int { return a.from - b.from })
}

// plainly tells whether a cue with the sense says nothing else.
func (r *reading) plainly(s sense) bool { return r.valued(s, plainly) }

// valued tells whether a cue has the sense with a value.
func (r *reading) valued(s sense, value int) bool {
	return slices.ContainsFunc(r.cues, func(h hit) bool { return slices.Contains(h.marks, mark{s, value}) })
}

// hidesIdeas tells whether what a cue says is all that its words say: a "list" that is to be shown is no list that is written.
func hidesIdeas(h hit) bool {
	return !slices.ContainsFunc(h.marks, func(m mark) bool {
		switch m.sense {
		case title, thanks, filler, done, past, not, skip, with, add, anchorAfter, anchorBefore, anchorWhen, today, yesterday, other, need,
			unless, will, usual, daily, replace, forbid:
			return true
		}
		return false
	})
}

// cued tells whether a cue that which accepts covers norm[from:to].
func (r *reading) cued(from, to int, which func(hit) bool) bool {
	return slices.ContainsFunc(r.cues, func(h hit) bool { return h.from <= from && to <= h.to && which(h) })
}

// spelled marks the runes that are words of the tables.
func (r *reading) spelled() []bool {
	out := make([]bool, len(r.norm))
	for _, h := range slices.Concat(r.cues, r.ideas, r.groups) {
		for i := h.from; i < h.to; i++ {
			out[i] = true
		}
	}
	return out
}

// said marks the runes that are cues.
func (r *reading) said() []bool {
	bare := reading{text: r.text, cues: slices.Clone(r.cues)}
	bare.cues = slices.DeleteFunc(bare.cues, func(h hit) bool {
		return h.is(anchorAfter) || h.is(anchorBefore) || h.is(anchorWhen) || h.is(filler) || h.is(title)
	})
	return bare.spelled()
}

// covered marks the runes that something explains.
func (r *reading) covered() []bool {
	out := make([]bool, len(r.norm))
	cover := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = true
		}
	}
	for _, hits := range [][]hit{r.cues, r.ideas, r.groups} {
		for _, h := range hits {
			if !h.is(title) { // its words count one by one
				cover(h.from, h.to)
			}
		}
	}
	for _, a := range r.amounts {
		cover(a.from, a.to)
	}
	for _, d := range r.days {
		cover(d.from, d.to)
	}
	for _, c := range r.clocks {
		cover(c.from, c.to)
	}
	return out
}

// quotes returns what stands between quotation marks.
func quotes(norm []rune) []span {
	var out []span
	from := -1
	for i, r := range norm {
		if r != '"' && !(r == '\'' && from < 0 && edgeQuote(norm, i)) && !(r == '\'' && from >= 0 && norm[from-1] == '\'' && edgeQuote(norm, i)) {
			continue
		}
		if from < 0 {
			from = i + 1
			continue
		}
		if norm[from-1] == r {
			out = append(out, span{from, i})
			from = -1
		}
	}
	return out
}

// edgeQuote tells an apostrophe that quotes from one within a word.
func edgeQuote(norm []rune, i int) bool {
	before := i > 0 && latin(norm[i-1])
	after := i+1 < len(norm) && latin(norm[i+1])
	return !(before && after)
}

// clauses returns the parts of the text between punctuation, without white space around them. Numbers keep their punctuation.
func (r *reading) clauses() []span {
	var out []span
	from := 0
	flush := func(to int) {
		a, b := from, to
		for a < b && r.norm[a] == ' ' {
			a++
		}
		for b > a && r.norm[b-1] == ' ' {
			b--
		}
		if b > a {
			out = append(out, span{a, b})
		}
		from = to + 1
	}
	for i, c := range r.norm {
		if !strings.ContainsRune(",.;:!?()[]\n\"", c) {
			continue
		}
		if i > 0 && i+1 < len(r.norm) && unicode.IsDigit(r.norm[i-1]) && unicode.IsDigit(r.norm[i+1]) {
			continue
		}
		flush(i)
	}
	flush(len(r.norm))
	return out
}
