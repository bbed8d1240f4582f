package faketelegram_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	tg "steady/internal/faketelegram"
)

// hook is a bot's webhook: each delivery is handed to the test, which answers it.
type hook struct {
	url string
	in  chan delivery
}

type delivery struct {
	update got
	secret string
	answer chan hookReply
}

type hookReply struct {
	status int
	header http.Header
	body   string
}

func newHook(t *testing.T) *hook {
	h := &hook{in: make(chan delivery, 100)}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d := delivery{secret: r.Header.Get("X-Telegram-Bot-Api-Secret-Token"), answer: make(chan hookReply, 1)}
		if err := json.Unmarshal(body, &d.update); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("delivered %q: %v", body, err)
		}
		h.in <- d
		select {
		case rep := <-d.answer:
			for k, v := range rep.header {
				w.Header()[k] = v
			}
			w.WriteHeader(rep.status)
			_, _ = io.WriteString(w, rep.body)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(srv.Close)
	h.url = srv.URL + "/telegram"
	return h
}

func (h *hook) next(t *testing.T) delivery {
	t.Helper()
	select {
	case d := <-h.in:
		return d
	case <-bounded(t).Done():
		t.Fatal("nothing was delivered")
		return delivery{}
	}
}

func (d delivery) reply(status int) { d.answer <- hookReply{status: status} }

func TestSetWebhook(t *testing.T) {
	clock := newClock()
	s := start(t, tg.Config{Now: clock.Now})
	set := func(a args) answer {
		clock.advance(time.Second)
		return s.do("setWebhook", a)
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"url": "ftp://e.org/x"}, "Bad Request: invalid webhook URL specified"},
		{args{"url": "nonsense"}, "Bad Request: invalid webhook URL specified"},
		{args{"url": "http://127.0.0.1:1/", "secret_token": repeat("x", 257)}, "Bad Request: secret token is too long"},
		{args{"url": "http://127.0.0.1:1/", "secret_token": "a b"}, "Bad Request: secret token contains unallowed characters"},
	} {
		wantRefusal(t, set(c.args), 400, c.want)
	}
	good := args{"url": "http://127.0.0.1:1/x", "max_connections": 500, "allowed_updates": []string{"message"}}
	note := func(got answer, want string) {
		t.Helper()
		if wantOK(t, got); got.Description != want {
			t.Errorf("remark %q, want %q", got.Description, want)
		}
	}
	note(set(good), "Webhook was set")
	wantRefusal(t, s.do("setWebhook", good), 429, "Too Many Requests: retry after 1")
	note(set(good), "Webhook is already set")
	info := decode[struct {
		URL     string   `json:"url"`
		Max     int      `json:"max_connections"`
		Allowed []string `json:"allowed_updates"`
	}](t, s.do("getWebhookInfo", nil).Result)
	if info.URL != "http://127.0.0.1:1/x" || info.Max != 100 || !slices.Equal(info.Allowed, []string{"message"}) || s.Webhook() != info.URL {
		t.Errorf("info %+v", info)
	}
	wantRefusal(t, s.do("getUpdates", nil), 409,
		"Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	note(s.do("deleteWebhook", nil), "Webhook was deleted")
	note(s.do("deleteWebhook", nil), "Webhook is already deleted")
	note(set(args{"url": ""}), "Webhook is already deleted")
	s.Say(s.chat, s.user.ID, "a")
	note(s.do("deleteWebhook", args{"drop_pending_updates": true}), "Webhook is already deleted")
	if n := len(s.Pending()); n != 0 {
		t.Errorf("%d pending", n)
	}
	s.Say(s.chat, s.user.ID, "b")
	note(set(args{"url": "http://127.0.0.1:1/x", "drop_pending_updates": "true"}), "Webhook was set")
	if n := len(s.Pending()); n != 0 || s.Webhook() == "" {
		t.Errorf("%d pending, webhook %q", n, s.Webhook())
	}
}

// TestSetWebhookEndsPoll: a poll that waits is ended with a text of its own.
func TestSetWebhookEndsPoll(t *testing.T) {
	s := start(t, tg.Config{})
	polled := make(chan answer)
	go func() { polled <- s.do("getUpdates", args{"timeout": 30}) }()
	s.wait("polling", s.Polling)
	wantOK(t, s.do("setWebhook", args{"url": newHook(t).url}))
	wantRefusal(t, <-polled, 409, "Conflict: terminated by setWebhook request")
}

