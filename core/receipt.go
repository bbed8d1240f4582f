package core

import "context"

// A ReceiptKind is what [Engine.Accept] can say of an inbound.
type ReceiptKind uint8

// The kinds of receipts.
const (
	Nothing  ReceiptKind = iota // blank, or seen before: nothing happens
	Stored                      // taken
	Queued                      // taken; Ahead others come before it
	NotTaken                    // the chat has too many waiting, or the sender wrote too fast; the person is told by the engine
	Received                    // a press: taken, the decision comes
	Expired                     // a press: too late
	Decided                     // a press: Outcome was decided before
	NotYours                    // a press: somebody else must answer
	Unknown                     // a press: there is no such question
)

// A Receipt tells the adapter at once what became of an inbound.
type Receipt struct {
	Kind    ReceiptKind
	Ahead   int           // of Queued
	Outcome QuestionState // of Decided
	lang    Lang
	decided func(context.Context) (QuestionState, error)
}

// Decision waits for what a press that was Received came to, until ctx ends. Only the agent's commit is ever an outcome, so this
// is the one that may be shown. For the other kinds it returns Outcome at once.
func (r Receipt) Decision(ctx context.Context) (QuestionState, error) {
	if r.decided == nil {
		return r.Outcome, nil
	}
	return r.decided(ctx)
}

// Text is the receipt in one short line for the person, "" where nothing needs to be said.
func (r Receipt) Text() string { return receiptText(r).In(r.lang) }

func receiptText(r Receipt) LocalText {
	switch r.Kind {
	case Queued:
		return textQueued
	case NotTaken:
		return textNotTaken
	case Received:
		return textReceived
	case Expired:
		return textExpired
	case NotYours:
		return textNotYours
	case Unknown:
		return textUnknownQuestion
	case Decided:
		return outcomeText(r.Outcome)
	}
	return LocalText{}
}
