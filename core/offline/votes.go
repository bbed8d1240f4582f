package offline

import "slices"

// A question is a reading that may ask for something, with what is known of its things.
type question struct {
	*reading
	habit  bool // it names one of the person's habits
	entry  bool // it names a catalog entry
	titled bool // it has a whole title of the catalog
}

// A ruling is a reason to think that a tool is asked for, or that it is not.
type ruling struct {
	tool  string
	votes int
	when  func(q question) bool
}

// enough is how many votes a read needs.
const enough = 3

// votes counts what speaks for each of the tools that read.
func (m *Model) votes(q question) map[string]int {
	votes := map[string]int{}
	for _, r := range m.rulings {
		if r.when(q) {
			votes[r.tool] += r.votes
		}
	}
	if !q.entry {
		votes[toolQuery] = 0 // there is nothing to look up
	}
	return votes
}

// rulings is the table of what the words of a question say, and what it is that they are said of.
func rulings() []ruling {
	says := func(s sense) func(question) bool { return func(q question) bool { return q.has(s) } }
	return []ruling{
		{toolStreak, 4, says(streak)},
		{toolStreak, 2, func(q question) bool { return q.has(streak) && q.habit }},
		{toolStreak, -2, func(q question) bool { return !q.habit && (q.grouped() || q.has(find)) }},

		{toolList, 5, says(mine)},
		{toolList, 5, says(left)},
		{toolList, 1, says(show)},
		{toolList, 2, says(thing)},
		{toolList, 1, func(q question) bool { return q.has(thing) && q.bare() && !q.grouped() && len(q.ideas) == 0 }}, // "habits?"
		{toolList, 3, func(q question) bool { return q.has(me) && q.has(ask) && q.has(thing) && !q.entry && !q.grouped() }},
		{toolList, 2, func(q question) bool {
			return q.has(me) && q.has(thing) && !q.entry && !q.grouped() && len(q.ideas) == 0
		}},
		{toolList, 6, func(q question) bool { return q.ofToday() && !q.habit && !q.entry && !q.grouped() }},
		{toolList, -3, func(q question) bool { return q.grouped() && !q.has(me) }}, // "show the sleep habits"

		{toolQuery, 3, says(about)},
		{toolQuery, 1, says(show)},
		{toolQuery, 2, func(q question) bool { return q.entry && (q.ofTitle() || !q.tells()) }},
		{toolQuery, 1, func(q question) bool {
			return q.entry && (q.ofTitle() || !q.tells()) && (q.has(ask) && q.titled || q.bare())
		}},
		{toolQuery, 2, func(q question) bool { return q.has(about) && q.titled && !q.has(streak) }},

		{toolSearch, 2, says(find)},
		{toolSearch, 3, func(q question) bool { return q.plainly(find) }},
		{toolSearch, 4, says(catalog)},
		{toolSearch, 2, says(need)},
		{toolSearch, 1, says(show)},
		{toolSearch, 1, says(thing)},
		{toolSearch, 2, question.grouped},
		{toolSearch, 1, func(q question) bool { return q.grouped() && (q.bare() || q.wishes()) }},
		{toolSearch, 2, func(q question) bool { return q.grouped() && q.has(mine) && !q.has(me) }},
		{toolSearch, 1, func(q question) bool {
			return !q.grouped() && len(q.terms) > 0 && q.has(find, catalog, need, show, thing)
		}},
	}
}

// grouped tells whether a category is named.
func (q question) grouped() bool { return len(q.groups) > 0 }

// wishes tells whether the person wants something, and nobody else does.
func (q question) wishes() bool { return q.has(want) && !q.has(other, said, ask) }

// ofToday tells whether it is asked what was or was not done today.
func (q question) ofToday() bool {
	return q.has(ask) && q.has(today) && q.has(record, done, past, not)
}

// tells tells whether it says something of a deed, so that a name in it asks for no details.
func (q question) tells() bool {
	return q.has(record, done, past, not, skip, other, said, will, later, want, unless, maybe, add, usual)
}

// ofTitle tells whether it asks, with a question word, about an entry that it names in full.
func (q question) ofTitle() bool {
	return q.valued(ask, hardAsk) && q.titled && !q.has(record, done, past, other, said, unless, maybe, forbid)
}

// bare tells whether a reading is nothing but the name of a thing.
func (r *reading) bare() bool {
	return len(r.loose) == 0 && len(r.amounts) == 0 && !slices.ContainsFunc(r.cues, func(h hit) bool {
		return !slices.ContainsFunc(h.marks, func(m mark) bool {
			return slices.Contains([]sense{title, filler, thing, please}, m.sense) || m == mark{ask, softAsk}
		})
	})
}

// titleIn tells whether a whole title of the catalog is in a reading.
func (m *Model) titleIn(r *reading) bool {
	return slices.ContainsFunc(r.cues, func(h hit) bool { return h.is(title) && h.value(title) >= 0 })
}
