package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"steady/internal/fakemodel"
)

// endless is an answer that never ends by itself.
func endless(text string) func(fakemodel.Request) fakemodel.Reply {
	return func(fakemodel.Request) fakemodel.Reply {
		return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say(text), fakemodel.Stall{}}}
	}
}

// asked waits until the model works on a message with some words in it.
func (w *world) asked(words string) {
	w.t.Helper()
	w.untilModel("wait until the model is asked", func() bool { return w.exchange(words) != nil })
}

// exchange is the newest one whose last message of a person contains some words.
func (w *world) exchange(words string) *fakemodel.Exchange {
	all := w.model.Exchanges()
	for i := len(all) - 1; i >= 0; i-- {
		if strings.Contains(all[i].Request.LastUser(), words) {
			return &all[i]
		}
	}
	return nil
}

// stopBound is what a busy machine gets for the 100 ms of architecture, hop 3.
const stopBound = 2 * time.Second

// /stop reaches a running turn at once. What was said so far stays, what waited is dropped, and one line says so.
func TestStopEndsARunningTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.on("long story", endless("Once upon a time"))
	w.bot.up()
	w.say(user, "long story")
	w.visible(user, "Once upon a time")
	w.say(user, "the second message")
	w.say(user, "the third message")
	w.until("wait until the bot has them", func() bool { return len(w.tg.Pending()) == 0 })

	begun := time.Now()
	w.tg.Say(user, user, "/stop")
	w.untilModel("wait until the model is left alone", func() bool { return w.exchange("long story").End == fakemodel.Left })
	took := time.Since(begun)
	t.Logf("the turn ended %s after /stop was sent", took.Round(time.Millisecond))
	if took > stopBound {
		t.Errorf("the turn ended %s after /stop", took)
	}
	w.visible(user, "Stopped. 2 waiting messages were dropped.")
	w.settled(user)
	if got := w.texts(user); !slices.Equal(got, []string{"Once upon a time", "Stopped. 2 waiting messages were dropped."}) {
		t.Errorf("the chat shows %q", got)
	}
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// /stop withdraws an open question; its button does nothing any more.
func TestStopWithdrawsAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.converse(user)
	w.bot.up()
	w.say(user, request)
	q := w.question(user)
	w.tg.Say(user, user, "/stop")
	w.visible(user, "Stopped.")
	w.visible(user, "Withdrawn")
	late := w.tg.Press(user, user, q.ID, q.Buttons[0][0].Data)
	w.until("wait for the answer to the press", func() bool { p, _ := w.tg.PressOf(late); return p.Answered })
	if p, _ := w.tg.PressOf(late); p.Text != "Withdrawn" {
		t.Errorf("the late press is answered %q", p.Text)
	}
	if n := w.habits(user); n != 0 {
		t.Errorf("the habit is there %d times", n)
	}
}

// A /stop that came while the bot was down applies to the turn that the crash interrupted.
func TestStopWhileTheBotIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.on("long story", endless("Once upon a time"))
	p, _ := w.bot.up()
	w.say(user, "long story")
	w.visible(user, "Once upon a time")
	p.kill()
	w.tg.Say(user, user, "/stop")
	w.bot.up()
	w.visible(user, "Stopped.")
	w.settled(user)
	n := 0
	for _, text := range w.texts(user) {
		if strings.HasPrefix(text, "Stopped.") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the chat shows %q", w.texts(user))
	}
}

// A slow chat delays nobody else.
func TestTwoChatsOfWhichOneIsSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	slow, quick := w.user("en"), w.user("en")
	ready := make(chan struct{})
	w.on("take your time", func(fakemodel.Request) fakemodel.Reply {
		return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Wait(ready), fakemodel.Say("At last.")}}
	})
	w.on("be quick", saying("Here."))
	w.bot.up()
	w.say(slow, "take your time")
	w.asked("take your time")
	begun := time.Now()
	w.say(quick, "be quick")
	w.visible(quick, "Here.")
	t.Logf("the quick chat was answered within %s", time.Since(begun).Round(time.Millisecond))
	w.tg.Say(slow, slow, "/habits") // a command overtakes within the slow chat too
	w.visible(slow, "No habits yet.")
	if n := len(w.attempts(slow, "sendMessage", "At last.")); n != 0 {
		t.Error("the slow chat was not slow")
	}
	close(ready)
	w.visible(slow, "At last.")
}

// With every worker busy, presses and /stop still get through.
func TestAPressWithAllWorkersBusy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{more: "workers: 1"})
	asker, busy := w.user("en"), w.user("en")
	w.converse(asker)
	w.on("long story", endless("Once upon a time"))
	w.bot.up()
	w.say(asker, request)
	q := w.question(asker)
	w.ask(asker, "/status", "Waiting for your answer")
	w.say(busy, "long story") // the parked chat holds no worker
	w.asked("long story")
	begun := time.Now()
	press := w.press(asker, q, 0)
	w.visible(asker, "✓ Approved")
	took := time.Since(begun)
	t.Logf("the press was decided and shown within %s", took.Round(time.Millisecond))
	if p, _ := w.tg.PressOf(press); !p.Answered {
		t.Error("the press was not answered")
	}
	if w.exchange("long story").End != fakemodel.Running {
		t.Error("the worker was not busy")
	}
	begun = time.Now()
	w.tg.Say(busy, busy, "/stop")
	w.untilModel("wait until the model is left alone", func() bool { return w.exchange("long story").End == fakemodel.Left })
	if took := time.Since(begun); took > stopBound {
		t.Errorf("/stop took %s", took)
	}
	w.visible(asker, answer2) // the worker is free
	if n := w.habits(asker); n != 1 {
		t.Errorf("the habit is there %d times", n)
	}
}

