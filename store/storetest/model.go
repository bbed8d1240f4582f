package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"steady/core"
)

// likeModel does random things to a store and to a model of it, and compares what both say.
func likeModel(t *testing.T, f Factory) {
	if f.RealTime {
		t.Skip("sleeps for days")
	}
	rapid.Check(t, func(rt *rapid.T) {
		var failure any // a panic, by which rapid ends a try; it must not leave the bubble by itself
		synctest.Test(t, func(t *testing.T) {
			defer func() { failure = recover() }()
			newModel(&rig{T: t, Factory: f, fresh: f.Fresh(t)}).live(rt)
		})
		if failure != nil {
			panic(failure)
		}
	})
}

type model struct {
	rig     *rig
	store   core.Store
	chats   []*modelChat
	docs    map[string]*core.Document
	deleted map[string]uint64 // the last revision of each document that was deleted
}

func newModel(r *rig) *model {
	m := &model{rig: r, store: r.fresh(), docs: make(map[string]*core.Document), deleted: make(map[string]uint64)}
	for _, key := range []core.ChatKey{"a", "ab", "b"} {
		m.chats = append(m.chats, &modelChat{key: key, seen: make(map[string]time.Time), pairs: make(map[string]string)})
	}
	return m
}

func (m *model) live(t *rapid.T) {
	defer func() { _ = m.store.Close() }()
	t.Repeat(map[string]func(*rapid.T){
		"ingest":  m.ingest,
		"claim":   m.claim,
		"commit":  m.commit,
		"resend":  m.resend,
		"release": m.release,
		"sleep":   m.sleep,
		"restart": m.restart,
		"":        m.compare,
	})
}

type modelChat struct {
	key    core.ChatKey
	seq    uint64
	rows   []core.Envelope
	seen   map[string]time.Time
	pairs  map[string]string
	wake   time.Time
	parked uint64 // seen of the last release
	lease  core.Lease
	last   *core.Batch
}

func (c *modelChat) newest(urgent bool) (seq uint64, count int) {
	for _, e := range c.rows {
		if e.Urgent == urgent {
			seq = e.Seq
			count++
		}
	}
	return seq, count
}

func (c *modelChat) due(lane core.Lane) bool {
	newest, _ := c.newest(lane == core.Urgent)
	if c.lease != nil {
		return false
	}
	if lane == core.Urgent {
		return newest > 0
	}
	return newest > c.parked || !c.wake.IsZero() && !c.wake.After(time.Now())
}

func (m *model) chat(t *rapid.T) *modelChat { return rapid.SampledFrom(m.chats).Draw(t, "chat") }

func (m *model) held(t *rapid.T) *modelChat {
	held := slices.DeleteFunc(slices.Clone(m.chats), func(c *modelChat) bool { return c.lease == nil })
	if len(held) == 0 {
		t.Skip("no chat is held")
	}
	return rapid.SampledFrom(held).Draw(t, "held chat")
}

func (m *model) ingest(t *rapid.T) {
	var in []core.Envelope
	var want []core.Fate
	for range rapid.SampledFrom([]int{1, 2, 40}).Draw(t, "envelopes") {
		c := m.chat(t)
		e := core.Envelope{Chat: c.key, ID: fmt.Sprint(rapid.IntRange(0, 200).Draw(t, "id")), Urgent: rapid.Bool().Draw(t, "urgent")}
		in, want = append(in, e), append(want, c.take(e))
	}
	got, err := m.store.Ingest(m.rig.Context(), in...)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("ingest: %v, %v; want %v", got, err, want)
	}
}

func (c *modelChat) take(e core.Envelope) core.Fate {
	if at, ok := c.seen[e.ID]; ok && time.Since(at) < 14*24*time.Hour {
		return core.Seen
	}
	c.seen[e.ID] = time.Now()
	limit := normalLimit
	if e.Urgent {
		limit = urgentLimit
	}
	if _, n := c.newest(e.Urgent); n >= limit {
		return core.Full
	}
	c.seq++
	e.Seq = c.seq
	c.rows = append(c.rows, e)
	return core.Fresh
}

