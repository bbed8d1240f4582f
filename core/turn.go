package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A run is the work on the open turn by this agent.
type run struct {
	origin  Origin
	pending []Recorded // the user's message, until the turn's first commit
	edits   []row      // later corrections of the message that were taken into it
	verdict Verdict    // of the guard
	docs    []DocumentWrite
	work    *child
	stretch time.Time // since when the turn is being worked on; its earlier time is in the row
	redone  int       // how often the call in hand was decided anew because a document changed
}

// maxBegun is how often a turn is begun, when the process dies each time, before it fails.
const maxBegun = 3

// A move is the next step of a turn.
type move struct {
	kind    moveKind
	call    Call
	closing bool // ask without tools: the rounds are used up
}

type moveKind uint8

const (
	moveAsk  moveKind = iota + 1 // ask the model
	moveCall                     // handle a call
	moveNone                     // the turn has its answer
)

// nextMove is the loop of seed 000 §5, decided by the entries of a turn alone: a user's message asks the model, open calls are
// handled in their order, and when all are answered the model is asked again.
func nextMove(entries []Recorded, maxRounds int) move {
	var last Entry
	replies := 0
	var open []move
	for _, r := range entries {
		switch en := r.Entry.(type) {
		case Notice:
			continue
		case Call:
			replies = en.Reply
			open = append(open, move{kind: moveCall, call: en})
		case Result:
			open = slices.DeleteFunc(open, func(m move) bool { return m.call.ID == en.ID })
		}
		last = r.Entry
	}
	if len(open) > 0 {
		return open[0]
	}
	if m, ok := last.(Message); ok && m.Role == Agent {
		return move{kind: moveNone}
	}
	return move{kind: moveAsk, closing: replies >= maxRounds}
}

// turnMove begins, resumes or continues a turn. Only agents of the normal lane do; those of the urgent lane leave at once.
func (a *agent) turnMove() (bool, error) {
	if a.lane == Urgent || a.abandoned != nil {
		return false, nil
	}
	if a.turn == nil {
		if a.e.stopping() || a.turns >= turnsPerLease {
			return false, nil
		}
		return a.nextRow()
	}
	if a.parked() {
		return false, nil
	}
	if a.working() != nil {
		if next := a.normal(); len(next) > 0 {
			if c, ok := next[0].ev.(Commanded); ok && c.Name == cmdNew && Blank(c.Args) && a.mayEnd(next[0].in) {
				return true, a.newConversation(next[0])
			}
		}
		return false, nil
	}
	if a.run == nil {
		return true, a.resume()
	}
	return a.step()
}

// nextRow handles the first row of the normal lane.
func (a *agent) nextRow() (bool, error) {
	rows := a.normal()
	if len(rows) == 0 {
		return false, nil
	}
	r := rows[0]
	switch ev := r.ev.(type) {
	case Said:
		a.adopt(r.in)
		if Blank(ev.Text) {
			return true, a.commit(a.tell(Missed, textMedia.In(a.chat.Lang), r))
		}
		return true, a.begin(r, rows[1:])
	case Commanded:
		if !Blank(ev.Args) {
			a.adopt(r.in)
			return true, a.commit(a.tell(Told, fmt.Sprintf(textNoArgument.In(a.chat.Lang), ev.Name), r))
		}
		return true, a.newConversation(r)
	case Reported:
		return true, a.commit(a.tell(Told, ev.Text, r))
	default: // an edit of what was answered long ago, a plan that the commit's timer covers
		return true, a.commit(change{ack: []row{r}})
	}
}

