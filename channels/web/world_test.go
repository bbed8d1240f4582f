package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"steady/channels/web"
	"steady/core"
)

// A world is a core in memory: it keeps chats, takes inbounds and tells watchers. What follows from an inbound is up to the test.
type world struct {
	mu       sync.Mutex // guards everything
	chats    map[core.ChatKey]*chat
	accepted []core.Inbound
	came     chan struct{} // one for each of accepted
	seen     map[string]bool
	answer   func(w *world, in core.Inbound) (core.Receipt, error) // called without mu
	broken   error                                                 // of every read
	deaf     bool                                                  // watchers are told nothing
	reads    int
}

type chat struct {
	entries  []core.Recorded
	mark     uint64
	snapshot *core.Snapshot
	watchers map[chan struct{}]bool
}

func newWorld() *world {
	return &world{chats: map[core.ChatKey]*chat{}, seen: map[string]bool{}, came: make(chan struct{}, 1000)}
}

var _ core.Reader = (*world)(nil)

func key(session string) core.ChatKey { return core.ChatKey("web:" + session) }

func (w *world) at(k core.ChatKey) *chat {
	if w.chats[k] == nil {
		w.chats[k] = &chat{watchers: map[chan struct{}]bool{}}
	}
	return w.chats[k]
}

func (w *world) History(ctx context.Context, k core.ChatKey, after uint64, limit int) (core.History, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	if err := w.readError(ctx, limit); err != nil {
		return core.History{}, err
	}
	c := w.at(k)
	h := core.History{Revision: uint64(len(c.entries)), Mark: c.mark}
	for _, e := range c.entries {
		if e.Revision > after && len(h.Entries) < limit {
			h.Entries = append(h.Entries, e)
		}
	}
	return h, nil
}

func (w *world) readError(ctx context.Context, limit int) error {
	if limit <= 0 {
		return fmt.Errorf("limit %d", limit)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return w.broken
}

func (w *world) Snapshot(ctx context.Context, k core.ChatKey) (core.Snapshot, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.readError(ctx, 1); err != nil {
		return core.Snapshot{}, false, err
	}
	if s := w.at(k).snapshot; s != nil {
		return *s, true, nil
	}
	return core.Snapshot{}, false, nil
}

func (w *world) Watch(k core.ChatKey) (<-chan struct{}, func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	hint := make(chan struct{}, 1)
	w.at(k).watchers[hint] = true
	return hint, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.at(k).watchers, hint)
	}
}

// watched counts the open watches.
func (w *world) watched() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, c := range w.chats {
		n += len(c.watchers)
	}
	return n
}

func (w *world) Chats(ctx context.Context, channel string) ([]core.ChatInfo, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.readError(ctx, 1); err != nil || channel != web.Name {
		return nil, err
	}
	var out []core.ChatInfo
	for k, c := range w.chats {
		if n := len(c.entries); n > 0 {
			out = append(out, core.ChatInfo{Chat: k, Title: title(c.entries), Revision: uint64(n), Updated: c.entries[n-1].At})
		}
	}
	slices.SortFunc(out, func(a, b core.ChatInfo) int { return strings.Compare(string(a.Chat), string(b.Chat)) })
	return out, nil
}

func title(entries []core.Recorded) string {
	for _, e := range entries {
		if m, ok := e.Entry.(core.Message); ok && m.Role == core.User {
			return m.Text
		}
	}
	return ""
}

// change does something to a chat and tells its watchers.
func (w *world) change(session string, f func(c *chat)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.at(key(session))
	f(c)
	for hint := range c.watchers {
		if w.deaf {
			break
		}
		select {
		case hint <- struct{}{}:
		default:
		}
	}
}

// commit appends entries of one turn.
func (w *world) commit(session string, turn uint64, entries ...core.Entry) {
	w.change(session, func(c *chat) { c.append(turn, entries...) })
}

func (c *chat) append(turn uint64, entries ...core.Entry) {
	for _, e := range entries {
		at := time.Date(2026, 5, 4, 9, 30, 0, 0, time.UTC)
		c.entries = append(c.entries, core.Recorded{Revision: uint64(len(c.entries)) + 1, Turn: turn, At: at, Entry: e})
	}
}

