package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
	"steady/internal/faketelegram"
)

// polls are the offsets that were asked for, and how long after the start.
func polls(s *faketelegram.Server, start time.Time) (offsets []int64, at []time.Duration) {
	for _, c := range s.CallsTo("getUpdates") {
		offsets = append(offsets, c.Params.Int("offset"))
		at = append(at, c.Time.Sub(start))
	}
	return offsets, at
}

func TestPollConfirmsWhatWasAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, start := newServer(faketelegram.Config{FirstUpdateID: 10}), time.Now()
		defer s.Close()
		s.Say(ada, ada, "one")
		s.Say(ada, ada, "two")
		s.Say(bob, bob, "three")
		failures := 1
		e := &engine{verdict: func(core.Inbound) (core.Receipt, error) {
			if failures--; failures >= 0 {
				return core.Receipt{}, errors.New("disk full")
			}
			return core.Receipt{}, nil
		}}
		stop := run(t, newChannel(t, s, nil), e)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		stop()
		if got := e.texts(); !slices.Equal(got, []string{"one", "two", "three"}) {
			t.Errorf("taken %v", got)
		}
		if offsets, _ := polls(s, start); !slices.Equal(offsets, []int64{0, 0, 13}) {
			t.Errorf("offsets %v: the head, the head again after the failure, then behind the batch", offsets)
		}
		var held []string
		for _, call := range s.CallsTo("getUpdates") {
			held = append(held, call.Params["timeout"])
			if got := call.Params["allowed_updates"]; got != `["message","edited_message","callback_query","my_chat_member"]` {
				t.Errorf("asked for %s", got)
			}
		}
		if !slices.Equal(held, []string{"0", "0", "50"}) {
			t.Errorf("held for %v s: not before a poll was good", held)
		}
		if len(s.Pending()) > 0 {
			t.Errorf("%v are not confirmed", s.Pending())
		}
	})
}

// ErrClosed ends the run and confirms nothing; another process gets the same again.
func TestPollStopsWithTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(faketelegram.Config{})
		defer s.Close()
		s.Say(ada, ada, "keep me")
		closed := &engine{verdict: func(core.Inbound) (core.Receipt, error) { return core.Receipt{}, core.ErrClosed }}
		if err := newChannel(t, s, nil).Run(t.Context(), closed.accept); err != nil {
			t.Errorf("Run: %v", err)
		}
		if len(s.Pending()) != 1 {
			t.Fatal("it was confirmed")
		}
		e := &engine{}
		stop := run(t, newChannel(t, s, nil), e)
		synctest.Wait()
		stop()
		if got := e.texts(); !slices.Equal(got, []string{"keep me"}) {
			t.Errorf("taken %v", got)
		}
	})
}

// After a quiet week the platform begins to count anew, and lower.
func TestPollAcceptsLowerIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e := newServer(faketelegram.Config{FirstUpdateID: 5000}), &engine{}
		defer s.Close()
		stop := run(t, newChannel(t, s, nil), e)
		s.Say(ada, ada, "before")
		synctest.Wait()
		if err := s.RestartIDs(40); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"after", "and on"} {
			s.Say(ada, ada, text)
			time.Sleep(time.Second)
		}
		synctest.Wait()
		stop()
		if got := e.texts(); !slices.Equal(got, []string{"before", "after", "and on"}) || len(s.Pending()) > 0 {
			t.Errorf("taken %v, pending %v", got, s.Pending())
		}
	})
}

