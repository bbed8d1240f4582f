package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"steady/channels/web"
	"steady/core"
)

// open connects to a session and returns the first frames: history, and then snapshot or ended.
func open(t *testing.T, address, session string, revision uint64) (c *client, history, now frame) {
	t.Helper()
	c = dial(t, address, nil)
	c.send(send{Type: "open", Session: session, Revision: revision})
	return c, c.next(), c.next()
}

func TestOpenTellsTheHistoryAndWhatGoesOn(t *testing.T) {
	w := newWorld()
	everyday(w)
	_, history, now := open(t, start(t, w, withLabels), "main", 0)
	want := []entry{
		{Revision: 1, Turn: 1, Kind: "message", Role: "user", Text: "산책 습관을 만들고 싶어요.\n저녁이 좋아요."},
		{Revision: 2, Turn: 1, Kind: "call", Call: "c1", Label: "Search catalog", Text: "어떤 방법이 있는지 찾아볼게요."},
		{Revision: 3, Turn: 1, Kind: "result", Call: "c1", Status: "ok"},
		{Revision: 4, Turn: 1, Kind: "call", Call: "c2", Label: "Add habit"},
		{Revision: 5, Turn: 1, Kind: "result", Call: "c2", Status: "cancelled"},
		{Revision: 6, Turn: 1, Kind: "message", Role: "agent", Text: rich},
		{Revision: 7, Kind: "notice", Notice: "hint", Text: "대화가 길어졌어요. 새로 시작할까요?"},
	}
	if history.Type != "history" || history.Revision != 7 || !reflect.DeepEqual(history.Entries, want) {
		t.Errorf("got %+v", history)
	}
	if now.Type != "ended" || now.Session != "main" {
		t.Errorf("nothing goes on, got %+v", now)
	}
}

// seed 002 §11.2: increments are continuous, a repeated one is harmless, the whole history is for first loads and gaps.
func TestCommitsAreIncrements(t *testing.T) {
	w := newWorld()
	w.commit("main", 1, said("a"), agent("b"))
	c, _, _ := open(t, start(t, w, nil), "main", 0)
	w.commit("main", 3, said("c"), core.Call{ID: "1", Tool: "get_streak", Reply: 1}, core.Result{ID: "1", JSON: `{"status":"ok"}`}, agent("d"))
	got := c.next()
	if got.Type != "committed" || got.After != 2 || got.Revision != 6 || len(got.Entries) != 4 {
		t.Errorf("got %+v", got)
	}
	w.commit("other", 1, said("x"), agent("y"))
	w.commit("main", 5, said("e"), agent("f"))
	if got := c.next(); got.Session != "main" || got.After != 6 || got.Revision != 8 {
		t.Errorf("only this session's increment follows, got %+v", got)
	}
}

func TestOpenFromARevision(t *testing.T) {
	w := newWorld()
	for i := range uint64(150) {
		w.commit("main", 2*i+1, said("q"), agent("a"))
	}
	address := start(t, w, nil)
	c := dial(t, address, nil)
	c.send(send{Type: "hello"})
	boot := c.next().Boot
	tests := []struct {
		why      string
		hello    send
		kind     string
		entries  int
		revision uint64
	}{
		{"a new client gets the newest page", send{Session: "main"}, "history", 200, 300},
		{"one that has most gets the rest", send{Session: "main", Boot: boot, Revision: 290}, "committed", 10, 300},
		{"one that has all is told so", send{Session: "main", Boot: boot, Revision: 300}, "committed", 0, 300},
		{"one that was away for long gets a page", send{Session: "main", Boot: boot, Revision: 5}, "history", 200, 300},
		{"one that has more than there is: the data are others", send{Session: "main", Boot: boot, Revision: 301}, "history", 200, 300},
		{"revisions of before a restart mean nothing", send{Session: "main", Boot: "old", Revision: 300}, "history", 200, 300},
		{"a session that is not there yet is empty", send{Session: "new", Boot: boot}, "history", 0, 0},
	}
	for _, test := range tests {
		c := dial(t, address, nil)
		test.hello.Type = "hello"
		c.send(test.hello)
		got := c.next()
		for got.Type == "hello" || got.Type == "sessions" {
			got = c.next()
		}
		if got.Type != test.kind || len(got.Entries) != test.entries || got.Revision != test.revision {
			t.Errorf("%s: %s with %d entries to %d", test.why, got.Type, len(got.Entries), got.Revision)
		}
	}
}

