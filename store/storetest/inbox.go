package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"steady/core"
)

func ingestTwice(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"))
	r.ingest(s, core.Seen, said("a", "1"))
	r.ingest(r.another(s), core.Seen, said("a", "1"))
	l := r.claim(s, core.Normal, "a")
	rows := r.rows(l, "1")
	if string(rows[0].Body) != "body of 1" || rows[0].Chat != "a" || rows[0].Urgent || rows[0].Seq != 1 {
		r.Fatalf("the row is not what was ingested: %+v", rows[0])
	}
	r.commit(l, core.Batch{Ack: rows}, nil)
	r.ingest(s, core.Seen, said("a", "1"))
	r.rows(l)
	r.release(l, 0)
	r.idle(s)
}

func idOfChat(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"), said("b", "1"), said("a1", ""+"x"), said("a", "1x"))
	r.ingest(s, core.Seen, pressed("a", "1"))
}

func duplicateInCall(r *rig) {
	s := r.open()
	fates, err := s.Ingest(r.Context(), said("a", "1"), said("a", "2"), said("a", "1"), said("b", "1"))
	if want := []core.Fate{core.Fresh, core.Fresh, core.Seen, core.Fresh}; err != nil || !slices.Equal(fates, want) {
		r.Fatalf("fates %v, %v; want %v", fates, err, want)
	}
	r.rows(r.claim(s, core.Normal, "a"), "1", "2")
	r.rows(r.claim(s, core.Normal, "b"), "1")
}

func ingestNothing(r *rig) {
	if fates, err := r.open().Ingest(r.Context()); len(fates) != 0 || err != nil {
		r.Fatalf("%v, %v", fates, err)
	}
}

func fullLane(r *rig) {
	s := r.open()
	for i := range normalLimit {
		r.ingest(s, core.Fresh, said("a", fmt.Sprint("n", i)))
	}
	r.ingest(s, core.Full, said("a", "over"))
	r.ingest(s, core.Seen, said("a", "over"))
	r.ingest(s, core.Fresh, said("b", "over"))
	for i := range urgentLimit {
		r.ingest(s, core.Fresh, pressed("a", fmt.Sprint("u", i)))
	}
	r.ingest(s, core.Full, pressed("a", "over urgent"))
	l := r.claim(s, core.Urgent, "a")
	rows := r.inbox(l)
	if len(rows) != normalLimit+urgentLimit {
		r.Fatalf("%d rows, want %d", len(rows), normalLimit+urgentLimit)
	}
	r.commit(l, core.Batch{Ack: rows[:1], Urgent: rows[len(rows)-1].Seq}, nil)
	r.ingest(s, core.Seen, said("a", "over"))
	r.ingest(s, core.Fresh, said("a", "fits"))
	r.ingest(s, core.Full, said("a", "over again"))
}

func fullWithinCall(r *rig) {
	s := r.open()
	var in []core.Envelope
	for i := range normalLimit + 2 {
		in = append(in, said("a", fmt.Sprint(i)))
	}
	fates, err := s.Ingest(r.Context(), in...)
	want := append(slices.Repeat([]core.Fate{core.Fresh}, normalLimit), core.Full, core.Full)
	if err != nil || !slices.Equal(fates, want) {
		r.Fatalf("fates %v, %v", fates, err)
	}
}

func sequence(r *rig) {
	s := r.fresh()
	r.ingest(s, core.Fresh, said("a", "1"), pressed("a", "2"), said("a", "3"))
	r.ingest(s, core.Seen, said("a", "3"))
	l := r.claim(s, core.Normal, "a")
	rows := r.rows(l, "1", "2", "3")
	if rows[0].Seq != 1 || rows[1].Seq != 2 || rows[2].Seq != 3 || !rows[1].Urgent {
		r.Fatalf("%+v", rows)
	}
	r.commit(l, core.Batch{Ack: rows, Urgent: 2}, nil)
	r.ingest(s, core.Fresh, said("a", "4"))
	r.commit(l, core.Batch{Ack: r.rows(l, "4"), Urgent: 2}, nil)
	if err := s.Close(); err != nil {
		r.Fatal(err)
	}
	s = r.open()
	r.ingest(s, core.Fresh, said("a", "5"))
	if rows := r.rows(r.claim(s, core.Normal, "a"), "5"); rows[0].Seq != 5 {
		r.Fatalf("sequence number %d after the inbox was empty and the store restarted, want 5", rows[0].Seq)
	}
}

