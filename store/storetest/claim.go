package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"steady/core"
)

func oneHolder(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"))
	l := r.claim(s, core.Normal, "a")
	r.ingest(s, core.Fresh, said("a", "2"), pressed("a", "3"))
	r.idle(r.another(s))
	r.release(l, 0)
	r.ended(l)
	r.claim(r.another(s), core.Normal, "a")
	r.idle(s)
}

func inOrderOfBecomingDue(r *rig) {
	s := r.fresh()
	order := []core.ChatKey{"d", "a", "c", "b"}
	for i, chat := range order {
		r.ingest(s, core.Fresh, said(chat, "1"))
		r.ingest(s, core.Fresh, said(order[0], fmt.Sprint("more ", i)))
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		r.Fatal(err)
	}
	s = r.open() // the order outlives a restart
	first := r.claim(s, core.Normal, order[0])
	r.release(first, 0) // goes to the end
	for _, chat := range append(order[1:], order[0]) {
		r.claim(s, core.Normal, chat)
	}
}

func claimWakes(r *rig) {
	s := r.open()
	got := make(chan core.Lease)
	for _, lane := range []core.Lane{core.Normal, core.Urgent} {
		go func() {
			l, err := r.another(s).Claim(r.within(patience), lane)
			r.noError(err, "claim")
			got <- l
		}()
	}
	r.ingest(s, core.Fresh, said("a", "1"))
	if l := <-got; l == nil || l.Chat() != "a" {
		r.Fatal("the row woke nobody")
	}
	r.ingest(s, core.Fresh, pressed("b", "1"))
	if l := <-got; l == nil || l.Chat() != "b" {
		r.Fatal("the urgent row woke nobody")
	}
}

func dueInBothLanes(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"), pressed("a", "2"))
	l := r.claim(s, core.Urgent, "a")
	r.idle(s)
	r.release(l, 0)
	l = r.claim(s, core.Normal, "a")
	r.idle(s)
	r.release(l, 2)
	l = r.claim(s, core.Urgent, "a") // seen is of the lane Normal: urgent rows have to be acknowledged
	r.commit(l, core.Batch{Ack: r.rows(l, "1", "2")[1:], Urgent: 2}, nil)
	r.release(l, 2)
	r.idle(s)
}

func parked(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"), said("a", "2"))
	l := r.claim(s, core.Normal, "a")
	r.release(l, 1)
	l = r.claim(s, core.Normal, "a") // the second row is later than seen
	wake := time.Now().Add(2 * r.quiet())
	r.commit(l, core.Batch{Wake: &wake}, nil)
	r.release(l, 2)
	r.idle(s)
	l = r.claim(s, core.Normal, "a")
	r.commit(l, core.Batch{Wake: &time.Time{}}, nil)
	r.release(l, 2)
	r.idle(s)
	r.ingest(s, core.Seen, said("a", "2"))
	r.idle(s)
	r.ingest(s, core.Fresh, said("a", "3"))
	l = r.claim(s, core.Normal, "a")
	r.rows(l, "1", "2", "3")
	r.release(l, 3)
	r.idle(s)
	r.ingest(s, core.Fresh, pressed("a", "4"))
	l = r.claim(s, core.Urgent, "a")
	r.commit(l, core.Batch{Ack: r.rows(l, "1", "2", "3", "4")[3:], Urgent: 4}, nil)
	r.release(l, 4)
	r.idle(s)
	if l, err := r.another(s).Claim(r.within(r.quiet()), core.Normal); err == nil {
		r.Fatalf("another replica got %q", l.Chat())
	}
}

func rowDuringRelease(r *rig) {
	s := r.open()
	other := r.another(s)
	for i := range 150 {
		r.ingest(s, core.Fresh, said("a", fmt.Sprint("first ", i)))
		l := r.claim(s, core.Normal, "a")
		rows := r.inbox(l)
		var both sync.WaitGroup
		both.Go(func() {
			_, err := other.Ingest(r.Context(), said("a", fmt.Sprint("second ", i)))
			r.noError(err, "ingest")
		})
		both.Go(func() {
			r.noError(l.Commit(r.Context(), core.Batch{Ack: rows}), "commit")
			r.noError(l.Release(r.Context(), rows[len(rows)-1].Seq), "release")
		})
		both.Wait()
		l = r.claim(s, core.Normal, "a")
		r.commit(l, core.Batch{Ack: r.rows(l, fmt.Sprint("second ", i))}, nil)
		r.release(l, 0)
	}
}

func rowDuringParking(r *rig) {
	s := r.open()
	other := r.another(s)
	r.ingest(s, core.Fresh, said("a", "parked"))
	for i := range 150 {
		l := r.claim(s, core.Normal, "a")
		rows := r.inbox(l)
		r.commit(l, core.Batch{Ack: rows[1:]}, nil)
		var both sync.WaitGroup
		both.Go(func() {
			_, err := other.Ingest(r.Context(), said("a", fmt.Sprint(i)))
			r.noError(err, "ingest")
		})
		both.Go(func() { r.noError(l.Release(r.Context(), rows[len(rows)-1].Seq), "release") })
		both.Wait()
	}
}

func claimGivenUp(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"))
	l := r.claim(s, core.Normal, "a")
	for range 500 {
		ctx, cancel := context.WithCancel(r.Context())
		waiting, got := make(chan struct{}), make(chan core.Lease, 1)
		go func() {
			close(waiting)
			l, err := s.Claim(ctx, core.Normal)
			if err != nil {
				l = nil
			}
			got <- l
		}()
		<-waiting
		go cancel()
		r.release(l, 0) // so that the chat is due at the moment at which its claim is given up
		if l = <-got; l == nil {
			l = r.claim(s, core.Normal, "a")
		}
	}
	ctx, cancel := context.WithCancel(r.Context())
	cancel()
	if _, err := s.Claim(ctx, core.Normal); !errors.Is(err, context.Canceled) {
		r.Fatalf("a claim with a context that has ended: %v", err)
	}
}

