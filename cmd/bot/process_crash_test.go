package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"steady/core"
	"steady/internal/faketelegram"
	"steady/store"
)

// A death is a place at which the process is killed in the middle of the conversation.
type death struct {
	name string
	// at is a transaction, see deathAt; "" is none.
	at string
	// again is a transaction of the second life.
	again string
	// method, nth and phase are a call of the platform.
	method string
	nth    int
	phase  faketelegram.Phase
	// twice allows that one message, the newest at the moment of death, is there once more: the process could not know, or had
	// not yet made durable, that the platform had taken it.
	twice bool
}

// A play is the conversation with a death or two in it.
type play struct {
	w     *world
	user  int64
	p     *process // the first life
	made  int      // transactions of the first life, when the answer was there
	asked int      // calls of the platform then

	mu     sync.Mutex // guards deaths
	deaths []int      // calls of the platform before each
}

// Whatever the moment at which the process is killed: each answer is there once, the question is settled, and the habit is added
// exactly once. A message may stand there twice only if the process died between the platform taking it and the commit that
// says so.
func TestKilledAnywhereInAConversation(t *testing.T) {
	t.Parallel()
	dry := perform(t, death{at: "never 0"})
	deaths := append(atTransactions(dry.made), aroundCalls(dry.w.tg.Calls()[:dry.asked])...)
	for i := 1; i <= dry.made; i++ { // and once more, soon after the start
		at, again := fmt.Sprint("after ", i), fmt.Sprint("after ", 1+i%3)
		deaths = append(deaths, death{name: at + " and " + again, at: at, again: again, twice: true})
	}
	t.Logf("%d transactions, %d deaths", dry.made, len(deaths))
	for _, d := range deaths {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			perform(t, d)
		})
	}
}

func atTransactions(n int) []death {
	var out []death
	for i := 1; i <= n; i++ {
		for _, when := range []string{"before", "after"} {
			at := fmt.Sprintf("%s %d", when, i)
			out = append(out, death{name: strings.Replace(at, " ", " transaction ", 1), at: at, twice: true})
		}
	}
	return out
}

// aroundCalls are the deaths in the middle of every call: when the platform has it and has done nothing, so that it is done after
// the process died, and when it is done and not answered. What follows the answer is a matter of transactions.
func aroundCalls(calls []faketelegram.Call) []death {
	var out []death
	count := map[string]int{}
	for _, c := range calls {
		if c.Method == "setMyCommands" {
			continue
		}
		count[c.Method]++
		for _, ph := range []faketelegram.Phase{faketelegram.BeforeApply, faketelegram.AfterApply} {
			// For a chat only one call that shows something is under way at a time, and one that edits cannot be there twice.
			out = append(out, death{name: fmt.Sprintf("%s %d %s", c.Method, count[c.Method], ph), method: c.Method, nth: count[c.Method],
				phase: ph, twice: c.Method != "editMessageText"})
		}
	}
	return out
}

// perform plays the conversation and checks what came of it.
func perform(t *testing.T, d death) *play {
	t.Helper()
	w := newWorld(t, options{})
	y := &play{w: w, user: w.user("en")}
	w.converse(y.user)
	w.watch(y.killer(d))
	var env []string
	if d.at != "" {
		env = append(env, deathAt+"="+d.at)
	}
	y.p = w.bot.start(env...)
	w.bot.revive(func() (env []string) {
		y.mu.Lock()
		defer y.mu.Unlock()
		y.deaths = append(y.deaths, len(w.tg.Calls()))
		if len(y.deaths) == 1 && d.again != "" {
			env = append(env, deathAt+"="+d.again)
		}
		return env
	})

	w.say(y.user, request)
	// The person presses what they see. The press may be of a question that is there twice.
	w.press(y.user, w.question(y.user), 0)
	w.visible(y.user, answer2)
	y.made, y.asked = y.p.transactions(), len(w.tg.Calls())
	w.settled(y.user)
	y.check(t, d)
	if n := w.habits(y.user); n != 1 {
		t.Errorf("the habit is there %d times", n)
	}
	if code := w.bot.process().stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	y.history(t)
	return y
}

// transactions counts those that a mortal store has told of.
func (p *process) transactions() int {
	n := 0
	for _, line := range p.output() {
		if strings.HasPrefix(line, transactionMark) {
			n++
		}
	}
	return n
}

// killer kills the process at a call of the platform, once. The call stands still meanwhile.
func (y *play) killer(d death) func(faketelegram.Call, faketelegram.Phase) {
	var seen atomic.Int64
	return func(c faketelegram.Call, ph faketelegram.Phase) {
		if c.Method != d.method || ph != d.phase || seen.Add(1) != int64(d.nth) {
			return
		}
		y.w.bot.process().kill()
	}
}

