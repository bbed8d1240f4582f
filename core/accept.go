package core

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Accept takes inbound events over (hop 2). When it returns nil, each of them is durable or was rightly not taken, and the
// receipts say which; only then may the adapter acknowledge upstream. ErrClosed means that the engine stops and nothing was
// taken.
func (e *Engine) Accept(ctx context.Context, in ...Inbound) ([]Receipt, error) {
	if e.stopping() {
		return nil, ErrClosed
	}
	receipts := make([]Receipt, len(in))
	var envs []Envelope
	var at, ahead []int // of each envelope: its receipt, and what was before it in its chat
	for i, ev := range in {
		env, receipt, err := e.admit(ctx, ev)
		if err != nil {
			return nil, err
		}
		receipts[i] = receipt
		if env != nil {
			envs, at, ahead = append(envs, *env), append(at, i), append(ahead, e.live.ahead(env.Chat))
		}
	}
	if len(envs) == 0 {
		return receipts, nil
	}
	fates, err := e.store.Ingest(ctx, envs...)
	if err != nil {
		return nil, fmt.Errorf("ingest: %w", err)
	}
	var full []Envelope
	for j, fate := range fates {
		r := &receipts[at[j]]
		switch {
		case fate == Full:
			*r = Receipt{Kind: NotTaken, lang: r.lang}
			full = append(full, overflowed(envs[j].Chat, in[at[j]], false))
		case fate == Seen && r.Kind != Received:
			*r = Receipt{Kind: Nothing, lang: r.lang}
		case r.Kind == Stored && !envs[j].Urgent && ahead[j] > 0:
			r.Kind, r.Ahead = Queued, ahead[j]
		}
	}
	if len(full) > 0 { // tell the person once; the id makes a second telling impossible
		if _, err := e.store.Ingest(ctx, full...); err != nil {
			return nil, fmt.Errorf("ingest: %w", err)
		}
	}
	return receipts, nil
}

// admit decides what to do with one inbound: an envelope to ingest, or nil and the receipt that is all there is to say.
func (e *Engine) admit(ctx context.Context, in Inbound) (*Envelope, Receipt, error) {
	if in.ID == "" || in.Chat == "" {
		return nil, Receipt{}, errors.New("inbound without id or chat")
	}
	if in.Received.IsZero() {
		in.Received = time.Now()
	}
	chat, err := e.resolve(ctx, in.Chat)
	if err != nil {
		return nil, Receipt{}, err
	}
	in.Sender.Name = clip(strings.TrimSpace(in.Sender.Name), 64)
	full := 0
	switch ev := in.Event.(type) {
	case Said:
		if Blank(ev.Text) && len(in.Media) == 0 {
			return nil, Receipt{Kind: Nothing}, nil
		}
		ev.Text, full = e.bounded(ev.Text)
		in.Event = ev
	case Edited:
		if Blank(ev.Text) {
			return nil, Receipt{Kind: Nothing}, nil
		}
		ev.Text, full = e.bounded(ev.Text)
		in.Event = ev
	case Commanded:
		ev.Args, _ = e.bounded(ev.Args)
		in.Event = ev
	case Pressed:
		receipt, take, err := e.admitPress(ctx, chat, in, ev)
		if err != nil || !take {
			return nil, receipt, err
		}
		return &Envelope{Chat: chat, ID: in.ID, Urgent: true, Body: packInbound(in, 0)}, receipt, nil
	}
	lang := e.langOf("", inboundRow{Kind: "said", Text: textOf(in.Event), Lang: in.Sender.Lang})
	if _, said := in.Event.(Said); said && !e.pace.allow(in.Sender.Account, in.Received) {
		env := overflowed(chat, in, true)
		return &env, Receipt{Kind: NotTaken, lang: lang}, nil
	}
	return &Envelope{Chat: chat, ID: in.ID, Urgent: e.urgentEvent(in.Event), Body: packInbound(in, full)}, Receipt{Kind: Stored, lang: lang}, nil
}

// resolve follows the alias of a chat that has moved.
func (e *Engine) resolve(ctx context.Context, chat ChatKey) (ChatKey, error) {
	body, err := NewDocuments(e.store).Get(ctx, aliasKey(chat))
	if err != nil || body == nil {
		return chat, err
	}
	row, err := unpack[aliasRow](body)
	return row.Chat, err
}

type aliasRow struct {
	versioned
	Chat ChatKey `json:"chat"`
}

// bounded trims a text (seed 003) and cuts it to the input limit; full is how many characters there were if it was cut.
func (e *Engine) bounded(text string) (cut string, full int) {
	text = strings.TrimFunc(text, unicode.IsSpace)
	if len(text) <= e.opt.Limits.InputLimit {
		return text, 0
	}
	rs := []rune(text)
	if len(rs) <= e.opt.Limits.InputLimit {
		return text, 0
	}
	return string(rs[:e.opt.Limits.InputLimit]), len(rs)
}

