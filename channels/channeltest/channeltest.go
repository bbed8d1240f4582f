// Package channeltest is the suite that every channel passes: what core relies on, whatever the platform. An adapter's test
// brings a fake of its platform as a [Platform] and calls [Run].
package channeltest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"steady/core"
)

// A Platform is a fake platform with the bot and one person on it. The person is let in and writes to the bot in a direct
// chat. All methods may be called while a channel runs; a mistake of the suite itself may end in a panic.
type Platform interface {
	// Channel makes a channel of the bot, as a new process does. The one before it runs no more.
	Channel() core.Channel
	// Say makes the person write a text, as an answer to a message of the bot if to is not "".
	Say(text string, to core.MessageID)
	// Press makes the person press the button with this label under a message of the bot.
	Press(m core.MessageID, label string)
	// Shown returns the bot's messages as the person sees them now, oldest first.
	Shown() []Shown
	// Break makes the next call of op fail, once, in a way that the channel must report as kind. It returns false if nothing
	// on this platform fails so.
	Break(op Op, kind core.Kind) bool
}

// Shown is a message of the bot as it stands.
type Shown struct {
	ID      core.MessageID
	Text    string   // without markup
	Buttons []string // labels, in order
	ReplyTo core.MessageID
}

// Op is a method of a channel.
type Op uint8

// The methods that can be broken.
const (
	Send Op = iota + 1
	Edit
)

func (o Op) String() string { return [...]string{"", "send", "edit"}[o] }

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// Run runs the suite. Each test gets a platform of its own; start may register what cleans it up with its t.
func Run(t *testing.T, start func(*testing.T) Platform) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Platform)
	}{
		{"a message arrives whole", arrives},
		{"blank input is silent", blank},
		{"nothing is acknowledged before it was accepted", unaccepted},
		{"what a stopped engine did not take comes again after a restart", restarted},
		{"what was accepted does not come again", acknowledged},
		{"messages keep their order over a failure", ordered},
		{"a sent message is shown", sends},
		{"an edit replaces, and repeating it is harmless", edits},
		{"text is shown as it stands", verbatim},
		{"a button comes back as its token", buttons},
		{"an answer names the message that it answers", replies},
		{"a long text goes out in parts", parts},
		{"a deleted message is gone", deletes},
		{"failures have their kinds, and the next try succeeds", kinds},
		{"nothing is left running", leaves},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, start(t)) })
	}
}

// A session is one run of a channel.
type session struct {
	t    *testing.T
	got  chan core.Inbound // what accept was given, whatever it answered
	stop func()            // ends the run and waits for it; harmless when repeated
}

// always accepts everything.
func always(core.Inbound) error { return nil }

// begin runs ch. verdict is what accept answers for one inbound.
func begin(t *testing.T, ch core.Channel, verdict func(core.Inbound) error) *session {
	ctx, cancel := context.WithCancel(context.Background())
	s := &session{t: t, got: make(chan core.Inbound, 100)}
	accept := func(_ context.Context, ins ...core.Inbound) ([]core.Receipt, error) {
		receipts := make([]core.Receipt, 0, len(ins))
		for _, in := range ins {
			s.got <- in
			if err := verdict(in); err != nil {
				return nil, err
			}
			receipts = append(receipts, core.Receipt{Kind: core.Stored})
		}
		return receipts, nil
	}
	ended := make(chan error, 1)
	go func() { ended <- ch.Run(ctx, accept) }()
	stopped := false
	s.stop = func() {
		t.Helper()
		cancel()
		if stopped {
			return
		}
		stopped = true
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("Run ended with %v, want nil", err)
			}
		case <-time.After(patience):
			t.Error("Run does not end with its context")
		}
	}
	t.Cleanup(s.stop)
	return s
}

// next waits for the next inbound.
func (s *session) next() core.Inbound {
	s.t.Helper()
	select {
	case in := <-s.got:
		return in
	case <-time.After(patience):
		s.t.Fatal("nothing arrives")
		panic("unreachable")
	}
}

