package offline

import (
	"slices"

	"steady/core"
)

// follow works out a message that answers what was offered before: a number, a name, a yes, "add it". What was offered is worked
// out again from the exchange before.
func (m *Model) follow(s *scene, r *reading) (move, bool) {
	choices := m.offered(s)
	if len(choices) == 0 || r.has(forbid, unless, maybe, other, takeBack, later, pending) || r.has(ask) && !r.has(please) {
		return move{}, false
	}
	if i, ok := r.ordinal(len(choices)); ok {
		return m.picked(choices[i], r)
	}
	bare := !r.has(record, done, past, not, streak, mine, left, find, about, catalog, show, help)
	switch {
	case !bare:
		return move{}, false
	case len(choices) == 1 && len(r.ideas) == 0 && (r.has(yes) && choices[0].yes || r.has(it) && r.has(add) || r.has(replace)):
		return m.picked(choices[0], r)
	}
	if i, ok := m.namedChoice(choices, r); ok && !r.has(add) {
		return m.picked(choices[i], r)
	}
	return move{}, false
}

// picked is what follows a pick. A pick from a list that was only looked at is a look at the entry, unless it says to add it.
func (m *Model) picked(c choice, r *reading) (move, bool) {
	if c.add.understood && r.has(add) {
		return c.add, true
	}
	return c.then, c.then.understood
}

// ordinal reads a message that is a number of a choice and little else.
func (r *reading) ordinal(n int) (int, bool) {
	if i, ok := r.value(nth); ok {
		if i < 0 {
			i = n
		}
		return i - 1, i >= 1 && i <= n && len(r.ideas) == 0
	}
	for i := range r.norm {
		k, to, ok := digits(r.norm, i)
		if !ok {
			continue
		}
		short := len(r.norm) <= 12 && len(r.ideas) == 0 && len(r.loose) == 0 && len(r.days) == 0 && len(r.clocks) == 0
		return k - 1, short && k >= 1 && k <= n && to <= len(r.norm)
	}
	return 0, false
}

// namedChoice finds the choice whose label shares the most words with a message.
func (m *Model) namedChoice(choices []choice, r *reading) (int, bool) {
	best, at, twice := 0.0, -1, false
	for i, c := range choices {
		f := m.index.score(m.titled(c.label), r.terms)
		switch {
		case f.score > best:
			best, at, twice = f.score, i, false
		case f.score == best && best > 0:
			twice = true
		}
	}
	return at, at >= 0 && !twice && len(r.loose) == 0
}

// offered returns the choices that the last answer gave.
func (m *Model) offered(s *scene) []choice {
	if s.before.ask == "" {
		return nil
	}
	if len(s.before.results) == 0 {
		earlier := *s
		earlier.ask, earlier.results, earlier.before = s.before.ask, nil, exchange{}
		return m.decide(&earlier).choices
	}
	last := s.before.results[len(s.before.results)-1]
	switch {
	case last.call.Name == toolSearch && last.ok():
		return m.foundChoices(s, last)
	case last.call.Name == toolQuery && last.ok():
		return m.entryChoice(s, last)
	case last.call.Name == toolAdd && last.Code == codeAvoidance:
		return m.rewordings(s.lang, last)
	case last.call.Name == toolLog && last.Code == codeDuplicate:
		return replaceChoice(last)
	}
	return nil
}

// foundChoices are the entries that a search found. Whether they are to be added or looked at, the message before tells.
func (m *Model) foundChoices(s *scene, found result) []choice {
	data, err := decode[searchData](found.Data)
	if err != nil {
		return nil
	}
	earlier := m.read(s.before.ask)
	adding := earlier.has(add) && !earlier.has(find)
	var out []choice
	for _, it := range data.Items {
		i := slices.IndexFunc(m.catalog, func(e Entry) bool { return e.ID == it.ID })
		c := choice{label: it.Title, then: calls(call(toolQuery, queryArgs{it.ID}))}
		if i >= 0 {
			c.add = m.adds(s, m.read(""), i)
		}
		if adding && i >= 0 {
			c.then = c.add
		}
		out = append(out, c)
	}
	return out
}

// entryChoice is the entry that was looked at, which can be added.
func (m *Model) entryChoice(s *scene, shown result) []choice {
	data, err := decode[queryData](shown.Data)
	if err != nil || data.Active != nil {
		return nil
	}
	i := slices.IndexFunc(m.catalog, func(e Entry) bool { return e.ID == data.ID })
	if i < 0 {
		return nil
	}
	c := m.adds(s, m.read(""), i)
	return []choice{{label: data.Title, then: c, add: c}}
}

// rewordings are the two that a refused wording is answered with (habits.md §4.5): the catalog's example, which says when and
// what, and one that says who the person is.
func (m *Model) rewordings(l core.Lang, refused result) []choice {
	args, err := decode[addArgs]([]byte(refused.call.Args))
	i := slices.IndexFunc(m.catalog, func(e Entry) bool { return e.ID == args.ProtocolID })
	if err != nil || i < 0 {
		return nil
	}
	e := m.catalog[i]
	plan, self := args, args
	plan.FrameLevel, plan.FramedText = "process", e.Frame.In(l)
	self.FrameLevel, self.FramedText = "identity", fill(m.say.identity.In(l), "title", e.Title.In(l))
	return []choice{
		{label: plan.FramedText, then: calls(call(toolAdd, plan))},
		{label: self.FramedText, then: calls(call(toolAdd, self))},
	}
}

// replaceChoice is the entry that was refused because there is one, as one that replaces it.
func replaceChoice(refused result) []choice {
	args, err := decode[logArgs]([]byte(refused.call.Args))
	if err != nil || args.HabitID == 0 {
		return nil
	}
	args.Replace = true
	return []choice{{label: "", then: calls(call(toolLog, args))}}
}
