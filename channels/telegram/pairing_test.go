package telegram

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
	"steady/internal/faketelegram"
)

// arrivalOf is what a person says in a chat.
func arrivalOf(chat, user int64, ev core.Event) arrival {
	return arrival{at: place{chat: chat}, user: user, in: core.Inbound{Event: ev, Received: time.Unix(1796000000, 0), Direct: chat > 0}}
}

func start(user int64, code string) arrival {
	return arrivalOf(user, user, core.Commanded{Name: "start", Args: code})
}

func newTestGate(t *testing.T, c Config) *gate {
	t.Helper()
	c.Log = slog.New(slog.DiscardHandler)
	g, err := newGate(c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func admitted(t *testing.T, g *gate, a arrival) bool {
	t.Helper()
	ok, err := g.admit(t.Context(), &a)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestGate(t *testing.T) {
	said := core.Said{Text: "hi"}
	left := func(chat, user int64) arrival {
		a := arrivalOf(chat, user, core.Left{})
		a.notice = true
		return a
	}
	paired := newPairings()
	paired.accounts[account(bob)] = true
	listed := Config{Allow: []string{"1001"}, Groups: Groups{Allow: []string{"-77"}}, Paired: paired}
	for _, test := range []struct {
		config Config
		a      arrival
		want   bool
		why    string
	}{
		{Config{}, arrivalOf(ada, ada, said), false, "an empty list is nobody"},
		{Config{}, start(ada, ""), false, "no code, no start"},
		{Config{Allow: []string{"*"}}, arrivalOf(stranger, stranger, said), true, "everybody was asked for"},
		{Config{Allow: []string{"*"}}, arrivalOf(-77, ada, said), false, "everybody is not every group"},
		{listed, arrivalOf(ada, ada, said), true, ""},
		{listed, start(ada, ""), true, "a start is a command like others"},
		{listed, arrivalOf(bob, bob, said), true, "paired"},
		{listed, arrivalOf(stranger, stranger, said), false, ""},
		{listed, arrivalOf(-77, ada, said), true, ""},
		{listed, arrivalOf(-77, stranger, said), false, "both the group and the person"},
		{listed, arrivalOf(-78, ada, said), false, ""},
		{listed, left(-77, stranger), true, "whoever threw the bot out, it is out"},
		{listed, left(-78, ada), false, ""},
		{listed, left(ada, ada), true, ""},
		{listed, left(stranger, stranger), false, "there was no chat"},
	} {
		if got := admitted(t, newTestGate(t, test.config), test.a); got != test.want {
			t.Errorf("%+v in %v: admitted %t (%s)", test.a.in.Event, test.a.at, got, test.why)
		}
	}
}

func TestPairing(t *testing.T) {
	paired := newPairings()
	g := newTestGate(t, Config{Paired: paired, PairCode: "K7-Q2"})
	for _, a := range []arrival{
		arrivalOf(ada, ada, core.Said{Text: "K7-Q2"}),
		arrivalOf(ada, ada, core.Commanded{Name: "help", Args: "K7-Q2"}),
		start(ada, ""), start(ada, "K7-Q3"), start(ada, "k7-q2"),
		arrivalOf(-77, ada, core.Commanded{Name: "start", Args: "K7-Q2"}),
	} {
		if admitted(t, g, a) || len(paired.accounts) > 0 {
			t.Errorf("%+v in %v is heard", a.in.Event, a.at)
		}
	}
	a := start(ada, "K7-Q2")
	if ok, err := g.admit(t.Context(), &a); !ok || err != nil || !paired.accounts[account(ada)] {
		t.Fatalf("the code: %t, %v", ok, err)
	}
	if a.in.Event != (core.Commanded{Name: "start"}) {
		t.Errorf("the code goes on as %+v", a.in.Event)
	}
	again := start(ada, "K7-Q2") // the same update after a crash
	if ok, _ := g.admit(t.Context(), &again); !ok || again.in.Event != (core.Commanded{Name: "start"}) {
		t.Errorf("again: %t, %+v", ok, again.in.Event)
	}
	if admitted(t, g, start(bob, "K7-Q2")) {
		t.Error("the code was used twice")
	}
}

func TestPairingIsGuarded(t *testing.T) {
	g := newTestGate(t, Config{Paired: newPairings(), PairCode: "K7-Q2"})
	for range maxWrongCodes {
		admitted(t, g, start(stranger, "guess"))
	}
	late := start(stranger, "K7-Q2")
	late.in.Received = late.in.Received.Add(wrongCodeTime - time.Second)
	if admitted(t, g, late) {
		t.Error("heard after five wrong codes within the hour")
	}
	for id := range int64(maxGuessers) { // strangers in a crowd
		admitted(t, g, start(5000+id, "guess"))
	}
	if admitted(t, g, start(ada, "K7-Q2")) {
		t.Error("heard beside more guessers than are remembered")
	}
	if len(g.wrong) > maxGuessers {
		t.Errorf("%d guessers are remembered", len(g.wrong))
	}
	after := start(stranger, "K7-Q2")
	after.in.Received = after.in.Received.Add(wrongCodeTime)
	if !admitted(t, g, after) {
		t.Error("not heard after the hour")
	}
}

// When it cannot be found out who is paired, nobody is let in and nothing is lost.
func TestGateBroken(t *testing.T) {
	paired := newPairings()
	paired.broken.Store(true)
	g := newTestGate(t, Config{Allow: []string{"1001"}, Paired: paired, PairCode: "K7-Q2"})
	for _, a := range []arrival{arrivalOf(bob, bob, core.Said{Text: "hi"}), start(bob, "K7-Q2"), arrivalOf(-77, ada, core.Said{Text: "hi"})} {
		if ok, err := g.admit(t.Context(), &a); ok || err == nil {
			t.Errorf("%+v: %t, %v", a.in.Event, ok, err)
		}
	}
	if !admitted(t, g, arrivalOf(ada, ada, core.Said{Text: "hi"})) {
		t.Error("a configured person needs no store")
	}
}

// A group keeps being let in under the number that it has as a supergroup (pains.md U09).
func TestGateFollowsMoves(t *testing.T) {
	paired := newPairings()
	g := newTestGate(t, Config{Allow: []string{"1001"}, Groups: Groups{Allow: []string{"-77"}}, Paired: paired})
	move := arrivalOf(-77, bob, core.Moved{})
	move.notice, move.moved = true, -1000000000999
	for range 2 { // both groups tell
		if !admitted(t, g, move) {
			t.Fatal("the move is not let in")
		}
	}
	if !admitted(t, g, arrivalOf(-1000000000999, ada, core.Said{Text: "hi"})) {
		t.Error("the supergroup is not let in")
	}
	foreign := arrivalOf(-78, ada, core.Moved{})
	foreign.notice, foreign.moved = true, -1000000000998
	if admitted(t, g, foreign) || len(paired.accounts) != 1 {
		t.Error("a foreign group came in by moving")
	}
}

// An unknown person gets nothing at all: no answer, no sign of work, no error (pains.md S12).
func TestStrangersMeetSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e, log := newServer(faketelegram.Config{}), &engine{}, &logbook{}
		defer s.Close()
		group := s.AddGroup(faketelegram.Chat{Type: faketelegram.Group})
		stop := run(t, newChannel(t, s, func(c *Config) {
			c.Log, c.Paired, c.PairCode = log.logger(), newPairings(), "K7-Q2"
		}), e)
		synctest.Wait()
		s.Say(stranger, stranger, "hello")
		s.Say(stranger, stranger, "/start")
		s.Say(stranger, stranger, "/start K7-Q3")
		s.Say(group.ID, stranger, "@steady_bot hello")
		s.Block(stranger)
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		for _, call := range s.Calls() {
			if call.Method != "getUpdates" && call.Method != "getMe" {
				t.Errorf("the bot calls %s", call.Method)
			}
		}
		if len(e.taken) > 0 || len(s.Pending()) > 0 || strings.Contains(log.String(), "1003") {
			t.Errorf("taken %v, pending %v, logged %q", e.texts(), s.Pending(), log)
		}
	})
}

func TestPairingOverTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, e := newServer(faketelegram.Config{}), &engine{}
		defer s.Close()
		stop := run(t, newChannel(t, s, func(c *Config) { c.Allow, c.Paired, c.PairCode = nil, newPairings(), "K7-Q2" }), e)
		for _, text := range []string{"hello", "/start K7-Q2", "hello again"} {
			s.Say(ada, ada, text)
		}
		synctest.Wait()
		stop()
		if got := e.texts(); !slices.Equal(got, []string{`command start ""`, "hello again"}) {
			t.Errorf("taken %v", got)
		}
	})
}

func TestNewChecks(t *testing.T) {
	_, err := New(Config{
		Token: "not-a-token", APIURL: "ftp://x", PollTimeout: time.Hour, StreamInterval: -1, Allow: []string{"ada", "-5"},
		Groups: Groups{Allow: []string{"77"}}, PairCode: "x", Commands: []Command{{Name: "Start"}},
	})
	if err == nil {
		t.Fatal("taken")
	}
	for _, want := range []string{"token", "api_url", "poll_timeout", "stream_interval", `"ada"`, `"-5"`, `"77"`, "pair code", `"Start"`, "description"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "not-a-token") {
		t.Errorf("the error shows the token: %v", err)
	}
	var e *core.Error
	if errors.As(err, &e) {
		t.Error("a mistake in the configuration has no kind")
	}
}
