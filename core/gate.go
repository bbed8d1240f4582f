package core

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A button's token is a mark and the question's token. Both buttons lead to the same row; nothing else is in them.
const (
	approveMark = 'a'
	denyMark    = 'd'
	// questionIDLength is how much of a token /approve and /deny need.
	questionIDLength = 6
)

// shownArguments is how many UTF-16 units of arguments a question shows; longer ones go with it as a file.
const shownArguments = 2000

// mayAnswer is the one rule of who may answer a question, for every channel and kind of chat: the requester, or an approver of
// the configuration.
func (e *Engine) mayAnswer(q *questionRow, who AccountID) bool {
	return who != "" && (who == q.Account || slices.Contains(e.opt.Limits.Approvers, who))
}

func newToken() string { return strings.ToLower(rand.Text()) }

func (q *questionRow) buttons(l Lang) (yes, no Button) {
	return Button{Label: textDo.In(l), Token: string(approveMark) + q.Token, Style: Strong},
		Button{Label: textCancel.In(l), Token: string(denyMark) + q.Token}
}

// ask opens a question for a planned call and parks the turn. Text before the question is frozen; what comes after it starts a
// new message.
func (a *agent) ask(call Call, p plannedCall, summary string) error {
	o, now := a.run.origin, time.Now().UTC()
	if a.chat.Gone {
		return a.unasked(call)
	}
	q := &questionRow{Token: newToken(), Turn: a.turn.ID, Call: call.ID, Tool: call.Tool, Args: p.args, Digest: argsDigest(call.Tool, p.args),
		Account: o.Account, Person: o.Person, Name: o.Name, Asked: now, Expires: now.Add(a.e.opt.Limits.ConfirmExpiry), State: Proposed}
	q.Head = questionHead(p, summary, o.Lang)
	block, files := argumentsBlock(p.args, shownArguments)
	q.Text = q.Head + block
	t := *a.turn
	t.Gate, t.Spent = q.Token, a.spent().Milliseconds()
	old, err := a.oldQuestions(now)
	if err != nil {
		return err
	}
	c := change{turn: &t, questions: []*questionRow{q}, forget: old}
	if text, _ := a.e.progress(a.entries, a.turn.Frozen, t.ID, ""); !Blank(text) {
		c.queue = a.answerItems(text)
		c.queue[len(c.queue)-1].Last = false // the answer is still to come
	}
	t.Frozen, t.Message = a.chat.Revision, ""
	yes, no := q.buttons(o.Lang)
	id := q.Token[:questionIDLength]
	c.queue = append(c.queue, &outboxRow{Turn: t.ID, Kind: itemQuestion, To: t.In.Context, Question: q.Token, Body: Body{
		Text:    q.Text + "\n\n`/approve " + id + "` · `/deny " + id + "`",
		Buttons: []Button{yes, no}, Files: files, ReplyTo: a.replyTo(t.In)}})
	if err := a.commit(c); err != nil {
		return err
	}
	a.run = nil
	a.preview = preview{inFlight: a.preview.inFlight}
	return nil
}

// unasked ends a call that nobody can be asked about, since the chat cannot be reached.
func (a *agent) unasked(call Call) error {
	t := *a.turn
	err := a.commit(change{turn: &t, entries: []Recorded{{Turn: t.ID, Entry: Result{ID: call.ID, Tool: call.Tool, JSON: cancelledResult}}}})
	if err == nil {
		a.run.work = nil
	}
	return err
}

// questionsKept is how long the outcome of a question answers late presses.
const questionsKept = 14 * 24 * time.Hour

// oldQuestions are the keys of questions that are past that, a few at a time.
func (a *agent) oldQuestions(now time.Time) ([]string, error) {
	kvs, err := a.e.store.Scan(a.ctx, a.key, keyQuestion, "", 64)
	if err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	var old []string
	for _, kv := range kvs {
		q, err := unpack[questionRow](kv.Value)
		if err != nil {
			return nil, err
		}
		if q.State.Final() && now.Sub(q.Asked) > questionsKept {
			old = append(old, kv.Key)
		}
	}
	return old, nil
}

// questionHead is what a question says before the arguments: what is asked, the tool, and what it will do.
func questionHead(p plannedCall, summary string, l Lang) string {
	about := p.tool.About.In(l)
	if about == "" {
		about = p.tool.Description
	}
	head := "**" + textAsk.In(l) + "**\n\n**" + Escape(p.tool.Label.In(l)) + "** — " + Escape(about) + "\n\n"
	if !Blank(summary) {
		head += quoted(Visible(clip(summary, 1200))) + "\n\n"
	}
	return head
}

// argumentsBlock shows every argument that will run, with nothing hidden in it. What is beyond limit UTF-16 units comes as a file
// with all of it.
func argumentsBlock(args json.RawMessage, limit int) (string, []File) {
	text := Visible(indented(args))
	var files []File
	if utf16Len(text) > limit {
		files = []File{{Name: "arguments.json", Data: []byte(text)}}
		text = clip(text, limit/2)
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + "json\n" + text + "\n" + fence, files
}

func indented(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		return string(args)
	}
	return b.String()
}