// An update that cannot be read is left out and named by its number; what is behind it arrives.
func TestPollQuarantine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, log := newServer(faketelegram.Config{FirstUpdateID: 10}), &engine{}, &logbook{}
		defer s.Close()
		for _, raw := range []string{`{"message":{"message_id":"secret words"}}`, `{"message":{"chat":{"id":1e99}}}`, `{"brain_wave":{"text":"secret words"}}`} {
			if _, err := s.Inject(json.RawMessage(raw)); err != nil {
				t.Fatal(err)
			}
		}
		s.Say(ada, ada, "still here")
		stop := run(t, newChannel(t, s, func(c *Config) { c.Log = log.logger() }), e)
		synctest.Wait()
		stop()
		if got := e.texts(); !slices.Equal(got, []string{"still here"}) || len(s.Pending()) > 0 {
			t.Errorf("taken %v, pending %v", got, s.Pending())
		}
		if text := log.String(); strings.Count(text, "\n") != 2 || !strings.Contains(text, "update=10") || !strings.Contains(text, "update=11") || strings.Contains(text, "secret") {
			t.Errorf("logged:\n%s", text)
		}
	})
}

// What a poll can meet: how long the loop rests, whether the channel is ready meanwhile, and how much is logged.
func TestPollTroubles(t *testing.T) {
	for name, test := range map[string]struct {
		fault faketelegram.Fault
		rests []time.Duration // between the polls
		ready bool            // after the first failure, a good poll being half a minute ago
	}{
		"another poller":      {faketelegram.Refusal{Code: 409, Description: "Conflict: terminated by other getUpdates request"}, []time.Duration{35 * time.Second, 35 * time.Second}, false},
		"a token that is out": {faketelegram.Refusal{Code: 401, Description: "Unauthorized"}, []time.Duration{time.Minute, time.Minute}, false},
		"too many requests":   {faketelegram.TooMany(17), []time.Duration{17 * time.Second, 17 * time.Second}, true},
		"a gateway that fails": {faketelegram.BadGateway{}, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
			16 * time.Second, 30 * time.Second, 30 * time.Second}, true},
		"a connection that breaks": {faketelegram.Drop{}, []time.Duration{time.Second, 2 * time.Second}, true},
		"half an answer":           {faketelegram.Garbage{}, []time.Duration{time.Second, 2 * time.Second}, true},
		"no answer at all":         {faketelegram.Hang{}, []time.Duration{66 * time.Second, 17 * time.Second, 19 * time.Second}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, e, log := newServer(faketelegram.Config{}), &engine{}, &logbook{}
				defer s.Close()
				c := newChannel(t, s, func(c *Config) { c.Log = log.logger() })
				stop := run(t, c, e)
				synctest.Wait()
				time.Sleep(20 * time.Second)
				mend := s.Break(faketelegram.Rule{Method: "getUpdates", Do: test.fault})
				s.Say(ada, ada, "first") // ends the poll that waits; the next one is broken
				synctest.Wait()
				broken := time.Now()
				first := len(s.CallsTo("getUpdates"))
				if _, hangs := test.fault.(faketelegram.Hang); !hangs && (c.Ready() == nil) != test.ready {
					t.Errorf("ready: %v", c.Ready())
				}
				for _, rest := range test.rests {
					time.Sleep(rest)
				}
				synctest.Wait()
				_, at := polls(s, broken)
				var want []time.Duration
				for sum, i := time.Duration(0), 0; i < len(test.rests); i++ {
					sum += test.rests[i]
					want = append(want, sum)
				}
				if got := at[first:]; !slices.Equal(got, want) {
					t.Errorf("polls after %v, want %v", got, want)
				}
				if got := strings.Count(log.String(), "\n"); got != 1 {
					t.Errorf("%d lines are logged, want one:\n%s", got, log)
				}
				mend()
				s.Say(ada, ada, "again")
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				if err := c.Ready(); err != nil || !slices.Equal(e.texts(), []string{"first", "again"}) {
					t.Errorf("afterwards ready: %v, taken %v", err, e.texts())
				}
				stop()
			})
		})
	}
}

