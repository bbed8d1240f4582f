// Package store keeps chats in one file. It is [core.Store] over bbolt, for a bot that runs as one process, and the only package
// that knows bbolt.
//
// What is durable is in the file, in a few flat tables (rows.go). What only matters while the process lives is in memory, on the
// desk (desk.go): who holds which chat, which chats are due, who waits for one, who watches. An idle chat is not on the desk and
// costs nothing. One goroutine, the committer (committer.go), writes: it takes whatever is queued at the moment, makes one
// transaction of it, and after that tells the desk; so memory never knows more than the disk, and many chats share one fsync.
// The committer is also the clock: it rings the chats whose timer has passed (wakes.go).
//
// A request goes through the committer in two steps: it checks what it wants against the tables, and only then writes. So a
// refused request leaves no trace, and disturbs none of the others in its transaction (ingest.go, commit.go).
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"steady/core"
)

// Errors of [Open]. Each is wrapped in one line that a person can act on.
var (
	// ErrLocked says that another process has the file open.
	ErrLocked = errors.New("another process is using the data file")
	// ErrDamaged says that the file is not what this package wrote: emptied, cut off, overwritten, or gone although it was there
	// before. Nothing was changed; a backup has to be put in its place.
	ErrDamaged = errors.New("the data file is damaged")
	// ErrNewer says that the file has a format that this version does not know. Nothing was changed.
	ErrNewer = errors.New("the data file was made by a newer version")
)

// Options say how a store behaves. The zero value is what core's contract asks for.
type Options struct {
	// Log gets what nobody is told otherwise: an unclean end, a compaction, a failed write. Nil discards it.
	Log *slog.Logger
	// Limits bound the unacknowledged rows of a chat.
	Limits Limits
	// SeenFor is how long the id of an envelope is remembered; 0 is 14 days.
	SeenFor time.Duration
}

// Limits are how many unacknowledged rows a chat may have in each lane; 0 is 32 normal and 64 urgent ones.
type Limits struct {
	Normal int
	Urgent int
}

func (o Options) complete() (Options, error) {
	if o.Limits.Normal < 0 || o.Limits.Urgent < 0 || o.SeenFor < 0 {
		return o, errors.New("store options: limits and durations must not be negative")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Limits.Normal == 0 {
		o.Limits.Normal = 32
	}
	if o.Limits.Urgent == 0 {
		o.Limits.Urgent = 64
	}
	if o.SeenFor == 0 {
		o.SeenFor = 14 * 24 * time.Hour
	}
	return o, nil
}

// A Store is a [core.Store]; make one with [Open]. Beyond the contract it promises:
//
//   - The seen of a release is kept in memory only. After a restart a parked chat is therefore due once more, and whoever claims
//     it releases it again; it neither spins nor is it forgotten.
//   - A timer that has passed keeps its chat due until a commit sets or clears it, so one that rang just before a crash rings
//     again.
//   - The revision of a document that is made anew after it was deleted is greater than any that a deleted document had, so that
//     a write based on the deleted one is a conflict.
//   - After a write fails, nobody knows what the disk holds. The store then stops as if closed: the requests of that transaction
//     get the error, leases end, and everything later gets an error that is [core.ErrClosed] and names the cause. Opening the
//     file again shows what is true.
type Store struct {
	log     *slog.Logger
	limits  [2]uint32 // by lane
	seenFor time.Duration

	db   *bbolt.DB
	desk *desk

	queue   chan *job     // to the committer; bounded, so that a slow disk slows its callers down
	quit    chan struct{} // closed by Close
	stopped chan struct{} // closed by the committer when it writes no more
	closing sync.Once
	closed  error     // what Close returns; set once
	next    time.Time // the committer's: when the next timer passes; zero if there is none
	rung    []byte    // the committer's: timers up to this key of the table have rung
}

// Open opens the file at path, or makes it and its directory. It takes as long as reading the index of chats with waiting rows
// does, after an unclean end as long as reading the whole file, and when most of a large file is unused it rewrites it. Its
// errors are [ErrLocked] (after two seconds), [ErrDamaged], [ErrNewer], and those of the file system.
func Open(path string, o Options) (*Store, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	db, err := openFile(path, o.Log)
	if err != nil {
		return nil, err
	}
	s := &Store{
		log:     o.Log,
		limits:  [2]uint32{core.Normal: uint32(o.Limits.Normal), core.Urgent: uint32(o.Limits.Urgent)},
		seenFor: o.SeenFor,
		db:      db,
		desk:    newDesk(),
		queue:   make(chan *job, maxGroup),
		quit:    make(chan struct{}),
		stopped: make(chan struct{}),
		next:    time.Now(), // the timers that passed while nobody was there
	}
	if err := s.begin(); err != nil {
		return nil, fmt.Errorf("%w: %s", errors.Join(err, db.Close()), path)
	}
	go s.run()
	return s, nil
}

// begin marks the file as in use, forgets a piece of what is no longer to be remembered, and puts the chats with waiting rows on
// the desk.
func (s *Store) begin() error {
	err := s.update(func(t *txn) error {
		if err := t.put(t.meta, []byte(keyClean), []byte{0}); err != nil {
			return err
		}
		return s.forget(t, forgetAtOpen)
	})
	if err != nil {
		return err
	}
	return s.view(func(t *txn) error {
		return s.desk.load(t)
	})
}

// Close ends every lease and refuses new work. It returns when nothing is being written any more and the file is closed. Closing
// again waits for the first and returns what it returned.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.desk.end(core.ErrClosed)
		close(s.quit)
		<-s.stopped
		s.closed = s.shut()
	})
	return s.closed
}

