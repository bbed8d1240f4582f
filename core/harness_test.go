package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
	"steady/store"
)

// A platform is what a chat service shows, with the rules that matter to the core: a message has an id, an edit of an unknown one
// is refused, and, if it can tell, a repeated once shows nothing new. It outlives the bot, as a real one does. Nothing in it waits.
type platform struct {
	dedupes  bool
	interval time.Duration // of previews; 0: none
	limit    int           // letters of a message; 0: any number

	mu    sync.Mutex
	shown []*shownMessage
	once  map[string]core.MessageID
	calls []string
	fault func(op string, nth int, b core.Body) error // before the effect; nil error goes on
	after func(op string, nth int, b core.Body) error // after the effect: a lost answer
	gate  func(op string, nth int) <-chan struct{}    // the call waits for it
	count map[string]int
}

type shownMessage struct {
	id      core.MessageID
	body    core.Body
	edits   int
	deleted bool
	history []string
}

func newPlatform() *platform {
	return &platform{dedupes: true, once: map[string]core.MessageID{}, count: map[string]int{}}
}

// A front is the channel of a platform, as core sees it.
type front struct {
	*platform
	accept chan core.Accept
}

func (f *front) Run(ctx context.Context, accept core.Accept) error {
	select {
	case f.accept <- accept:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return nil
}

func (f *front) Dedupes() bool { return f.dedupes }

func (f *front) Parts(b core.Body) int {
	if f.limit == 0 {
		return 1
	}
	return (len(b.Text) + f.limit - 1) / f.limit
}

// part is the piece of a body that its message shows.
func (f *front) part(b core.Body) core.Body {
	if f.limit > 0 {
		from := min(b.Part*f.limit, len(b.Text))
		b.Text = b.Text[from:min(from+f.limit, len(b.Text))]
	}
	return b
}

func (f *front) Send(ctx context.Context, to core.ChannelContext, once string, b core.Body) (core.MessageID, error) {
	return f.do(ctx, "send", func() (core.MessageID, error) {
		if id, ok := f.once[once]; ok && f.dedupes {
			return id, nil
		}
		id := core.MessageID(fmt.Sprintf("m%d", len(f.shown)+1))
		f.once[once] = id
		f.shown = append(f.shown, &shownMessage{id: id, body: f.part(b), history: []string{b.Text}})
		return id, nil
	}, b)
}

func (f *front) Edit(ctx context.Context, to core.ChannelContext, id core.MessageID, b core.Body) error {
	_, err := f.do(ctx, "edit", func() (core.MessageID, error) {
		for _, m := range f.shown {
			if m.id == id && !m.deleted {
				m.body = f.part(b)
				m.edits++
				m.history = append(m.history, b.Text)
				return id, nil
			}
		}
		return "", &core.Error{Kind: core.Refused, Err: errors.New("no such message")}
	}, b)
	return err
}

func (f *front) do(ctx context.Context, op string, effect func() (core.MessageID, error), b core.Body) (core.MessageID, error) {
	f.mu.Lock()
	f.count[op]++
	nth := f.count[op]
	f.calls = append(f.calls, op)
	gate := f.gate
	f.mu.Unlock()
	if gate != nil {
		if c := gate(op, nth); c != nil {
			select {
			case <-c:
			case <-ctx.Done():
				return "", &core.Error{Kind: core.Uncertain, Err: ctx.Err()}
			}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != nil {
		if err := f.fault(op, nth, b); err != nil {
			return "", err
		}
	}
	id, err := effect()
	if err == nil && f.after != nil {
		err = f.after(op, nth, b)
	}
	return id, err
}

// A streamingFront shows answers while they grow.
type streamingFront struct{ *front }

func (f streamingFront) StreamInterval(core.ChannelContext) time.Duration { return f.interval }

func (f streamingFront) Typing(context.Context, core.ChannelContext) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count["typing"]++
	return nil
}

func (f streamingFront) Delete(_ context.Context, _ core.ChannelContext, id core.MessageID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, "delete")
	for _, m := range f.shown {
		if m.id == id {
			m.deleted = true
		}
	}
	return nil
}

// transcript is what a person sees, one line a message; buttons in brackets.
func (p *platform) transcript() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, m := range p.shown {
		if m.deleted {
			continue
		}
		b.WriteString("bot: " + flat(m.body.Text))
		for _, btn := range m.body.Buttons {
			b.WriteString(" [" + btn.Label + "]")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// button returns the token of the newest visible button with a label.
func (p *platform) button(label string) (token string, on core.MessageID, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range slices.Backward(p.shown) {
		for _, b := range m.body.Buttons {
			if b.Label == label && !m.deleted {
				return b.Token, m.id, true
			}
		}
	}
	return "", "", false
}

func (p *platform) callCount(op string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[op]
}

// flat folds the parts of a text that vary or take room, such as the ids of questions.
func flat(s string) string {
	if i := strings.Index(s, "\n\n`/approve "); i >= 0 {
		s = s[:i]
	}
	return strings.Join(strings.Fields(s), " ")
}

// A script is a model that always gives the same reply to the same place in a turn: what a message is answered with does not
// depend on how often the process died meanwhile.
type script struct {
	mu      sync.Mutex
	replies map[string][]core.Reply // by the text of the message
	errs    map[string][]error
	gates   map[string]<-chan struct{} // a reply waits for its gate, or for the end of its context
	half    map[string]string          // streamed before the gate
	prompts []core.Prompt
	running int
	most    int
}

func newScript() *script {
	return &script{replies: map[string][]core.Reply{}, errs: map[string][]error{}, gates: map[string]<-chan struct{}{}, half: map[string]string{}}
}

func (s *script) Reply(ctx context.Context, p core.Prompt, sink func(core.Delta)) (core.Reply, error) {
	ask, round := place(p)
	s.mu.Lock()
	s.prompts = append(s.prompts, p)
	s.running++
	s.most = max(s.most, s.running)
	replies, errs, gate, half := s.replies[ask], s.errs[ask], s.gates[ask], s.half[ask]
	if len(errs) > 0 {
		s.errs[ask] = errs[1:]
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if half != "" {
		sink(core.Delta{Text: half})
	}
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return core.Reply{}, &core.Error{Kind: core.Transient, Err: ctx.Err()}
		}
	}
	if len(errs) > 0 && errs[0] != nil {
		return core.Reply{}, errs[0]
	}
	if len(replies) == 0 {
		r := core.Reply{Text: "echo: " + ask}
		sink(core.Delta{Text: r.Text})
		return r, nil
	}
	r := replies[min(round, len(replies)-1)]
	if r.Text != "" {
		for _, word := range strings.SplitAfter(strings.TrimPrefix(r.Text, half), " ") {
			sink(core.Delta{Text: word})
		}
	}
	return r, ctx.Err()
}

func (s *script) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.prompts)
}