// said is the text of an inbound that must be a message.
func said(t *testing.T, in core.Inbound) string {
	t.Helper()
	s, ok := in.Event.(core.Said)
	if !ok {
		t.Fatalf("event is %T, want core.Said", in.Event)
	}
	return s.Text
}

// meet has the person say something, and returns the inbound and a channel that can answer it.
func meet(t *testing.T, p Platform) (core.Channel, core.Inbound) {
	t.Helper()
	ch := p.Channel()
	s := begin(t, ch, always)
	p.Say("hello", "")
	in := s.next()
	s.stop()
	return ch, in
}

// send posts b and returns its id. It waits where the channel keeps the platform's pace.
func send(t *testing.T, ch core.Channel, to core.ChannelContext, once string, b core.Body) core.MessageID {
	t.Helper()
	var id core.MessageID
	err := patiently(func() (err error) {
		id, err = ch.Send(t.Context(), to, once, b)
		return err
	})
	if err != nil || id == "" {
		t.Fatalf("Send = %q, %v", id, err)
	}
	return id
}

// patiently repeats try while it is throttled, and waits as long as it is told.
func patiently(try func() error) error {
	for {
		err := try()
		var e *core.Error
		if !errors.As(err, &e) || e.Kind != core.Throttled {
			return err
		}
		<-time.After(e.Wait)
	}
}

// only returns the one message that is shown.
func only(t *testing.T, p Platform) Shown {
	t.Helper()
	shown := p.Shown()
	if len(shown) != 1 {
		t.Fatalf("%d messages are shown, want one: %v", len(shown), shown)
	}
	return shown[0]
}

func arrives(t *testing.T, p Platform) {
	_, in := meet(t, p)
	if got := said(t, in); got != "hello" {
		t.Errorf("text = %q", got)
	}
	for what, missing := range map[string]bool{
		"ID": in.ID == "", "Channel": in.Channel == "", "Chat": in.Chat == "", "Context": in.Context == "", "Message": in.Message == "",
		"Sender.Account": in.Sender.Account == "", "Received": in.Received.IsZero(), "Direct": !in.Direct,
	} {
		if missing {
			t.Errorf("the inbound has no %s", what)
		}
	}
}

func blank(t *testing.T, p Platform) {
	s := begin(t, p.Channel(), always)
	for _, text := range []string{" \n\t", "\u200b\u200d", "\u3164", "after"} {
		p.Say(text, "")
	}
	if got := said(t, s.next()); got != "after" {
		t.Errorf("first inbound is %q, want the one with something in it", got)
	}
}

func unaccepted(t *testing.T, p Platform) {
	failures := 2
	s := begin(t, p.Channel(), func(core.Inbound) error {
		if failures--; failures >= 0 {
			return errors.New("disk full")
		}
		return nil
	})
	p.Say("keep me", "")
	first := s.next()
	for range 2 {
		again := s.next()
		if again.ID != first.ID || again.Chat != first.Chat || said(t, again) != "keep me" {
			t.Errorf("came again as %q in %q, was %q in %q", again.ID, again.Chat, first.ID, first.Chat)
		}
	}
}

func restarted(t *testing.T, p Platform) {
	s := begin(t, p.Channel(), func(core.Inbound) error { return core.ErrClosed })
	p.Say("keep me", "")
	first := s.next()
	s.stop()
	s = begin(t, p.Channel(), always)
	if again := s.next(); again.ID != first.ID || again.Chat != first.Chat {
		t.Errorf("came again as %q in %q, was %q in %q", again.ID, again.Chat, first.ID, first.Chat)
	}
}

func acknowledged(t *testing.T, p Platform) {
	s := begin(t, p.Channel(), always)
	p.Say("one", "")
	one := s.next()
	p.Say("two", "") // when this arrives, the first was acknowledged
	s.next()
	s.stop()
	s = begin(t, p.Channel(), always)
	p.Say("three", "")
	for {
		in := s.next()
		if in.ID == one.ID {
			t.Fatal("an acknowledged message came again")
		}
		if said(t, in) == "three" {
			return
		}
	}
}

