package core

import (
	"context"
	"errors"
	"time"
)

// A callOutcome is what a child found out about a call.
type callOutcome struct {
	call    Call
	plan    plannedCall
	need    callNeed
	summary string
	data    any
	err     error
	docs    []DocumentWrite
	ran     bool // an effect outside the store was begun
}

// callNeed is what a call needs before it can go on.
type callNeed uint8

const (
	needNothing callNeed = iota // it is over
	needYes                     // a person must say yes
	needLog                     // it must be logged as started
)

// handle starts what the call needs next. Tools never run on the agent's goroutine: a slow one holds up nobody who presses or
// stops.
func (a *agent) handle(m move) error {
	c, o := m.call, a.run.origin
	if q := a.gate; q != nil && q.Call == c.ID {
		if q.State == Started { // found after a crash
			return a.finishCall(&callOutcome{call: c, ran: true, err: errLost})
		}
		approved := *q
		a.startCall(c, func(ctx context.Context, out *callOutcome) {
			a.e.approvedCall(ctx, o, &approved, out)
		})
		return nil
	}
	a.startCall(c, func(ctx context.Context, out *callOutcome) { a.e.firstCall(ctx, o, out) })
	return nil
}

var errLost = errors.New("the process ended while the call ran")

func (a *agent) startCall(c Call, f func(ctx context.Context, out *callOutcome)) {
	timeout := min(a.e.opt.Limits.ToolTimeout, time.Until(a.deadline()))
	a.run.work = a.spawn("tool", timeout, func(ctx context.Context, ch *child) error {
		ch.call = &callOutcome{call: c}
		f(ctx, ch.call)
		return nil
	})
}

// firstCall brings a call as far as it goes without a yes or a log entry.
func (e *Engine) firstCall(ctx context.Context, o Origin, out *callOutcome) {
	d := NewDocuments(e.store)
	if out.plan, out.err = e.plan(ctx, d, o, out.call); out.err != nil {
		return
	}
	p := out.plan
	switch {
	case p.effect != Reads && p.effect != Writes: // what is not known asks
		out.need = needYes
		if p.tool.Summary != nil {
			out.err = caught(func() error {
				var err error
				out.summary, err = p.tool.Summary(ctx, d, o, p.args)
				return err
			})
			if out.err != nil {
				out.need = needNothing
			}
		}
	case p.tool.Run != nil && p.effect == Writes:
		out.need = needLog
	default:
		e.finish(ctx, d, o, out)
	}
}

// approvedCall goes on with a call that a person said yes to, if the world is still the one that was shown.
func (e *Engine) approvedCall(ctx context.Context, o Origin, q *questionRow, out *callOutcome) {
	d := NewDocuments(e.store)
	out.plan, out.err = e.again(ctx, d, o, q)
	switch {
	case out.err != nil:
	case out.plan.tool.Run != nil:
		out.need = needLog
	default:
		e.finish(ctx, d, o, out)
	}
}

// finish performs a call whose effect is allowed. A call that only reads brings no documents to check.
func (e *Engine) finish(ctx context.Context, d *Documents, o Origin, out *callOutcome) {
	out.data, out.err = e.perform(ctx, d, o, out.plan)
	if out.err == nil && len(d.writes) > 0 {
		out.docs = d.Writes()
	}
}

// called takes what a child found out about the call in hand.
func (a *agent) called(w *child) error {
	out := w.call
	if w.err != nil { // a panic outside of the tool's functions
		out.err, out.need = w.err, needNothing
	}
	switch out.need {
	case needYes:
		return a.ask(out.call, out.plan, out.summary)
	case needLog:
		return a.logStarted(out)
	}
	return a.finishCall(out)
}

// logStarted makes it durable that an effect outside the store is about to begin, then begins it: a row that says started and no
// more is how a crash is recognized.
func (a *agent) logStarted(out *callOutcome) error {
	o, now := a.run.origin, time.Now().UTC()
	q := &questionRow{Token: newToken(), Turn: a.turn.ID, Call: out.call.ID, Tool: out.call.Tool, Args: out.plan.args,
		Digest: argsDigest(out.call.Tool, out.plan.args), Account: o.Account, Person: o.Person, Asked: now, Expires: now, State: Approved}
	if a.gate != nil && a.gate.Call == out.call.ID {
		approved := *a.gate
		q = &approved
	}
	q.State, _ = next(q.State, begin)
	t := *a.turn
	t.Gate = q.Token
	if err := a.commit(change{turn: &t, questions: []*questionRow{q}}); err != nil {
		return err
	}
	p := out.plan
	a.startCall(out.call, func(ctx context.Context, run *callOutcome) {
		run.plan, run.ran = p, true
		run.data, run.err = a.e.perform(ctx, NewDocuments(a.e.store), o, p)
	})
	return nil
}

// finishCall commits the result of a call together with its effect on documents.
func (a *agent) finishCall(out *callOutcome) error {
	lang, limit := a.run.origin.Lang, a.e.opt.Limits.ToolResult
	if out.err == nil {
		if _, err := okResult(out.data, limit); err != nil { // then its effect on documents is not committed either
			out.err, out.docs = err, nil
		}
	}
	t := *a.turn
	c := change{turn: &t, docs: out.docs}
	var refused *ToolError
	doubtful := out.ran && out.err != nil && !errors.As(out.err, &refused) && uncertain(out.err)
	result := resultOf(out.data, out.err, limit, lang)
	if doubtful {
		result = errorResult(codeOutcomeUnknown, textDoubtful.In(lang), limit)
		text := textDoubtful.In(lang)
		c.entries = append(c.entries, Recorded{Turn: t.ID, Entry: Notice{Kind: Missed, Text: text}})
		c.queue = append(c.queue, &outboxRow{Turn: t.ID, Kind: itemNotice, To: t.In.Context, Body: Body{Text: text, ReplyTo: a.replyTo(t.In)}})
	}
	if out.err != nil && !errors.As(out.err, &refused) {
		a.log.Warn("tool failed", "name", out.plan.toolName())
		a.log.Debug("tool failed", "err", out.err) // it may quote arguments
	}
	c.entries = append(c.entries, Recorded{Turn: t.ID, Entry: Result{ID: out.call.ID, Tool: out.call.Tool, JSON: result}})
	t.Acted = t.Acted || doubtful || out.err == nil && (out.ran || len(out.docs) > 0)
	if a.gate != nil && a.gate.Call == out.call.ID {
		q := *a.gate
		ev := succeed
		switch {
		case doubtful:
			ev = lose
		case out.err != nil:
			ev = fail
		}
		q.State, _ = next(q.State, ev)
		c.questions = []*questionRow{&q}
		if q.Text != "" && q.State != Done { // it was approved, and yet it was not done
			c.queue = append(c.queue, a.settling(&q, ""))
		}
		t.Gate = ""
	}
	err := a.commit(c)
	if errors.Is(err, ErrConflict) && len(out.docs) > 0 {
		if a.run.redone++; a.run.redone > maxConflicts {
			a.run.work = nil
			return a.finishCall(&callOutcome{call: out.call, err: err})
		}
		a.run.work = nil // the step is decided anew, with the documents as they are now
		return nil
	}
	if err != nil {
		return err
	}
	a.run.work, a.run.redone = nil, 0
	return nil
}

// uncertain tells whether an error of an effect leaves open whether it happened.
func uncertain(err error) bool {
	var p *panicError
	return errors.Is(err, errLost) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, &p) ||
		KindOf(err) == Uncertain
}
