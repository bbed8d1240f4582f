package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"steady/core"
)

func wrongAck(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("b", "1"), said("a", "1"), said("a", "2"))
	foreign := r.rows(r.claim(s, core.Normal, "b"), "1")[0]
	l := r.claim(s, core.Normal, "a")
	rows := r.rows(l, "1", "2")
	misnamed, unknown := rows[1], rows[1]
	misnamed.ID, unknown.Seq = "1", 99
	wake := time.Now().Add(-time.Minute)
	for why, ack := range map[string][]core.Envelope{
		"a sequence number that was never given": {rows[0], unknown},
		"the sequence number of another id":      {rows[0], misnamed},
		"another chat's row":                     {rows[0], foreign},
		"a row twice":                            {rows[0], rows[1], rows[0]},
	} {
		r.Log(why)
		r.commit(l, core.Batch{
			Ack:  ack,
			Put:  put("k", "v"),
			Docs: []core.DocumentWrite{{Key: "d", Body: []byte("v")}},
			Wake: &wake,
		}, core.ErrStale)
	}
	r.rows(l, "1", "2")
	r.pairs(s, "a", "")
	if d := r.document(s, "d"); d.Revision != 0 {
		r.Fatalf("the document was written: %+v", d)
	}
	r.release(l, 2)
	r.idle(s) // nor the timer
}

func ackOnce(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"), said("a", "2"))
	l := r.claim(s, core.Normal, "a")
	rows := r.rows(l, "1", "2")
	r.commit(l, core.Batch{Ack: rows[:1]}, nil)
	r.commit(l, core.Batch{Ack: rows}, core.ErrStale)
	r.commit(l, core.Batch{Ack: rows[:1], Put: put("k", "v")}, core.ErrStale)
	r.commit(l, core.Batch{Ack: rows[1:]}, nil)
	r.rows(l)
}

func ackNewestFirst(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"), said("a", "2"), said("a", "3"))
	l := r.claim(s, core.Normal, "a")
	r.commit(l, core.Batch{Ack: r.rows(l, "1", "2", "3")[2:]}, nil)
	r.release(l, 1)
	l = r.claim(s, core.Normal, "a") // for row 2
	r.rows(l, "1", "2")
	r.release(l, 2)
	r.idle(s) // row 3 does not count any more
}

func sameBatchAgain(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"), said("b", "1"))
	l, other := r.claim(s, core.Normal, "a"), r.claim(s, core.Normal, "b")
	b := core.Batch{
		Ack:  r.rows(l, "1"),
		Put:  put("k", "v"),
		Docs: []core.DocumentWrite{{Key: "d", Body: []byte("v")}, {Key: "checked"}},
	}
	r.commit(l, b, nil)
	r.commit(l, b, nil)
	if d := r.document(s, "d"); d.Revision != 1 {
		r.Fatalf("revision %d, want 1", d.Revision)
	}
	// What changed since the first try does not refuse the second.
	r.ingest(s, core.Fresh, pressed("a", "stop"))
	r.commit(other, core.Batch{Docs: []core.DocumentWrite{{Key: "d", Revision: 1, Body: []byte("w")}, {Key: "checked", Body: []byte("w")}}}, nil)
	r.commit(l, b, nil)
	if d := r.document(s, "d"); d.Revision != 2 || string(d.Body) != "w" {
		r.Fatalf("the second try undid a later write: %+v", d)
	}
	// Another batch is another batch, and then the first is no retry any more.
	c := b
	c.Put = put("k", "w")
	r.commit(l, c, core.ErrStale)
	r.commit(l, core.Batch{Urgent: 2, Put: put("k", "x")}, nil)
	r.commit(l, b, core.ErrStale)
	r.pairs(s, "a", "", "k", "x")
}

func refusedBatchAgain(r *rig) {
	s := r.open()
	l, other := r.anyLease(s, "a"), r.anyLease(s, "b")
	b := core.Batch{Docs: []core.DocumentWrite{{Key: "d", Revision: 1, Body: []byte("v")}}}
	r.commit(l, b, core.ErrConflict)
	r.commit(other, core.Batch{Docs: []core.DocumentWrite{{Key: "d", Body: []byte("u")}}}, nil)
	r.commit(l, b, nil)
	if d := r.document(s, "d"); d.Revision != 2 {
		r.Fatalf("revision %d, want 2", d.Revision)
	}
}

func sameWritesLater(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	r.commit(l, core.Batch{Put: put("k", "v")}, nil)
	r.commit(l, core.Batch{Put: put("k", "w")}, nil)
	r.commit(l, core.Batch{Put: put("k", "v")}, nil)
	r.pairs(s, "a", "", "k", "v")
	r.commit(l, core.Batch{Put: []core.KV{{Key: "k", Value: []byte{}}}}, nil)
	r.commit(l, core.Batch{Put: []core.KV{{Key: "k"}}}, nil) // nil is not empty
	r.pairs(s, "a", "")
}

func urgentMakesStale(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "1"), pressed("a", "2"))
	l := r.claim(s, core.Normal, "a")
	rows := r.rows(l, "1", "2")
	r.commit(l, core.Batch{Ack: rows[:1]}, core.ErrStale)
	r.ingest(r.another(s), core.Fresh, pressed("a", "3"), said("a", "4"), pressed("b", "1"))
	r.commit(l, core.Batch{Ack: rows[:1], Urgent: 2}, core.ErrStale)
	r.rows(l, "1", "2", "3", "4")
	r.commit(l, core.Batch{Ack: rows[:1], Urgent: 3}, nil)
	r.commit(l, core.Batch{Ack: r.rows(l, "2", "3", "4")[:2], Urgent: 3}, nil)
	r.commit(l, core.Batch{Put: put("k", "v")}, nil) // there is none any more
}