func (s *script) lastPrompt() core.Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompts[len(s.prompts)-1]
}

// place is where in a conversation a prompt is: the last message, and how many replies with calls came after it.
func place(p core.Prompt) (ask string, round int) {
	for _, it := range p.Items {
		switch it := it.(type) {
		case core.Ask:
			ask, round = it.Text, 0
		case core.Calls:
			round++
		}
	}
	for _, name := range []string{"Ann: ", "Bob: "} { // groups name the speaker
		ask = strings.TrimPrefix(ask, name)
	}
	return ask, round
}

// A bell is an effect outside the store.
type bell struct {
	mu    sync.Mutex
	rings []string
	gate  <-chan struct{}
	err   error
}

func (b *bell) ring(ctx context.Context, _ core.Origin, args json.RawMessage) (any, error) {
	b.mu.Lock()
	b.rings = append(b.rings, string(args))
	gate, err := b.gate, b.err
	b.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return map[string]string{"rung": "yes"}, err
}

func (b *bell) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.rings)
}

// tools are small ones of every kind: a reader, an exact writer that asks, effects in the world that ask or do not, and bad ones.
func tools(b *bell) []core.Tool {
	label := core.LocalText{En: "Notes", Ko: "메모", Zh: "笔记"}
	schema := json.RawMessage(`{"type":"object"}`)
	notes := func(ctx context.Context, d *core.Documents, o core.Origin) ([]string, error) {
		body, err := d.Get(ctx, core.PersonKey(o.Person, "notes"))
		if err != nil || body == nil {
			return nil, err
		}
		var ns []string
		return ns, json.Unmarshal(body, &ns)
	}
	return []core.Tool{
		{Name: "list_notes", Label: label, Description: "List the notes.", Schema: schema,
			Effect: func(core.Origin, json.RawMessage) core.Effect { return core.Reads },
			Apply: func(ctx context.Context, d *core.Documents, o core.Origin, _ json.RawMessage) (any, error) {
				ns, err := notes(ctx, d, o)
				return map[string]any{"count": len(ns), "items": ns}, err
			}},
		{Name: "add_note", Label: label, Description: "Add a note.", Schema: schema,
			Validate: func(_ core.Origin, args json.RawMessage) (json.RawMessage, error) {
				var in struct{ Text string }
				if json.Unmarshal(args, &in) != nil || in.Text == "" {
					return nil, &core.ToolError{Code: "validation", Reason: "text is missing"}
				}
				return json.Marshal(map[string]string{"text": in.Text})
			},
			Precheck: func(ctx context.Context, d *core.Documents, o core.Origin, args json.RawMessage) (json.RawMessage, error) {
				ns, err := notes(ctx, d, o)
				if err == nil && len(ns) >= 3 {
					err = &core.ToolError{Code: "r3_quota", Reason: "three notes are enough"}
				}
				return args, err
			},
			Apply: func(ctx context.Context, d *core.Documents, o core.Origin, args json.RawMessage) (any, error) {
				var in struct{ Text string }
				ns, err := notes(ctx, d, o)
				if err = errors.Join(err, json.Unmarshal(args, &in)); err != nil {
					return nil, err
				}
				body, err := json.Marshal(append(ns, in.Text))
				d.Put(core.PersonKey(o.Person, "notes"), body)
				return map[string]int{"count": len(ns) + 1}, err
			}},
		{Name: "ring", Label: core.LocalText{En: "Ring the bell"}, Description: "Ring.", Schema: schema, Run: b.ring},
		{Name: "chime", Label: core.LocalText{En: "Chime"}, Description: "Chime.", Schema: schema, Run: b.ring,
			Effect: func(core.Origin, json.RawMessage) core.Effect { return core.Writes }},
		{Name: "panics", Schema: schema, Effect: func(core.Origin, json.RawMessage) core.Effect { return core.Reads },
			Run: func(context.Context, core.Origin, json.RawMessage) (any, error) { panic("tool") }},
		{Name: "unencodable", Schema: schema, Effect: func(core.Origin, json.RawMessage) core.Effect { return core.Reads },
			Run: func(context.Context, core.Origin, json.RawMessage) (any, error) { return func() {}, nil }},
	}
}

