package core

import (
	"context"
	"time"
)

// A Reader is how clients with a screen follow chats. All methods may be called concurrently; none of them changes anything.
// [Engine] is one.
type Reader interface {
	// History returns the entries of a chat with a revision greater than after, at most max, oldest first.
	History(ctx context.Context, chat ChatKey, after uint64, max int) (History, error)
	// Snapshot returns what is going on in a chat: what its running turn shows, or how its parked turn stands. ok is false when
	// nothing is.
	Snapshot(ctx context.Context, chat ChatKey) (s Snapshot, ok bool, err error)
	// Watch hints at new entries and new snapshots of a chat. The channel has capacity one; hints may be spurious and may be
	// missed for two seconds. stop must be called.
	Watch(chat ChatKey) (hint <-chan struct{}, stop func())
	// Chats lists the chats of a channel, the latest first.
	Chats(ctx context.Context, channel string) ([]ChatInfo, error)
}

// A History is a stretch of a chat's entries.
type History struct {
	Revision uint64 // the count of entries ever appended; it never falls
	Mark     uint64 // the revision at which the conversation was last started anew
	Entries  []Recorded
}

// A ChatInfo is a chat in a list.
type ChatInfo struct {
	Chat     ChatKey
	Title    string // the first words; "" before there are any
	Revision uint64
	Updated  time.Time
}

// A Snapshot is what is shown of a turn while it runs. The newest wins, any may be dropped; it is never the truth, and the only
// source of progress (seed 002 §9).
type Snapshot struct {
	Turn     uint64
	User     string // what the user said
	State    TurnState
	Text     string // the answer so far
	Calls    []CallProgress
	Question *QuestionView
	Waiting  []WaitingView // messages that wait behind the turn
}

// TurnState is how far a turn is.
type TurnState uint8

// The states. A turn that has ended has no snapshot.
const (
	Thinking TurnState = iota + 1 // the model is at work
	Acting                        // a tool is at work
	Parked                        // a person is asked
)

// CallProgress is a call of the running turn.
type CallProgress struct {
	ID       string
	Label    LocalText // the tool's; the bare name where there is no such tool
	Started  bool
	Finished bool
}

// A QuestionView is an open question as a screen shows it, in the language of its chat.
type QuestionView struct {
	Approve Button // the tokens to press
	Deny    Button
	Body    string // the whole question as Markdown
	Expires time.Time
}

// A WaitingView is a message that has not got its turn.
type WaitingView struct {
	Inbound string
	Text    string
}
