package core

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A sending is the one call of Send or Edit that is under way for a chat: an outbox item, or a preview.
type sending struct {
	*child
	item    *outboxRow // nil: a preview
	turn    uint64     // of a preview
	text    string     // what a preview shows
	edit    bool
	message MessageID
	began   time.Time
}

func (s *sending) ended() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.done
}

// callTimeout bounds one call of a channel; channels have shorter bounds of their own.
const callTimeout = 60 * time.Second

// startDelivery sends the next thing if there is one and nothing is under way: the outbox in order, then the newest preview.
func (a *agent) startDelivery() {
	now := time.Now()
	if due := a.typing.due(a); !due.IsZero() && !due.After(now) {
		a.typing.start(a)
	}
	if a.sending != nil {
		return
	}
	if len(a.outbox) > 0 {
		if head := a.outbox[0]; !a.chat.Gone && !head.Next.After(now) {
			a.deliver(head)
		}
		return
	}
	if due := a.preview.due(a); !due.IsZero() && !due.After(now) {
		a.showPreview()
	}
}

// deliver starts the delivery of an item.
func (a *agent) deliver(o *outboxRow) {
	ch, can := a.e.channels[a.chat.Channel], a.can()
	s := &sending{item: o, edit: o.Edit != "", began: time.Now()}
	to, body, edit, once, stale := o.To, o.Body, o.Edit, o.once(a.key), o.Stale
	if o.Kind == itemSettle {
		q, err := readRow[questionRow](a.ctx, a.e.store, a.key, questionKey(o.Question))
		if err == nil && q.Message == "" {
			err = &Error{Kind: Refused, Err: errors.New("the question was never shown")}
		}
		if err != nil {
			s.child = failedChild(err)
			a.sending = s
			return
		}
		edit, s.edit = q.Message, true
	}
	s.child = a.spawn("delivery", callTimeout, func(ctx context.Context, _ *child) error {
		if ch == nil {
			return &Error{Kind: Unauthorized, Err: errors.New("the chat's channel is switched off")}
		}
		if edit != "" {
			s.message = edit
			return ch.Edit(ctx, to, edit, body)
		}
		var err error
		s.message, err = ch.Send(ctx, to, once, body)
		if err == nil && stale != "" && can.remove != nil {
			_ = can.remove(ctx, to, stale) // best effort, once: the answer is there
		}
		return err
	})
	a.sending = s
}

// failedChild is a child that is over with an error.
func failedChild(err error) *child {
	c := &child{cancel: func() {}, done: make(chan struct{}), err: err}
	close(c.done)
	return c
}

// deliveryMove takes the result of what was under way.
func (a *agent) deliveryMove() (bool, error) {
	if a.sending == nil || !a.sending.over() {
		return false, nil
	}
	s := a.sending
	if s.item == nil {
		return true, a.previewed(s)
	}
	if err := a.delivered(s); err != nil {
		return true, err
	}
	a.sending = nil
	return true, nil
}

