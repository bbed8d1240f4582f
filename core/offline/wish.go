package offline

import "slices"

// planAdd asks for a new habit, if the message wishes for one of the catalog. Where it does not say which, the catalog is searched.
func (m *Model) planAdd(s *scene, r *reading, matches []match) (move, bool) {
	switch {
	case !r.has(add, want), r.has(left, streak, about, record), r.generic():
		return move{}, false
	case !r.plainly(add) && (r.has(mine, done, catalog, skip, not) || r.plainly(find)):
		return move{}, false
	}
	d := adding
	if !r.has(add) {
		d = wished
	}
	from := r.first(add, want)
	for _, i := range r.ideas {
		from = min(from, i.from)
	}
	if m.quoting(r, d) || !m.allows(claim{reading: r, deed: d, from: from}) {
		return move{}, false
	}
	entry, ok := m.entryOf(r, matches)
	if _, at, cue := m.anchorSpan(r); cue && !ok { // the cue may have words of other entries
		rest := slices.DeleteFunc(slices.Clone(r.terms), func(t term) bool { return t.from >= at.from && t.to <= at.to })
		matches = m.rankOf(rest, r)
		entry, ok = m.entryOf(r, matches)
	}
	switch {
	case ok && m.nameEnough(r, matches[0]):
		return m.adds(s, r, entry), true
	case len(r.groups) > 0:
		return calls(call(toolSearch, m.searchOf(r))), true
	case r.has(add) && len(r.ideas) > 0:
		return m.whichEntry(s, r, matches)
	case r.has(thing) || r.plainly(add):
		return calls(call(toolSearch, searchArgs{})), len(r.loose) == 0
	}
	return move{}, false
}

// whichEntry asks which entry a wish means, among those that its words fit best.
func (m *Model) whichEntry(s *scene, r *reading, matches []match) (move, bool) {
	const most = 4
	out := move{understood: true}
	var names []string
	for _, f := range matches[:min(most, len(matches))] {
		if f.strong == 0 {
			continue
		}
		name := m.catalog[f.doc].Title.In(s.lang)
		names = append(names, name)
		out.choices = append(out.choices, choice{label: name, then: m.adds(s, r, f.doc), yes: true})
	}
	out.text = fill(m.say.whichEntry.In(s.lang), "list", numberedList(names))
	return out, len(names) > 0
}

// nameEnough tells whether a wish names an entry well enough to add it: by more than one word, or by nothing else. A mere wish must have the name nearly whole: who wants a coffee wants no habit.
func (m *Model) nameEnough(r *reading, best match) bool {
	sure := best.full || best.strong >= 2 || len(r.loose) == 0
	switch {
	case len(r.amounts) > 0 && !best.full && best.strong < 2 && len(m.words.things.scan(r.norm)) == 0:
		return false // so much of a thing is what one orders
	case r.plainly(add):
		const high = 3
		return sure || r.has(thing) || best.score > high && best.fair >= 2
	case r.valued(add, begins), r.has(thing), r.has(daily):
		return sure
	}
	const most = 0.75
	return best.full || best.cover > most
}

// adds proposes an entry, with the person's own sentence and cue where they are given. The caution goes with the proposal
// (habits.md §1.3).
func (m *Model) adds(s *scene, r *reading, entry int) move {
	e := m.catalog[entry]
	args := addArgs{ProtocolID: e.ID, FrameLevel: "process", FramedText: e.Frame.In(s.lang), Days: r.weekdays()}
	if own := m.frame(r); own != "" {
		args.FramedText = own
	}
	args.AnchorWhen, args.AnchorAfter = m.anchor(r)
	out := calls(call(toolAdd, args))
	if caution := e.Caution.In(s.lang); caution != "" {
		out.text = fill(m.say.first.In(s.lang), "title", e.Title.In(s.lang), "caution", caution)
	}
	return out
}