// A poll that gets no answer is given up, and the channel says within two minutes that it hears nothing.
func TestDeafness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := newServer(faketelegram.Config{}), &logbook{}
		defer s.Close()
		c := newChannel(t, s, func(c *Config) { c.Log = log.logger() })
		if c.Ready() == nil {
			t.Error("ready before any poll")
		}
		stop := run(t, c, &engine{})
		synctest.Wait()
		if err := c.Ready(); err != nil {
			t.Errorf("not ready at once: %v", err)
		}
		s.Break(faketelegram.Rule{Method: "getUpdates", Do: faketelegram.Hang{}})
		time.Sleep(50*time.Second + time.Millisecond) // the poll that waited ends well, the next one hangs
		synctest.Wait()
		if err := c.Ready(); err != nil {
			t.Errorf("not ready after a good poll: %v", err)
		}
		time.Sleep(deafAfter)
		synctest.Wait()
		if c.Ready() == nil || log.String() == "" {
			t.Error("deaf for two minutes and nobody is told")
		}
		stop()
	})
}

// A machine that starts without a network waits for one.
func TestStartOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e := newServer(faketelegram.Config{}), &engine{}
		defer s.Close()
		var online atomic.Bool
		c := newChannel(t, nil, func(c *Config) {
			c.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if !online.Load() {
					return nil, errors.New("no route to host")
				}
				return wire{s}.RoundTrip(r)
			})}
		})
		s.Say(ada, ada, "are you there?")
		stop := run(t, c, e)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if err := c.Ready(); core.KindOf(err) != core.Unsent {
			t.Errorf("offline, ready: %v", err)
		}
		online.Store(true)
		time.Sleep(longestPause)
		synctest.Wait()
		stop()
		if got := e.texts(); !slices.Equal(got, []string{"are you there?"}) {
			t.Errorf("taken %v", got)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A server that does not hold polls is not asked without end.
func TestPollIdles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		c := newChannel(t, nil, func(c *Config) {
			c.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				n++
				body := `{"ok":true,"result":[]}`
				if strings.HasSuffix(r.URL.Path, "getMe") {
					body = `{"ok":true,"result":{"id":1,"is_bot":true}}`
				}
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body))}, nil
			})}
		})
		stop := run(t, c, &engine{})
		time.Sleep(time.Minute)
		stop()
		if n > 125 {
			t.Errorf("%d requests in a minute", n)
		}
	})
}

// A press is answered as soon as it is safe, with the receipt's word; a stranger's with nothing.
func TestPressesAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(faketelegram.Config{})
		defer s.Close()
		group := s.AddGroup(faketelegram.Chat{Type: faketelegram.Group})
		e := &engine{verdict: func(in core.Inbound) (core.Receipt, error) {
			switch {
			case in.Sender.Account == account(bob):
				return core.Receipt{Kind: core.NotYours}, nil
			case in.Event.(core.Pressed).Token == "ytoken":
				return core.Receipt{Kind: core.Received}, nil
			}
			return core.Receipt{}, nil // seen before
		}}
		stop := run(t, newChannel(t, s, nil), e)
		synctest.Wait()
		for _, test := range []struct {
			chat, user int64
			data       string
			text       string
			alert      bool
			why        string
		}{
			{ada, ada, "ytoken:", "Got it.", false, ""},
			{ada, ada, "seen:", "", false, "a press that came again"},
			{group.ID, bob, "ytoken:", "Only the person who asked can answer this.", true, "a word for Bob alone (pains.md A01)"},
			{group.ID, stranger, "ytoken:", "", false, "the wheel stops, nothing is said"},
			{stranger, stranger, "ytoken:", "", false, ""},
			{ada, ada, "", "", false, "no token"},
		} {
			id := s.Press(test.chat, test.user, 7, test.data)
			synctest.Wait()
			if p, _ := s.PressOf(id); !p.Answered || p.Text != test.text || p.Alert != test.alert {
				t.Errorf("%q by %d in %d: %+v (%s)", test.data, test.user, test.chat, p, test.why)
			}
		}
		stop()
		if got := len(e.taken); got != 3 {
			t.Errorf("%d presses were taken, want those of Ada and Bob: %v", got, e.texts())
		}
	})
}

