package faketelegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	tg "steady/internal/faketelegram"
)

// site is a running platform with one user, their private chat, a group and a forum.
type site struct {
	*tg.Server
	t            *testing.T
	url          string
	user         tg.User
	chat         int64 // the private chat
	grp          int64
	forum, topic int64
}

func start(t *testing.T, c tg.Config) *site {
	t.Helper()
	s := tg.New(c)
	url := s.Start()
	t.Cleanup(s.Close)
	u := s.AddUser(tg.User{FirstName: "Mina", Username: "mina", LanguageCode: "ko"})
	st := &site{Server: s, t: t, url: url, user: u, chat: s.Open(u.ID).ID}
	st.grp = s.AddGroup(tg.Chat{Type: tg.Group, Title: "Runners"}).ID
	st.forum = s.AddGroup(tg.Chat{Type: tg.Supergroup, Title: "Forum", IsForum: true}).ID
	st.topic = s.AddTopic(st.forum)
	return st
}

// answer is what the platform said to a call.
type answer struct {
	OK          bool            `json:"ok"`
	Result      json.RawMessage `json:"result"`
	Code        int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	} `json:"parameters"`

	status int
	header http.Header
}

// args are a call's parameters in a test.
type args map[string]any

// do makes a call with a JSON body and fails the test when there is no answer.
func (s *site) do(method string, a args) answer {
	s.t.Helper()
	got, err := s.try(bounded(s.t), method, a)
	if err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
	return got
}

// try is do for calls that may get no answer.
func (s *site) try(ctx context.Context, method string, a args) (answer, error) {
	if a == nil {
		a = args{}
	}
	body, err := json.Marshal(a)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.post(ctx, method, "application/json", body)
}

func (s *site) post(ctx context.Context, method, mime string, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/bot"+s.Token()+"/"+method, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", mime)
	return fetch(req)
}

func fetch(req *http.Request) (answer, error) {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	got := answer{status: resp.StatusCode, header: resp.Header}
	if err := json.Unmarshal(data, &got); err != nil {
		got.Description = string(data) // not JSON: for tests of broken answers
	}
	return got, nil
}

// wait waits for a condition on the platform and fails the test after a while.
func (s *site) wait(what string, ok func() bool) {
	s.t.Helper()
	if err := s.WaitFor(bounded(s.t), ok); err != nil {
		s.t.Fatalf("%s: %v", what, err)
	}
}

// sent is the id of a message that the bot sends now.
func (s *site) sent(chat int64, text string) int64 {
	s.t.Helper()
	got := s.do("sendMessage", args{"chat_id": chat, "text": text})
	return decode[struct {
		ID int64 `json:"message_id"`
	}](s.t, got.Result).ID
}

// decode reads a JSON result.
func decode[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return v
}

// bounded is a context for one wait of a test.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// clock is a time that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// timers hands the timers of the platform to a test, which lets them fire.
type timers struct{ asked chan timer }

type timer struct {
	d    time.Duration
	fire chan time.Time
}

func newTimers() *timers { return &timers{asked: make(chan timer, 1000)} }

func (ts *timers) After(d time.Duration) <-chan time.Time {
	t := timer{d, make(chan time.Time, 1)}
	ts.asked <- t
	return t.fire
}

// next is the next timer that was asked for.
func (ts *timers) next(t *testing.T) timer {
	t.Helper()
	select {
	case got := <-ts.asked:
		return got
	case <-bounded(t).Done():
		t.Fatal("no timer was asked for")
		return timer{}
	}
}

// wantRefusal checks a refusal's code and text.
func wantRefusal(t *testing.T, got answer, code int, description string) {
	t.Helper()
	if got.OK || got.Code != code || got.status != code || got.Description != description {
		t.Errorf("got %d (HTTP %d) %q, want %d %q", got.Code, got.status, got.Description, code, description)
	}
	if mime := got.header.Get("Content-Type"); mime != "application/json" {
		t.Errorf("Content-Type %q", mime)
	}
}

func wantOK(t *testing.T, got answer) {
	t.Helper()
	if !got.OK || got.status != http.StatusOK {
		t.Errorf("refused: %d %q", got.Code, got.Description)
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }
