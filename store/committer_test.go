package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
	"steady/store"
)

func TestRequestsThatWaitShareOneTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(t.TempDir(), "steady.db"))
		defer closed(t, s)
		var leases []core.Lease
		for i := range 20 {
			l, err := s.Hold(t.Context(), fmt.Sprint(i))
			if err != nil {
				t.Fatal(err)
			}
			leases = append(leases, l)
		}
		resume := s.Pause()
		var all sync.WaitGroup
		var fresh, seen atomic.Int32
		for i := range 500 { // each row twice
			all.Go(func() {
				fates, err := s.Ingest(t.Context(), core.Envelope{Chat: core.ChatKey(fmt.Sprint(i % 50)), ID: fmt.Sprint(i % 250)})
				if err != nil {
					t.Error(err)
				} else if fates[0] == core.Fresh {
					fresh.Add(1)
				} else if fates[0] == core.Seen {
					seen.Add(1)
				}
			})
		}
		for _, l := range leases {
			all.Go(func() {
				if err := l.Commit(t.Context(), core.Batch{Put: []core.KV{{Key: "k", Value: []byte("v")}}}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		before := s.Transactions(t)
		resume()
		all.Wait()
		if n := s.Transactions(t) - before; n != 1 {
			t.Errorf("520 requests took %d transactions, want 1", n)
		}
		if fresh.Load() != 250 || seen.Load() != 250 {
			t.Errorf("%d rows are fresh and %d seen, want 250 of each", fresh.Load(), seen.Load())
		}
	})
}

func TestTheQueueIsBoundedAndACallerMayGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(t.TempDir(), "steady.db"))
		resume := s.Pause()
		ctx, cancel := context.WithCancel(t.Context())
		var gaveUp, taken int
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 1500 {
			all.Go(func() {
				_, err := s.Ingest(ctx, core.Envelope{Chat: "a", ID: fmt.Sprint(i)})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(err, context.Canceled):
					gaveUp++
				case err == nil:
					taken++
				default:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		mu.Lock()
		if gaveUp < 400 || gaveUp > 500 {
			t.Errorf("%d of 1500 gave up while the committer was stuck, want those who found no place in the queue", gaveUp)
		}
		mu.Unlock()
		resume()
		all.Wait()
		if gaveUp+taken != 1500 {
			t.Errorf("%d gave up and %d were taken", gaveUp, taken)
		}
		closed(t, s)
	})
}

func TestCloseAnswersWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "steady.db")
		s := open(t, path)
		l, err := s.Hold(t.Context(), "role")
		if err != nil {
			t.Fatal(err)
		}
		resume := s.Pause()
		var all sync.WaitGroup
		fresh := make([]bool, 50)
		for i := range fresh {
			all.Go(func() {
				_, err := s.Ingest(t.Context(), core.Envelope{Chat: "a", ID: fmt.Sprint(i)})
				if fresh[i] = err == nil; err != nil && !errors.Is(err, core.ErrClosed) {
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			err := l.Commit(t.Context(), core.Batch{Put: []core.KV{{Key: "k", Value: []byte("v")}}})
			if err != nil && !errors.Is(err, core.ErrFenced) {
				t.Error(err)
			}
		})
		synctest.Wait()
		all.Go(func() { closed(t, s) })
		synctest.Wait()
		<-l.Context().Done() // at once, while a transaction is still under way
		resume()
		all.Wait()
		s = open(t, path)
		defer closed(t, s)
		for i, was := range fresh {
			fates, err := s.Ingest(t.Context(), core.Envelope{Chat: "a", ID: fmt.Sprint(i)})
			if err != nil || was != (fates[0] == core.Seen) {
				t.Errorf("row %d: it was taken %v, and now %v, %v", i, was, fates, err)
			}
		}
	})
}

func TestAReleaseWaitsForTheCommitUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, filepath.Join(t.TempDir(), "steady.db"))
		defer closed(t, s)
		l, err := s.Hold(t.Context(), "role")
		if err != nil {
			t.Fatal(err)
		}
		resume := s.Pause()
		var all sync.WaitGroup
		all.Go(func() {
			if err := l.Commit(t.Context(), core.Batch{Put: []core.KV{{Key: "k", Value: []byte("v")}}}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		all.Go(func() { _ = l.Release(t.Context(), 0) })
		all.Go(func() {
			next, err := s.Hold(t.Context(), "role")
			if err != nil {
				t.Error(err)
				return
			}
			kvs, err := s.Scan(t.Context(), next.Chat(), "", "", 1)
			if err != nil || len(kvs) != 1 {
				t.Errorf("the next holder read %v, %v, and its predecessor's commit came later", kvs, err)
			}
		})
		time.AfterFunc(time.Second, resume)
		all.Wait()
	})
}