func TestEarlierPages(t *testing.T) {
	w := newWorld()
	for i := range uint64(500) {
		w.commit("main", 0, core.Notice{Kind: core.Told, Text: fmt.Sprint(i + 1)})
	}
	w.change("main", func(c *chat) { c.mark = 50 })
	c, first, _ := open(t, start(t, w, nil), "main", 0)
	at := func(f frame) (from, to uint64) { return f.Entries[0].Revision, f.Entries[len(f.Entries)-1].Revision }
	if from, to := at(first); from != 301 || to != 500 {
		t.Errorf("the newest page is %d to %d", from, to)
	}
	for _, want := range [][3]uint64{{301, 101, 300}, {101, 51, 100}} {
		c.send(send{Type: "history", Session: "main", Before: want[0]})
		page := c.until("history")
		if from, to := at(page); page.Before != want[0] || from != want[1] || to != want[2] {
			t.Errorf("before %d: %d to %d", want[0], from, to)
		}
	}
	for _, before := range []uint64{51, 50, 1, 0} { // the mark ends it
		c.send(send{Type: "history", Session: "main", Before: before})
		if page := c.until("history"); len(page.Entries) != 0 {
			t.Errorf("before %d: %d entries", before, len(page.Entries))
		}
	}
	c.send(send{Type: "history", Session: "main", Before: 1 << 62})
	if _, to := at(c.until("history")); to != 500 {
		t.Errorf("a revision that is not there yet counts as the next, got up to %d", to)
	}
}

// A page of very long entries is cut short, so that a slow line can take it; the rest is there on request.
func TestPagesOfLongEntriesAreShort(t *testing.T) {
	w := newWorld()
	for range 40 {
		w.commit("main", 0, core.Notice{Kind: core.Told, Text: strings.Repeat("x", 16_000)})
	}
	w.commit("main", 0, core.Notice{Kind: core.Told, Text: strings.Repeat("y", 1<<20)})
	c, first, _ := open(t, start(t, w, nil), "main", 0)
	if n := len(first.Entries); n != 1 || first.Revision != 41 {
		t.Errorf("%d entries up to %d", n, first.Revision)
	}
	c.send(send{Type: "history", Session: "main", Before: 41})
	if page := c.until("history"); len(page.Entries) != 16 || page.Entries[15].Revision != 40 {
		t.Errorf("%d entries", len(page.Entries))
	}
}

func TestNewConversationMovesTheMark(t *testing.T) {
	w := newWorld()
	w.commit("main", 1, said("a"), agent("b"))
	address := start(t, w, nil)
	c, _, _ := open(t, address, "main", 0)
	w.change("main", func(c *chat) { c.mark = 2 })
	if got := c.next(); got.Type != "committed" || got.Mark != 2 || got.After != 2 || len(got.Entries) != 0 {
		t.Errorf("the mark alone is news, got %+v", got)
	}
	_, history, _ := open(t, address, "main", 0)
	if len(history.Entries) != 0 || history.Mark != 2 || history.Revision != 2 {
		t.Errorf("what is before the mark is not sent, got %+v", history)
	}
}

func TestSnapshots(t *testing.T) {
	w := newWorld()
	address := start(t, w, nil)
	c := dial(t, address, nil)
	c.send(send{Type: "hello", Lang: "zh-CN", Session: "main"})
	c.until("ended")
	w.show("main", &core.Snapshot{Turn: 4, User: "u", State: core.Parked, Text: "so far",
		Calls:    []core.CallProgress{{ID: "1", Label: labels("add_habit"), Started: true, Finished: true}, {ID: "2", Label: core.LocalText{En: "x"}}},
		Question: question("7"), Waiting: []core.WaitingView{{Inbound: "i", Text: "more"}}})
	got := c.until("snapshot")
	if got.Turn != 4 || got.User != "u" || got.State != "parked" || got.Text != "so far" {
		t.Errorf("got %+v", got)
	}
	if len(got.Calls) != 2 || got.Calls[0].Label != "添加习惯" || !got.Calls[0].Finished || got.Calls[1].Label != "x" || got.Calls[1].Started {
		t.Errorf("calls %+v", got.Calls)
	}
	if q := got.Question; q.Approve.Token != "y7" || q.Deny.Token != "n7" || q.Deny.Label != "취소" || !strings.Contains(q.Body, "산책") {
		t.Errorf("question %+v", q)
	}
	if len(got.Waiting) != 1 || got.Waiting[0].Inbound != "i" || got.Waiting[0].Text != "more" {
		t.Errorf("waiting %+v", got.Waiting)
	}
	w.finish("main", 4, said("u"), agent("done"))
	if first := c.until("committed"); len(first.Entries) != 2 {
		t.Errorf("got %+v", first)
	}
	c.until("ended") // which comes after the answer, else it would have been passed over
	w.show("main", &core.Snapshot{Turn: 5, State: core.Thinking})
	if got := c.until("snapshot"); got.State != "thinking" {
		t.Errorf("got %+v", got)
	}
	_, history, now := open(t, address, "main", 2) // W01: a reload shows the turn as it stands
	if history.Type != "committed" || now.Type != "snapshot" || now.Turn != 5 {
		t.Errorf("got %+v, %+v", history, now)
	}
}

