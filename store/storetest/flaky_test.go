package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"steady/core"
	"steady/store"
	"steady/store/storetest"
)

// work takes the messages of chat a one by one. It ends when nothing is due, or when the store does.
func work(ctx context.Context, s core.Store) error {
	for {
		l, err := s.Claim(ctx, core.Normal)
		if err != nil {
			return err
		}
		if err := turn(ctx, l); err != nil {
			return err
		}
	}
}

// turn answers a message in two steps; a try that fails is made again.
func turn(ctx context.Context, l core.Lease) error {
	rows, err := l.Inbox(ctx, 0, 1)
	if err != nil || len(rows) == 0 {
		return errors.Join(err, l.Release(ctx, 0))
	}
	asked := core.Batch{Put: []core.KV{{Key: rows[0].ID + "/asked", Value: []byte("yes")}}}
	answered := core.Batch{Ack: rows, Put: []core.KV{{Key: rows[0].ID + "/answered", Value: []byte("yes")}}}
	for _, b := range []core.Batch{asked, answered} {
		if err := insist(func() error { return l.Commit(ctx, b) }); err != nil {
			return err
		}
	}
	return l.Release(ctx, 0)
}

// insist tries again after a failure that is not final.
func insist(do func() error) error {
	err := do()
	for errors.Is(err, storetest.ErrInjected) {
		err = do()
	}
	return err
}

// talk sends three messages, and works on them until all is done. Whatever the plan, the outcome is the same.
func talk(t *testing.T, path string, plan storetest.Plan) (*storetest.Flaky, error) {
	s, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.NewFlaky(s, plan)
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	for i := range 3 {
		send := func() error {
			_, err := f.Ingest(t.Context(), core.Envelope{Chat: "a", ID: fmt.Sprint(i)})
			return err
		}
		if err := insist(send); err != nil {
			return f, err
		}
	}
	ctx, done := context.WithTimeout(t.Context(), 1)
	defer done()
	return f, work(ctx, f)
}

// transactions is how many a talk has: three ingests, and two commits for each.
const transactions = 9

func TestEveryCrashAndEveryLostAnswerHasTheSameOutcome(t *testing.T) {
	for _, fault := range []storetest.Fault{storetest.FailBefore, storetest.LoseAnswer, storetest.StopBefore, storetest.StopAfter} {
		for n := 1; n <= transactions+1; n++ {
			t.Run(fmt.Sprint(fault, " at ", n), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { checkTalk(t, fault, n) })
			})
		}
	}
}

func checkTalk(t *testing.T, fault storetest.Fault, n int) {
	path := filepath.Join(t.TempDir(), "steady.db")
	f, err := talk(t, path, storetest.Plan{n: fault})
	stops := fault == storetest.StopBefore || fault == storetest.StopAfter
	if happens := n <= transactions; stops && happens {
		if !errors.Is(err, core.ErrClosed) {
			t.Fatalf("after the crash: %v, want %v", err, core.ErrClosed)
		}
		if want := map[storetest.Fault]int{storetest.StopBefore: n - 1, storetest.StopAfter: n}[fault]; f.Durable() != want {
			t.Fatalf("%d transactions are durable, want %d", f.Durable(), want)
		}
		<-f.Crashed()
		_, err = talk(t, path, nil)
	} else if f.Durable() != transactions {
		t.Fatalf("%d transactions are durable, want %d", f.Durable(), transactions)
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("it ended with %v", err)
	}
	s, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	kvs, err := s.Scan(t.Context(), "a", "", "", 100)
	if err != nil || len(kvs) != 6 {
		t.Fatalf("%d pairs, %v; want 6", len(kvs), err)
	}
}

func TestCrashEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(filepath.Join(t.TempDir(), "steady.db"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := storetest.NewFlaky(s, storetest.CrashAfter(2))
		defer func() { _ = f.Close() }()
		ctx := t.Context()
		if _, err := f.Ingest(ctx, core.Envelope{Chat: "a", ID: "1"}); err != nil {
			t.Fatal(err)
		}
		if fates, err := f.Ingest(ctx, core.Envelope{Chat: "a", ID: "1"}); err != nil || fates[0] != core.Seen {
			t.Fatalf("%v, %v", fates, err) // and it does not count
		}
		l, err := f.Claim(ctx, core.Normal)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Commit(ctx, core.Batch{Urgent: 0, Ack: []core.Envelope{{Chat: "a", ID: "2", Seq: 2}}}); !errors.Is(err, core.ErrStale) {
			t.Fatal(err) // and it does not count
		}
		waiting := make(chan error, 2)
		go func() { _, err := f.Claim(ctx, core.Urgent); waiting <- err }()
		go func() { _, err := f.Hold(ctx, "role"); waiting <- err }()
		if err := <-waiting; err != nil {
			t.Fatal(err) // the role was free
		}
		go func() { _, err := f.Hold(ctx, "role"); waiting <- err }()
		if err := l.Commit(ctx, core.Batch{Put: []core.KV{{Key: "k", Value: []byte("v")}}}); !errors.Is(err, core.ErrClosed) {
			t.Fatal(err)
		}
		<-l.Context().Done()
		<-f.Crashed()
		for range 2 {
			if err := <-waiting; !errors.Is(err, core.ErrClosed) {
				t.Fatalf("a wait ended with %v", err)
			}
		}
		_, ingest := f.Ingest(ctx, core.Envelope{Chat: "a", ID: "3"})
		_, claim := f.Claim(ctx, core.Normal)
		_, hold := f.Hold(ctx, "another")
		_, scan := f.Scan(ctx, "a", "", "", 1)
		_, docs := f.Documents(ctx, "", "", 1)
		_, inbox := l.Inbox(ctx, 0, 1)
		for i, err := range []error{ingest, claim, hold, scan, docs, inbox, l.Commit(ctx, core.Batch{}), l.Release(ctx, 0)} {
			if !errors.Is(err, core.ErrClosed) {
				t.Fatalf("call %d after the crash: %v", i, err)
			}
		}
		if kvs, err := s.Scan(ctx, "a", "", "", 1); err != nil || len(kvs) != 1 {
			t.Fatalf("what was committed by the last transaction: %v, %v", kvs, err)
		}
	})
}

func TestCountsTransactionsOfManyGoroutines(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "steady.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := storetest.NewFlaky(s, storetest.CrashAfter(50))
	defer func() { _ = f.Close() }()
	var all sync.WaitGroup
	for i := range 80 {
		all.Go(func() {
			_, err := f.Ingest(t.Context(), core.Envelope{Chat: core.ChatKey(fmt.Sprint(i)), ID: "1"})
			if err != nil && !errors.Is(err, core.ErrClosed) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if f.Durable() != 50 {
		t.Fatalf("%d transactions, want 50", f.Durable())
	}
}
