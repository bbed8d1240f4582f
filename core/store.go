package core

import (
	"context"
	"time"
)

// A Store keeps chats. A chat is an actor: an ordered inbox with an urgent lane, an ordered private key space and one timer.
// Beside the chats there are documents with revisions, which several chats share. The store keeps bytes; rows.go gives them
// meaning. All methods may be called concurrently. Slices passed in are not kept, slices returned are the caller's.
//
// The suite behind this contract is store/storetest; why it is as it is, is told in doc.go.
type Store interface {
	// Ingest appends envelopes to the inboxes of their chats, in the order given. An envelope whose ID its chat has seen within
	// 14 days is Seen and changes nothing. One that finds its lane full is Full, and is recorded as seen. When the error is
	// nil, everything in the fates survives kill -9 and power loss; else nothing was taken, or it will be Seen when tried
	// again. ErrClosed after Close.
	Ingest(ctx context.Context, in ...Envelope) ([]Fate, error)
	// Claim waits for a due chat that nobody holds and returns the sole right to it. In the lane Urgent due means an
	// unacknowledged urgent row; in the lane Normal an unacknowledged normal row later than the last release's seen, or a timer
	// that has passed. A chat that is due in both is handed out in either. Chats are handed out in the order in which they
	// became due. It returns ctx's error, or ErrClosed.
	Claim(ctx context.Context, lane Lane) (Lease, error)
	// Hold waits to be alone in a role and returns the lease of it. A role is an actor like a chat, named "role/"+role, which
	// Claim never hands out.
	Hold(ctx context.Context, role string) (Lease, error)
	// Scan returns up to max pairs of chat's key space whose key starts with prefix and is greater than after, in byte order of
	// the keys. It needs no lease and may lag behind a commit of another process by up to two seconds, but never behind the
	// caller's own. max must be positive.
	Scan(ctx context.Context, chat ChatKey, prefix, after string, max int) ([]KV, error)
	// Documents returns up to max documents whose key starts with prefix and is greater than after, in byte order of the keys.
	Documents(ctx context.Context, prefix, after string, max int) ([]Document, error)
	// Watch returns a channel of capacity one that hints at a change of chat: a commit or an ingest. A hint may be spurious and
	// may be missed for two seconds, so a watcher looks by itself that often. stop must be called.
	Watch(chat ChatKey) (hint <-chan struct{}, stop func())
	// Close gives up every lease, refuses new work with ErrClosed and returns when nothing is being written any more.
	Close() error
}

// A Lease is one process's sole right to a chat. One goroutine uses it.
type Lease interface {
	Chat() ChatKey
	// Context ends when the right may be lost, or was released; side effects stop then.
	Context() context.Context
	// News returns a channel of capacity one that hints at new rows in the inbox. It may be spurious.
	News() <-chan struct{}
	// Inbox returns up to max unacknowledged rows of both lanes with a sequence number greater than after, in its order.
	Inbox(ctx context.Context, after uint64, max int) ([]Envelope, error)
	// Commit makes the whole batch durable or nothing of it. ErrFenced, ErrStale and ErrConflict mean that nothing was
	// written; any other error means that it may have been, and the same batch is to be sent again: a batch that was written
	// before is then accepted without being written twice.
	Commit(ctx context.Context, b Batch) error
	// Release gives the chat back. Rows up to seen no longer make it due in the lane Normal until a later row, the timer or an
	// urgent row does. Releasing twice is harmless. The lease is unusable afterwards.
	Release(ctx context.Context, seen uint64) error
}

// An Envelope is one row of an inbox. ID is its idempotency key within Chat; Seq is given by the store, common to both lanes
// of a chat, rising from 1 and never used again.
type Envelope struct {
	Chat   ChatKey
	ID     string
	Urgent bool
	Body   []byte
	Seq    uint64
}

// A Fate is what became of an envelope.
type Fate uint8

// The fates.
const (
	Fresh Fate = iota + 1 // appended
	Seen                  // its ID was there before; nothing changed
	Full                  // its lane had no room; it is remembered as seen
)

// A Lane is one of the two orders of a chat's inbox.
type Lane uint8

// The lanes.
const (
	Normal Lane = iota
	Urgent
)

// KV is a pair of a chat's key space. In a batch a nil Value deletes.
type KV struct {
	Key   string
	Value []byte
}

// A Document is shared by several chats. Revision starts at 1 and rises with each write.
type Document struct {
	Key      string
	Revision uint64
	Body     []byte
}

// A DocumentWrite writes a document that had Revision when it was read, 0 for one that was not there. Without a Body it only
// checks; with Delete it removes.
type DocumentWrite struct {
	Key      string
	Revision uint64
	Body     []byte
	Delete   bool
}

// A Batch is what one commit makes durable. It is a value, so it can be sent again when the answer to the first try was lost.
type Batch struct {
	// Ack removes rows from the inbox. One that is not there (any more) makes the batch ErrStale.
	Ack []Envelope
	// Put writes the chat's key space.
	Put []KV
	// Docs are written in key order; one whose revision is another makes the batch ErrConflict.
	Docs []DocumentWrite
	// Urgent is the newest urgent sequence number that the committer has seen; a newer one in the store makes the batch ErrStale.
	Urgent uint64
	// Wake sets the chat's timer; the zero time clears it, nil leaves it.
	Wake *time.Time
}