func inboxInPieces(r *rig) {
	s := r.open()
	for i := range 10 {
		r.ingest(s, core.Fresh, core.Envelope{Chat: "a", ID: fmt.Sprint(i), Urgent: i%3 == 0})
	}
	l := r.claim(s, core.Normal, "a")
	var got []string
	for after := uint64(0); ; {
		rows, err := l.Inbox(r.Context(), after, 3)
		if err != nil || len(rows) > 3 {
			r.Fatalf("%d rows, %v", len(rows), err)
		}
		if len(rows) == 0 {
			break
		}
		got = append(got, ids(rows)...)
		after = rows[len(rows)-1].Seq
	}
	if want := []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; !slices.Equal(got, want) {
		r.Fatalf("%v, want %v", got, want)
	}
}

func remembered14Days(r *rig) {
	if r.RealTime {
		r.Skip("takes 14 days")
	}
	const day = 24 * time.Hour
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"))
	for i := range 200 { // more than a commit forgets
		r.ingest(s, core.Fresh, said(core.ChatKey(fmt.Sprint("c", i)), "1"))
	}
	time.Sleep(14*day - time.Second)
	r.ingest(s, core.Seen, said("a", "1"))
	time.Sleep(2 * time.Second)
	r.ingest(s, core.Fresh, said("a", "1"), said("c199", "1"))
	r.ingest(s, core.Seen, said("a", "1"))
	time.Sleep(10 * day) // its first entry is forgotten by now, the second is not
	for i := range 100 {
		r.ingest(s, core.Fresh, said("b", fmt.Sprint(i)), pressed("b", fmt.Sprint("u", i)))
		l := r.claim(s, core.Urgent, "b")
		rows := r.inbox(l)
		r.commit(l, core.Batch{Ack: rows, Urgent: rows[len(rows)-1].Seq}, nil)
		r.release(l, 0)
	}
	r.ingest(s, core.Seen, said("a", "1"), said("c199", "1"))
	time.Sleep(4*day + time.Second)
	r.ingest(s, core.Fresh, said("a", "1"))
}

func slicesAreCopied(r *rig) {
	s := r.open()
	e := said("a", "1")
	r.ingest(s, core.Fresh, e)
	clear(e.Body)
	l := r.claim(s, core.Normal, "a")
	clear(r.inbox(l)[0].Body)
	if rows := r.rows(l, "1"); string(rows[0].Body) != "body of 1" {
		r.Fatalf("the body became %q", rows[0].Body)
	}
	var b core.Batch
	value := func() []byte { return bytes.Repeat([]byte("value"), 200) }
	for i := range 20 { // more than an engine keeps aside
		b.Put = append(b.Put, core.KV{Key: fmt.Sprint(i), Value: value()})
		b.Docs = append(b.Docs, core.DocumentWrite{Key: fmt.Sprint(i), Body: value()})
	}
	r.commit(l, b, nil)
	for i := range 20 {
		clear(b.Put[i].Value)
		clear(b.Docs[i].Body)
	}
	for range 2 {
		kvs, err := s.Scan(r.Context(), "a", "", "", 100)
		docs, err2 := s.Documents(r.Context(), "", "", 100)
		if len(kvs) != 20 || len(docs) != 20 || errors.Join(err, err2) != nil {
			r.Fatalf("%d pairs, %v, %d documents, %v", len(kvs), err, len(docs), err2)
		}
		for i := range 20 {
			if !bytes.Equal(kvs[i].Value, value()) || !bytes.Equal(docs[i].Body, value()) {
				r.Fatalf("pair and document became %q and %q", kvs[i].Value, docs[i].Body)
			}
			clear(kvs[i].Value)
			clear(docs[i].Body)
		}
	}
}

