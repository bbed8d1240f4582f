package storetest

import (
	"time"

	"steady/core"
)

func crash(r *rig) {
	s := r.fresh()
	r.ingest(s, core.Fresh, said("a", "1"), said("a", "2"), said("parked", "1"))
	old := r.claim(s, core.Normal, "a")
	wake := time.Now().Add(2 * r.quiet())
	r.commit(old, core.Batch{
		Ack:  r.rows(old, "1", "2")[:1],
		Put:  put("question", "open", "token", "t-1"),
		Docs: []core.DocumentWrite{{Key: "d", Body: []byte("v")}},
		Wake: &wake,
	}, nil)
	parked := r.claim(s, core.Normal, "parked")
	r.release(parked, 1)
	role, err := s.Hold(r.within(patience), "poll")
	if err != nil {
		r.Fatal(err)
	}
	r.ingest(s, core.Fresh, pressed("a", "3"))
	r.Crash(r.T, s)
	s = r.open()
	l := r.claim(s, core.Urgent, "a")
	rows := r.rows(l, "2", "3")
	r.pairs(s, "a", "", "question", "open", "token", "t-1")
	if d := r.document(s, "d"); d.Revision != 1 {
		r.Fatalf("%+v", d)
	}
	again := r.claim(s, core.Normal, "parked") // how it was released is not kept, so it is due once more
	r.release(again, 1)
	r.ingest(s, core.Seen, said("a", "1"), pressed("a", "3"))
	if l, err := s.Hold(r.within(patience), "poll"); err != nil {
		r.Fatalf("the role: %v", err)
	} else {
		r.release(l, 0)
	}
	for _, dead := range []core.Lease{old, role} {
		if err := dead.Commit(r.within(patience), core.Batch{Put: put("k", "late")}); err == nil {
			r.Fatalf("a lease of before the crash wrote to %q", dead.Chat())
		}
	}
	r.commit(l, core.Batch{Ack: rows, Urgent: rows[1].Seq}, nil)
	r.release(l, 0)
	r.idle(s)
	if now := time.Now(); now.Before(wake) {
		time.Sleep(wake.Sub(now))
	}
	r.claim(s, core.Normal, "a") // by its timer
}

func markOutlivesCrash(r *rig) {
	// So a plain fallback is sent once: the mark says that it was tried.
	s := r.fresh()
	r.ingest(s, core.Fresh, said("a", "1"))
	l := r.claim(s, core.Normal, "a")
	r.commit(l, core.Batch{Ack: r.rows(l, "1"), Put: put("o/1", "rich")}, nil)
	r.ingest(s, core.Fresh, said("a", "2"))
	r.commit(l, core.Batch{Put: put("o/1", "plain")}, nil)
	r.Crash(r.T, s)
	s = r.open()
	l = r.claim(s, core.Normal, "a")
	r.pairs(s, "a", "o/", "o/1", "plain")
	r.commit(l, core.Batch{Put: []core.KV{{Key: "o/1"}}}, nil)
	r.release(l, 2)
	r.pairs(s, "a", "o/")
}