// begin opens a turn for a message. Nothing is committed yet, unless the message was there before this process: then a crash may
// be why, and the beginning is counted.
func (a *agent) begin(r row, later []row) error {
	t := &turnRow{versioned: versioned{rowVersion}, ID: r.env.Seq, In: r.in, Held: a.e.id}
	var edits []row
	for _, other := range later {
		if ed, ok := other.ev.(Edited); ok && ed.Of == r.in.ID && other.in.Account == r.in.Account {
			t.In.Text, t.In.Full = ed.Text, other.in.Full
			edits = append(edits, other)
		}
	}
	a.turns++
	a.turn, a.preview = t, preview{inFlight: a.preview.inFlight}
	if !r.in.Received.After(a.e.started) {
		counted := *t
		counted.Began = 1
		if err := a.commit(change{turn: &counted}); err != nil {
			a.turn = nil
			return err
		}
	}
	a.openRun(edits)
	return nil
}

// resume goes on with a turn that the rows hold.
func (a *agent) resume() error {
	gone := a.chat.Gone
	a.adopt(a.turn.In)
	a.chat.Gone = gone // the message is an old one
	if a.turn.Held != a.e.id {
		counted := *a.turn
		counted.Began++
		if err := a.commit(change{turn: &counted}); err != nil {
			return err
		}
	}
	a.openRun(nil)
	if a.turn.Began >= maxBegun {
		return a.fail(AgentCreation, nil)
	}
	return nil
}

// openRun prepares the work on the open turn: whom it serves, and what the guard says.
func (a *agent) openRun(edits []row) {
	a.run = &run{edits: edits, stretch: time.Now(), origin: Origin{Lang: a.chat.Lang, Zone: a.e.opt.Zone}}
	if a.turn.First == 0 {
		a.run.pending = a.userEntry()
	}
}

// userEntry is the entry of the open turn's message (seed 002 §10.2).
func (a *agent) userEntry() []Recorded {
	in := a.turn.In
	return []Recorded{{Turn: a.turn.ID, Entry: Message{Role: User, Text: in.Text, Source: &Source{Kind: UserInput, Channel: in.Channel,
		Account: in.Account, Name: in.Name, Received: in.Received, ReplyTo: in.ReplyTo, Inbound: in.ID}}}}
}

// prepare finds out whom the turn serves and asks the guard, once for each stretch of work.
func (a *agent) prepare() error {
	if a.run.origin.Account != "" {
		return nil
	}
	d := NewDocuments(a.e.store)
	o, err := a.e.origin(a.ctx, d, a.key, a.turn.In)
	if err != nil {
		return err
	}
	a.chat.Lang = o.Lang
	if a.e.opt.Guard != nil {
		guarded := NewDocuments(a.e.store)
		err := caught(func() error {
			var err error
			a.run.verdict, err = a.e.opt.Guard(a.ctx, guarded, o, a.turn.In.Text)
			return err
		})
		if err != nil {
			return fmt.Errorf("guard: %w", err)
		}
		if len(guarded.writes) > 0 && a.turn.First == 0 {
			a.run.docs = guarded.Writes()
		}
	}
	a.run.origin = o
	return nil
}

// step makes the next move of the open turn.
func (a *agent) step() (bool, error) {
	if err := a.prepare(); err != nil {
		return true, a.fail(ContextPreparation, err)
	}
	switch m := nextMove(slices.Concat(a.entries, a.run.pending), a.e.opt.Limits.MaxToolRounds); m.kind {
	case moveAsk:
		if a.run.verdict.Answer != "" {
			return true, a.complete(a.run.verdict.Answer)
		}
		return true, a.askModel(m.closing)
	case moveCall:
		return true, a.handle(m)
	default:
		return true, a.fail(TurnPersistence, errors.New("an open turn has an answer"))
	}
}

// askModel starts the model on the turn as it stands.
func (a *agent) askModel(closing bool) error {
	p, err := a.e.prompt(a.ctx, promptInput{chat: a.key, row: a.chat, turn: a.turn, run: a.run, entries: slices.Concat(a.entries, a.run.pending), closing: closing})
	if err != nil {
		return a.fail(ContextPreparation, err)
	}
	s := newStream()
	w := a.spawn("model", time.Until(a.deadline()), func(ctx context.Context, c *child) error {
		reply, err := a.e.opt.Model.Reply(ctx, p, s.add)
		if err == nil {
			c.reply = &reply
		}
		return err
	})
	w.stream, w.closing = s, closing
	a.run.work = w
	return nil
}

