package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"
)

// An agent works on one chat. It holds the lease, so it is the chat's only writer, and one goroutine runs it; the model, tools,
// commands and deliveries are its children and report back. It keeps nothing that the rows do not say, except for what the step
// in hand needs: when it is gone, another one goes on from the last commit.
type agent struct {
	e     *Engine
	lease Lease
	lane  Lane
	key   ChatKey
	ctx   context.Context // the lease's, ended also when the engine gives up waiting; the life of this agent and its children
	log   *slog.Logger

	// What the store holds as of the last commit.
	chat    chatRow
	turn    *turnRow     // the open turn; a turn of which nothing is committed yet is here too
	gate    *questionRow // the question of turn.Gate
	entries []Recorded   // of the open turn
	outbox  []*outboxRow
	latest  []Delivery

	// The inbox as far as it was read.
	rows   []row
	seq    uint64 // newest row
	urgent uint64 // newest urgent row
	news   bool   // there may be more

	run       *run   // the work on the open turn; nil while it is parked or nothing is open
	abandoned *child // work of a turn that has ended, until it is really over
	side      *child // a command being answered
	sending   *sending
	preview   preview
	typing    typing
	leave     func() // gives the slot back; nil in the lane Normal, whose agents keep theirs
	turns     int    // begun by this agent
	conflicts int    // in a row
}

// A row is an inbox row and what it says.
type row struct {
	env Envelope
	in  inboundRow
	ev  Event
}

// turnsPerLease is how many turns an agent takes before other chats get their turn.
const turnsPerLease = 8

// maxConflicts is how often a write is decided anew because a document changed.
const maxConflicts = 5

// serve works on a leased chat until nothing is left to do and gives it back. A panic in an agent is a failed turn.
func (e *Engine) serve(work context.Context, lease Lease, lane Lane, leave func()) {
	ctx, cancel := context.WithCancel(work)
	defer cancel()
	defer context.AfterFunc(lease.Context(), cancel)()

	a := e.agent(ctx, lease, lane)
	if lane == Urgent {
		a.leave = leave
	}
	err := caught(a.work)
	if p := (*panicError)(nil); errors.As(err, &p) {
		a.reap()
		a.log.Error("agent", "err", err)
		a = e.agent(ctx, lease, lane)
		if err = caught(a.giveUpTurn); errors.As(err, &p) {
			a.log.Error("message dropped", "err", err)
			err = a.dropOldest()
		}
	}
	if rerr := caught(func() error { a.reap(); return nil }); rerr != nil {
		a.log.Error("agent", "err", rerr)
	}
	e.live.publish(a.key, nil, 0)
	if err != nil && ctx.Err() == nil {
		a.log.Error("agent", "err", err)
		pause(ctx, time.Second) // the chat is due again at once; its trouble may last
	}
	if err := lease.Release(context.WithoutCancel(ctx), a.seen()); err != nil && !errors.Is(err, ErrFenced) && !errors.Is(err, ErrClosed) {
		a.log.Warn("chat was not given back", "err", err)
	}
}

func (e *Engine) agent(ctx context.Context, lease Lease, lane Lane) *agent {
	return &agent{e: e, lease: lease, lane: lane, key: lease.Chat(), ctx: ctx, log: e.log, news: true}
}

// work loads the chat and makes moves until there is none.
func (a *agent) work() error {
	if err := a.load(); err != nil {
		return err
	}
	for {
		if a.ctx.Err() != nil { // nothing is decided any more: whoever holds the chat next goes on from the rows
			return context.Cause(a.ctx)
		}
		if a.typing.child.over() {
			a.typing.child = nil
		}
		if a.news {
			if err := a.refresh(); err != nil {
				return err
			}
		}
		moved, err := a.advance()
		switch {
		case errors.Is(err, ErrStale): // something urgent came; look and decide anew
			a.news = true
			continue
		case errors.Is(err, ErrConflict) && a.conflicts < maxConflicts:
			a.conflicts++
			continue
		case err != nil:
			return err
		}
		a.conflicts = 0
		if moved {
			continue
		}
		a.show()
		if a.idle() {
			return nil
		}
		if err := a.wait(); err != nil {
			return err
		}
	}
}