// delivered records how a try of an item ended and what follows from it, by the delivery table.
func (a *agent) delivered(s *sending) error {
	i := slices.IndexFunc(a.outbox, func(o *outboxRow) bool { return o.Number == s.item.Number })
	if i < 0 {
		return nil // dropped meanwhile
	}
	o, now := *a.outbox[i], time.Now().UTC()
	kind := KindOf(s.err)
	if s.err != nil && kind != Throttled && kind != Unauthorized && kind != Markup {
		o.Tries++
	}
	t := tried{edit: s.edit, kind: kind, failed: s.err != nil, tries: o.Tries, age: now.Sub(o.First), plain: o.Body.Plain,
		dedupes: a.can().dedupes, fallback: o.Fallback, noPlain: o.NoPlain}
	var e *Error
	if errors.As(s.err, &e) {
		t.wait = e.Wait
	}
	m, wait := decide(t)
	if m != settle {
		a.log.Warn("delivery", "move", int(m), "edit", s.edit, "kind", kind.String(), "tries", o.Tries)
		a.log.Debug("delivery", "err", s.err) // a platform may quote the message
	}
	switch m {
	case settle:
		if o.Await != "" && t.dedupes { // the message that was found may still show what the preview did
			o.Edit, o.Await = s.message, ""
			return a.commit(change{update: []*outboxRow{&o}})
		}
		return a.settled(&o, s.message, a.outcome(&o))
	case repeat, keepWaiting:
		o.Next = now.Add(wait)
		if kind == Throttled && wait <= patience {
			a.outbox[i].Next = o.Next // not worth a commit
			return nil
		}
		return a.commit(change{update: []*outboxRow{&o}})
	case strip:
		a.outbox[i].Body.Plain = true
		return nil
	case fallBack:
		o.Fallback, o.Stale, o.Edit, o.Tries, o.Next = true, o.Edit, "", 0, now
		return a.commit(change{update: []*outboxRow{&o}})
	case relocate:
		a.outbox[i].Tries = o.Tries
		return a.moved(e.Chat, e.Context, change{})
	case markGone:
		return a.gone(change{})
	case doubt:
		a.log.Warn("a message may be shown twice: the platform lost its answers", "tries", o.Tries)
		return a.settled(&o, "", MaybeTwice)
	default:
		return a.settled(&o, "", NotShown)
	}
}

func (a *agent) outcome(o *outboxRow) DeliveryOutcome {
	if o.Fallback {
		return FellBack
	}
	return Delivered
}

func outcomeOf(o *outboxRow, id MessageID, outcome DeliveryOutcome) Delivery {
	return Delivery{Item: o.Number, Turn: o.Turn, Answer: o.Kind == itemAnswer && o.Last, Outcome: outcome, Message: id}
}

// settled ends an item. A question learns its message; one that cannot be shown cannot be answered.
func (a *agent) settled(o *outboxRow, id MessageID, outcome DeliveryOutcome) error {
	c := change{drop: []*outboxRow{o}, delivered: []Delivery{outcomeOf(o, id, outcome)}}
	open := o.Kind == itemQuestion && a.parked() && a.gate.Token == o.Question
	switch {
	case open && outcome == NotShown:
		q, _ := a.decideQuestion(noSurface, "")
		c.entries, c.turn, c.questions = q.entries, q.turn, q.questions
	case open:
		q := *a.gate
		q.Message, q.Shown, q.ShownSeq = id, time.Now().UTC(), a.seq
		c.questions = []*questionRow{&q}
	case o.Kind == itemQuestion && outcome != NotShown: // decided before the platform answered: the edit needs the message
		q, err := readRow[questionRow](a.ctx, a.e.store, a.key, questionKey(o.Question))
		if err != nil {
			return err
		}
		q.Message, q.Shown = id, time.Now().UTC()
		c.questions = []*questionRow{&q}
	case outcome == NotShown && (o.Kind == itemAnswer || o.Kind == itemNotice):
		c.chat = func(ch *chatRow) { ch.Dropped = clip(o.Body.Text, 80) }
	}
	return a.commit(c)
}

// A preview is how far the running answer is shown.
type preview struct {
	inFlight bool      // its first message is on its way: nobody knows the id yet
	shown    string    // the newest text that the platform has
	last     time.Time // when it was shown
	notUntil time.Time
	plain    bool
	full     bool // its message shows as much as it can hold; the rest comes with the answer
	over     bool // no more previews in this turn
	lost     bool // its first message may be there without anybody knowing its id
}

// due is when the next preview can go out; the zero time if there is nothing to show. It never goes before the outbox.
func (p *preview) due(a *agent) time.Time {
	can := a.can()
	if p.over || can.interval == nil || a.sending != nil || len(a.outbox) > 0 || a.chat.Gone || a.working() == nil {
		return time.Time{}
	}
	if text := a.shownText(); Blank(text) || text == p.shown {
		return time.Time{}
	}
	at := p.notUntil
	if !p.last.IsZero() {
		if next := p.last.Add(can.interval(a.turn.In.Context)); next.After(at) {
			at = next
		}
	}
	if at.IsZero() {
		at = time.Unix(1, 0) // at once
	}
	return at
}