// shut marks the file as closed cleanly. The last transaction also writes the list of free pages, which the others leave out, so
// that the next Open need not scan the file for them.
func (s *Store) shut() error {
	var err error
	if s.desk.ended() == core.ErrClosed { // and not a failed write
		s.db.NoFreelistSync = false
		err = s.update(func(t *txn) error { return t.put(t.meta, []byte(keyClean), []byte{1}) })
	}
	return errors.Join(err, s.db.Close())
}

// Ingest is [core.Store.Ingest].
func (s *Store) Ingest(ctx context.Context, in ...core.Envelope) ([]core.Fate, error) {
	for _, e := range in {
		if err := errors.Join(checkKey(string(e.Chat)), checkKey(e.ID)); err != nil {
			return nil, fmt.Errorf("ingest: %w", err)
		}
	}
	if len(in) == 0 {
		return nil, s.desk.ended()
	}
	w := &ingestion{store: s, in: in}
	if err := s.submit(ctx, w); err != nil {
		return nil, err
	}
	return w.fates, nil
}

// Claim is [core.Store.Claim].
func (s *Store) Claim(ctx context.Context, lane core.Lane) (core.Lease, error) {
	return s.lend(s.desk.claim(ctx, lane))
}

// Hold is [core.Store.Hold].
func (s *Store) Hold(ctx context.Context, role string) (core.Lease, error) {
	return s.lend(s.desk.hold(ctx, rolePrefix+core.ChatKey(role)))
}

func (s *Store) lend(t *tenure, err error) (core.Lease, error) {
	if err != nil {
		return nil, err
	}
	return &lease{store: s, tenure: t, using: make(chan struct{}, 1)}, nil
}

// Watch is [core.Store.Watch]. After Close there are no hints any more; stop is still to be called.
func (s *Store) Watch(chat core.ChatKey) (hint <-chan struct{}, stop func()) {
	return s.desk.watch(chat)
}

// Scan is [core.Store.Scan]. It never lags.
func (s *Store) Scan(ctx context.Context, chat core.ChatKey, prefix, after string, max int) ([]core.KV, error) {
	var out []core.KV
	err := s.read(ctx, max, func(t *txn) error {
		return stretch{prefixOf(chat), prefix, after, max}.each(t.pairs, func(key string, value []byte) error {
			out = append(out, core.KV{Key: key, Value: append([]byte{}, value...)})
			return nil
		})
	})
	return out, err
}

// Documents is [core.Store.Documents]. It never lags.
func (s *Store) Documents(ctx context.Context, prefix, after string, max int) ([]core.Document, error) {
	var out []core.Document
	err := s.read(ctx, max, func(t *txn) error {
		return stretch{nil, prefix, after, max}.each(t.docs, func(key string, value []byte) error {
			revision, body, err := decodeDocument(value)
			out = append(out, core.Document{Key: key, Revision: revision, Body: append([]byte{}, body...)})
			return err
		})
	})
	return out, err
}

// read runs fn in a read transaction, which must be short: while one is open, no page that later transactions replace is free.
func (s *Store) read(ctx context.Context, max int, fn func(*txn) error) error {
	if max <= 0 {
		return errors.New("read: max must be positive")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.desk.ended(); err != nil {
		return err
	}
	err := s.view(fn)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return s.desk.ended() // closed in between
	}
	return err
}
