package offline

import (
	"slices"

	"steady/core"
)

// A move is what the coach does next: calls, words, or words that go with calls. Choices are what the words offer, so that the next message can pick one.
type move struct {
	calls      []core.ToolCall
	text       string
	choices    []choice
	understood bool
}

// A choice is what happens when a person picks it.
type choice struct {
	label string
	then  move
	yes   bool // a yes is enough to pick it
	add   move // of an entry that was shown: what happens when the pick says to add it
}

func calls(c ...core.ToolCall) move { return move{calls: c, understood: true} }

func says(text string) move { return move{text: text, understood: true} }

// writes tells whether a move changes something.
func (m move) writes() bool {
	return slices.ContainsFunc(m.calls, func(c core.ToolCall) bool { return writes(c.Name) })
}

// act is one move of a turn. Calls that were made already are not made again, and of two writes in a turn the second never is.
func (m *Model) act(s *scene) move {
	if s.facts.notice != "" {
		return says(s.facts.notice)
	}
	want := m.decide(s)
	if next := s.pending(want.calls); len(next) > 0 {
		return m.asking(s, want, next)
	}
	if len(s.results) == 0 || want.understood && len(want.calls) == 0 {
		return want
	}
	if c, ok := s.streakAfterLog(); ok {
		return calls(c)
	}
	return says(m.report(s, want))
}

// asking makes the calls that are next, as far as the request offers their tools.
func (m *Model) asking(s *scene, want move, next []core.ToolCall) move {
	wrote := slices.ContainsFunc(s.results, func(r result) bool { return writes(r.call.Name) })
	for _, c := range next {
		if !s.tools[c.Name] || wrote && writes(c.Name) {
			if len(s.results) > 0 {
				return says(m.report(s, want))
			}
			return says(m.say.noTool.In(s.lang))
		}
	}
	out := calls(next...)
	if len(s.results) == 0 {
		out.text = want.text
	}
	return out
}

// pending returns the calls without a result in this turn.
func (s *scene) pending(want []core.ToolCall) []core.ToolCall {
	var out []core.ToolCall
	for _, c := range want {
		made := slices.ContainsFunc(s.results, func(r result) bool { return r.call.Name == c.Name && (r.call.Args == c.Args || r.call.Args == "") })
		if !made {
			out = append(out, c)
		}
	}
	return out
}

// streakAfterLog asks for the streak once after a day was logged (habits.md §2.4).
func (s *scene) streakAfterLog() (core.ToolCall, bool) {
	asked := slices.ContainsFunc(s.results, func(r result) bool { return r.call.Name == toolStreak })
	i := slices.IndexFunc(s.results, func(r result) bool { return r.call.Name == toolLog && r.ok() })
	if asked || i < 0 || !s.tools[toolStreak] {
		return core.ToolCall{}, false
	}
	data, err := decode[logData](s.results[i].Data)
	if err != nil || data.HabitID == 0 {
		return core.ToolCall{}, false
	}
	return call(toolStreak, streakArgs{data.HabitID}), true
}

// decide works out what a message asks for. What is not understood is read once more with its spelling corrected.
func (m *Model) decide(s *scene) move {
	r := m.read(s.ask)
	if out, ok := m.follow(s, r); ok {
		return out
	}
	out := m.plan(s, r)
	if !out.writes() {
		if fixed, ok := m.words.repairs.text(m, r); ok {
			if again := m.plan(s, m.readText(fixed)); again.understood && !(again.writes() && m.blocked(r)) {
				return again
			}
		}
	}
	return out
}

// plan works out what a message asks for by itself.
func (m *Model) plan(s *scene, r *reading) move {
	matches := m.rank(r)
	for _, try := range []func(*scene, *reading, []match) (move, bool){m.planAdd, m.planLog, m.planRead, m.planTalk} {
		if out, ok := try(s, r, matches); ok {
			return out
		}
	}
	return m.hint(s, r, matches)
}

// hint is said to what sounds like a report and is none for certain: how to say it plainly. What sounds like nothing gets one of
// the fixed replies.
func (m *Model) hint(s *scene, r *reading, matches []match) move {
	if _, _, ok := m.deedOf(r, habit{}); (ok || r.bare()) && len(r.ideas) > 0 {
		if h, known := m.habitOf(s, r, matches); known {
			return move{text: fill(m.say.plain.In(s.lang), "title", h.title)}
		}
		if entry, named := m.entryOf(r, matches); named && s.facts.known && matches[0].full {
			return move{text: fill(m.say.notYours.In(s.lang), "title", m.catalog[entry].Title.In(s.lang))}
		}
	}
	return m.fallback(s)
}

// planTalk answers what is said to the coach itself.
func (m *Model) planTalk(s *scene, r *reading, _ []match) (move, bool) {
	switch {
	case r.has(beyond):
		return says(m.say.beyond.In(s.lang)), true
	case r.has(who):
		return says(m.say.who.In(s.lang)), true
	case r.has(help), r.has(ask, about) && r.has(record, done, skip, blank, minimum, stretch):
		return says(m.say.help.In(s.lang)), true
	case r.has(thanks):
		return says(m.say.thanks.In(s.lang)), true
	case r.has(hello):
		return says(m.say.hello.In(s.lang)), true
	}
	return move{}, false
}

// fallback is one of the fixed replies (seed 003), by the text and by how many messages there are.
func (m *Model) fallback(s *scene) move {
	sum := uint32(s.nth)
	for _, b := range []byte(s.ask) {
		sum = sum*31 + uint32(b)
	}
	fixed := fixedReplies()
	return move{text: fixed[sum%uint32(len(fixed))].In(s.lang)}
}
