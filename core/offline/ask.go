package offline

import (
	"slices"
	"strings"
)

// planRead answers what is asked: the tool that the words and the things speak for most.
func (m *Model) planRead(s *scene, r *reading, matches []match) (move, bool) {
	if r.has(help) && len(r.groups) == 0 && len(r.ideas) == 0 && !r.has(thing) {
		return move{}, false
	}
	h, known := m.habitOf(s, r, matches)
	entry, named := m.entryOf(r, matches)
	votes := m.votes(question{reading: r, habit: known, entry: named, titled: m.titleIn(r)})
	best := ""
	for _, tool := range []string{toolStreak, toolList, toolQuery, toolSearch} {
		if votes[tool] >= enough && (best == "" || votes[tool] > votes[best]) {
			best = tool
		}
	}
	switch best {
	case toolStreak:
		return m.planStreak(s, h, known)
	case toolList:
		return calls(call(toolList, struct{}{})), true
	case toolQuery:
		return calls(call(toolQuery, queryArgs{m.catalog[entry].ID})), true
	case toolSearch:
		return calls(call(toolSearch, m.searchOf(r))), true
	}
	return move{}, false
}

// planStreak asks for the streak of a habit. Without a name the only habit is meant, of several the list tells all.
func (m *Model) planStreak(s *scene, h habit, known bool) (move, bool) {
	switch {
	case !s.facts.known && !s.listed():
		return calls(call(toolList, struct{}{})), true
	case known:
		return calls(call(toolStreak, streakArgs{h.id})), true
	case len(s.facts.habits) == 1:
		return calls(call(toolStreak, streakArgs{s.facts.habits[0].id})), true
	case len(s.facts.habits) == 0:
		return says(m.say.noHabits.In(s.lang)), true
	}
	return calls(call(toolList, struct{}{})), true
}

// listed tells whether the habits were asked for in this turn already.
func (s *scene) listed() bool {
	return slices.ContainsFunc(s.results, func(r result) bool { return r.call.Name == toolList })
}

// searchOf makes the arguments of a search: the category that is named, else the words.
func (m *Model) searchOf(r *reading) searchArgs {
	for _, g := range r.groups {
		if !r.refused(g) || len(r.groups) == 1 {
			return searchArgs{Category: m.categories[g.value(group)].ID}
		}
	}
	return searchArgs{Keyword: m.keyword(r)}
}

// refused tells whether a word is said not to be meant: a "no" stands before it, in Korean behind it.
func (r *reading) refused(w hit) bool {
	return slices.ContainsFunc(r.cues, func(h hit) bool {
		next := r.skip1(h.to) == w.from
		if hangul(r.norm[w.from]) {
			next = r.skip1(w.to) == h.from
		}
		return next && (h.is(forbid) || h.is(no) || h.is(not))
	})
}

// keyword returns the words that a search is for, as they were written. A word that the catalog does not have in this form gives
// way to one of the same meaning that it has.
func (m *Model) keyword(r *reading) string {
	var words []string
	for _, h := range r.ideas {
		words = append(words, m.findable(string(r.norm[h.from:h.to]), h.value(concept)))
	}
	if len(words) == 0 {
		for _, t := range r.loose {
			words = append(words, m.bare(t.key))
		}
		for _, t := range r.terms {
			if len(words) == 0 {
				words = append(words, string(r.norm[t.from:t.to]))
			}
		}
	}
	words = slices.Compact(words)
	const most = 3
	return strings.Join(words[:min(most, len(words))], " ")
}

// findable returns a word for a search: as it was written if the catalog has it, else one of the same meaning that it has.
func (m *Model) findable(word string, idea int) string {
	if strings.Contains(m.haystack, word) {
		return word
	}
	var other string
	for _, p := range m.words.phrases[idea] {
		if strings.Contains(m.haystack, p) {
			if script([]rune(p)[0]) == script([]rune(word)[0]) {
				return p
			}
			if other == "" {
				other = p
			}
		}
	}
	if other != "" {
		return other
	}
	return word
}