func (m *model) claim(t *rapid.T) {
	lane := rapid.SampledFrom([]core.Lane{core.Normal, core.Urgent}).Draw(t, "lane")
	due := func() bool { return slices.ContainsFunc(m.chats, func(c *modelChat) bool { return c.due(lane) }) }
	patient := due()
	wait := time.Millisecond
	if patient {
		wait = patience
	}
	ctx, cancel := context.WithTimeout(m.rig.Context(), wait)
	defer cancel()
	l, err := m.store.Claim(ctx, lane)
	if err != nil {
		if patient || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("claim: %v, though something is due", err)
		}
		return
	}
	for _, c := range m.chats {
		if c.key == l.Chat() && c.due(lane) {
			c.lease, c.last = l, nil
			return
		}
	}
	t.Fatalf("claim: got %q, which is not due", l.Chat())
}

func (m *model) commit(t *rapid.T) {
	c := m.held(t)
	b := core.Batch{}
	b.Urgent, _ = c.newest(true)
	if rapid.IntRange(0, 9).Draw(t, "outdated") == 0 {
		b.Urgent = 0
	}
	for _, e := range c.rows {
		if rapid.Bool().Draw(t, "acknowledge") {
			b.Ack = append(b.Ack, e)
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
		b.Ack = append(b.Ack, core.Envelope{Chat: c.key, ID: "wrong", Seq: rapid.Uint64Range(0, c.seq+1).Draw(t, "seq")})
	}
	for range rapid.IntRange(0, 3).Draw(t, "pairs") {
		kv := core.KV{Key: rapid.StringMatching(`[a-c]{1,2}`).Draw(t, "key")}
		if rapid.Bool().Draw(t, "set") {
			kv.Value = []byte(rapid.StringMatching(`[0-9]{0,3}`).Draw(t, "value"))
		}
		b.Put = append(b.Put, kv)
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 2, rapid.ID).Draw(t, "documents") {
		b.Docs = append(b.Docs, m.documentWrite(t, key))
	}
	switch rapid.IntRange(0, 3).Draw(t, "wake") {
	case 0:
		b.Wake = &time.Time{}
	case 1:
		wake := time.Now().Add(time.Duration(rapid.IntRange(-2, 5).Draw(t, "seconds")) * time.Second)
		b.Wake = &wake
	}
	want := m.judge(c, b)
	if err := c.lease.Commit(m.rig.Context(), b); !errors.Is(err, want) {
		t.Fatalf("commit %+v: %v, want %v", b, err, want)
	}
	if want == nil {
		m.apply(t, c, b)
	}
}

func (m *model) documentWrite(t *rapid.T, key string) core.DocumentWrite {
	w := core.DocumentWrite{Key: key}
	if d := m.docs[key]; d != nil {
		w.Revision = d.Revision
	}
	if rapid.IntRange(0, 9).Draw(t, "outdated") == 0 {
		w.Revision++
	}
	switch rapid.IntRange(0, 3).Draw(t, "do") {
	case 0:
		w.Delete = w.Revision > 0
	case 1, 2:
		w.Body = []byte(rapid.StringMatching(`[0-9]{1,3}`).Draw(t, "body"))
	}
	return w
}

// judge says what a commit must answer.
func (m *model) judge(c *modelChat, b core.Batch) error {
	if c.last != nil && same(*c.last, b) {
		return nil
	}
	if newest, _ := c.newest(true); newest > b.Urgent {
		return core.ErrStale
	}
	for _, e := range b.Ack {
		if !slices.ContainsFunc(c.rows, func(row core.Envelope) bool { return row.Seq == e.Seq && row.ID == e.ID }) {
			return core.ErrStale
		}
	}
	for _, w := range b.Docs {
		var revision uint64
		if d := m.docs[w.Key]; d != nil {
			revision = d.Revision
		}
		if revision != w.Revision {
			return core.ErrConflict
		}
	}
	return nil
}

func (m *model) apply(t *rapid.T, c *modelChat, b core.Batch) {
	if c.last != nil && same(*c.last, b) {
		return
	}
	c.last = &b
	c.rows = slices.DeleteFunc(slices.Clone(c.rows), func(row core.Envelope) bool {
		return slices.ContainsFunc(b.Ack, func(e core.Envelope) bool { return e.Seq == row.Seq })
	})
	for _, kv := range b.Put {
		if kv.Value == nil {
			delete(c.pairs, kv.Key)
		} else {
			c.pairs[kv.Key] = string(kv.Value)
		}
	}
	for _, w := range b.Docs {
		switch {
		case w.Delete:
			m.deleted[w.Key] = w.Revision
			delete(m.docs, w.Key)
		case w.Body != nil && w.Revision == 0:
			d := m.rig.document(m.store, w.Key) // where its revisions start is the store's affair
			if d.Revision <= m.deleted[w.Key] {
				t.Fatalf("%q was made with revision %d, and had %d before", w.Key, d.Revision, m.deleted[w.Key])
			}
			m.docs[w.Key] = &core.Document{Key: w.Key, Revision: d.Revision, Body: w.Body}
		case w.Body != nil:
			m.docs[w.Key] = &core.Document{Key: w.Key, Revision: w.Revision + 1, Body: w.Body}
		}
	}
	if b.Wake != nil {
		c.wake = *b.Wake
	}
}

func same(a, b core.Batch) bool { return fmt.Sprintf("%#v", plain(a)) == fmt.Sprintf("%#v", plain(b)) }

// plain has no pointer in it.
func plain(b core.Batch) any {
	wake := "left"
	if b.Wake != nil {
		wake = b.Wake.String()
		b.Wake = nil
	}
	return struct {
		core.Batch
		wake string
	}{b, wake}
}

func (m *model) resend(t *rapid.T) {
	c := m.held(t)
	if c.last == nil {
		t.Skip("nothing was written")
	}
	if err := c.lease.Commit(m.rig.Context(), *c.last); err != nil {
		t.Fatalf("the same batch again: %v", err)
	}
}

func (m *model) release(t *rapid.T) {
	c := m.held(t)
	c.parked = rapid.Uint64Range(0, c.seq).Draw(t, "seen")
	if err := c.lease.Release(m.rig.Context(), c.parked); err != nil {
		t.Fatal(err)
	}
	if err := c.lease.Commit(m.rig.Context(), core.Batch{Put: put("late", "x")}); !errors.Is(err, core.ErrFenced) {
		t.Fatalf("commit after release: %v", err)
	}
	c.lease = nil
}

func (m *model) sleep(t *rapid.T) {
	time.Sleep(rapid.SampledFrom([]time.Duration{time.Second, 3 * time.Second, 5 * 24 * time.Hour}).Draw(t, "time"))
}

func (m *model) restart(t *rapid.T) {
	if rapid.Bool().Draw(t, "crash") {
		m.rig.Crash(m.rig.T, m.store)
	} else if err := m.store.Close(); err != nil {
		t.Fatal(err)
	}
	m.store = m.rig.fresh()
	for _, c := range m.chats {
		c.lease, c.last, c.parked = nil, nil, 0
	}
}

func (m *model) compare(t *rapid.T) {
	ctx := m.rig.Context()
	for _, c := range m.chats {
		got := make(map[string]string)
		kvs, err := m.store.Scan(ctx, c.key, "", "", 100)
		for _, kv := range kvs {
			got[kv.Key] = string(kv.Value)
		}
		if err != nil || !maps.Equal(got, c.pairs) {
			t.Fatalf("scan %q: %v, %v; want %v", c.key, got, err, c.pairs)
		}
		if c.lease == nil {
			continue
		}
		rows, err := c.lease.Inbox(ctx, 0, 100)
		if err != nil || !slices.EqualFunc(rows, c.rows, func(a, b core.Envelope) bool {
			return a.Seq == b.Seq && a.ID == b.ID && a.Urgent == b.Urgent && a.Chat == b.Chat
		}) {
			t.Fatalf("inbox of %q: %+v, %v; want %+v", c.key, rows, err, c.rows)
		}
	}
	docs, err := m.store.Documents(ctx, "", "", 100)
	if err != nil || len(docs) != len(m.docs) {
		t.Fatalf("%d documents, %v; want %d", len(docs), err, len(m.docs))
	}
	for _, d := range docs {
		if w := m.docs[d.Key]; w == nil || w.Revision != d.Revision || !bytes.Equal(w.Body, d.Body) {
			t.Fatalf("document %+v, want %+v", d, w)
		}
	}
}