func TestIdleChatsAreNotInMemory(t *testing.T) {
	const n = 2000
	path := filepath.Join(t.TempDir(), "steady.db")
	s := open(t, path)
	ctx := t.Context()
	in := make([]core.Envelope, n)
	for i := range in {
		in[i] = core.Envelope{Chat: core.ChatKey(fmt.Sprint(i)), ID: "1"}
	}
	if _, err := s.Ingest(ctx, in...); err != nil {
		t.Fatal(err)
	}
	if got := s.OnDesk(); got != n {
		t.Fatalf("%d chats are due, want %d", got, n)
	}
	later := time.Now().Add(time.Hour)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			for range n / 100 {
				l, err := s.Claim(ctx, core.Normal)
				if err != nil {
					t.Error(err)
					return
				}
				rows, err := l.Inbox(ctx, 0, 1)
				if err := errors.Join(err, l.Commit(ctx, core.Batch{Ack: rows, Wake: &later}), l.Release(ctx, 0)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := s.OnDesk(); got != 0 {
		t.Errorf("%d chats are in memory, and all are idle", got)
	}
	role, err := s.Hold(ctx, "role")
	if err != nil {
		t.Fatal(err)
	}
	_ = role.Release(ctx, 0)
	if _, err := s.Ingest(ctx, core.Envelope{Chat: "role/role", ID: "1"}); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	s = open(t, path)
	defer closed(t, s)
	if got := s.OnDesk(); got != 0 {
		t.Errorf("%d chats are in memory after the restart", got)
	}
}

func TestForgottenIdsLeaveTheFileInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3000
		path := filepath.Join(t.TempDir(), "steady.db")
		s, err := store.Open(path, store.Options{SeenFor: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		in := make([]core.Envelope, n)
		for i := range in {
			in[i] = core.Envelope{Chat: core.ChatKey(fmt.Sprint(i)), ID: "1"}
		}
		if _, err := s.Ingest(t.Context(), in...); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		next := func(id int) {
			if _, err := s.Ingest(t.Context(), core.Envelope{Chat: "a", ID: fmt.Sprint(id)}); err != nil {
				t.Fatal(err)
			}
		}
		next(0)
		first := s.Remembered(t)
		if dropped := n + 1 - first; dropped < 2 || dropped > 100 {
			t.Errorf("one ingest forgot %d ids, want a few", dropped)
		}
		closed(t, s)
		if s, err = store.Open(path, store.Options{SeenFor: time.Hour}); err != nil {
			t.Fatal(err)
		}
		defer closed(t, s)
		if dropped := first - s.Remembered(t); dropped < 100 || dropped > n/2 {
			t.Errorf("opening forgot %d ids, want more, but not all", dropped)
		}
		for id := range 200 {
			next(id + 1)
		}
		if got := s.Remembered(t); got > 210 {
			t.Errorf("%d ids are still remembered after 200 ingests, want those 201", got)
		}
	})
}

func TestKeysThatAreTooLongAreRefusedAlone(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "steady.db"))
	defer closed(t, s)
	ctx := t.Context()
	long := string(make([]byte, 40000))
	for _, e := range []core.Envelope{{Chat: core.ChatKey(long), ID: "1"}, {Chat: "a", ID: long}, {Chat: "a"}, {ID: "1"}} {
		if _, err := s.Ingest(ctx, core.Envelope{Chat: "a", ID: "1"}, e); err == nil {
			t.Errorf("an envelope with %d and %d bytes of keys was taken", len(e.Chat), len(e.ID))
		}
	}
	l, err := s.Hold(ctx, "role")
	if err != nil {
		t.Fatal(err)
	}
	body := []byte("v")
	for _, b := range []core.Batch{
		{Put: []core.KV{{Key: long, Value: body}}}, {Put: []core.KV{{Value: body}}},
		{Docs: []core.DocumentWrite{{Key: long, Body: body}}}, {Docs: []core.DocumentWrite{{Body: body}}},
	} {
		if err := l.Commit(ctx, b); err == nil {
			t.Error("a batch with a bad key was written")
		}
	}
	if fates, err := s.Ingest(ctx, core.Envelope{Chat: "a", ID: "1"}); err != nil || fates[0] != core.Fresh {
		t.Errorf("%v, %v: a refused call left a trace", fates, err)
	}
	most := string(make([]byte, 8<<10))
	if _, err := s.Ingest(ctx, core.Envelope{Chat: core.ChatKey(most), ID: most}); err != nil {
		t.Error(err)
	}
}