// urgentEvent tells which events overtake. Commands that keep their order among messages do not.
func (e *Engine) urgentEvent(ev Event) bool {
	switch ev := ev.(type) {
	case Commanded:
		return ev.Name != cmdNew
	case Pressed, Left, Returned, Moved, Overflowed:
		return true
	}
	return false
}

// admitPress answers at once what the question's row already proves; take says that the press may decide something.
func (e *Engine) admitPress(ctx context.Context, chat ChatKey, in Inbound, ev Pressed) (r Receipt, take bool, err error) {
	q, err := e.question(ctx, chat, ev.Token)
	if err != nil {
		return Receipt{}, false, err
	}
	row, err := e.chatRow(ctx, chat)
	if err != nil {
		return Receipt{}, false, err
	}
	r.lang = e.langOf(row.Lang, inboundRow{Lang: in.Sender.Lang})
	switch {
	case q == nil:
		r.Kind = Unknown
	case !e.mayAnswer(q, in.Sender.Account):
		r.Kind = NotYours
	case q.State == Lapsed || q.State == Proposed && in.Received.After(q.Expires):
		r.Kind = Expired
	case q.State != Proposed:
		r.Kind, r.Outcome = Decided, q.State
	default:
		r.Kind = Received
		r.decided = func(ctx context.Context) (QuestionState, error) { return e.decision(ctx, chat, ev.Token) }
		return r, true, nil
	}
	return r, false, nil
}

// decision waits until a question is no longer open.
func (e *Engine) decision(ctx context.Context, chat ChatKey, token string) (QuestionState, error) {
	hint, stop := e.store.Watch(chat)
	defer stop()
	look := time.NewTicker(watchGap)
	defer look.Stop()
	for {
		q, err := e.question(ctx, chat, token)
		if err != nil {
			return 0, err
		}
		if q == nil || q.State != Proposed {
			if q == nil {
				return Withdrawn, nil
			}
			return q.State, nil
		}
		select {
		case <-hint:
		case <-look.C:
		case <-ctx.Done():
			return Proposed, ctx.Err()
		}
	}
}

// watchGap is how long a store may miss a hint; watchers look by themselves that often.
const watchGap = 2 * time.Second

// question returns the question of a button's token, nil if there is none.
func (e *Engine) question(ctx context.Context, chat ChatKey, token string) (*questionRow, error) {
	if len(token) < 2 {
		return nil, nil
	}
	key := questionKey(token[1:])
	kvs, err := e.store.Scan(ctx, chat, key, "", 1)
	if err != nil {
		return nil, fmt.Errorf("read question: %w", err)
	}
	if len(kvs) == 0 || kvs[0].Key != key {
		return nil, nil
	}
	q, err := unpack[questionRow](kvs[0].Value)
	return &q, err
}

// overflowed makes the envelope that tells a person that a message was not taken. Its id derives from the message's.
func overflowed(chat ChatKey, in Inbound, tooFast bool) Envelope {
	id := in.ID + "/not-taken"
	if tooFast { // once a minute is enough
		id = fmt.Sprintf("%s/too-fast/%d", in.Sender.Account, in.Received.Unix()/60)
	}
	text := clip(textOf(in.Event), 60)
	in.Event, in.ID, in.Media, in.ReplyTo = Overflowed{Excerpt: text, TooFast: tooFast}, id, nil, nil
	return Envelope{Chat: chat, ID: id, Urgent: true, Body: packInbound(in, 0)}
}

func textOf(ev Event) string {
	switch ev := ev.(type) {
	case Said:
		return ev.Text
	case Edited:
		return ev.Text
	case Commanded:
		return "/" + ev.Name
	}
	return ""
}

// inputPace allows each account 60 messages in any minute.
type inputPace struct {
	mu    sync.Mutex                // guards what follows
	sent  map[AccountID][]time.Time // times within the last minute
	swept time.Time                 // when accounts that are silent were forgotten
}

const (
	paceWindow = time.Minute
	paceLimit  = 60
)

func newInputPace() *inputPace { return &inputPace{sent: map[AccountID][]time.Time{}} }

func (p *inputPace) allow(who AccountID, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.swept) > paceWindow {
		p.swept = now
		for k, ts := range p.sent {
			if now.Sub(ts[len(ts)-1]) > paceWindow {
				delete(p.sent, k)
			}
		}
	}
	ts := p.sent[who]
	for len(ts) > 0 && now.Sub(ts[0]) >= paceWindow {
		ts = ts[1:]
	}
	ok := len(ts) < paceLimit
	if ok {
		ts = append(ts, now)
	}
	p.sent[who] = ts
	return ok
}