// workMove takes the result of the work in hand. It stays there until a commit has taken it over.
func (a *agent) workMove() (bool, error) {
	if a.abandoned.over() {
		a.abandoned = nil
		return true, nil
	}
	w := a.working()
	switch {
	case w == nil:
		return false, nil
	case !w.over():
		if time.Now().Before(a.deadline()) {
			return false, nil
		}
		w.cancel()
		return true, a.fail(Provider, &Error{Kind: Transient, Err: errTurnTimeout})
	case w.stream != nil:
		return true, a.replied(w)
	default:
		return true, a.called(w)
	}
}

var errTurnTimeout = errors.New("the turn took too long")

// replied takes a reply of the model.
func (a *agent) replied(w *child) error {
	switch err := w.err; {
	case err != nil && KindOf(err) == Overflow && !a.turn.Reduced:
		a.turn.Reduced = true // one recovery through the same assembly
		return a.askModel(w.closing)
	case err != nil && !time.Now().Before(a.deadline()):
		return a.fail(Provider, &Error{Kind: Transient, Err: errTurnTimeout})
	case err != nil:
		return a.fail(Provider, err)
	case len(w.reply.Calls) == 0 && Blank(w.reply.Text):
		return a.complete(textNoAnswer.In(a.run.origin.Lang))
	case len(w.reply.Calls) == 0:
		return a.complete(strings.TrimSpace(w.reply.Text))
	case w.closing:
		return a.fail(tooManyRounds, nil)
	}
	return a.propose(*w.reply)
}

// propose commits the calls of a reply, before the first of them is looked at.
func (a *agent) propose(r Reply) error {
	number, used := 1, map[string]bool{}
	for _, e := range a.entries {
		if c, ok := e.Entry.(Call); ok {
			number, used[c.ID] = c.Reply+1, true
		}
	}
	t := *a.turn
	c := change{entries: a.run.pending, docs: a.run.docs, turn: &t}
	if t.First == 0 {
		t.First = a.chat.Revision + 1
	}
	for i, call := range r.Calls {
		en := Call{ID: call.ID, Tool: call.Name, Args: call.Args, Reply: number, Opaque: call.Opaque}
		if en.ID == "" || used[en.ID] { // results are matched by id
			en.ID = digest(strconv.FormatUint(t.ID, 10), strconv.Itoa(number), strconv.Itoa(i))[:9]
		}
		used[en.ID] = true
		if i == 0 {
			en.Text, en.ReplyOpaque = strings.TrimSpace(r.Text), r.Opaque
		}
		c.entries = append(slices.Clip(c.entries), Recorded{Turn: t.ID, Entry: en})
	}
	for _, r := range c.entries[min(len(c.entries), len(a.run.pending)+maxCalls):] { // those beyond are answered at once
		en := r.Entry.(Call)
		c.entries = append(c.entries, Recorded{Turn: t.ID, Entry: Result{ID: en.ID, Tool: en.Tool,
			JSON: errorResult(codeValidation, textTooManyCalls.In(a.run.origin.Lang), a.e.opt.Limits.ToolResult)}})
	}
	if err := a.commit(c); err != nil {
		return err
	}
	a.run.work, a.run.pending, a.run.docs = nil, nil, nil
	return nil
}

// complete ends the turn with its answer.
func (a *agent) complete(text string) error {
	return a.end(change{}, ending{answer: text})
}

// An ending is how a turn ends. Without an answer it was cancelled or failed: then partial text is kept as such, and the notice
// says what happened.
type ending struct {
	answer  string
	partial string
	notice  Notice
	replyTo row // whose message the notice answers; the turn's own if it is none
	event   questionEvent
	failed  bool
}