// quoted makes a Markdown quote of text whose lines are shown as they are.
func quoted(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = "> " + Escape(line)
	}
	return strings.Join(lines, "  \n")
}

func longestRun(s string, of rune) int {
	longest, n := 0, 0
	for _, r := range s {
		if r != of {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// decideQuestion lets an event happen to the open question: its new state, the result of its call if it ended without a yes, and
// the edit that shows how it was decided. ok is false when the event comes too late to matter.
func (a *agent) decideQuestion(ev questionEvent, by string) (c change, ok bool) {
	q := *a.gate
	q.State, ok = next(q.State, ev)
	if !ok {
		return c, false
	}
	c.questions = []*questionRow{&q}
	a.settle(&c, &q, by)
	t := *a.turn
	if q.State.cancelled() {
		c.entries = []Recorded{{Turn: t.ID, Entry: Result{ID: q.Call, Tool: q.Tool, JSON: cancelledResult}}}
		t.Gate = ""
	}
	c.turn = &t
	return c, true
}

// settle lets the chat see how a question was decided. One that waits to be shown is not shown any more, or again.
func (a *agent) settle(c *change, q *questionRow, by string) {
	for _, o := range a.outbox {
		under := a.sending != nil && a.sending.item != nil && a.sending.item.Number == o.Number
		if o.Kind == itemQuestion && o.Question == q.Token && !under && o.Tries == 0 {
			c.drop = append(c.drop, o)
			if q.Message == "" {
				return // nobody has seen it
			}
		}
	}
	c.queue = append(c.queue, a.settling(q, by))
}

// settling is the edit that shows in the question how it was decided. It finds the question's message when it is sent; if nobody
// can see that message any more, nothing is lost.
func (a *agent) settling(q *questionRow, by string) *outboxRow {
	outcome := outcomeText(q.State).In(a.chat.Lang)
	if by != "" && !a.chat.Direct && (q.State == Approved || q.State == Denied) {
		outcome += " · " + Escape(Visible(by))
	}
	return &outboxRow{Turn: q.Turn, Kind: itemSettle, To: a.turn.In.Context, Question: q.Token, NoPlain: true,
		Body: Body{Text: q.Text + "\n\n**" + outcome + "**"}}
}

// parkedMove looks whether a parked turn has to go on: its question expired, its requester wrote again, or somebody wants to start
// anew. Others who write are told what they wait for.
func (a *agent) parkedMove() (bool, error) {
	if !a.parked() {
		return false, nil
	}
	if !time.Now().Before(a.gate.Expires) {
		c, _ := a.decideQuestion(timeUp, "")
		return true, a.commit(c)
	}
	for i, r := range a.normal() {
		switch ev := r.ev.(type) {
		case Said:
			if a.withdraws(r) {
				return true, a.withdrawn()
			}
			if r.in.Account != a.gate.Account && !slices.Contains(a.turn.Told, r.env.Seq) {
				return true, a.tellWaiting(r)
			}
		case Commanded:
			if i == 0 && ev.Name == cmdNew && Blank(ev.Args) && a.mayEnd(r.in) {
				return true, a.newConversation(r)
			}
		}
	}
	return false, nil
}

// withdraws tells whether a message of the requester was sent after the question was shown. The inbox's order decides; a
// platform's clock, which is coarse, only rules out messages that were late on their way.
func (a *agent) withdraws(r row) bool {
	const coarse = 2 * time.Second
	q, ask := a.gate, a.turn.In
	sent := r.in.Sent
	if lag := ask.Received.Sub(ask.Sent); !ask.Sent.IsZero() && lag > 0 { // the platform's clock is behind ours, or it was slow then
		sent = sent.Add(lag)
	}
	return r.in.Account == q.Account && !q.Shown.IsZero() && r.env.Seq > q.ShownSeq &&
		(r.in.Sent.IsZero() || !sent.Before(q.Shown.Add(-coarse)))
}

// withdrawn ends the parked turn by a line of code.
func (a *agent) withdrawn() error {
	return a.end(change{}, ending{answer: textWithdrawn.In(a.chat.Lang), event: withdraw})
}

// tellWaiting says to somebody else in the group which question their message waits for.
func (a *agent) tellWaiting(r row) error {
	label := a.gate.Tool
	if t, ok := a.e.tools[a.gate.Tool]; ok {
		label = t.Label.In(a.chat.Lang)
	}
	c := a.tell(Told, textWaitsFor(a.gate.Name, label).In(a.chat.Lang), r)
	c.ack = nil
	t := *a.turn
	t.Told = append(slices.Clone(t.Told), r.env.Seq)
	c.turn = &t
	return a.commit(c)
}

// mayEnd tells whether an inbound's sender may end the open turn.
func (a *agent) mayEnd(in inboundRow) bool {
	return a.turn == nil || in.Direct || in.Account == a.turn.In.Account || a.approver(in.Account)
}
