package faketelegram_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tg "steady/internal/faketelegram"
)

// TestFaults strikes one sendMessage with each fault and looks at both sides: what the bot gets, and what the chat shows.
func TestFaults(t *testing.T) {
	open := make(chan struct{})
	close(open)
	for _, c := range []struct {
		why     string
		fault   tg.Fault
		shown   int    // messages in the chat
		code    int    // 0 for no answer
		answer  string // part of the description or the raw body
		applied bool
	}{
		{"refused before it is looked at", tg.Refusal{Code: 400, Description: "Bad Request: PEER_FLOOD"}, 0, 400, "PEER_FLOOD", false},
		{"moved", tg.Refusal{Code: 400, Description: "Bad Request: moved", MigrateTo: -100}, 0, 400, "moved", false},
		{"throttled", tg.TooMany(7), 0, 429, "Too Many Requests: retry after 7", false},
		{"the request is lost", tg.Drop{}, 0, 0, "", false},
		{"the response is lost", tg.Drop{Applied: true}, 1, 0, "", true},
		{"502 before", tg.BadGateway{}, 0, 502, "<html>", false},
		{"502 after", tg.BadGateway{Applied: true}, 1, 502, "<html>", true},
		{"garbage before", tg.Garbage{}, 0, 200, `{"ok":true,"result":{"message_id":`, false},
		{"garbage after", tg.Garbage{Body: "\x00", Applied: true}, 1, 200, "\x00", true},
		{"held and let go", tg.Hold{Until: open}, 1, 200, "", true},
		{"done, then the answer held and let go", tg.Hold{Until: open, Applied: true}, 1, 200, "", true},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := start(t, tg.Config{})
			s.Break(tg.Rule{Method: "SendMessage", Do: c.fault})
			got, err := s.try(bounded(t), "sendMessage", args{"chat_id": s.chat, "text": "hi"})
			if c.code == 0 && !errors.Is(err, io.EOF) {
				t.Fatalf("error %v, want an end of the connection", err)
			}
			if got.status != c.code || !strings.Contains(got.Description, c.answer) {
				t.Errorf("answered %d %q", got.status, got.Description)
			}
			if n := len(s.FromBot(s.chat)); n != c.shown {
				t.Errorf("%d messages shown, want %d", n, c.shown)
			}
			out := s.Calls()[0].Outcome
			if out.Applied != c.applied || out.Answered != (c.code != 0) || out.Fault != c.fault {
				t.Errorf("logged %+v", out)
			}
			if r, ok := c.fault.(tg.Refusal); ok && (got.Parameters.MigrateTo != r.MigrateTo || got.Parameters.RetryAfter != r.RetryAfter) {
				t.Errorf("parameters %+v", got.Parameters)
			}
		})
	}
}

// TestHang: no answer until the client gives up, or the platform is closed.
func TestHang(t *testing.T) {
	for _, applied := range []bool{false, true} {
		s := start(t, tg.Config{})
		s.Break(tg.Rule{Nth: 1, Do: tg.Hang{Applied: applied}})
		s.Break(tg.Rule{Nth: 2, Do: tg.Hold{Applied: applied}}) // a nil channel never lets go
		ctx, cancel := context.WithCancel(bounded(t))
		ended := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := s.try(ctx, "sendMessage", args{"chat_id": s.chat, "text": "hi"})
				ended <- err
			}()
		}
		want := 0
		if applied {
			want = 2
		}
		s.wait("both calls", func() bool { return len(s.Calls()) == 2 && len(s.FromBot(s.chat)) == want })
		if applied {
			s.Close()
		} else {
			cancel()
		}
		for range 2 {
			if <-ended == nil {
				t.Error("an answer after all")
			}
		}
		cancel()
		if n := len(s.FromBot(s.chat)); n != want {
			t.Errorf("%d messages, want %d", n, want)
		}
	}
}