func slowHolder(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("slow", "1"), said("slow", "2"))
	slow := r.claim(s, core.Normal, "slow")
	for i := range normalLimit - 2 {
		chat := core.ChatKey(fmt.Sprint("quick ", i))
		r.ingest(s, core.Fresh, said(chat, "1"), said("slow", fmt.Sprint("more ", i)))
		l := r.claim(s, core.Normal, chat)
		r.commit(l, core.Batch{Ack: r.rows(l, "1")}, nil)
		r.release(l, 0)
	}
	r.commit(slow, core.Batch{Ack: r.inbox(slow)}, nil)
}

func urgentOvertakes(r *rig) {
	s := r.open()
	var held []core.Lease
	for i := range 40 {
		chat := core.ChatKey(fmt.Sprint("busy ", i))
		r.ingest(s, core.Fresh, said(chat, "1"))
		held = append(held, r.claim(s, core.Normal, chat))
	}
	r.ingest(s, core.Fresh, said("waits", "1"))
	r.ingest(s, core.Fresh, pressed("idle", "stop"))
	l := r.claim(s, core.Urgent, "idle")
	r.rows(l, "stop")
	hinted(held[7].News())
	r.ingest(r.another(s), core.Fresh, pressed("busy 7", "stop"))
	r.wait(held[7].News(), "news of the urgent row")
	r.rows(held[7], "1", "stop")
	r.ingest(s, core.Fresh, said("busy 8", "2"))
	r.wait(held[8].News(), "news of the row")
}

func leaseEnds(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"))
	l := r.claim(s, core.Normal, "a")
	if l.Context().Err() != nil {
		r.Fatal("the context ended before the lease")
	}
	r.release(l, 1)
	r.ended(l)
	r.pairs(s, "a", "")
	r.ingest(s, core.Fresh, said("a", "2"))
	l = r.claim(s, core.Normal, "a") // the second release of the first lease changed nothing
	r.rows(l, "1", "2")
}

func leaseOutlivesClaim(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"))
	ctx, cancel := context.WithCancel(r.Context())
	l, err := s.Claim(ctx, core.Normal)
	if err != nil {
		r.Fatal(err)
	}
	cancel()
	if l.Context().Err() != nil {
		r.Fatal("the lease ended with its claim")
	}
	r.commit(l, core.Batch{Ack: r.rows(l, "1")}, nil)
}

func deposed(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"))
	old := r.claim(s, core.Normal, "a")
	r.commit(old, core.Batch{Put: put("k", "old")}, nil)
	r.Depose(r.T, s, "a")
	r.ended(old)
	l := r.claim(r.another(s), core.Normal, "a")
	r.ended(old)
	r.commit(old, core.Batch{Put: put("k", "old")}, core.ErrFenced) // nor is its last batch taken for a retry
	r.commit(l, core.Batch{Ack: r.rows(l, "1"), Put: put("k", "new")}, nil)
	r.pairs(s, "a", "", "k", "new")
	r.release(old, 0)
	if l.Context().Err() != nil {
		r.Fatal("the release of the old lease ended the new one")
	}
}

func role(r *rig) {
	s := r.open()
	first, err := s.Hold(r.within(patience), "poll")
	if err != nil {
		r.Fatal(err)
	}
	other, err := s.Hold(r.within(patience), "other")
	if err != nil || other.Chat() != "role/other" {
		r.Fatalf("another role: %v", err)
	}
	if _, err := r.another(s).Hold(r.within(r.quiet()), "poll"); !errors.Is(err, context.DeadlineExceeded) {
		r.Fatalf("a role with two holders: %v", err)
	}
	got := make(chan core.Lease)
	go func() {
		l, err := r.another(s).Hold(r.within(patience), "poll")
		r.noError(err, "hold")
		got <- l
	}()
	wake := time.Now().Add(-time.Second)
	r.commit(first, core.Batch{Put: put("offset", "7"), Wake: &wake}, nil)
	r.ingest(s, core.Fresh, said("role/poll", "1"), pressed("role/poll", "2"), said("role/nobody", "1"))
	r.wait(first.News(), "news in a role")
	r.rows(first, "1", "2")
	r.idle(s)
	r.release(first, 0)
	r.ended(first)
	second := <-got
	r.pairs(s, second.Chat(), "", "offset", "7")
	r.rows(second, "1", "2")
	r.release(second, 0)
	r.idle(s)
}

func watch(r *rig) {
	s := r.open()
	hint, stop := s.Watch("a")
	also, stopAlso := s.Watch("a")
	defer stopAlso()
	r.ingest(s, core.Fresh, said("a", "1"), said("a", "2"))
	r.wait(hint, "a hint of the ingest")
	r.wait(also, "a hint for the second watcher")
	l := r.claim(s, core.Normal, "a")
	for hinted(hint) {
	}
	r.commit(l, core.Batch{Put: put("k", "v")}, nil)
	r.commit(l, core.Batch{Put: put("k", "w")}, nil) // nobody takes the first hint, and nobody waits
	r.wait(hint, "a hint of the commit")
	stop()
	stop()
	for hinted(hint) {
	}
	for hinted(also) {
	}
	r.ingest(s, core.Fresh, said("b", "1"))
	if hinted(also) && !r.Replicas {
		r.Fatal("a hint of another chat")
	}
	r.commit(l, core.Batch{Put: put("k", "x")}, nil)
	r.wait(also, "a hint for who still watches")
	if hinted(hint) {
		r.Fatal("a hint for who stopped")
	}
}