// check looks at what the chat shows, without what may be there twice: of each message that was the newest at a death, one copy.
func (y *play) check(t *testing.T, d death) {
	t.Helper()
	ms, forgotten := y.w.tg.FromBot(y.user), y.forgotten()
	if len(forgotten) == 0 && d.at != "never 0" {
		t.Log("this moment did not come")
	}
	err := conversed(ms)
	if err == nil {
		return
	}
	if d.twice && y.spare(ms, forgotten) {
		t.Logf("%d messages are there twice", len(ms)-3)
		return
	}
	t.Error(err)
}

// spare tells whether the conversation is left when some copies of forgotten messages are taken away.
func (y *play) spare(ms, forgotten []faketelegram.Message) bool {
	if len(forgotten) == 0 {
		return false
	}
	for i, m := range ms {
		if !strings.HasPrefix(m.Text, opening(forgotten[0].Text)) {
			continue
		}
		rest := slices.Delete(slices.Clone(ms), i, i+1)
		if conversed(rest) == nil || y.spare(rest, forgotten[1:]) {
			return true
		}
	}
	return y.spare(ms, forgotten[1:])
}

// opening is how a text begins, by which a message and its copies are told from others.
func opening(s string) string {
	const enough = 10
	return s[:min(enough, len(s))]
}

// forgotten returns the messages that were the newest at each death, as they stand now. A message can have been it twice.
func (y *play) forgotten() []faketelegram.Message {
	y.mu.Lock()
	defer y.mu.Unlock()
	var ours, out []faketelegram.Message
	for _, m := range y.w.tg.Messages(y.user) {
		if m.From.ID == y.w.tg.Me().ID {
			ours = append(ours, m)
		}
	}
	for _, calls := range y.deaths {
		sent := 0
		for _, c := range y.w.tg.CallsTo("sendMessage") {
			if c.Chat == y.user && c.Outcome.Applied && c.N <= calls {
				sent++
			}
		}
		out = append(out, ours[max(0, sent-1)])
	}
	return out
}

// A growing answer goes on in its own message when the process was killed in the middle of it.
func TestKilledWhileAnAnswerGrows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.on("long story", endless("Once upon a time"))
	p, _ := w.bot.up()
	w.say(user, "long story")
	w.visible(user, "Once upon a time")
	w.ask(user, "/status", "Working on a message") // now the bot knows which message its preview is
	p.kill()
	w.on("long story", saying("Once upon a time there was a habit."))
	w.bot.up()
	w.visible(user, "Once upon a time there was a habit.")
	w.settled(user)
	n := 0
	for _, text := range w.texts(user) {
		if strings.HasPrefix(text, "Once upon") { // the answer to /status may be there twice: it was the newest
			n++
		}
	}
	if n != 1 {
		t.Errorf("the chat shows %q", w.texts(user))
	}
}

// history checks what the data hold of the conversation.
func (y *play) history(t *testing.T) {
	t.Helper()
	got := strings.Join(y.w.history(t, y.user), "\n")
	want := strings.Join([]string{"user: " + request, "call: add_habit", "result: ok", "agent: " + answer1 + answer2}, "\n")
	if got != want {
		t.Errorf("the history is\n%s\nwant\n%s", got, want)
	}
}

// history reads a chat from the data of a stopped bot, without notices.
func (w *world) history(t *testing.T, user int64) []string {
	t.Helper()
	s, err := store.Open(filepath.Join(w.bot.dir, "data", dataFile), store.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	e, err := core.New(core.Options{Store: s, Model: noModel{}})
	if err != nil {
		t.Fatal(err)
	}
	h, err := e.History(context.Background(), core.ChatKey(fmt.Sprintf("telegram:%d", user)), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range h.Entries {
		switch en := r.Entry.(type) {
		case core.Message:
			out = append(out, map[core.Role]string{core.User: "user", core.Agent: "agent"}[en.Role]+": "+en.Text)
		case core.Call:
			out = append(out, "call: "+en.Tool)
		case core.Result:
			status := "not ok"
			if strings.HasPrefix(en.JSON, `{"status":"ok"`) {
				status = "ok"
			}
			out = append(out, "result: "+status)
		}
	}
	return out
}

type noModel struct{}

func (noModel) Reply(context.Context, core.Prompt, func(core.Delta)) (core.Reply, error) {
	return core.Reply{}, errors.New("no model")
}