func TestReceipts(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, nil), nil)
	c.send(send{Type: "hello", Lang: "ko"})
	for i, test := range []struct {
		receipt core.Receipt
		kind    string
		ahead   int
	}{
		{core.Receipt{Kind: core.Stored}, "stored", 0},
		{core.Receipt{Kind: core.Queued, Ahead: 3}, "queued", 3},
		{core.Receipt{Kind: core.NotTaken}, "not_taken", 0},
		{core.Receipt{Kind: core.Received}, "received", 0},
		{core.Receipt{Kind: core.Expired}, "expired", 0},
		{core.Receipt{Kind: core.Decided, Outcome: core.Denied}, "decided", 0},
		{core.Receipt{Kind: core.NotYours}, "not_yours", 0},
		{core.Receipt{Kind: core.Unknown}, "unknown", 0},
	} {
		w.set(func(w *world) {
			w.answer = func(*world, core.Inbound) (core.Receipt, error) { return test.receipt, nil }
		})
		id := fmt.Sprint("id", i)
		c.send(send{Type: "press", ID: id, Session: "main", Token: "t"})
		got := c.until("receipt")
		if got.ID != id || got.Kind != test.kind || got.Ahead != test.ahead || got.Text != test.receipt.Text() {
			t.Errorf("%s: %+v", test.kind, got)
		}
	}
}

func TestEachFrameBecomesOneInbound(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, nil), nil)
	c.send(send{Type: "hello", Lang: "zh-TW"})
	c.send(send{Type: "say", ID: "a", Session: "s", Text: " hi "})
	c.send(send{Type: "say", ID: "a", Session: "s", Text: " hi "}) // sent again after a reconnect
	c.send(send{Type: "press", ID: "b", Session: "s", Token: "tok"})
	c.send(send{Type: "command", ID: "c", Session: "s", Name: "stop"})
	var kinds []string
	for range 4 {
		kinds = append(kinds, c.until("receipt").Kind)
	}
	if want := []string{"stored", "nothing", "stored", "stored"}; !slices.Equal(kinds, want) {
		t.Errorf("receipts %v", kinds)
	}
	var events []core.Event
	for _, in := range w.took() {
		events = append(events, in.Event)
		if in.Chat != key("s") || !in.Direct || in.Sender.Account != "web:owner" || in.Sender.Lang != core.Zh || in.Received.IsZero() {
			t.Errorf("got %+v", in)
		}
	}
	if want := []core.Event{core.Said{Text: "hi"}, core.Pressed{Token: "tok"}, core.Commanded{Name: "stop"}}; !reflect.DeepEqual(events, want) {
		t.Errorf("events %+v", events)
	}
}

func TestLanguageIsTheOperatorsIfSet(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, func(c *web.Config) { c.Lang = core.Ko }), nil)
	c.send(send{Type: "hello", Lang: "zh"})
	c.send(send{Type: "say", ID: "a", Session: "s", Text: "hi"})
	c.until("receipt")
	if in := w.took()[0]; in.Sender.Lang != core.Ko {
		t.Errorf("lang %q", in.Sender.Lang)
	}
}

// seed 003: blank input makes nothing at all. The client is told that it need not send it again.
func TestBlankInputIsSilent(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, nil), nil)
	for i, text := range []string{"", "   ", "\n\t\r\n", "\u3000", "\u200b\u200d\u2060", "\u3164"} {
		c.send(send{Type: "say", ID: fmt.Sprint("blank", i), Session: "main", Text: text})
		if got := c.next(); got.ID != fmt.Sprint("blank", i) || got.Kind != "nothing" || got.Text != "" {
			t.Errorf("got %+v", got)
		}
	}
	if n := len(w.took()); n != 0 {
		t.Errorf("%d inbounds", n)
	}
}

