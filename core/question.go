package core

// A QuestionState is how far a gated call is. Calls that need no yes begin as Approved.
type QuestionState uint8

// The states of a question. Those from Done on are final.
const (
	Proposed    QuestionState = iota + 1 // waiting for a person
	Approved                             // a person said yes, nothing has happened yet
	Started                              // durable before an effect outside the store
	Done                                 // the effect happened
	Erred                                // the tool said no, or could not
	Doubtful                             // it had started when the process died or was stopped; never run again by itself
	Denied                               // a person said no
	Lapsed                               // nobody answered in time
	Withdrawn                            // the requester went on, or stopped the turn
	Unreachable                          // there was no way to show the question whole
)

func (s QuestionState) String() string {
	names := [...]string{"", "proposed", "approved", "started", "done", "failed", "uncertain", "denied", "expired", "withdrawn", "unreachable"}
	if int(s) < len(names) {
		return names[s]
	}
	return "unknown"
}

// Final tells whether nothing can follow s.
func (s QuestionState) Final() bool { return s >= Done }

// cancelled tells whether s is one of the endings without a yes, which the model is all told of in the same words.
func (s QuestionState) cancelled() bool { return s >= Denied }

// questionEvent is what can happen to a question.
type questionEvent uint8

const (
	saidYes questionEvent = iota + 1
	saidNo
	timeUp
	withdraw
	noSurface
	begin   // an effect outside the store is about to start
	succeed // the effect happened
	fail    // it did not
	lose    // it is not known
)

// next is the state machine of the gate. ok is false when the event does not apply in s: the state stays and the event changes
// nothing, which is how a second press, a late press and a repeated one end.
func next(s QuestionState, e questionEvent) (QuestionState, bool) {
	switch s {
	case Proposed:
		switch e {
		case saidYes:
			return Approved, true
		case saidNo:
			return Denied, true
		case timeUp:
			return Lapsed, true
		case withdraw:
			return Withdrawn, true
		case noSurface:
			return Unreachable, true
		}
	case Approved:
		switch e {
		case begin:
			return Started, true
		case succeed: // an exact tool: its effect is in the same batch, there is no Started
			return Done, true
		case fail: // refused by the rules, or changed since it was shown
			return Erred, true
		case withdraw: // stopped before anything happened
			return Withdrawn, true
		}
	case Started:
		switch e {
		case succeed:
			return Done, true
		case fail:
			return Erred, true
		case lose:
			return Doubtful, true
		}
	}
	return s, false
}