// advance makes at most one move that commits. The order is the order of importance: what a person says about a running turn
// comes before its progress.
func (a *agent) advance() (bool, error) {
	for _, move := range []func() (bool, error){
		a.urgentMove, a.sideMove, a.deliveryMove, a.parkedMove, a.workMove, a.turnMove,
	} {
		if moved, err := move(); moved || err != nil {
			return moved, err
		}
	}
	a.startDelivery()
	return false, nil
}

// load reads what the store holds of the chat.
func (a *agent) load() error {
	var err error
	if a.chat, err = a.e.chatRow(a.ctx, a.key); err != nil {
		return err
	}
	deliveries, err := readRow[deliveriesRow](a.ctx, a.e.store, a.key, keyDeliveries)
	if err != nil {
		return err
	}
	a.latest = deliveries.Latest
	for after := ""; ; {
		kvs, err := a.e.store.Scan(a.ctx, a.key, keyOutbox, after, 256)
		if err != nil {
			return fmt.Errorf("read outbox: %w", err)
		}
		for _, kv := range kvs {
			o, err := unpack[outboxRow](kv.Value)
			if err != nil {
				return err
			}
			a.outbox = append(a.outbox, &o)
			after = kv.Key
		}
		if len(kvs) < 256 {
			break
		}
	}
	t, err := readRow[turnRow](a.ctx, a.e.store, a.key, keyTurn)
	if err != nil || t.ID == 0 {
		return err
	}
	t.stored = true
	a.turn = &t
	if a.entries, err = a.e.entries(a.ctx, a.key, t.First, a.chat.Revision); err != nil {
		return err
	}
	if t.Gate != "" {
		q, err := readRow[questionRow](a.ctx, a.e.store, a.key, questionKey(t.Gate))
		if err != nil {
			return err
		}
		a.gate = &q
	}
	return nil
}

// refresh reads what is new in the inbox. A row that cannot be read is acknowledged and logged: it must not block the chat.
func (a *agent) refresh() error {
	a.news = false
	envs, err := a.lease.Inbox(a.ctx, a.seq, 256)
	if err != nil {
		return fmt.Errorf("read inbox: %w", err)
	}
	for _, env := range envs {
		a.seq = max(a.seq, env.Seq)
		if env.Urgent {
			a.urgent = max(a.urgent, env.Seq)
		}
		in, err := unpack[inboundRow](env.Body)
		var ev Event
		if err == nil {
			ev, err = in.event()
		}
		if err != nil {
			a.log.Error("inbox row cannot be read", "err", err)
			if err := a.commit(change{ack: []row{{env: env}}}); err != nil && !errors.Is(err, ErrStale) {
				return err
			}
			continue
		}
		a.rows = append(a.rows, row{env, in, ev})
	}
	a.news = len(envs) == 256
	return nil
}

// parked tells whether the open turn waits for a person.
func (a *agent) parked() bool { return a.gate != nil && a.gate.State == Proposed }

// normal returns the rows of the normal lane that are not the open turn's.
func (a *agent) normal() []row {
	return slices.DeleteFunc(slices.Clone(a.rows), func(r row) bool { return r.env.Urgent || a.ofTurn(r.env.Seq) })
}

// ofTurn tells whether a row belongs to the open turn: its message, or a correction that was taken into it.
func (a *agent) ofTurn(seq uint64) bool {
	return a.turn != nil && (seq == a.turn.ID || a.run != nil && slices.ContainsFunc(a.run.edits, func(r row) bool { return r.env.Seq == seq }))
}

// seen is what a release may say was seen: everything, unless there is a row that somebody should go on with.
func (a *agent) seen() uint64 {
	switch {
	case a.turn != nil && !a.parked():
		return a.turn.ID - 1
	case a.turn == nil:
		for _, r := range a.rows {
			if !r.env.Urgent {
				return r.env.Seq - 1
			}
		}
	}
	return a.seq
}

// idle tells whether the chat can be given back: nothing runs, and what is waited for will make the chat due.
func (a *agent) idle() bool {
	if a.working() != nil || a.abandoned != nil || a.side != nil || a.sending != nil {
		return false
	}
	return len(a.outbox) == 0 || a.chat.Gone || time.Until(a.outbox[0].Next) > patience || a.e.stopping()
}

// patience is how long a slot waits for a platform's pace; a longer wait becomes the chat's timer.
const patience = time.Second