func ordered(t *testing.T, p Platform) {
	failed := false
	var taken []string // written by accept; read after the run
	s := begin(t, p.Channel(), func(in core.Inbound) error {
		text := in.Event.(core.Said).Text
		if text == "b" && !failed {
			failed = true
			return errors.New("disk full")
		}
		taken = append(taken, text)
		return nil
	})
	for _, text := range []string{"a", "b", "c"} {
		p.Say(text, "")
	}
	for said(t, s.next()) != "c" {
	}
	s.stop()
	if order := strings.Join(slices.Compact(taken), ""); order != "abc" { // what a failed call had may come twice
		t.Errorf("taken in the order %v", taken)
	}
}

func sends(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	id := send(t, ch, in.Context, "1", core.Body{Text: "good morning", ReplyTo: in.Message})
	if got := only(t, p); got.ID != id || got.Text != "good morning" || len(got.Buttons) > 0 || got.ReplyTo != in.Message {
		t.Errorf("shown %+v, want message %q as an answer to %q", got, id, in.Message)
	}
}

func edits(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	id := send(t, ch, in.Context, "1", core.Body{Text: "thinking"})
	for range 2 { // the second changes nothing and is no failure
		if err := ch.Edit(t.Context(), in.Context, id, core.Body{Text: "the answer"}); err != nil {
			t.Fatalf("Edit: %v", err)
		}
	}
	if got := only(t, p); got.ID != id || got.Text != "the answer" {
		t.Errorf("shown %+v, want the edited message %q", got, id)
	}
}

func verbatim(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	for _, b := range []core.Body{
		{Text: "mail <a@b.c> & x < y"},                          // nothing is taken for HTML
		{Text: "*no* _markup_ `here` [x](y)", Plain: true},      // nor for Markdown where it must not be
		{Text: "an unclosed ** bold, a ` and <b>", Plain: true}, // what no parser closes
	} {
		id := send(t, ch, in.Context, b.Text, b)
		shown := p.Shown()
		if got := shown[len(shown)-1]; got.ID != id || got.Text != b.Text {
			t.Errorf("shown %q, want %q", got.Text, b.Text)
		}
	}
}

func buttons(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	yes := core.Button{Label: "Delete it", Token: "y" + strings.Repeat("0", 39), Style: core.Strong}
	no := core.Button{Label: "Keep it", Token: "n" + strings.Repeat("0", 39)}
	id := send(t, ch, in.Context, "1", core.Body{Text: "Delete?", Buttons: []core.Button{yes, no}})
	if got := only(t, p).Buttons; !slices.Equal(got, []string{yes.Label, no.Label}) {
		t.Fatalf("buttons %v are shown", got)
	}
	s := begin(t, ch, always)
	ids := map[string]bool{in.ID: true}
	for _, b := range []core.Button{no, yes, yes} { // pressing twice is two events
		p.Press(id, b.Label)
		press := s.next()
		for ; ids[press.ID]; press = s.next() { // what came before the last stop may come again
		}
		ids[press.ID] = true
		got, ok := press.Event.(core.Pressed)
		if !ok || got.Token != b.Token || got.Message != id || press.Chat != in.Chat || press.Sender.Account != in.Sender.Account {
			t.Errorf("pressed %q, got %+v", b.Label, press)
		}
	}
	if err := ch.Edit(t.Context(), in.Context, id, core.Body{Text: "Deleted"}); err != nil {
		t.Fatal(err)
	}
	if got := only(t, p); got.Text != "Deleted" || len(got.Buttons) > 0 {
		t.Errorf("shown %+v, want the settled question without buttons", got)
	}
}

func replies(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	id := send(t, ch, in.Context, "1", core.Body{Text: "Which day?"})
	s := begin(t, ch, always)
	p.Say("Monday", id)
	reply := s.next()
	for ; reply.ID == in.ID; reply = s.next() {
	}
	if q := reply.ReplyTo; q == nil || q.ID != id || !q.Ours || !strings.Contains(q.Text, "Which day?") {
		t.Errorf("the inbound's quote is %+v, want the bot's message %q", q, id)
	}
}