// An answer that hangs or is refused holds nothing up (pains.md A10).
func TestPressAnswersNeverBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e := newServer(faketelegram.Config{}), &engine{}
		defer s.Close()
		s.Break(faketelegram.Rule{Method: "answerCallbackQuery", Nth: 1, Do: faketelegram.Refusal{Code: 400, Description: "Bad Request: query is too old and response timeout expired or query ID is invalid"}})
		s.Break(faketelegram.Rule{Method: "answerCallbackQuery", Do: faketelegram.Hang{}})
		stop := run(t, newChannel(t, s, nil), e)
		synctest.Wait()
		for range waitingAnswers + 2*answerers {
			s.Press(ada, ada, 7, "token:")
		}
		s.Say(ada, ada, "last")
		start := time.Now()
		time.Sleep(time.Second)
		synctest.Wait()
		if got := e.texts(); len(got) == 0 || got[len(got)-1] != "last" {
			t.Errorf("%d taken after %s", len(got), time.Since(start))
		}
		stop()
	})
}

// Two processes with one token: the platform lets one of them poll, the other waits and says so.
func TestTwoPollers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(faketelegram.Config{})
		defer s.Close()
		a, b, ea, eb := newChannel(t, s, nil), newChannel(t, s, nil), &engine{}, &engine{}
		stopA := run(t, a, ea)
		synctest.Wait()
		stopB := run(t, b, eb)
		synctest.Wait()
		if err := a.Ready(); !conflicts(err) {
			t.Errorf("the first is ready: %v", err)
		}
		stopB()
		s.Say(ada, ada, "hello")
		time.Sleep(conflictPause + time.Second)
		synctest.Wait()
		if err := a.Ready(); err != nil || len(ea.texts()) != 1 {
			t.Errorf("afterwards ready: %v, taken %v", err, ea.texts())
		}
		stopA()
	})
}

func TestRole(t *testing.T) {
	if got := newChannel(t, nil, nil).Role(); got != "telegram/poll/110201543" {
		t.Errorf("role %q", got)
	}
}

// Run ends with its context whatever it is at: asking who it is, polling, or resting.
func TestRunEnds(t *testing.T) {
	for _, after := range []time.Duration{0, time.Second, 20 * time.Second, 80 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(faketelegram.Config{})
			defer s.Close()
			s.Break(faketelegram.Rule{Method: "getMe", Nth: 1, Do: faketelegram.Hang{}})
			s.Break(faketelegram.Rule{Method: "getUpdates", Nth: 1, Do: faketelegram.BadGateway{}})
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			start := time.Now()
			if err := newChannel(t, s, nil).Run(ctx, (&engine{}).accept); err != nil || time.Since(start) != after {
				t.Errorf("ended with %v after %s, want nil after %s", err, time.Since(start), after)
			}
		})
	}
}

// Run returns only after everything that it started.
func TestRunWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(faketelegram.Config{})
		defer s.Close()
		s.Break(faketelegram.Rule{Method: "answerCallbackQuery", Do: faketelegram.Hang{}})
		c := newChannel(t, nil, func(c *Config) {
			c.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				resp, err := wire{s}.RoundTrip(r)
				if strings.HasSuffix(r.URL.Path, "answerCallbackQuery") {
					time.Sleep(time.Second) // a call that takes its time to end
				}
				return resp, err
			})}
		})
		stop := run(t, c, &engine{})
		s.Press(ada, ada, 7, "token:")
		synctest.Wait()
		start := time.Now()
		stop()
		if time.Since(start) != time.Second {
			t.Error("Run returns while a press is being answered")
		}
	})
}

// While it cannot be found out who is let in, nothing is lost.
func TestPollWaitsForTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, paired := newServer(faketelegram.Config{}), &engine{}, newPairings()
		defer s.Close()
		paired.accounts[account(stranger)] = true
		paired.broken.Store(true)
		stop := run(t, newChannel(t, s, func(c *Config) { c.Paired = paired }), e)
		s.Say(stranger, stranger, "it is me")
		time.Sleep(time.Minute)
		paired.broken.Store(false)
		time.Sleep(longestPause)
		synctest.Wait()
		stop()
		if got := e.texts(); !slices.Equal(got, []string{"it is me"}) {
			t.Errorf("taken %v", got)
		}
	})
}