func stop(r *rig) {
	s := r.open()
	r.ingest(s, core.Fresh, said("a", "running"))
	l := r.claim(s, core.Normal, "a")
	turn := core.Batch{Ack: r.rows(l, "running"), Put: put("answer", "late")}
	r.ingest(s, core.Fresh, said("a", "queued"), pressed("a", "/stop"), said("a", "after"))
	r.wait(l.News(), "news of /stop")
	r.commit(l, turn, core.ErrStale)
	rows := r.rows(l, "running", "queued", "/stop", "after")
	stop := rows[2].Seq
	var stopped []core.Envelope
	for _, e := range rows {
		if e.Seq <= stop {
			stopped = append(stopped, e)
		}
	}
	r.commit(l, core.Batch{Ack: stopped, Put: put("notice", "stopped 2"), Urgent: stop}, nil)
	r.release(l, stop)
	l = r.claim(s, core.Normal, "a")
	r.rows(l, "after")
	r.pairs(s, "a", "", "notice", "stopped 2")
}

func refusedAmongOthers(r *rig) {
	const n = 60
	s := r.open()
	var leases []core.Lease
	for i := range n {
		leases = append(leases, r.anyLease(s, core.ChatKey(fmt.Sprint(i))))
	}
	var all sync.WaitGroup
	for i, l := range leases {
		all.Go(func() {
			for round := range 5 {
				b := core.Batch{Put: put("round", fmt.Sprint(round))}
				if i%2 == 1 {
					b.Docs = []core.DocumentWrite{{Key: "d", Revision: 1, Body: []byte("never")}}
				}
				err := l.Commit(r.Context(), b)
				if wrong := i%2 == 1; wrong != errors.Is(err, core.ErrConflict) || !wrong && err != nil {
					r.Errorf("chat %d: %v", i, err)
				}
			}
		})
	}
	all.Wait()
	for i, l := range leases {
		if i%2 == 0 {
			r.pairs(s, l.Chat(), "", "round", "4")
		} else {
			r.pairs(s, l.Chat(), "")
		}
	}
}

func pairsAreOwn(r *rig) {
	s := r.open()
	chats := []core.ChatKey{"a", "a\x00", "a\x00b", "aa", "ab", "b", "\x00", "\x00\x01", "\xff", "\xff\xff", "role", "ro"}
	keys := []string{"\x00", "\x00\x00", "A", "a", "a/", "a/b", "a/\xff", "a0", "b", "\xff", "\xff\xff"}
	for _, chat := range chats {
		l := r.anyLease(s, chat)
		var b core.Batch
		for _, i := range []int{3, 0, 7, 2, 10, 1, 9, 4, 8, 5, 6} {
			b.Put = append(b.Put, core.KV{Key: keys[i], Value: []byte(string(chat) + keys[i])})
		}
		r.commit(l, b, nil)
	}
	for _, chat := range chats {
		var want []string
		for _, k := range keys {
			want = append(want, k, string(chat)+k)
		}
		r.pairs(s, chat, "", want...)
		r.pairs(s, chat, "a/", want[8:14]...)
		r.pairs(s, chat, "c")
	}
	l := r.anyLease(s, "alone")
	r.commit(l, core.Batch{Put: []core.KV{{Key: "gone", Value: []byte("v")}, {Key: "empty", Value: []byte{}}}}, nil)
	r.commit(l, core.Batch{Put: []core.KV{{Key: "gone"}, {Key: "was never there"}}}, nil)
	r.pairs(s, "alone", "", "empty", "")
	if kvs, _ := s.Scan(r.Context(), "alone", "", "", 1); kvs[0].Value == nil {
		r.Fatal("an empty value came back as nil, which deletes")
	}
}

func pairsInPieces(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	var b core.Batch
	var want []string
	for i := range 25 {
		want = append(want, fmt.Sprintf("m/%02d", i))
	}
	for _, k := range append([]string{"l", "m", "m/", "n"}, want...) {
		b.Put = append(b.Put, core.KV{Key: k, Value: []byte("v")})
	}
	r.commit(l, b, nil)
	var got []string
	for after := "m/"; ; {
		kvs, err := s.Scan(r.Context(), "a", "m/", after, 4)
		if err != nil || len(kvs) > 4 {
			r.Fatalf("%d pairs, %v", len(kvs), err)
		}
		if len(kvs) == 0 {
			break
		}
		for _, kv := range kvs {
			got = append(got, kv.Key)
		}
		after = got[len(got)-1]
	}
	if !slices.Equal(got, want) {
		r.Fatalf("%v, want %v", got, want)
	}
	for _, c := range []struct{ prefix, after, want string }{
		{"m/1", "a", "m/10"},     // after lies before the prefix
		{"m/1", "m/105", "m/11"}, // between two keys
		{"m/1", "m/2", ""},       // behind the prefix
		{"", "m/24", "n"},
	} {
		kvs, err := s.Scan(r.Context(), "a", c.prefix, c.after, 1)
		if err != nil || len(kvs) > 0 && kvs[0].Key != c.want || len(kvs) == 0 && c.want != "" {
			r.Fatalf("%+v: %v, %v", c, kvs, err)
		}
	}
	if _, err := s.Scan(r.Context(), "a", "", "", 0); err == nil {
		r.Fatal("max 0 was accepted")
	}
}