// Messages of one chat are answered one after the other, in their order, however fast they come.
func TestMessagesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	for i := range 4 {
		w.on(fmt.Sprintf("message number %d", i), saying(fmt.Sprintf("answer number %d", i)))
	}
	w.bot.up()
	var want []string
	for i := range 4 {
		w.say(user, fmt.Sprintf("message number %d", i))
		want = append(want, fmt.Sprintf("answer number %d", i))
	}
	w.visible(user, "answer number 3")
	w.settled(user)
	if got := w.texts(user); !slices.Equal(got, want) {
		t.Errorf("the chat shows %q", got)
	}
}

// A gateway stands between the bot and the platform, and can be closed and opened again at the same address.
type gateway struct {
	to   *url.URL
	addr string

	server *http.Server
	served chan struct{} // closed when server has ended
	life   context.Context
	end    context.CancelFunc
}

func newGateway(t *testing.T, to string) *gateway {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{to: u, addr: "127.0.0.1:0"}
	g.open(t)
	t.Cleanup(func() { g.close(t) })
	return g
}

func (g *gateway) open(t *testing.T) {
	t.Helper()
	ln, err := net.Listen("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	g.addr = ln.Addr().String()
	g.life, g.end = context.WithCancel(context.Background())
	life := g.life
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(g.to) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }}
	server := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		if strings.HasSuffix(r.URL.Path, "/getUpdates") {
			defer context.AfterFunc(life, cancel)()
		}
		proxy.ServeHTTP(rw, r.WithContext(ctx))
	})}
	g.server, g.served = server, make(chan struct{})
	served := g.served
	go func() { // close waits for it
		defer close(served)
		_ = server.Serve(ln)
	}()
}

// close refuses connections from now on. Polls are cut off; calls that are under way get their answer.
func (g *gateway) close(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	g.end()
	if err := g.server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	<-g.served
}

// While the platform cannot be reached nothing is lost: each answer is there once when it is back, the one that has a message
// already in its place.
func TestThePlatformIsAwayForAWhile(t *testing.T) {
	t.Parallel()
	var g *gateway
	w := newWorld(t, options{interval: "10m", apiURL: func(to string) string { g = newGateway(t, to); return "http://" + g.addr }})
	edited, sent := w.user("en"), w.user("en")
	away := make(chan struct{})
	w.on("say it later", func(fakemodel.Request) fakemodel.Reply {
		return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Wait(away), fakemodel.Say("Here it is.")}}
	})
	w.bot.up()
	w.say(sent, "say it later")
	w.asked("say it later")
	trouble{act: func(*world, int64, int64) { g.close(t) }}.play(w, edited)
	close(away)
	w.bot.logs("edit=true kind=unsent") // attempts failed before anything was written
	w.bot.logs("edit=false kind=unsent")
	w.say(edited, "/habits")
	g.open(t)
	w.visible(edited, full)
	w.visible(edited, "No habits yet.")
	w.visible(sent, "Here it is.")
	w.settled(edited)
	w.settled(sent)
	if got := w.texts(edited); len(got) != 2 || got[0] != full {
		t.Errorf("the chat with the edit shows %q", got)
	}
	if n := len(w.attempts(edited, "sendMessage", full)); n != 0 {
		t.Errorf("%d plain sends although the edit succeeded", n)
	}
	if got := w.texts(sent); !slices.Equal(got, []string{"Here it is."}) {
		t.Errorf("the chat with the send shows %q", got)
	}
}

// The model fails: one line says so, and the next message is answered.
func TestTheModelFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.on("first try", func(fakemodel.Request) fakemodel.Reply { return fakemodel.Fail(http.StatusInternalServerError, 0) })
	w.on("half an answer", func(fakemodel.Request) fakemodel.Reply {
		return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say("Half of"), w.shows(user, "Half of"), fakemodel.Cut{}}}
	})
	w.on("second try", saying("Now it works."))
	w.bot.up()
	w.say(user, "first try")
	w.visible(user, "LLM response failed: the model cannot be reached. Nothing was changed. Please send it again in a moment.")
	w.say(user, "half an answer")
	w.visible(user, "LLM response failed: the answer was cut off")
	w.say(user, "second try")
	w.visible(user, "Now it works.")
	w.settled(user)
	if got := w.texts(user); len(got) != 4 || got[1] != "Half of" {
		t.Errorf("the chat shows %q", got)
	}
}
