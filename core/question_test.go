package core

import "testing"

// The gate over the full product of states and events. What is not named changes nothing.
func TestNextOverAllStatesAndEvents(t *testing.T) {
	type at struct {
		s QuestionState
		e questionEvent
	}
	want := map[at]QuestionState{
		{Proposed, saidYes}:   Approved,
		{Proposed, saidNo}:    Denied,
		{Proposed, timeUp}:    Lapsed,
		{Proposed, withdraw}:  Withdrawn,
		{Proposed, noSurface}: Unreachable,
		{Approved, begin}:     Started,   // an effect outside the store
		{Approved, succeed}:   Done,      // an exact tool, in one batch
		{Approved, fail}:      Erred,     // refused by the rules, or changed
		{Approved, withdraw}:  Withdrawn, // stopped before anything happened
		{Started, succeed}:    Done,
		{Started, fail}:       Erred,
		{Started, lose}:       Doubtful, // never run again by itself
	}
	for s := Proposed; s <= Unreachable; s++ {
		for e := saidYes; e <= lose; e++ {
			to, allowed := want[at{s, e}]
			if !allowed {
				to = s
			}
			if got, ok := next(s, e); got != to || ok != allowed {
				t.Errorf("next(%s, %d) = %s %v, want %s %v", s, e, got, ok, to, allowed)
			}
		}
		if s.Final() != (s >= Done) {
			t.Errorf("%s: final %v", s, s.Final())
		}
	}
}