// TestDelivery: one chat's updates in order, the next only after the previous was taken; other chats do not wait for it.
func TestDelivery(t *testing.T) {
	h := newHook(t)
	s := start(t, tg.Config{})
	s.Say(s.chat, s.user.ID, "queued before")
	wantOK(t, s.do("setWebhook", args{"url": h.url, "secret_token": "s3cret"}))
	other := s.AddUser(tg.User{})
	s.Say(s.chat, s.user.ID, "second")
	d := h.next(t)
	if d.update.Message.Text != "queued before" || d.secret != "s3cret" {
		t.Errorf("first %+v, secret %q", d.update.Message, d.secret)
	}
	s.Say(other.ID, other.ID, "from another chat")
	o := h.next(t)
	if o.update.Message.Text != "from another chat" {
		t.Errorf("while the first is unanswered came %q", o.update.Message.Text)
	}
	o.reply(204)
	d.reply(200)
	if d = h.next(t); d.update.Message.Text != "second" {
		t.Errorf("then came %q", d.update.Message.Text)
	}
	d.reply(200)
	if _, err := s.Inject(json.RawMessage(`{"from_the_future":{}}`)); err != nil {
		t.Fatal(err)
	}
	h.next(t).reply(200)
	s.wait("all delivered", func() bool { return len(s.Pending()) == 0 })
}

// TestDeliveryRetries: again at once, then with doubling waits up to a minute, or as Retry-After says; until it expires.
func TestDeliveryRetries(t *testing.T) {
	clock, timers, h := newClock(), newTimers(), newHook(t)
	s := start(t, tg.Config{Now: clock.Now, After: timers.After})
	wantOK(t, s.do("setWebhook", args{"url": h.url}))
	s.Say(s.chat, s.user.ID, "hi")
	h.next(t).reply(500) // again at once
	for _, want := range []time.Duration{2, 4, 8, 16, 32, 60, 60} {
		h.next(t).reply(500)
		timer := timers.next(t)
		if timer.d != want*time.Second {
			t.Fatalf("waits %v, want %ds", timer.d, want)
		}
		timer.fire <- clock.Now()
	}
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "9999": time.Hour} {
		h.next(t).answer <- hookReply{status: 503, header: http.Header{"Retry-After": {header}}}
		timer := timers.next(t)
		if timer.d != want {
			t.Errorf("Retry-After %s: waits %v", header, timer.d)
		}
		timer.fire <- clock.Now()
	}
	d := h.next(t)
	clock.advance(24 * time.Hour)
	d.reply(500)
	s.wait("given up", func() bool { return len(s.Pending()) == 0 })
	info := decode[struct {
		LastError string `json:"last_error_message"`
		Date      int64  `json:"last_error_date"`
	}](t, s.do("getWebhookInfo", nil).Result)
	if info.LastError != "Wrong response from the webhook: 500 Internal Server Error" || info.Date == 0 {
		t.Errorf("info %+v", info)
	}
}

// TestDeliveryGone: 410 for 23 hours removes the webhook.
func TestDeliveryGone(t *testing.T) {
	clock, timers, h := newClock(), newTimers(), newHook(t)
	s := start(t, tg.Config{Now: clock.Now, After: timers.After})
	wantOK(t, s.do("setWebhook", args{"url": h.url}))
	s.Say(s.chat, s.user.ID, "hi")
	h.next(t).reply(410)
	d := h.next(t)
	clock.advance(23*time.Hour + time.Second)
	d.reply(410)
	s.wait("removed", func() bool { return s.Webhook() == "" })
	if n := len(s.Pending()); n != 1 {
		t.Errorf("%d pending, want the undelivered one", n)
	}
}

// TestDeliveryUnhooked: without the webhook an undelivered update waits for a poll.
func TestDeliveryUnhooked(t *testing.T) {
	h := newHook(t)
	s := start(t, tg.Config{})
	wantOK(t, s.do("setWebhook", args{"url": h.url}))
	s.Say(s.chat, s.user.ID, "hi")
	h.next(t) // stands unanswered
	wantOK(t, s.do("deleteWebhook", nil))
	if got := s.poll(nil); len(got) != 1 || got[0].Message.Text != "hi" {
		t.Errorf("polled %+v", got)
	}
}

// TestDeliveryAnswers: the answer to a delivery may be a method call, though not of every method.
func TestDeliveryAnswers(t *testing.T) {
	h := newHook(t)
	s := start(t, tg.Config{})
	wantOK(t, s.do("setWebhook", args{"url": h.url}))
	for _, body := range []string{
		`{"method":"sendMessage","chat_id":` + itoa(s.chat) + `,"text":"by webhook"}`,
		`{"method":"deleteWebhook"}`, `{"method":"getMe"}`, `{"ok":true}`, `nonsense`,
	} {
		s.Say(s.chat, s.user.ID, "hi")
		h.next(t).answer <- hookReply{status: 200, header: http.Header{"Content-Type": {"application/json"}}, body: body}
	}
	s.wait("all delivered", func() bool { return len(s.Pending()) == 0 && len(s.FromBot(s.chat)) == 1 })
	for _, c := range s.Calls()[1:] {
		if c.Method != "sendMessage" || !c.ByHook || !c.Outcome.Applied {
			t.Errorf("logged %+v", c)
		}
	}
	if s.Webhook() == "" {
		t.Error("an answer deleted the webhook")
	}
}
