package storetest

import (
	"fmt"
	"sync"
	"time"

	"steady/core"
)

func timerOnce(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	wake := time.Now().Add(r.quiet() + 2*time.Second)
	r.commit(l, core.Batch{Wake: &wake}, nil)
	r.release(l, 0)
	r.idle(s)
	l = r.claim(s, core.Normal, "a")
	if now := time.Now(); now.Before(wake) {
		r.Fatalf("%v early", wake.Sub(now))
	}
	r.idle(s)
	r.commit(l, core.Batch{Wake: &time.Time{}}, nil)
	r.release(l, 0)
	r.idle(s)
}

func timerStays(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	wake := time.Now().Add(-time.Hour)
	r.commit(l, core.Batch{Wake: &wake}, nil)
	r.commit(l, core.Batch{Put: put("k", "v")}, nil) // nil leaves it
	r.release(l, 9)
	l = r.claim(s, core.Normal, "a")
	r.release(l, 9)
	l = r.claim(s, core.Normal, "a")
	later := time.Now().Add(r.quiet() + time.Second)
	r.commit(l, core.Batch{Wake: &later}, nil)
	r.release(l, 9)
	r.idle(s)
	r.claim(s, core.Normal, "a")
}

func timerReset(r *rig) {
	s := r.open()
	now := time.Now()
	set := func(chat core.ChatKey, wakes ...time.Time) {
		r.Helper()
		l := r.anyLease(s, chat)
		for _, wake := range wakes {
			r.commit(l, core.Batch{Wake: &wake}, nil)
		}
		r.release(l, 0)
	}
	set("sooner", now.Add(time.Hour), now.Add(r.quiet()+time.Second))
	r.idle(s)
	r.claim(s, core.Normal, "sooner")
	set("later", time.Now().Add(time.Second), now.Add(time.Hour))
	set("never", time.Now().Add(time.Second), time.Time{})
	r.idle(s)
}

func timersInOrder(r *rig) {
	s := r.open()
	start := time.Now().Add(time.Second)
	const apart = 200 * time.Millisecond
	for _, i := range []int{2, 0, 3, 1} {
		l := r.anyLease(s, core.ChatKey(fmt.Sprint(i)))
		wake := start.Add(time.Duration(i) * apart)
		r.commit(l, core.Batch{Wake: &wake}, nil)
		r.release(l, 0)
	}
	for i := range 4 {
		r.claim(s, core.Normal, core.ChatKey(fmt.Sprint(i)))
		if early := time.Until(start.Add(time.Duration(i) * apart)); early > 0 {
			r.Fatalf("timer %d rang %v early", i, early)
		}
	}
}

func timerWhileClosed(r *rig) {
	s := r.fresh()
	passes, waits := time.Now().Add(r.quiet()), time.Now().Add(3*r.quiet())
	for chat, wake := range map[core.ChatKey]*time.Time{"passes": &passes, "waits": &waits} {
		l := r.anyLease(s, chat)
		r.commit(l, core.Batch{Wake: wake}, nil)
		r.release(l, 0)
	}
	if err := s.Close(); err != nil {
		r.Fatal(err)
	}
	time.Sleep(time.Until(passes) + time.Second)
	s = r.open()
	l := r.claim(s, core.Normal, "passes")
	r.idleFor(s, time.Until(waits)-time.Second)
	r.release(l, 0)
	l = r.claim(s, core.Normal, "passes")
	r.claim(s, core.Normal, "waits")
	r.commit(l, core.Batch{Wake: &time.Time{}}, nil)
	r.release(l, 0)
	r.idle(s)
}

func manyTimers(r *rig) {
	const n = 1500
	s := r.open()
	wake := time.Now().Add(time.Minute)
	if r.RealTime {
		wake = time.Now().Add(2 * time.Second)
	}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			chat := core.ChatKey(fmt.Sprint(i))
			_, err := s.Ingest(r.Context(), said(chat, "1"))
			r.noError(err, "ingest")
			l, err := s.Claim(r.Context(), core.Normal)
			if !r.noError(err, "claim") {
				return
			}
			rows, err := l.Inbox(r.Context(), 0, 10)
			r.noError(err, "inbox")
			r.noError(l.Commit(r.Context(), core.Batch{Ack: rows, Wake: &wake}), "commit")
			r.noError(l.Release(r.Context(), 0), "release")
		})
	}
	all.Wait()
	got := make(map[core.ChatKey]bool)
	for range n {
		l, err := s.Claim(r.within(patience+time.Minute), core.Normal)
		if err != nil {
			r.Fatalf("%d of %d timers: %v", len(got), n, err)
		}
		got[l.Chat()] = true
		r.commit(l, core.Batch{Wake: &time.Time{}}, nil)
		r.release(l, 0)
	}
	if len(got) != n {
		r.Fatalf("%d of %d timers", len(got), n)
	}
	r.idle(s)
}

// anyLease holds a chat whose inbox is empty.
func (r *rig) anyLease(s core.Store, chat core.ChatKey) core.Lease {
	r.Helper()
	r.ingest(s, core.Fresh, said(chat, "the first"))
	l := r.claim(s, core.Normal, chat)
	r.commit(l, core.Batch{Ack: r.rows(l, "the first")}, nil)
	return l
}