func (a *agent) working() *child {
	if a.run == nil {
		return nil
	}
	return a.run.work
}

// wait blocks until something may have changed.
func (a *agent) wait() error {
	if a.leave != nil {
		a.leave() // all that is urgent was decided; what is waited for now must not hold up a press elsewhere
	}
	var timer <-chan time.Time
	if at := a.nextTime(); !at.IsZero() {
		t := time.NewTimer(time.Until(at))
		defer t.Stop()
		timer = t.C
	}
	var streamed <-chan struct{}
	if w := a.working(); w != nil && w.stream != nil {
		streamed = w.stream.ping
	}
	select {
	case <-a.lease.News():
		a.news = true
	case <-a.ctx.Done():
		return context.Cause(a.ctx)
	case <-a.working().ended():
	case <-a.abandoned.ended():
	case <-a.side.ended():
	case <-a.sending.ended():
	case <-a.typing.child.ended():
	case <-streamed:
	case <-timer:
	}
	return nil
}

// nextTime is when the agent must look again by itself; the zero time if it need not.
func (a *agent) nextTime() time.Time {
	var at time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if w := a.working(); w != nil {
		sooner(a.deadline())
		sooner(a.preview.due(a))
		sooner(a.typing.due(a))
	}
	if a.parked() {
		sooner(a.gate.Expires)
	}
	if len(a.outbox) > 0 && a.sending == nil && !a.chat.Gone {
		sooner(a.outbox[0].Next)
	}
	return at
}

// reap ends all children and waits for them, so that nobody else ever works on the chat beside them.
func (a *agent) reap() {
	for _, c := range []*child{a.working(), a.abandoned, a.side, a.typing.child} {
		if c != nil {
			c.cancel()
			<-c.done
		}
	}
	if s := a.sending; s != nil {
		s.cancel()
		<-s.done
		if s.err == nil { // it arrived: the next holder need not send it again, and edits the preview
			record := a.previewed
			if s.item != nil {
				record = a.delivered
			}
			if err := record(s); err != nil && !errors.Is(err, ErrFenced) && !errors.Is(err, ErrClosed) {
				a.log.Warn("delivery was not recorded", "err", err)
			}
		}
	}
}

// A child is a goroutine that works for an agent. Its result may be read when done is closed.
type child struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error
	stream *stream // of a model
	// The result: one of these, by what the child was started for.
	reply   *Reply
	closing bool // the reply was asked for without tools
	call    *callOutcome
	text    string
	told    row // the command that text answers
}

// ended returns a channel that is closed when the child is over; nil, which never is, for no child.
func (c *child) ended() <-chan struct{} {
	if c == nil {
		return nil
	}
	return c.done
}

func (c *child) over() bool {
	if c == nil {
		return false
	}
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// spawn starts a child. f's panic is its error.
func (a *agent) spawn(name string, timeout time.Duration, f func(ctx context.Context, c *child) error) *child {
	ctx, cancel := context.WithTimeout(a.ctx, timeout)
	c := &child{cancel: cancel, done: make(chan struct{})}
	a.e.tasks.start(name, func() {
		defer close(c.done)
		defer cancel()
		c.err = caught(func() error { return f(ctx, c) })
	})
	return c
}

// giveUpTurn ends the turn, or the message, that an agent panicked on.
func (a *agent) giveUpTurn() error {
	if err := a.load(); err != nil {
		return err
	}
	if err := a.refresh(); err != nil {
		return err
	}
	if a.turn == nil {
		next := a.rows
		if len(next) == 0 {
			return nil
		}
		if _, said := next[0].ev.(Said); !said {
			return a.commit(change{ack: next[:1]})
		}
		a.turn = &turnRow{versioned: versioned{rowVersion}, ID: next[0].env.Seq, In: next[0].in, Held: a.e.id}
	}
	a.adopt(a.turn.In)
	a.openRun(nil)
	return a.fail(AgentCreation, nil)
}

// dropOldest acknowledges the oldest row and nothing more: the last resort against a row that even giveUpTurn panics on.
func (a *agent) dropOldest() error {
	envs, err := a.lease.Inbox(a.ctx, 0, 1)
	if err != nil || len(envs) == 0 {
		return err
	}
	return a.send(Batch{Ack: envs, Put: []KV{{Key: keyTurn}}, Urgent: math.MaxUint64})
}