func TestTypedCommands(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, nil), nil)
	c.send(send{Type: "say", ID: "a", Session: "main", Text: "/Status now"})
	if got := c.until("receipt"); !got.Command || got.Kind != "stored" {
		t.Errorf("got %+v", got)
	}
	c.send(send{Type: "say", ID: "b", Session: "main", Text: "what is /status?"})
	if got := c.until("receipt"); got.Command {
		t.Errorf("got %+v", got)
	}
	if got := w.took()[0].Event; got != (core.Commanded{Name: "status", Args: "now"}) {
		t.Errorf("got %#v", got)
	}
}

func TestWhatCannotBeTaken(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, nil), nil)
	c.send(send{Type: "hello", Lang: "ko"})
	for _, test := range []struct {
		why, code string
		err       error
	}{
		{"the bot is stopping: send it again after a reconnect", "closed", core.ErrClosed},
		{"wrapped alike", "closed", fmt.Errorf("ingest: %w", core.ErrClosed)},
		{"the disk is full: the person does not read about disks", "failed", errors.New("write /var/lib/steady.db: no space")},
	} {
		w.set(func(w *world) {
			w.answer = func(*world, core.Inbound) (core.Receipt, error) { return core.Receipt{}, test.err }
		})
		c.send(send{Type: "say", ID: "a", Session: "main", Text: "x"})
		got := c.until("error")
		if got.ID != "a" || got.Code != test.code || got.Text == "" || strings.Contains(got.Text, "steady.db") {
			t.Errorf("%s: %+v", test.why, got)
		}
	}
	w.set(func(w *world) { w.answer = nil })
	c.send(send{Type: "say", ID: "a", Session: "main", Text: "x"})
	if got := c.until("receipt"); got.Kind != "stored" {
		t.Errorf("the same frame is taken later, got %+v", got)
	}
}

func TestBadFramesAreAnsweredAndHarmless(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, nil), nil)
	for _, test := range []struct{ why, raw, code, id string }{
		{"no JSON", `}{`, "bad", ""},
		{"unknown type", `{"v":1,"type":"sing"}`, "bad", ""},
		{"no session; the id can be told", `{"v":1,"type":"say","id":"a","text":"x"}`, "bad", "a"},
		{"an id that is none is not repeated", `{"v":1,"type":"say","id":"<b>","session":"s","text":"x"}`, "bad", ""},
		{"another version", `{"v":9,"type":"say"}`, "version", ""},
	} {
		c.raw([]byte(test.raw))
		if got := c.next(); got.Type != "error" || got.Code != test.code || got.ID != test.id || got.Text == "" {
			t.Errorf("%s: %+v", test.why, got)
		}
	}
	c.send(send{Type: "say", ID: "a", Session: "main", Text: "x"})
	if got := c.next(); got.Type != "receipt" {
		t.Errorf("got %+v", got)
	}
}

func TestFrameTooLong(t *testing.T) {
	c := dial(t, start(t, newWorld(), nil), nil)
	c.send(send{Type: "say", ID: "a", Session: "main", Text: strings.Repeat("x", 64<<10)})
	if got := c.status(); got != websocket.StatusMessageTooBig {
		t.Errorf("closed with %v", got)
	}
}

// A store that cannot be read is said once, and told of again when it can.
func TestUnreadableChatsRecover(t *testing.T) {
	w := newWorld()
	w.commit("main", 1, said("a"))
	w.set(func(w *world) { w.broken = errors.New("secret path") })
	c := dial(t, start(t, w, nil), nil)
	c.send(send{Type: "open", Session: "main"})
	if got := c.next(); got.Type != "error" || got.Code != "failed" || strings.Contains(got.Text, "secret") {
		t.Errorf("got %+v", got)
	}
	w.set(func(w *world) { w.broken = nil })
	w.commit("main", 1, agent("b"))
	if got := c.next(); got.Type != "history" || len(got.Entries) != 2 {
		t.Errorf("got %+v", got)
	}
}