func closed(r *rig) {
	s := r.fresh()
	l, err := s.Hold(r.Context(), "role")
	if err != nil {
		r.Fatal(err)
	}
	hint, stop := s.Watch("a")
	defer stop()
	waiting := make(chan error, 3)
	go func() { _, err := s.Claim(r.Context(), core.Normal); waiting <- err }()
	go func() { _, err := s.Claim(r.Context(), core.Urgent); waiting <- err }()
	go func() { _, err := s.Hold(r.Context(), "role"); waiting <- err }()
	if err := s.Close(); err != nil {
		r.Fatal(err)
	}
	for range 3 {
		if err := <-waiting; !errors.Is(err, core.ErrClosed) {
			r.Fatalf("a wait ended with %v, want %v", err, core.ErrClosed)
		}
	}
	r.ended(l)
	_, ingest := s.Ingest(r.Context(), said("a", "1"))
	_, claim := s.Claim(r.Context(), core.Normal)
	_, hold := s.Hold(r.Context(), "role")
	_, scan := s.Scan(r.Context(), "a", "", "", 1)
	_, docs := s.Documents(r.Context(), "", "", 1)
	for i, err := range []error{ingest, claim, hold, scan, docs} {
		if !errors.Is(err, core.ErrClosed) {
			r.Fatalf("call %d: %v, want %v", i, err, core.ErrClosed)
		}
	}
	if err := s.Close(); err != nil {
		r.Fatalf("closing again: %v", err)
	}
	if hinted(hint) {
		r.Fatal("a hint of a change, but nothing changed")
	}
	l2 := core.Lease(nil)
	if l2, err = r.open().Hold(r.within(patience), "role"); err != nil {
		r.Fatalf("the role after a clean end: %v", err)
	}
	r.release(l2, 0)
}

// orderUnderLoad lets writers append to all chats while workers claim, read a few rows, note them and acknowledge them.
func orderUnderLoad(r *rig) {
	const chats, writers, workers = 12, 4, 4
	const each = normalLimit / writers // so that no lane is ever full
	s := r.open()
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	var done, acked sync.WaitGroup
	var holders [chats]atomic.Int32
	acked.Add(chats * writers * each)
	for w := range writers {
		done.Go(func() {
			for i := range chats * each {
				_, err := s.Ingest(ctx, said(core.ChatKey(fmt.Sprint("chat", i%chats)), fmt.Sprintf("%d/%d", w, i/chats)))
				r.noError(err, "ingest")
			}
		})
	}
	for w := range workers {
		mine := s
		if w%2 == 1 {
			mine = r.another(s)
		}
		done.Go(func() {
			for {
				l, err := mine.Claim(ctx, core.Normal)
				if errors.Is(err, context.Canceled) || !r.noError(err, "claim") {
					return
				}
				var c int
				_, _ = fmt.Sscanf(string(l.Chat()), "chat%d", &c)
				if holders[c].Add(1) != 1 {
					r.Errorf("%q has two holders", l.Chat())
				}
				n := r.work(l)
				holders[c].Add(-1)
				r.noError(l.Release(r.Context(), 0), "release")
				acked.Add(-n)
			}
		})
	}
	acked.Wait()
	stop()
	done.Wait()
	for c := range chats {
		r.checkOrder(s, core.ChatKey(fmt.Sprint("chat", c)), writers*each)
	}
}

// work notes and acknowledges up to three rows of a chat, and says how many.
func (r *rig) work(l core.Lease) int {
	rows, err := l.Inbox(r.Context(), 0, 3)
	if !r.noError(err, "inbox") {
		return 0
	}
	b := core.Batch{Ack: rows}
	for _, e := range rows {
		b.Put = append(b.Put, core.KV{Key: fmt.Sprintf("%08d", e.Seq), Value: []byte(e.ID)})
	}
	if !r.noError(l.Commit(r.Context(), b), "commit") {
		return 0
	}
	return len(rows)
}

// checkOrder expects that each writer's rows were noted once and in the order in which it wrote them.
func (r *rig) checkOrder(s core.Store, chat core.ChatKey, want int) {
	kvs, err := s.Scan(r.Context(), chat, "", "", 10000)
	if err != nil || len(kvs) != want {
		r.Fatalf("%q: %d rows noted, %v; want %d", chat, len(kvs), err, want)
	}
	next := make(map[int]int)
	for _, kv := range kvs {
		var writer, i int
		if _, err := fmt.Sscanf(string(kv.Value), "%d/%d", &writer, &i); err != nil || i != next[writer] {
			r.Fatalf("%q: writer %d's row %d came when %d was next", chat, writer, i, next[writer])
		}
		next[writer]++
	}
}
