package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"steady/core"
)

func documentLife(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	write := func(want error, w ...core.DocumentWrite) {
		r.Helper()
		r.commit(l, core.Batch{Docs: w}, want)
	}
	one, two := []byte("one"), []byte("two")
	write(core.ErrConflict, core.DocumentWrite{Key: "d", Revision: 1, Body: one}) // is not there
	write(core.ErrConflict, core.DocumentWrite{Key: "d", Revision: 1})
	write(nil, core.DocumentWrite{Key: "d"}) // is checked not to be there
	write(nil, core.DocumentWrite{Key: "d", Body: one})
	if d := r.document(r.another(s), "d"); d.Revision != 1 || string(d.Body) != "one" {
		r.Fatalf("%+v", d)
	}
	write(core.ErrConflict, core.DocumentWrite{Key: "d", Body: two}) // is there
	write(core.ErrConflict, core.DocumentWrite{Key: "d"})
	write(nil, core.DocumentWrite{Key: "d", Revision: 1, Body: two})
	write(core.ErrConflict, core.DocumentWrite{Key: "d", Revision: 1, Body: one})
	write(core.ErrConflict, core.DocumentWrite{Key: "d", Revision: 1, Delete: true})
	write(core.ErrConflict, core.DocumentWrite{Key: "d", Revision: 3, Body: one})
	write(nil, core.DocumentWrite{Key: "d", Revision: 2})
	if d := r.document(s, "d"); d.Revision != 2 || string(d.Body) != "two" {
		r.Fatalf("%+v", d)
	}
	write(nil, core.DocumentWrite{Key: "d", Revision: 2, Delete: true})
	if d := r.document(s, "d"); d.Revision != 0 {
		r.Fatalf("%+v", d)
	}
}

func conflictWritesNothing(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	r.commit(l, core.Batch{Put: put("k", "v"), Docs: []core.DocumentWrite{
		{Key: "z", Revision: 4, Body: []byte("v")},
		{Key: "a", Body: []byte("v")},
	}}, core.ErrConflict)
	r.pairs(s, "a", "")
	if docs, err := s.Documents(r.Context(), "", "", 10); len(docs) != 0 || err != nil {
		r.Fatalf("%v, %v", docs, err)
	}
}

func documentMadeAnew(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	for _, w := range []core.DocumentWrite{{Key: "d", Body: []byte("old")}, {Key: "d", Revision: 1, Delete: true}, {Key: "d", Body: []byte("new")}} {
		r.commit(l, core.Batch{Docs: []core.DocumentWrite{w}}, nil)
	}
	r.commit(l, core.Batch{Docs: []core.DocumentWrite{{Key: "d", Revision: 1, Body: []byte("from old")}}}, core.ErrConflict)
	if d := r.document(s, "d"); d.Revision == 1 || string(d.Body) != "new" {
		r.Fatalf("%+v", d)
	}
}

func writeSkew(r *rig) {
	// Each reads both documents, and writes one because of what the other says.
	s := r.open()
	a, b := r.anyLease(s, "a"), r.anyLease(s, "b")
	r.commit(a, core.Batch{Docs: []core.DocumentWrite{{Key: "x", Body: []byte("free")}, {Key: "y", Body: []byte("free")}}}, nil)
	r.commit(a, core.Batch{Docs: []core.DocumentWrite{{Key: "x", Revision: 1, Body: []byte("taken")}, {Key: "y", Revision: 1}}}, nil)
	r.commit(b, core.Batch{Docs: []core.DocumentWrite{{Key: "x", Revision: 1}, {Key: "y", Revision: 1, Body: []byte("taken")}}}, core.ErrConflict)
	for range 20 {
		x, y := r.document(s, "x").Revision, r.document(s, "y").Revision
		var both sync.WaitGroup
		errs := make([]error, 2)
		for i, l := range []core.Lease{a, b} {
			both.Go(func() {
				w := []core.DocumentWrite{{Key: "x", Revision: x}, {Key: "y", Revision: y}}
				w[i].Body = []byte(fmt.Sprint("taken by ", i))
				errs[i] = l.Commit(r.Context(), core.Batch{Docs: w})
			})
		}
		both.Wait()
		if won := errors.Is(errs[0], core.ErrConflict) != errors.Is(errs[1], core.ErrConflict); !won {
			r.Fatalf("of two at once just one must win: %v, %v", errs[0], errs[1])
		}
	}
}

func counter(r *rig) {
	const chats, steps = 5, 20
	s := r.open()
	var leases []core.Lease
	for i := range chats {
		leases = append(leases, r.anyLease(s, core.ChatKey(fmt.Sprint(i))))
	}
	var all sync.WaitGroup
	for _, l := range leases {
		all.Go(func() {
			for done := 0; done < steps; {
				err := r.count(s, l)
				if err == nil {
					done++
				} else if !errors.Is(err, core.ErrConflict) {
					r.Errorf("count: %v", err)
					return
				}
			}
		})
	}
	all.Wait()
	if d := r.document(s, "n"); string(d.Body) != fmt.Sprint(chats*steps) || d.Revision != chats*steps {
		r.Fatalf("%+v, want %d", d, chats*steps)
	}
}

// count reads a number in a document and writes the next one.
func (r *rig) count(s core.Store, l core.Lease) error {
	docs, err := s.Documents(r.Context(), "n", "", 1)
	if err != nil {
		return err
	}
	w := core.DocumentWrite{Key: "n", Body: []byte("1")}
	if len(docs) > 0 {
		var n int
		_, _ = fmt.Sscan(string(docs[0].Body), &n)
		w.Revision, w.Body = docs[0].Revision, fmt.Append(nil, n+1)
	}
	return l.Commit(r.Context(), core.Batch{Docs: []core.DocumentWrite{w}})
}

func documentsInPieces(r *rig) {
	s := r.open()
	l := r.anyLease(s, "a")
	keys := []string{"p", "p/1", "p/1/a", "p/10", "p/2", "p0", "q"}
	var b core.Batch
	for _, i := range []int{4, 0, 6, 2, 1, 5, 3} {
		b.Docs = append(b.Docs, core.DocumentWrite{Key: keys[i], Body: []byte(keys[i])})
	}
	r.commit(l, b, nil)
	var got []string
	for after := ""; ; after = got[len(got)-1] {
		docs, err := s.Documents(r.Context(), "p/", after, 2)
		if err != nil || len(docs) > 2 {
			r.Fatalf("%d documents, %v", len(docs), err)
		}
		if len(docs) == 0 {
			break
		}
		for _, d := range docs {
			if got = append(got, d.Key); string(d.Body) != d.Key || d.Revision != 1 {
				r.Fatalf("%+v", d)
			}
		}
	}
	if !slices.Equal(got, keys[1:5]) {
		r.Fatalf("%v, want %v", got, keys[1:5])
	}
}