// show sets what goes on in a chat; nil is nothing.
func (w *world) show(session string, s *core.Snapshot) {
	w.change(session, func(c *chat) { c.snapshot = s })
}

// finish commits the entries that end a turn and clears what is shown of it, as one.
func (w *world) finish(session string, turn uint64, entries ...core.Entry) {
	w.change(session, func(c *chat) {
		c.append(turn, entries...)
		c.snapshot = nil
	})
}

func (w *world) accept(ctx context.Context, ins ...core.Inbound) ([]core.Receipt, error) {
	var out []core.Receipt
	for _, in := range ins {
		r, err := w.acceptOne(in)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, ctx.Err()
}

func (w *world) acceptOne(in core.Inbound) (core.Receipt, error) {
	w.mu.Lock()
	id := string(in.Chat) + " " + in.ID
	if w.seen[id] {
		w.mu.Unlock()
		return core.Receipt{Kind: core.Nothing}, nil
	}
	answer := w.answer
	w.mu.Unlock()
	r := core.Receipt{Kind: core.Stored}
	if answer != nil {
		var err error
		if r, err = answer(w, in); err != nil {
			return r, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[id] = true
	w.accepted = append(w.accepted, in)
	w.came <- struct{}{}
	return r, nil
}

// await waits for n more inbounds than were waited for, and returns all that were accepted.
func (w *world) await(t testing.TB, n int) []core.Inbound {
	t.Helper()
	late := time.After(patience)
	for range n {
		select {
		case <-w.came:
		case <-late:
			t.Fatalf("an inbound did not come; accepted were %+v", w.took())
		}
	}
	return w.took()
}

// took returns what was accepted so far.
func (w *world) took() []core.Inbound {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.accepted)
}

// set changes fields of the world itself.
func (w *world) set(f func(w *world)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f(w)
}

func user(in core.Inbound) core.Message {
	text := ""
	if s, ok := in.Event.(core.Said); ok {
		text = s.Text
	}
	return core.Message{Role: core.User, Text: text, Source: &core.Source{
		Kind: core.UserInput, Channel: in.Channel, Account: in.Sender.Account, Received: in.Received, Inbound: in.ID}}
}

func said(text string) core.Message { return core.Message{Role: core.User, Text: text} }

func agent(text string) core.Message { return core.Message{Role: core.Agent, Text: text} }

// echo answers each message at once with "re: " and the message.
func echo(w *world, in core.Inbound) (core.Receipt, error) {
	if s, ok := in.Event.(core.Said); ok {
		w.mu.Lock()
		turn := uint64(len(w.at(in.Chat).entries)) + 1
		w.mu.Unlock()
		w.commit(strings.TrimPrefix(string(in.Chat), "web:"), turn, user(in), agent("re: "+s.Text))
	}
	return core.Receipt{Kind: core.Stored}, nil
}

// question is an open one, as the core shows it.
func question(token string) *core.QuestionView {
	return &core.QuestionView{
		Approve: core.Button{Label: "수행", Token: "y" + token, Style: core.Strong},
		Deny:    core.Button{Label: "취소", Token: "n" + token},
		Body:    "**이 작업을 수행할까요?**\n\n습관을 추가합니다.\n\n- 저녁 산책 20분\n- 매일 19:00",
		Expires: time.Date(2026, 5, 4, 9, 40, 0, 0, time.UTC),
	}
}

// start runs a channel on a free port until the test ends, and returns its address.
func start(t testing.TB, w *world, change func(*web.Config)) string {
	t.Helper()
	listening := make(chan string, 1)
	cfg := web.Config{Listen: "127.0.0.1:0", Reader: w}
	if change != nil {
		change(&cfg)
	}
	told := cfg.Listening
	cfg.Listening = func(a addr) {
		if told != nil {
			told(a)
		}
		listening <- a.String()
	}
	c, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, w.accept) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if n := w.watched(); n != 0 {
			t.Errorf("%d watches are left", n)
		}
	})
	select {
	case a := <-listening:
		return a
	case err := <-ended:
		ended <- err
		t.Fatalf("run: %v", err)
		return ""
	}
}

func withLabels(c *web.Config) { c.ToolLabel = labels }