func parts(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	d, ok := ch.(core.Divider)
	if !ok {
		t.Skip("the channel does not divide")
	}
	body := core.Body{Text: strings.Repeat("one two three four five\n\n", 500), Buttons: []core.Button{{Label: "More", Token: "m1"}}}
	n := d.Parts(body)
	if n < 2 {
		t.Fatalf("a text of %d characters is %d message", len(body.Text), n)
	}
	for body.Part = range n {
		send(t, ch, in.Context, fmt.Sprint("part ", body.Part), body)
	}
	var got []string
	for i, m := range p.Shown() {
		got = append(got, strings.Fields(m.Text)...)
		if last := i == n-1; last != (len(m.Buttons) == 1) {
			t.Errorf("message %d of %d has %d buttons; they belong below the last", i+1, n, len(m.Buttons))
		}
	}
	if !slices.Equal(got, strings.Fields(body.Text)) {
		t.Error("the messages together do not show the text")
	}
	body.Part = n
	if _, err := ch.Send(t.Context(), in.Context, "beyond", body); core.KindOf(err) != core.Refused {
		t.Errorf("a part that there is not: %v, want a refusal", err)
	}
}

func deletes(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	d, ok := ch.(core.Deleter)
	if !ok {
		t.Skip("the channel does not delete")
	}
	id := send(t, ch, in.Context, "1", core.Body{Text: "a stale preview"})
	for range 2 { // one that is gone is no failure
		if err := d.Delete(t.Context(), in.Context, id); err != nil {
			t.Fatalf("Delete: %v", err)
		}
	}
	if got := p.Shown(); len(got) > 0 {
		t.Errorf("still shown: %v", got)
	}
}

func kinds(t *testing.T, p Platform) {
	ch, in := meet(t, p)
	for _, kind := range []core.Kind{
		core.Throttled, core.Unsent, core.Uncertain, core.Markup, core.Refused, core.Relocated, core.Gone, core.Unauthorized,
	} {
		for _, op := range []Op{Send, Edit} {
			id := send(t, ch, in.Context, fmt.Sprint("to be edited ", kind), core.Body{Text: "before"})
			if !p.Break(op, kind) {
				continue
			}
			try := func() error { // the same call each time
				if op == Edit {
					return ch.Edit(t.Context(), in.Context, id, core.Body{Text: "**now**"})
				}
				_, err := ch.Send(t.Context(), in.Context, fmt.Sprint("broken by ", kind), core.Body{Text: "**now**"})
				return err
			}
			checkKind(t, op, kind, try())
			if err := patiently(try); err != nil {
				t.Errorf("%s after %s: %v", op, kind, err)
			}
			if shown := p.Shown(); shown[len(shown)-1].Text != "now" {
				t.Errorf("%s after %s shows %q", op, kind, shown[len(shown)-1].Text)
			}
		}
	}
}

func checkKind(t *testing.T, op Op, want core.Kind, err error) {
	t.Helper()
	var e *core.Error
	switch {
	case !errors.As(err, &e) || e.Kind != want:
		t.Errorf("%s fails with %v, want kind %s", op, err, want)
	case want == core.Throttled && e.Wait <= 0:
		t.Errorf("%s is throttled without a wait", op)
	case want == core.Relocated && (e.Chat == "" || e.Context == ""):
		t.Errorf("%s is relocated to nowhere: %+v", op, e)
	}
}

func leaves(t *testing.T, p Platform) {
	before := ours()
	_, _ = meet(t, p)
	deadline := time.Now().Add(patience)
	for ours() > before {
		if time.Now().After(deadline) {
			t.Fatalf("goroutines of channels are left:\n%s", stacks())
		}
		runtime.Gosched() // one that has told that it is done may still be on its way out
	}
}

// ours counts the goroutines that run code of a channel, or were started by it.
func ours() int {
	n := 0
	for _, g := range strings.Split(stacks(), "\n\n") {
		if strings.Contains(strings.ReplaceAll(g, "steady/channels/channeltest", ""), "steady/channels/") {
			n++
		}
	}
	return n
}

func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size {
			return string(buf[:n])
		}
	}
}