// A world is a bot with its platform, model and store. It can be stopped and started again; the platform and the data stay.
type world struct {
	t        *testing.T
	path     string
	platform *platform
	model    *script
	bell     *bell
	options  func(*core.Options)
	streams  bool
	flaky    func(core.Store) core.Store // wraps the store of the next start

	store  core.Store
	engine *core.Engine
	accept core.Accept
	stop   context.CancelFunc
	done   chan error
	next   int
}

func newWorld(t *testing.T) *world {
	return &world{t: t, path: filepath.Join(t.TempDir(), "steady.db"), platform: newPlatform(), model: newScript(), bell: &bell{}}
}

// start opens the store and runs an engine on it.
func (w *world) start() {
	w.t.Helper()
	s, err := store.Open(w.path, store.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = s
	if w.flaky != nil {
		w.store = w.flaky(s)
	}
	f := &front{platform: w.platform, accept: make(chan core.Accept, 1)}
	var ch core.Channel = f
	if w.streams {
		ch = streamingFront{f}
	}
	opt := core.Options{Store: w.store, Model: w.model, Tools: tools(w.bell),
		Persona: "You are a test.", Log: slog.New(slog.DiscardHandler)}
	if w.options != nil {
		w.options(&opt)
	}
	if w.engine, err = core.New(opt); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.stop, w.done = cancel, make(chan error, 1)
	engine := w.engine
	go func() { w.done <- engine.Run(ctx, map[string]core.Channel{"test": ch}) }()
	w.accept = <-f.accept
}

// halt stops the engine and closes the store.
func (w *world) halt() error {
	w.stop()
	err := <-w.done
	if cerr := w.store.Close(); cerr != nil && !errors.Is(cerr, core.ErrClosed) {
		w.t.Fatal(cerr)
	}
	return err
}

// haltNow stops the bot without grace, as a short shutdown_grace does.
func (w *world) haltNow() error {
	closed := w.store.Close()
	w.stop()
	return errors.Join(closed, <-w.done)
}

// startWith starts the bot with events that came before it could look at anything.
func (w *world) startWith(in ...core.Inbound) {
	w.t.Helper()
	flaky := w.flaky
	w.flaky = func(s core.Store) core.Store {
		for _, i := range in {
			if _, err := s.Ingest(context.Background(), core.EnvelopeOf(i)); err != nil {
				w.t.Fatal(err)
			}
		}
		if flaky != nil {
			return flaky(s)
		}
		return s
	}
	w.start()
	w.flaky = flaky
}

// inbound makes an event of a person in a chat; its id is the next one.
func (w *world) inbound(who string, ev core.Event) core.Inbound {
	w.next++
	return core.Inbound{ID: fmt.Sprintf("u%d", w.next), Channel: "test", Chat: "test:1", Direct: true,
		Sender: core.Sender{Account: core.AccountID("test:" + who), Name: who}, Sent: time.Now(), Received: time.Now(),
		Message: core.MessageID(fmt.Sprintf("in%d", w.next)), Context: "ctx", Event: ev}
}

// give hands events to the bot and waits until nothing moves any more.
func (w *world) give(in ...core.Inbound) []core.Receipt {
	w.t.Helper()
	rs, err := w.accept(context.Background(), in...)
	if err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
	return rs
}

func (w *world) say(text string) []core.Receipt {
	return w.give(w.inbound("Ann", core.Said{Text: text}))
}

func (w *world) command(name, args string) []core.Receipt {
	return w.give(w.inbound("Ann", core.Commanded{Name: name, Args: args}))
}

func (w *world) press(who, label string) core.Receipt {
	w.t.Helper()
	token, on, ok := w.platform.button(label)
	if !ok {
		w.t.Fatalf("no button %q in\n%s", label, w.platform.transcript())
	}
	return w.give(w.inbound(who, core.Pressed{Token: token, Message: on}))[0]
}

// history is what the database holds of the chat, one line an entry.
func (w *world) history() string {
	w.t.Helper()
	h, err := w.engine.History(context.Background(), "test:1", 0, 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range h.Entries {
		switch e := r.Entry.(type) {
		case core.Message:
			partial := ""
			if e.Partial {
				partial = " (partial)"
			}
			fmt.Fprintf(&b, "%s%s: %s\n", e.Role, partial, flat(e.Text))
		case core.Call:
			fmt.Fprintf(&b, "call %d: %s %s\n", e.Reply, e.Tool, e.Args)
		case core.Result:
			fmt.Fprintf(&b, "result: %s\n", e.JSON)
		case core.Notice:
			fmt.Fprintf(&b, "notice: %s\n", flat(e.Text))
		}
	}
	return b.String()
}

func (w *world) notes() []string {
	w.t.Helper()
	docs, err := w.store.Documents(context.Background(), "person/test:Ann/notes", "", 1)
	if err != nil {
		w.t.Fatal(err)
	}
	var ns []string
	for _, d := range docs {
		if err := json.Unmarshal(d.Body, &ns); err != nil {
			w.t.Fatal(err)
		}
	}
	return ns
}

// bubble runs a test in a bubble of fake time with a started world that is stopped at the end.
func bubble(t *testing.T, set func(*world), f func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		if set != nil {
			set(w)
		}
		w.start()
		time.Sleep(time.Millisecond) // messages come after the start
		f(w)
		if err := w.halt(); err != nil {
			t.Error("stop:", err)
		}
	})
}

func call(name, args string) core.Reply {
	return core.Reply{Calls: []core.ToolCall{{ID: "c-" + name, Name: name, Args: args}}}
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("%s:\n%s\nwant:\n%s", what, strings.TrimSpace(got), strings.TrimSpace(want))
	}
}
