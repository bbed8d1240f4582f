package offline

import (
	"slices"
	"strings"
)

// entryOf returns the catalog entry that a reading names, if it does so plainly.
func (m *Model) entryOf(r *reading, matches []match) (entry int, ok bool) {
	if len(matches) == 0 {
		return 0, false
	}
	best := matches[0]
	second := 0.0
	if len(matches) > 1 {
		second = matches[1].score
	}
	const clear, plain = 1.25, 1.1
	if !best.full && m.onlyGroup(r, best) {
		return 0, false
	}
	switch {
	case best.full && best.score > second:
		return best.doc, true
	case best.strong >= 2 && best.score > plain*second:
		return best.doc, true
	case best.strong == 1 && best.score > clear*second:
		return best.doc, true
	}
	return 0, false
}

// onlyGroup tells whether a reading names an entry with nothing but the words for a category.
func (m *Model) onlyGroup(r *reading, best match) bool {
	if len(r.groups) == 0 {
		return false
	}
	return !slices.ContainsFunc(r.terms, func(t term) bool {
		return m.index.docs[best.doc].weights[t.key] >= inTags && !slices.ContainsFunc(r.groups, func(g hit) bool { return g.from < t.to && t.from < g.to })
	})
}

// habitOf returns the habit that a reading names: by its number, or better than all others by its words. An entry that the
// person does not have and that fits better says that none is meant.
func (m *Model) habitOf(s *scene, r *reading, matches []match) (habit, bool) {
	if h, ok := m.numbered(s, r); ok {
		return h, true
	}
	if len(m.named(s, r)) > 1 {
		return habit{}, false
	}
	var best, second match
	var chosen habit
	for _, h := range s.facts.habits {
		f := m.index.score(h.doc, r.terms)
		for _, k := range matches {
			if k.doc == h.entry {
				f = k
			}
		}
		if f.strong == 0 && !f.full || !f.full && !h.doc.spoken(r) {
			continue
		}
		if f.score > best.score {
			best, second, chosen = f, best, h
		} else if f.score > second.score {
			second = f
		}
	}
	const rival = 0.8
	if best.score == 0 || second.score > rival*best.score || len(matches) > 0 && matches[0].beats(best) {
		return habit{}, false
	}
	return chosen, true
}

// beats tells whether an entry fits so much better than a habit that the habit is not meant.
func (f match) beats(other match) bool {
	const foreign = 1.4
	return f.full && !other.full && f.score > other.score || f.strong > other.strong && f.score > foreign*other.score
}

// spoken tells whether a reading has one of the things that a document is about.
func (d document) spoken(r *reading) bool {
	return len(d.main) == 0 || slices.ContainsFunc(r.terms, func(t term) bool { return d.main[t.key] })
}

// named returns the habits whose very thing a reading names, each apart from the others.
func (m *Model) named(s *scene, r *reading) []habit {
	var out []habit
	for _, h := range s.facts.habits {
		own := slices.ContainsFunc(r.terms, func(t term) bool {
			shared := func(o habit) bool { return o.id != h.id && o.doc.weights[t.key] >= inTags }
			return h.doc.main[t.key] && !slices.ContainsFunc(s.facts.habits, shared)
		})
		if own || m.wholeTitle(r, h) {
			out = append(out, h)
		}
	}
	return out
}

// numbered returns the habit whose id a reading names, as in "#2", "habit 2" and "2번".
func (m *Model) numbered(s *scene, r *reading) (habit, bool) {
	alone := r.has(record) && len(r.ideas) == 0 && len(r.amounts) == 0 && len(r.days) == 0 && len(r.loose) == 0
	for i := range r.norm {
		n, to, ok := digits(r.norm, i)
		if !ok || i > 0 && latin(r.norm[i-1]) {
			continue
		}
		before := strings.TrimRight(string(r.norm[:i]), " ")
		named := slices.ContainsFunc(m.words.idBefore, func(w string) bool { return strings.HasSuffix(before, w) })
		named = named || slices.ContainsFunc(m.words.idAfter, func(w string) bool { return r.follows(to, w) && (han(r.norm[to]) || edge(r.norm, to+len([]rune(w)))) })
		for _, h := range s.facts.habits {
			if (named || alone) && h.id == n {
				return h, true
			}
		}
	}
	return habit{}, false
}

// wholeTitle tells whether the title of a habit's entry is in the text.
func (m *Model) wholeTitle(r *reading, h habit) bool {
	return h.entry >= 0 && slices.ContainsFunc(r.cues, func(c hit) bool { return c.is(title) && c.value(title) == h.entry })
}
