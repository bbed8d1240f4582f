package core

import "time"

// A Delivery is the outcome of an outbox item.
type Delivery struct {
	Item    uint64          `json:"item"`
	Turn    uint64          `json:"turn,omitempty"`
	Answer  bool            `json:"answer,omitempty"` // the last item of the turn's answer
	Outcome DeliveryOutcome `json:"outcome"`
	Message MessageID       `json:"message,omitempty"`
}

// DeliveryOutcome says how an item ended.
type DeliveryOutcome uint8

// The outcomes.
const (
	Delivered  DeliveryOutcome = iota + 1 // the platform shows it
	FellBack                              // an edit was refused; a plain message shows it
	NotShown                              // refused, or tried for a day
	ChatGone                              // the chat cannot be reached
	MaybeTwice                            // an answer was lost three times; it may be shown more than once, or not at all
)

// The bounds of trying again (architecture.md, hop 8).
const (
	firstBackoff     = time.Second
	longestBackoff   = 5 * time.Minute
	giveUpAfter      = 24 * time.Hour
	notReadyWait     = 30 * time.Second // until a channel that is not ready is tried again
	maxUncertainSend = 3                // where the platform cannot tell a repeated send
	maxMoves         = 5                // of a chat, for one item
)

// A deliveryMove is what to do about an item after a try.
type deliveryMove uint8

const (
	settle      deliveryMove = iota + 1 // it is shown
	repeat                              // the same again, after the wait
	strip                               // the same without markup
	fallBack                            // one plain send in place of the edit
	drop                                // never; log it, say so in the next turn
	doubt                               // stop repeating: it may have been shown
	relocate                            // the chat has moved: alias, then the same again
	markGone                            // the chat is gone: drop everything, pause its timers
	keepWaiting                         // the channel is not ready: keep it
)

// A tried is an item and how its latest try ended.
type tried struct {
	edit     bool
	kind     Kind          // of the error; Other and Uncertain are the same
	failed   bool          // there was an error
	wait     time.Duration // of Throttled
	tries    int           // uncertain and unsent tries so far, this one included
	age      time.Duration // since the first try
	plain    bool          // it was tried without markup already
	dedupes  bool          // the platform recognizes a repeated send
	fallback bool          // it is the fallback of a refused edit
	noPlain  bool          // it has no fallback
}

// decide is the delivery table of architecture.md, hop 8.
func decide(t tried) (deliveryMove, time.Duration) {
	if !t.failed {
		return settle, 0
	}
	backoff := min(firstBackoff<<min(max(t.tries-1, 0), 16), longestBackoff)
	switch t.kind {
	case Gone:
		return markGone, 0
	case Unauthorized:
		return keepWaiting, notReadyWait
	case Throttled:
		if t.age >= giveUpAfter {
			return drop, 0
		}
		return repeat, max(t.wait, firstBackoff)
	case Relocated:
		if t.tries > maxMoves {
			return drop, 0
		}
		return relocate, 0
	case Markup:
		if !t.plain {
			return strip, 0
		}
		return refusedMove(t), 0
	case Refused:
		return refusedMove(t), 0
	}
	if t.age >= giveUpAfter {
		return drop, 0
	}
	if t.kind != Unsent && !t.edit && !t.dedupes && t.tries >= maxUncertainSend {
		return doubt, 0
	}
	return repeat, backoff
}

// refusedMove is what follows when the platform will never take this item.
func refusedMove(t tried) deliveryMove {
	if t.edit && !t.noPlain && !t.fallback {
		return fallBack
	}
	return drop
}
