package store

import (
	"context"
	"errors"

	"steady/core"
)

// lease is a [core.Lease]. The right itself is the tenure, which the desk gives and takes.
type lease struct {
	store  *Store
	tenure *tenure
	// using, of capacity one, is full during a Commit or a Release. So a Release, also one of another goroutine, waits for the
	// Commit under way: the next holder must not read what that is about to change.
	using chan struct{}
}

func (l *lease) Chat() core.ChatKey       { return l.tenure.chat.key }
func (l *lease) Context() context.Context { return l.tenure.ctx }
func (l *lease) News() <-chan struct{}    { return l.tenure.news }

// Inbox reads the table itself, so it never lags. It returns ErrFenced when the lease is over.
func (l *lease) Inbox(ctx context.Context, after uint64, max int) ([]core.Envelope, error) {
	if live, _ := l.store.desk.state(l.tenure); !live {
		return nil, core.ErrFenced
	}
	var out []core.Envelope
	chat := l.Chat()
	err := l.store.read(ctx, max, func(t *txn) (err error) {
		out, err = t.inboxOf(chat, after, max)
		return err
	})
	if errors.Is(err, core.ErrClosed) {
		return nil, core.ErrFenced
	}
	return out, err
}

// Commit waits for the disk, whatever becomes of ctx, once the committer has the batch.
func (l *lease) Commit(ctx context.Context, b core.Batch) error {
	l.using <- struct{}{}
	defer func() { <-l.using }()
	c, err := newCommitment(l.store, l.tenure, b)
	if err != nil {
		return err
	}
	err = l.store.submit(ctx, c)
	if errors.Is(err, core.ErrClosed) {
		return core.ErrFenced
	}
	return err
}

// Release is done in memory and cannot fail.
func (l *lease) Release(_ context.Context, seen uint64) error {
	l.using <- struct{}{}
	defer func() { <-l.using }()
	l.store.desk.release(l.tenure, seen)
	return nil
}