// end ends the open turn in one commit, on top of what c holds: every call has a result, so that the history stays valid for the
// next request; the message and what waited for it are acknowledged; and what the chat must show is in the outbox.
func (a *agent) end(c change, e ending) error {
	t := a.turn
	c.end = true
	if a.run != nil {
		c.entries = append(c.entries, a.run.pending...)
		c.docs = append(c.docs, a.run.docs...)
		c.ack = append(c.ack, a.run.edits...)
	} else if t.First == 0 {
		c.entries = append(c.entries, a.userEntry()...)
	}
	if a.endCalls(&c, e) && e.notice.Text != "" {
		e.notice.Text += " " + textDoubtful.In(a.chat.Lang)
	}
	shown, _ := a.e.progress(a.entries, t.Frozen, t.ID, "")
	switch {
	case e.answer != "":
		c.entries = append(c.entries, Recorded{Turn: t.ID, Entry: Message{Role: Agent, Text: e.answer}})
		c.queue = append(c.queue, a.extraNotices(&c)...)
		c.queue = append(c.queue, a.answerItems(join(shown, e.answer))...)
	case !Blank(e.partial):
		c.entries = append(c.entries, Recorded{Turn: t.ID, Entry: Message{Role: Agent, Text: e.partial, Partial: true}})
		shown = join(shown, e.partial)
	}
	if e.answer == "" && !Blank(shown) && (t.Message != "" || a.preview.inFlight) {
		item := a.answerItems(shown)[0] // what its message can hold; the notice is the one plain message
		item.NoPlain, item.Last = true, true
		c.queue = append(c.queue, item)
	}
	a.endNotices(&c, e)
	for _, r := range a.rows {
		if r.env.Seq == t.ID {
			c.ack = append(c.ack, r)
		}
	}
	more := c.chat
	c.chat = func(ch *chatRow) {
		ch.Turns++
		if e.answer != "" {
			ch.Dropped = ""
		}
		if more != nil {
			more(ch)
		}
	}
	if err := a.commit(c); err != nil {
		return err
	}
	if w := a.working(); w != nil && !w.over() {
		w.cancel()
		a.abandoned = w
	}
	a.run = nil
	a.preview = preview{inFlight: a.preview.inFlight}
	return nil
}

// endNotices are what code has to say at the end of a turn: why it has no answer, and that the conversation has become long.
func (a *agent) endNotices(c *change, e ending) {
	t := a.turn
	if e.notice.Text != "" {
		in := t.In
		if e.replyTo.env.Seq != 0 {
			in = e.replyTo.in
		}
		c.entries = append(c.entries, Recorded{Turn: t.ID, Entry: e.notice})
		c.queue = append(c.queue, &outboxRow{Turn: t.ID, Kind: itemNotice, To: t.In.Context, Body: Body{Text: e.notice.Text, ReplyTo: in.Message}})
	}
	if c.chat == nil && a.chat.Turns+1 == a.e.opt.Limits.SoftHistoryTurns {
		text := textHint.In(a.chat.Lang)
		c.entries = append(c.entries, Recorded{Turn: t.ID, Entry: Notice{Kind: Hint, Text: text}})
		c.queue = append(c.queue, &outboxRow{Turn: t.ID, Kind: itemNotice, To: t.In.Context, Body: Body{Text: text, Silent: true}})
	}
}

// endCalls gives every open call its result and settles the open question.
func (a *agent) endCalls(c *change, e ending) (lost bool) {
	doubtful := ""
	if q := a.gate; q != nil && !q.State.Final() {
		settled := *q
		ev := e.event
		switch {
		case q.State == Started:
			ev, doubtful = lose, q.Call
		case ev == 0:
			ev = withdraw
		}
		settled.State, _ = next(q.State, ev)
		c.questions = append(c.questions, &settled)
		if q.State == Proposed {
			a.settle(c, &settled, "")
		}
	}
	for m := nextMove(slices.Concat(a.entries, c.entries), 1); m.kind == moveCall; m = nextMove(slices.Concat(a.entries, c.entries), 1) {
		result := cancelledResult
		switch {
		case m.call.ID == doubtful:
			result = errorResult(codeOutcomeUnknown, textDoubtful.In(a.chat.Lang), a.e.opt.Limits.ToolResult)
		case e.failed:
			result = errorResult(codeHandlerError, textHandlerError.In(a.chat.Lang), a.e.opt.Limits.ToolResult)
		}
		c.entries = append(c.entries, Recorded{Turn: a.turn.ID, Entry: Result{ID: m.call.ID, Tool: m.call.Tool, JSON: result}})
	}
	return doubtful != ""
}