// The 17th session takes the place of the one opened longest ago; opening that again tells all of it.
func TestManySessions(t *testing.T) {
	w := newWorld()
	c := dial(t, start(t, w, nil), nil)
	for i := range 17 {
		c.send(send{Type: "open", Session: fmt.Sprint("s", i)})
		c.until("ended")
	}
	w.commit("s0", 1, said("unheard"))
	w.commit("s1", 1, said("heard"))
	if got := c.until("committed"); got.Session != "s1" {
		t.Errorf("heard of %s", got.Session)
	}
	c.send(send{Type: "open", Session: "s0"})
	if got := c.next(); got.Session != "s0" || len(got.Entries) != 1 {
		t.Errorf("got %+v", got)
	}
	if n := w.watched(); n > 17 { // the one that was left may still be on its way out
		t.Errorf("%d watches", n)
	}
}

// What a client sees has no account, no channel's ids, no arguments, no results.
func TestFramesKeepInternalsBack(t *testing.T) {
	w := newWorld()
	w.commit("main", 1,
		core.Message{Role: core.User, Text: "hi", Source: &core.Source{Channel: "telegram", Account: "tg:4242", Name: "Kim", Inbound: "in1"}},
		core.Call{ID: "c", Tool: "get_streak", Args: `{"habit_id":"h-4242"}`, Opaque: json.RawMessage(`"4242"`), ReplyOpaque: json.RawMessage(`"4242"`)},
		core.Result{ID: "c", JSON: `{"status":"ok","data":{"n":4242}}`}, agent("ho"))
	c := dial(t, start(t, w, nil), nil)
	c.send(send{Type: "hello", Session: "main"})
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	for range 4 {
		_, raw, err := c.conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "4242") || strings.Contains(string(raw), "telegram") {
			t.Errorf("frame %s", raw)
		}
	}
}

// ---- seed 003: the semantics of a message's author ----

func TestUserInputIsTrimmedAndRecordedAsUserAndTheAnswerAsAgent(t *testing.T) {
	w := newWorld()
	w.answer = echo
	c, _, _ := open(t, start(t, w, nil), "main", 0)
	c.send(send{Type: "say", ID: "m1", Session: "main", Text: "  first \n inside  "})
	got := c.until("committed")
	want := []string{"user: first \n inside", "agent: re: first \n inside"}
	if !slices.Equal(texts(got.Entries), want) || got.Entries[0].Inbound != "m1" {
		t.Errorf("got %q", texts(got.Entries))
	}
}

func TestSubmissionsAlternateUserAndAgent(t *testing.T) {
	w := newWorld()
	w.answer = echo
	c, _, _ := open(t, start(t, w, nil), "main", 0)
	var roles []string
	for i := range 3 {
		c.send(send{Type: "say", ID: fmt.Sprint("m", i), Session: "main", Text: "x"})
		for _, e := range c.until("committed").Entries {
			roles = append(roles, e.Role)
		}
	}
	if want := []string{"user", "agent", "user", "agent", "user", "agent"}; !slices.Equal(roles, want) {
		t.Errorf("roles %v", roles)
	}
}

// ---- what the core sends ----

func TestSendAndEditWakeThePages(t *testing.T) {
	w := newWorld()
	w.deaf = true
	c, err := web.New(web.Config{Listen: "127.0.0.1:0", Reader: w})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	one, err := c.Send(ctx, "web:main", "once-1", core.Body{Text: "x"})
	again, _ := c.Send(ctx, "web:main", "once-1", core.Body{Text: "x"})
	other, _ := c.Send(ctx, "web:main", "once-2", core.Body{Text: "x"})
	if err != nil || one == "" || one != again || one == other {
		t.Errorf("ids %q, %q, %q, %v", one, again, other, err)
	}
	if err := c.Edit(ctx, "web:main", one, core.Body{Text: "y"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Send(ctx, "tg:1", "once", core.Body{}); core.KindOf(err) != core.Refused {
		t.Errorf("a foreign context is refused, got %v", err)
	}
	if err := c.Edit(ctx, "", one, core.Body{}); core.KindOf(err) != core.Refused {
		t.Errorf("a foreign context is refused, got %v", err)
	}
	if !c.Dedupes() {
		t.Error("a repeated once makes nothing new")
	}
}

func TestReadyWhileListening(t *testing.T) {
	listening := make(chan struct{})
	c, err := web.New(web.Config{Listen: "127.0.0.1:0", Reader: newWorld(), Listening: func(addr) { close(listening) }})
	if err != nil {
		t.Fatal(err)
	}
	if c.Ready() == nil {
		t.Error("ready before it listens")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, newWorld().accept) }()
	<-listening
	if err := c.Ready(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil || c.Ready() == nil {
		t.Errorf("run: %v, ready after it: %v", err, c.Ready())
	}
}