// shownText is what the running turn shows: the texts of its replies since the last finished message, with the one in hand.
func (a *agent) shownText() string {
	text, _ := a.e.progress(a.entries, a.turn.Frozen, a.turn.ID, "")
	return join(text, a.partial())
}

// previewOnce is the once of the first preview of a turn, or of what the turn shows after a question.
func previewOnce(chat ChatKey, t *turnRow) string {
	return digest(string(chat), "preview", itoa(t.ID), itoa(t.Frozen))
}

func (a *agent) showPreview() {
	ch := a.e.channels[a.chat.Channel]
	t := a.turn
	s := &sending{turn: t.ID, text: a.shownText(), edit: t.Message != "", began: time.Now()}
	body := Body{Text: s.text, Plain: a.preview.plain, ReplyTo: a.replyTo(t.In), Silent: t.Message != ""} // the first one rings, for the answer
	full := a.can().parts(body) > 1
	if full && a.preview.full {
		a.preview.last = s.began // look again after the interval: Markdown can also get shorter as it grows
		return
	}
	a.preview.full = full
	to, id := t.In.Context, t.Message
	once := previewOnce(a.key, t)
	s.child = a.spawn("preview", callTimeout, func(ctx context.Context, _ *child) error {
		if id != "" {
			s.message = id
			return ch.Edit(ctx, to, id, body)
		}
		var err error
		s.message, err = ch.Send(ctx, to, once, body)
		return err
	})
	a.preview.inFlight = id == ""
	a.preview.last = s.began
	a.sending = s
}

// previewed takes the result of a preview. The id of a new message is committed before anything else is done with it, also when
// the turn has ended or asked meanwhile: then the message belongs to the item that waits for it.
func (a *agent) previewed(s *sending) error {
	err, kind := s.err, KindOf(s.err)
	p := &a.preview
	if err == nil && !s.edit {
		c := change{}
		if i := slices.IndexFunc(a.outbox, func(o *outboxRow) bool { return o.Await != "" && o.Turn == s.turn }); i >= 0 {
			o := *a.outbox[i]
			o.Edit, o.Await = s.message, ""
			c.update = []*outboxRow{&o}
		} else if a.turn != nil && a.turn.ID == s.turn {
			t := *a.turn
			t.Message = s.message
			c.turn = &t
		}
		if c.turn != nil || c.update != nil {
			if err := a.commit(c); err != nil {
				return err
			}
		}
	}
	a.sending = nil
	p.inFlight = false
	if a.turn == nil || a.turn.ID != s.turn {
		return nil // of a turn that has ended; it says nothing about this one's previews
	}
	switch {
	case err == nil:
		p.shown = s.text
	case kind == Throttled:
		var e *Error
		errors.As(err, &e)
		p.notUntil = time.Now().Add(e.Wait)
	case kind == Markup:
		p.plain = true
	case kind == Unsent || s.edit && (kind == Uncertain || kind == Other):
		// the next one may do better
	default:
		p.over, p.lost = true, kind == Uncertain || kind == Other // else it was refused, or the chat is gone
	}
	return nil
}

// typing is the sign that the bot is at work: on while a model or a tool runs, off while a person is waited for.
type typing struct {
	child *child
	last  time.Time
}

// typingGap is a little less than how long platforms show the sign.
const typingGap = 4500 * time.Millisecond

func (t *typing) due(a *agent) time.Time {
	if a.can().typing == nil || t.child != nil && !t.child.over() || a.working() == nil || a.chat.Gone {
		return time.Time{}
	}
	if a.turn.Message != "" && a.working().stream != nil { // the growing text is sign enough
		return time.Time{}
	}
	if t.last.IsZero() {
		return time.Unix(1, 0)
	}
	return t.last.Add(typingGap)
}

func (t *typing) start(a *agent) {
	show, to := a.can().typing, a.turn.In.Context
	t.last = time.Now()
	t.child = a.spawn("typing", callTimeout, func(ctx context.Context, _ *child) error { return show(ctx, to) })
}
