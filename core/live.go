package core

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// live is what goes on in the chats that this process works on: the newest snapshot of each, and who looks at it. Nothing in it
// is the truth; the rows are.
type live struct {
	mu    sync.Mutex
	chats map[ChatKey]*liveChat // guarded by mu
}

type liveChat struct {
	snapshot *Snapshot // nil while nothing runs
	ahead    int       // turns and messages before a new message
	watchers []chan struct{}
}

func newLive() *live { return &live{chats: map[ChatKey]*liveChat{}} }

// update runs f on a chat and forgets the chat if nothing is left of it.
func (l *live) update(chat ChatKey, f func(*liveChat)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.chats[chat]
	if c == nil {
		c = &liveChat{}
		l.chats[chat] = c
	}
	f(c)
	if c.snapshot == nil && c.ahead == 0 && len(c.watchers) == 0 {
		delete(l.chats, chat)
	}
}

// publish sets a chat's snapshot and hints at it.
func (l *live) publish(chat ChatKey, s *Snapshot, ahead int) {
	l.update(chat, func(c *liveChat) {
		c.snapshot, c.ahead = s, ahead
		for _, w := range c.watchers {
			poke(w)
		}
	})
}

func (l *live) ahead(chat ChatKey) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.chats[chat]; c != nil {
		return c.ahead
	}
	return 0
}

func (l *live) snapshot(chat ChatKey) *Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.chats[chat]; c != nil {
		return c.snapshot
	}
	return nil
}

// poke sends a hint into a channel of capacity one.
func poke(hint chan struct{}) {
	select {
	case hint <- struct{}{}:
	default:
	}
}

// Watch implements [Reader].
func (e *Engine) Watch(chat ChatKey) (<-chan struct{}, func()) {
	out := make(chan struct{}, 1)
	e.live.update(chat, func(c *liveChat) { c.watchers = append(c.watchers, out) })
	stored, stopStored := e.store.Watch(chat)
	done := make(chan struct{})
	e.tasks.start("watch", func() {
		for {
			select {
			case <-stored:
				poke(out)
			case <-done:
				return
			}
		}
	})
	var once sync.Once
	return out, func() {
		once.Do(func() {
			close(done)
			stopStored()
			e.live.update(chat, func(c *liveChat) {
				c.watchers = slices.DeleteFunc(c.watchers, func(w chan struct{}) bool { return w == out })
			})
		})
	}
}

// History implements [Reader].
func (e *Engine) History(ctx context.Context, chat ChatKey, after uint64, max int) (History, error) {
	row, err := e.chatRow(ctx, chat)
	if err != nil {
		return History{}, err
	}
	h := History{Revision: row.Revision, Mark: row.Mark}
	kvs, err := e.store.Scan(ctx, chat, keyEntry, entryKey(after), max)
	if err != nil {
		return h, fmt.Errorf("read history: %w", err)
	}
	for _, kv := range kvs {
		r, err := unpackEntry(kv)
		if err != nil {
			return h, err
		}
		h.Entries = append(h.Entries, r)
		if r.Revision > h.Revision { // a commit came between the two reads
			h.Revision = r.Revision
		}
	}
	return h, nil
}

// chatRow reads a chat; the zero row of a chat that has not begun.
func (e *Engine) chatRow(ctx context.Context, chat ChatKey) (chatRow, error) {
	return readRow[chatRow](ctx, e.store, chat, keyChat)
}

// readRow reads one row of a chat, the zero row if it is not there.
func readRow[T interface{ version() int }](ctx context.Context, s Store, chat ChatKey, key string) (T, error) {
	var zero T
	kvs, err := s.Scan(ctx, chat, key, "", 1)
	if err != nil {
		return zero, fmt.Errorf("read row: %w", err)
	}
	if len(kvs) == 0 || kvs[0].Key != key {
		return zero, nil
	}
	return unpack[T](kvs[0].Value)
}