// TestRules: by method, chat, predicate and number; the first that matches strikes, all count, and they can be taken away.
func TestRules(t *testing.T) {
	s := start(t, tg.Config{})
	no := func(text string) tg.Refusal { return tg.Refusal{Code: 400, Description: text} }
	s.Break(tg.Rule{Method: "sendMessage", Chat: s.grp, Do: no("group")})
	s.Break(tg.Rule{Method: "sendMessage", Nth: 3, Do: no("third send")})
	mend := s.Break(tg.Rule{When: func(p tg.Params) bool { return strings.Contains(p["text"], "secret") }, Do: no("secret")})
	send := func(chat int64, text string) string {
		return s.do("sendMessage", args{"chat_id": chat, "text": text}).Description
	}
	var said []string
	for _, c := range []struct {
		chat int64
		text string
	}{{s.chat, "a"}, {s.grp, "b"}, {s.chat, "c"}, {s.chat, "d"}, {s.chat, "a secret"}} {
		said = append(said, send(c.chat, c.text))
	}
	if want := []string{"", "group", "third send", "", "secret"}; !slices.Equal(said, want) {
		t.Errorf("said %q, want %q", said, want)
	}
	mend()
	if text := send(s.chat, "a secret"); text != "" {
		t.Errorf("after the rule is gone: %q", text)
	}
}

// TestPollFaults: updates whose answer is lost come again; a call that was dropped before confirms nothing.
func TestPollFaults(t *testing.T) {
	clock := newClock()
	s := start(t, tg.Config{Now: clock.Now})
	s.Say(s.chat, s.user.ID, "a")
	s.Say(s.chat, s.user.ID, "b")
	s.Break(tg.Rule{Method: "getUpdates", Nth: 1, Do: tg.Drop{Applied: true}})
	s.Break(tg.Rule{Method: "getUpdates", Nth: 3, Do: tg.Drop{}})
	if _, err := s.try(bounded(t), "getUpdates", nil); err == nil {
		t.Fatal("answered")
	}
	clock.advance(10 * time.Second)
	if got := s.poll(nil); len(got) != 2 {
		t.Errorf("%d updates, want both again", len(got))
	}
	if _, err := s.try(bounded(t), "getUpdates", args{"offset": first + 2}); err == nil {
		t.Fatal("answered")
	}
	if n := len(s.Pending()); n != 2 {
		t.Errorf("%d pending: a request that never arrived confirmed something", n)
	}
}

// TestPhases: the hook stands between the effect and the answer, so that a test can kill the bot right there.
func TestPhases(t *testing.T) {
	type seen struct {
		phase tg.Phase
		shown int
		code  int
	}
	var (
		mu  sync.Mutex
		log []seen
		s   *site
	)
	s = start(t, tg.Config{OnCall: func(c tg.Call, p tg.Phase) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, seen{p, len(s.FromBot(c.Chat)), c.Outcome.Code})
	}})
	s.sent(s.chat, "hi")
	s.wait("the last phase", func() bool { // the answer may be read before the hook that follows it is done
		mu.Lock()
		defer mu.Unlock()
		return len(log) == 3
	})
	want := []seen{{tg.BeforeApply, 0, 0}, {tg.AfterApply, 1, 200}, {tg.AfterAnswer, 1, 200}}
	if !slices.Equal(log, want) {
		t.Errorf("phases %v, want %v", log, want)
	}
	if tg.AfterAnswer.String() != "after-answer" {
		t.Errorf("name %q", tg.AfterAnswer)
	}
}

// TestAnswerIsOutBeforeTheLastPhase: when AfterAnswer stands still, the bot has its answer already.
func TestAnswerIsOutBeforeTheLastPhase(t *testing.T) {
	release := make(chan struct{})
	s := start(t, tg.Config{OnCall: func(c tg.Call, p tg.Phase) {
		if p == tg.AfterAnswer {
			<-release
		}
	}})
	defer close(release)
	wantOK(t, s.do("getMe", nil))
}

// TestClosed: after Close nobody is answered.
func TestClosed(t *testing.T) {
	s := start(t, tg.Config{})
	s.Close()
	s.Close() // twice is harmless
	if _, err := s.try(bounded(t), "getMe", nil); err == nil {
		t.Error("answered after Close")
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("as a handler it must abort, too")
		}
	}()
	s.ServeHTTP(nil, nil)
}
