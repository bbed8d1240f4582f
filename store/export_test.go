package store

import (
	"context"
	"testing"

	"go.etcd.io/bbolt"

	"steady/core"
)

// Depose takes a chat from its holder, as if its process were taken for dead. It happens between two transactions.
func (s *Store) Depose(t testing.TB, key core.ChatKey) {
	t.Helper()
	if err := s.submit(context.Background(), deposition{s, key}); err != nil {
		t.Fatal(err)
	}
}

type deposition struct {
	store *Store
	key   core.ChatKey
}

func (deposition) check(*txn) error { return nil }
func (deposition) write(*txn) error { return nil }
func (d deposition) publish(s *Store) {
	if c := s.desk.chats[d.key]; c != nil && c.holder != nil {
		s.desk.evict(c.holder)
	}
}

// Crash ends the store without marking the file as closed, as kill -9 does.
func (s *Store) Crash(t testing.TB) {
	t.Helper()
	s.desk.end(core.ErrClosed)
	close(s.quit)
	<-s.stopped
	s.closing.Do(func() { s.closed = s.db.Close() })
	if s.closed != nil {
		t.Fatal(s.closed)
	}
}

// OnDesk counts the chats that are kept in memory.
func (s *Store) OnDesk() int {
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	return len(s.desk.chats)
}

// Pause makes the committer wait, with a transaction begun, until resume is called.
func (s *Store) Pause() (resume func()) {
	p := pause{begun: make(chan struct{}), resume: make(chan struct{})}
	s.queue <- &job{work: p, answer: make(chan error, 1)}
	<-p.begun
	return func() { close(p.resume) }
}

type pause struct{ begun, resume chan struct{} }

func (p pause) check(*txn) error {
	close(p.begun)
	<-p.resume
	return nil
}
func (pause) write(*txn) error { return nil }
func (pause) publish(*Store)   {}

// Transactions returns how many transactions the file has seen.
func (s *Store) Transactions(t testing.TB) (n int) {
	t.Helper()
	if err := s.db.View(func(tx *bbolt.Tx) error { n = tx.ID(); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Remembered counts the ids that the file remembers, and expects both of its tables to agree.
func (s *Store) Remembered(t testing.TB) (n int) {
	t.Helper()
	if err := s.view(func(tx *txn) error {
		n = tx.seen.Stats().KeyN
		if other := tx.expiry.Stats().KeyN; other != n {
			t.Errorf("%d ids are remembered, and %d are to be forgotten", n, other)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}
