package core

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// A change is what one commit makes durable, in terms of the rows. Pointers in it are to new values; what the agent holds is
// replaced only when the store has taken them.
type change struct {
	entries   []Recorded // turn and entry are given; revision and time come with the commit
	turn      *turnRow   // the open turn's new row
	end       bool       // the open turn is over
	questions []*questionRow
	queue     []*outboxRow // new items, without number
	update    []*outboxRow
	drop      []*outboxRow
	delivered []Delivery
	ack       []row
	forget    []string // keys of rows that nobody needs any more
	docs      []DocumentWrite
	chat      func(*chatRow)
}

// staged is a change worked out: the batch, and what the agent holds when the store has taken it.
type staged struct {
	batch  Batch
	now    time.Time
	chat   chatRow
	turn   *turnRow
	gate   *questionRow
	outbox []*outboxRow
	latest []Delivery
}

func (s *staged) put(key string, value []byte) {
	s.batch.Put = append(s.batch.Put, KV{key, value})
}

// commit makes a change durable and takes it over. An error means that nothing was changed: the caller's move is decided anew.
// A commit whose answer is lost is sent again until it is known, or the lease is gone.
func (a *agent) commit(c change) error {
	s := &staged{batch: Batch{Urgent: a.urgent, Docs: c.docs}, now: time.Now().UTC(), chat: a.chat}
	s.turn, s.gate = a.afterTurn(c)
	a.stageEntries(s, &c)
	a.stageOutbox(s, &c)
	a.stageTurn(s, &c)
	for _, key := range c.forget {
		s.put(key, nil)
	}
	s.chat.V, s.chat.Updated = rowVersion, s.now
	s.put(keyChat, pack(s.chat))
	for _, r := range c.ack {
		s.batch.Ack = append(s.batch.Ack, r.env)
	}
	wake := wakeAt(s.gate, s.outbox, s.chat.Gone, s.now)
	s.batch.Wake = &wake
	if err := a.send(s.batch); err != nil {
		return err
	}
	a.take(s, c)
	return nil
}

// stageEntries numbers the new entries and lets the chat's row know of them.
func (a *agent) stageEntries(s *staged, c *change) {
	for i := range c.entries {
		r := &c.entries[i]
		s.chat.Revision++
		r.Revision, r.At = s.chat.Revision, s.now
		if m, ok := r.Entry.(Message); ok && m.Role == User && s.chat.Title == "" {
			first, _, _ := strings.Cut(m.Text, "\n")
			s.chat.Title = clip(first, 60)
		}
		s.put(entryKey(r.Revision), packEntry(*r))
	}
	if c.chat != nil {
		c.chat(&s.chat)
	}
	if s.chat.Revision > 0 && !s.chat.Indexed {
		s.chat.Indexed = true
		s.batch.Docs = append(slices.Clone(s.batch.Docs), DocumentWrite{Key: chatIndexKey(s.chat.Channel, a.key),
			Body: pack(indexRow{versioned{rowVersion}, s.now})})
	}
}

// stageOutbox numbers the new items, and writes what becomes of the old ones.
func (a *agent) stageOutbox(s *staged, c *change) {
	if s.chat.Gone { // nobody would see it, and nobody wants it months later
		c.queue = nil
	}
	for _, o := range c.queue {
		s.chat.Items++
		o.V, o.Number, o.First, o.Next = rowVersion, s.chat.Items, s.now, s.now
	}
	s.outbox = slices.DeleteFunc(slices.Concat(a.outbox, c.queue), func(o *outboxRow) bool { return slices.Contains(numbers(c.drop), o.Number) })
	for _, o := range c.update {
		s.outbox[slices.Index(numbers(s.outbox), o.Number)] = o
	}
	for _, o := range slices.Concat(c.queue, c.update) {
		s.put(outboxKey(o.Number), pack(o))
	}
	for _, o := range c.drop {
		s.put(outboxKey(o.Number), nil)
	}
	s.latest = a.latest
	if len(c.delivered) > 0 {
		s.latest = slices.Concat(a.latest, c.delivered)
		s.latest = s.latest[max(0, len(s.latest)-keptDeliveries):]
		s.put(keyDeliveries, pack(deliveriesRow{versioned{rowVersion}, s.latest}))
	}
}

// stageTurn writes the open turn, or ends it, and the questions.
func (a *agent) stageTurn(s *staged, c *change) {
	switch {
	case c.end && a.turn.stored:
		s.put(keyTurn, nil)
	case c.turn != nil && !c.end:
		c.turn.V, c.turn.Held = rowVersion, a.e.id
		s.put(keyTurn, pack(c.turn))
	}
	for _, q := range c.questions {
		q.V = rowVersion
		s.put(questionKey(q.Token), pack(q))
	}
}

// take replaces what the agent holds by what the store has taken.
func (a *agent) take(s *staged, c change) {
	a.chat, a.outbox, a.latest, a.gate, a.turn = s.chat, s.outbox, s.latest, s.gate, s.turn
	if c.turn != nil {
		c.turn.stored = true
	}
	if a.turn == nil {
		a.entries = nil
	}
	for _, r := range c.entries {
		if a.turn != nil && r.Turn == a.turn.ID {
			a.entries = append(a.entries, r)
		}
	}
	a.rows = slices.DeleteFunc(a.rows, func(r row) bool {
		return slices.ContainsFunc(c.ack, func(k row) bool { return k.env.Seq == r.env.Seq })
	})
}

// afterTurn is the open turn and its question as they will be.
func (a *agent) afterTurn(c change) (*turnRow, *questionRow) {
	if c.end {
		return nil, nil
	}
	turn := a.turn
	if c.turn != nil {
		turn = c.turn
	}
	if turn == nil || turn.Gate == "" {
		return turn, nil
	}
	for _, q := range c.questions {
		if q.Token == turn.Gate {
			return turn, q
		}
	}
	return turn, a.gate
}

// wakeAt is the one place that computes a chat's timer: the earliest of a question's expiry and the next try of a delivery. An
// outbox that is not empty always has one, so that a crash does not leave it lying.
func wakeAt(gate *questionRow, outbox []*outboxRow, gone bool, now time.Time) time.Time {
	var at time.Time
	if len(outbox) > 0 && !gone {
		at = outbox[0].Next
		if at.Before(now) {
			at = now
		}
	}
	if gate != nil && gate.State == Proposed && (at.IsZero() || gate.Expires.Before(at)) {
		at = gate.Expires
	}
	return at
}

func numbers(os []*outboxRow) []uint64 {
	ns := make([]uint64, len(os))
	for i, o := range os {
		ns[i] = o.Number
	}
	return ns
}

// send commits a batch. It outlives the agent's context by a moment: a commit in flight is never thrown away half-way.
func (a *agent) send(b Batch) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), commitTimeout)
	defer cancel()
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := a.lease.Commit(ctx, b)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrFenced), errors.Is(err, ErrStale), errors.Is(err, ErrConflict), errors.Is(err, ErrClosed):
			return err
		case a.ctx.Err() != nil || ctx.Err() != nil:
			return ErrFenced // unknown; whoever holds the chat next sees what is true
		}
		a.log.Warn("commit, trying again", "err", err)
		pause(ctx, wait)
	}
}

const commitTimeout = 30 * time.Second
