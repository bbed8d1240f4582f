package core

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// urgentMove handles the urgent lane. The newest /stop applies before older rows of both lanes; the rest goes in order, but an
// answer to a command that is being made holds nothing else up.
func (a *agent) urgentMove() (bool, error) {
	var urgent []row
	for _, r := range a.rows {
		if r.env.Urgent {
			urgent = append(urgent, r)
		}
	}
	for i := len(urgent) - 1; i >= 0; i-- {
		if c, ok := urgent[i].ev.(Commanded); ok && c.Name == cmdStop {
			return true, a.stop(urgent[i])
		}
	}
	for _, r := range urgent {
		switch ev := r.ev.(type) {
		case Pressed:
			return true, a.press(r, ev.Token)
		case Commanded:
			if ev.Name == cmdApprove || ev.Name == cmdDeny {
				return true, a.pressByID(r, ev)
			}
			if a.side == nil {
				a.answerCommand(r, ev)
				return true, nil
			}
		case Left:
			return true, a.gone(change{ack: []row{r}})
		case Returned:
			return true, a.commit(change{ack: []row{r}, chat: func(c *chatRow) { c.Gone = false }})
		case Moved:
			return true, a.moved(ev.Chat, ev.Context, change{ack: []row{r}})
		case Overflowed:
			a.adopt(r.in)
			text := textNotTaken
			if ev.TooFast {
				text = textTooFast
			}
			said := text.In(a.chat.Lang)
			if !ev.TooFast {
				said += "\n\n> " + strings.ReplaceAll(ev.Excerpt, "\n", " ")
			}
			return true, a.commit(a.tell(Missed, said, r))
		default:
			return true, a.commit(change{ack: []row{r}})
		}
	}
	return false, nil
}

// adopt takes over what an inbound says of its chat.
func (a *agent) adopt(in inboundRow) {
	a.chat.Channel, a.chat.Context, a.chat.Direct = in.Channel, in.Context, in.Direct
	if in.Kind == "said" || a.chat.Lang == "" || a.e.opt.Lang != "" {
		a.chat.Lang = a.e.langOf("", in)
	}
	if in.Kind == "said" || in.Kind == "commanded" {
		a.chat.Gone = false // who writes can be reached
	}
}

// tell is the change that answers an inbound with a notice.
func (a *agent) tell(kind NoticeKind, text string, to row) change {
	return change{
		ack:     []row{to},
		entries: []Recorded{{Entry: Notice{Kind: kind, Text: text}}},
		queue:   []*outboxRow{{Kind: itemNotice, To: to.in.Context, Body: Body{Text: text, ReplyTo: a.replyTo(to.in)}}},
	}
}

// replyTo is the message that an answer refers to: in a group always, so that it is clear whose it is.
func (a *agent) replyTo(in inboundRow) MessageID {
	if in.Direct {
		return ""
	}
	return in.Message
}

// stop ends what came before it: the running turn, its question, and the messages that wait. In a group it stops what its sender
// asked for; an approver stops everything.
func (a *agent) stop(r row) error {
	a.adopt(r.in)
	mine := func(in inboundRow) bool {
		return r.in.Direct || in.Account == r.in.Account || a.approver(r.in.Account)
	}
	c := change{ack: []row{r}}
	dropped := 0
	for _, other := range a.rows {
		_, said := other.ev.(Said)
		_, edited := other.ev.(Edited)
		switch {
		case other.env.Seq >= r.env.Seq || !mine(other.in) || a.ofTurn(other.env.Seq):
		case other.env.Urgent:
			if stop, ok := other.ev.(Commanded); !ok || stop.Name != cmdStop {
				continue // a press finds its question withdrawn, a command gets its answer
			}
			c.ack = append(c.ack, other)
		case said || edited:
			c.ack = append(c.ack, other)
			if said {
				dropped++
			}
		}
	}
	if a.turn == nil || a.turn.ID > r.env.Seq || !mine(a.turn.In) {
		text := textNothingRuns
		if dropped > 0 {
			text = textStopped
		}
		n := a.tell(Stopped, withDropped(text, dropped, a.chat.Lang), r)
		n.ack = c.ack
		return a.commit(n)
	}
	if w := a.working(); w != nil {
		w.cancel() // at once; what it still says does not count
	}
	text := withDropped(textStopped, dropped, a.chat.Lang)
	return a.end(c, ending{partial: a.partial(), notice: Notice{Kind: Stopped, Text: text}, replyTo: r, event: withdraw})
}

func withDropped(t LocalText, n int, l Lang) string {
	s := t.In(l)
	if n > 0 {
		s += " " + textDropped(n).In(l)
	}
	return s
}