// Snapshot implements [Reader]. A parked turn is read from its rows, so that it shows after a restart too.
func (e *Engine) Snapshot(ctx context.Context, chat ChatKey) (Snapshot, bool, error) {
	if s := e.live.snapshot(chat); s != nil {
		return *s, true, nil
	}
	t, err := readRow[turnRow](ctx, e.store, chat, keyTurn)
	if err != nil || t.ID == 0 || t.Gate == "" {
		return Snapshot{}, false, err
	}
	q, err := readRow[questionRow](ctx, e.store, chat, questionKey(t.Gate))
	if err != nil || q.State != Proposed {
		return Snapshot{}, false, err
	}
	row, err := e.chatRow(ctx, chat)
	if err != nil {
		return Snapshot{}, false, err
	}
	entries, err := e.entries(ctx, chat, t.First, row.Revision)
	if err != nil {
		return Snapshot{}, false, err
	}
	s := Snapshot{Turn: t.ID, User: t.In.Text, State: Parked, Question: q.view(row.Lang)}
	s.Text, s.Calls = e.progress(entries, t.Frozen, t.ID, "")
	return s, true, nil
}

// progress is what the committed entries of a turn show: the texts since the last finished message, and the calls.
func (e *Engine) progress(entries []Recorded, frozen, turn uint64, active string) (text string, calls []CallProgress) {
	for _, r := range entries {
		if r.Turn != turn {
			continue
		}
		switch en := r.Entry.(type) {
		case Call:
			if r.Revision > frozen {
				text = join(text, en.Text)
			}
			label := LocalText{En: en.Tool}
			if t, ok := e.tools[en.Tool]; ok {
				label = t.Label
			}
			calls = append(calls, CallProgress{ID: en.ID, Label: label, Started: en.ID == active})
		case Result:
			for i := range calls {
				if calls[i].ID == en.ID {
					calls[i].Started, calls[i].Finished = true, true
				}
			}
		}
	}
	return text, calls
}

// join puts two pieces of Markdown under each other.
func join(a, b string) string {
	switch {
	case Blank(a):
		return b
	case Blank(b):
		return a
	}
	return a + "\n\n" + b
}

// entries reads the entries from the revision first to last, both included.
func (e *Engine) entries(ctx context.Context, chat ChatKey, first, last uint64) ([]Recorded, error) {
	var out []Recorded
	if first == 0 {
		return nil, nil
	}
	for after := first - 1; after < last; {
		kvs, err := e.store.Scan(ctx, chat, keyEntry, entryKey(after), int(min(256, last-after)))
		if err != nil {
			return nil, fmt.Errorf("read entries: %w", err)
		}
		for _, kv := range kvs {
			r, err := unpackEntry(kv)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
			after = r.Revision
		}
		if len(kvs) == 0 {
			break
		}
	}
	return out, nil
}

type indexRow struct {
	versioned
	Made time.Time `json:"made"`
}

// Chats implements [Reader].
func (e *Engine) Chats(ctx context.Context, channel string) ([]ChatInfo, error) {
	prefix := chatIndexKey(channel, "")
	var out []ChatInfo
	for after := ""; ; {
		docs, err := e.store.Documents(ctx, prefix, after, 256)
		if err != nil {
			return nil, fmt.Errorf("list chats: %w", err)
		}
		for _, d := range docs {
			key := ChatKey(d.Key[len(prefix):])
			row, err := e.chatRow(ctx, key)
			if err != nil {
				return nil, err
			}
			out = append(out, ChatInfo{Chat: key, Title: row.Title, Revision: row.Revision, Updated: row.Updated})
			after = d.Key
		}
		if len(docs) < 256 {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b ChatInfo) int { return b.Updated.Compare(a.Updated) })
	return out, nil
}

// AwaitDelivery waits until the answer of a turn has reached its chat, or could not, and returns the outcome (seed 002 §5.1).
// It remembers the latest items of a chat only, so it is for who has just seen the turn.
func (e *Engine) AwaitDelivery(ctx context.Context, chat ChatKey, turn uint64) (Delivery, error) {
	hint, stop := e.store.Watch(chat)
	defer stop()
	look := time.NewTicker(watchGap)
	defer look.Stop()
	for {
		row, err := readRow[deliveriesRow](ctx, e.store, chat, keyDeliveries)
		if err != nil {
			return Delivery{}, err
		}
		for _, d := range row.Latest {
			if d.Turn == turn && d.Answer {
				return d, nil
			}
		}
		select {
		case <-hint:
		case <-look.C:
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		}
	}
}

// view is an open question as a screen shows it, which has room for all of it.
func (q *questionRow) view(l Lang) *QuestionView {
	yes, no := q.buttons(l)
	block, _ := argumentsBlock(q.Args, math.MaxInt)
	return &QuestionView{Approve: yes, Deny: no, Body: q.Head + block, Expires: q.Expires}
}