// extraNotices are what a turn has to say besides its answer: that the input was cut, that something earlier was not delivered.
func (a *agent) extraNotices(c *change) []*outboxRow {
	var texts []string
	lang := a.chat.Lang
	if full := a.turn.In.Full; full > 0 {
		texts = append(texts, textCut(full, a.e.opt.Limits.InputLimit).In(lang))
	}
	if a.chat.Dropped != "" {
		texts = append(texts, textUndelivered.In(lang)+"\n\n> "+Escape(a.chat.Dropped))
	}
	var out []*outboxRow
	for _, text := range texts {
		c.entries = append(c.entries, Recorded{Turn: a.turn.ID, Entry: Notice{Kind: Missed, Text: text}})
		out = append(out, &outboxRow{Turn: a.turn.ID, Kind: itemNotice, To: a.turn.In.Context, Body: Body{Text: text}})
	}
	return out
}

// answerItems are the outbox items that bring a text of the turn into the chat: into the turn's own message where there is one,
// the rest as messages after it.
func (a *agent) answerItems(text string) []*outboxRow {
	t := a.turn
	body := Body{Text: text, ReplyTo: a.replyTo(t.In)}
	var out []*outboxRow
	for part := range max(1, a.can().parts(body)) {
		body.Part = part
		out = append(out, &outboxRow{Turn: t.ID, Kind: itemAnswer, To: t.In.Context, Body: body})
	}
	// A first preview may be there without anybody knowing its id: it is on its way, its answer was lost, or it was sent before a
	// crash. Then the answer goes out under its name, so that a platform that can tell shows one message.
	unknown := a.can().interval != nil && (a.preview.inFlight || a.preview.lost || t.Began > 0)
	if out[0].Edit = t.Message; t.Message == "" && unknown {
		out[0].Await = previewOnce(a.key, t)
	}
	out[len(out)-1].Last = true
	return out
}

func (a *agent) can() abilitySet { return abilities(a.e.channels[a.chat.Channel]) }

// partial is what the model has said so far of an answer that will not be finished.
func (a *agent) partial() string {
	if w := a.working(); w != nil && w.stream != nil {
		return strings.TrimSpace(w.stream.text())
	}
	return ""
}

// spent is how long the turn was worked on; the time that it was parked does not count.
func (a *agent) spent() time.Duration {
	d := time.Duration(a.turn.Spent) * time.Millisecond
	if a.run != nil && !a.run.stretch.IsZero() {
		d += time.Since(a.run.stretch)
	}
	return d
}

func (a *agent) deadline() time.Time {
	return time.Now().Add(a.e.opt.Limits.TurnTimeout - a.spent())
}

// newConversation sets the mark before which nothing enters a prompt. An open turn ends, its question is withdrawn.
func (a *agent) newConversation(r row) error {
	a.adopt(r.in)
	c := a.tell(Told, textNewConversation.In(a.chat.Lang), r)
	anew := func(ch *chatRow) { ch.Mark, ch.Turns = ch.Revision, 0 }
	if a.turn == nil {
		c.chat = anew
		return a.commit(c)
	}
	c.chat = anew
	told := c.entries
	c.entries, c.queue = nil, nil
	return a.end(c, ending{partial: a.partial(), notice: told[0].Entry.(Notice), replyTo: r, event: withdraw})
}