// press lets a press decide the question that it belongs to, if it may. Whatever it finds, the press is done with.
func (a *agent) press(r row, token string) error {
	q := a.gate
	if len(token) < 2 || q == nil || q.Token != token[1:] || q.State != Proposed || !a.e.mayAnswer(q, r.in.Account) {
		return a.commit(change{ack: []row{r}})
	}
	if slices.ContainsFunc(a.normal(), func(n row) bool {
		_, said := n.ev.(Said)
		return said && n.env.Seq < r.env.Seq && a.withdraws(n)
	}) {
		return a.withdrawn() // it came first; the press then finds the question withdrawn
	}
	if p, ok := r.ev.(Pressed); ok && q.Message == "" && p.Message != "" {
		shown := *q
		shown.Message = p.Message // who presses has seen it, also when the process died before it learned the id
		a.gate = &shown
	}
	ev := saidNo
	switch {
	case r.in.Received.After(q.Expires):
		ev = timeUp
	case token[0] == approveMark:
		ev = saidYes
	}
	c, ok := a.decideQuestion(ev, r.in.Name)
	if !ok {
		return a.commit(change{ack: []row{r}})
	}
	c.ack = append(c.ack, r)
	return a.commit(c)
}

// pressByID is a press by /approve ID or /deny ID.
func (a *agent) pressByID(r row, cmd Commanded) error {
	a.adopt(r.in)
	id := strings.ToLower(strings.TrimSpace(cmd.Args))
	q := a.gate
	var text LocalText
	switch {
	case q == nil || q.State != Proposed || len(id) < questionIDLength || !strings.HasPrefix(q.Token, id):
		text = textUnknownQuestion
	case !a.e.mayAnswer(q, r.in.Account):
		text = textNotYours
	default:
		mark := byte(denyMark)
		if cmd.Name == cmdApprove {
			mark = approveMark
		}
		return a.press(r, string(mark)+q.Token)
	}
	return a.commit(a.tell(Told, text.In(a.chat.Lang), r))
}

// answerCommand starts a child that makes the answer to a read-only command.
func (a *agent) answerCommand(r row, cmd Commanded) {
	a.adopt(r.in)
	status := a.status()
	a.side = a.spawn("command", commandTimeout, func(ctx context.Context, c *child) error {
		d := NewDocuments(a.e.store)
		o, err := a.e.origin(ctx, d, a.key, r.in)
		if err != nil {
			return err
		}
		c.text, err = a.e.commandText(ctx, d, o, cmd, status)
		return err
	})
	a.side.told = r
}

const commandTimeout = 20 * time.Second

// sideMove commits the answer to a command.
func (a *agent) sideMove() (bool, error) {
	if !a.side.over() {
		return false, nil
	}
	c := a.side
	text := c.text
	if c.err != nil {
		if !errors.Is(c.err, context.Canceled) {
			a.log.Error("command", "err", c.err)
		}
		text = Public(c.err, a.chat.Lang)
	}
	if !slices.ContainsFunc(a.rows, func(r row) bool { return r.env.Seq == c.told.env.Seq }) {
		a.side = nil // stopped meanwhile
		return true, nil
	}
	if err := a.commit(a.tell(Told, text, c.told)); err != nil {
		return true, err
	}
	a.side = nil
	return true, nil
}

// gone marks the chat as unreachable: what waits to be delivered is dropped and its timers rest until it returns. A question that
// is open can no longer be answered.
func (a *agent) gone(c change) error {
	for _, o := range a.outbox {
		c.drop = append(c.drop, o)
		c.delivered = append(c.delivered, outcomeOf(o, "", ChatGone))
	}
	c.chat = func(ch *chatRow) { ch.Gone = true }
	if a.parked() {
		q, ok := a.decideQuestion(noSurface, "")
		if ok {
			c.entries, c.turn, c.questions = q.entries, q.turn, q.questions // not the edit that shows it
		}
	}
	return a.commit(c)
}

// moved gives the chat its new address. Its key stays: an alias document leads from the new one to it.
func (a *agent) moved(to ChatKey, ctx ChannelContext, c change) error {
	docs := NewDocuments(a.e.store)
	if to != "" && to != a.key {
		if _, err := docs.Get(a.ctx, aliasKey(to)); err != nil {
			return err
		}
		docs.Put(aliasKey(to), pack(aliasRow{versioned{rowVersion}, a.key}))
	}
	c.docs = docs.Writes()
	c.chat = func(ch *chatRow) { ch.Context = ctx }
	for _, o := range a.outbox {
		n := *o
		n.To, n.Next = ctx, time.Now()
		c.update = append(c.update, &n)
	}
	if a.turn != nil && a.turn.stored {
		t := *a.turn
		t.In.Context = ctx
		c.turn = &t
	}
	if err := a.commit(c); err != nil {
		return err
	}
	if a.turn != nil {
		a.turn.In.Context = ctx
	}
	return nil
}

func (a *agent) approver(who AccountID) bool { return slices.Contains(a.e.opt.Limits.Approvers, who) }
