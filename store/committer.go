package store

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"go.etcd.io/bbolt"

	"steady/core"
)

// maxGroup bounds how many requests wait for the committer and how many share a transaction.
const maxGroup = 1024

// work is what the committer does for a request.
type work interface {
	// check says why the request is refused, and has written nothing then.
	check(*txn) error
	// write writes what check found good. It fails only when the store does.
	write(*txn) error
	// publish tells the desk, which is locked, once the transaction is durable.
	publish(*Store)
}

// A job is work that waits for its answer.
type job struct {
	work
	answer chan error // of capacity one
}

// txn is a transaction with its tables at hand.
type txn struct {
	meta, chats, waiting, inbox, pairs, wakes, seen, expiry, docs *bbolt.Bucket

	now    time.Time
	dirty  bool   // something was written
	noted  int    // ids that this transaction remembers
	firsts uint64 // chats whose first row this transaction appends
}

func begun(tx *bbolt.Tx) (*txn, error) {
	t := &txn{now: time.Now()}
	for name, b := range t.tables() {
		if *b = tx.Bucket([]byte(name)); *b == nil {
			return nil, fmt.Errorf("%w: no table %q", ErrDamaged, name)
		}
	}
	return t, nil
}

func (t *txn) tables() map[string]**bbolt.Bucket {
	return map[string]**bbolt.Bucket{
		tableMeta: &t.meta, tableChats: &t.chats, tableWaiting: &t.waiting, tableInbox: &t.inbox, tablePairs: &t.pairs,
		tableWakes: &t.wakes, tableSeen: &t.seen, tableExpiry: &t.expiry, tableDocs: &t.docs,
	}
}

func (t *txn) put(b *bbolt.Bucket, key, value []byte) error {
	t.dirty = true
	return b.Put(key, value)
}

func (t *txn) delete(b *bbolt.Bucket, key []byte) error {
	t.dirty = true
	return b.Delete(key)
}

// guard runs fn and makes an error of a panic, which is how bbolt meets a damaged page; a page beyond the end of the file is a
// fault, which would else end the process.
func guard(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return fn()
}

// update is bbolt's, but for two things: a transaction that wrote nothing is spared its fsyncs, and a panic rolls it back without
// reading the whole file for the free pages, which would meet the same damage in a goroutine that cannot be recovered.
func (s *Store) update(fn func(*txn) error) error {
	return guard(func() error {
		tx, err := s.db.Begin(true)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // does nothing after Commit
		t, err := begun(tx)
		if err != nil {
			return err
		}
		if err := fn(t); err != nil || !t.dirty {
			return err
		}
		return tx.Commit()
	})
}

func (s *Store) view(fn func(*txn) error) error {
	return guard(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			t, err := begun(tx)
			if err != nil {
				return err
			}
			return fn(t)
		})
	})
}

// submit hands work to the committer and waits for the answer. Once it is handed over, ctx cannot take it back: the caller would
// go on while its transaction is under way.
func (s *Store) submit(ctx context.Context, w work) error {
	if err := s.desk.ended(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{work: w, answer: make(chan error, 1)}
	select {
	case s.queue <- j:
	case <-s.stopped:
		return s.desk.ended()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-j.answer:
		return err
	case <-s.stopped:
	}
	select {
	case err := <-j.answer: // it was answered just before
		return err
	default:
		return s.desk.ended() // it was never begun
	}
}

// run is the committer. It ends when Close asks, or when a write fails. Close waits for it.
func (s *Store) run() {
	defer close(s.stopped)
	bell := time.NewTimer(0)
	defer bell.Stop()
	for {
		if wait, ok := s.untilNext(); ok {
			bell.Reset(wait)
		} else {
			bell.Stop()
		}
		var err error
		select {
		case <-s.quit:
			return
		case j := <-s.queue:
			err = s.commit(s.group(j))
		case <-bell.C:
			err = s.ring()
		}
		if err != nil {
			s.log.Error("the store stops, because it cannot write", "err", err)
			s.desk.end(fmt.Errorf("%w: the store stopped: %w", core.ErrClosed, err))
			return
		}
	}
}

// group takes whatever else is queued now.
func (s *Store) group(first *job) []*job {
	jobs := []*job{first}
	for len(jobs) < maxGroup {
		select {
		case j := <-s.queue:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// commit makes one transaction of jobs and answers them. An error means that what the disk holds is unknown.
func (s *Store) commit(jobs []*job) error {
	refused := make([]error, len(jobs))
	err := s.update(func(t *txn) error {
		for i, j := range jobs {
			if refused[i] = j.check(t); refused[i] != nil {
				continue
			}
			if err := j.write(t); err != nil {
				return err
			}
		}
		if !t.dirty {
			return nil
		}
		return s.forget(t, forgetWithCommit+2*t.noted)
	})
	if err == nil {
		s.publish(jobs, refused)
	}
	for i, j := range jobs {
		switch {
		case refused[i] != nil:
			j.answer <- refused[i]
		case err != nil:
			j.answer <- fmt.Errorf("commit, outcome unknown: %w", err)
		default:
			j.answer <- nil
		}
	}
	return err
}

func (s *Store) publish(jobs []*job, refused []error) {
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	for i, j := range jobs {
		if refused[i] == nil {
			j.work.publish(s)
		}
	}
}
