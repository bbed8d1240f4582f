package core_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
)

func TestStopEndsTheTurnAndWhatWaits(t *testing.T) {
	bubble(t, func(w *world) {
		w.model.gates["slow"], w.model.half["slow"] = make(chan struct{}), "half an"
	}, func(w *world) {
		w.say("slow")
		w.say("b")
		w.say("c")
		w.command("stop", "")
		check(t, "history", w.history(), `user: slow
agent (partial): half an
notice: Stopped. 2 waiting messages were dropped.`)
		w.say("and now?")
		if !strings.Contains(w.history(), "agent: echo: and now?") {
			t.Error("the chat is stuck after /stop")
		}
		items := w.model.lastPrompt().Items
		if len(items) != 3 || items[1].(core.Answer).Text != "half an\n\n(interrupted)" {
			t.Errorf("the partial answer is not in the next request: %+v", items)
		}
	})
}

func TestStopWithdrawsTheQuestion(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		token, on, _ := w.platform.button("Do it")
		w.command("stop", "")
		if got := w.platform.transcript(); !strings.Contains(got, "Withdrawn") || strings.Contains(got, "[Do it]") || !strings.Contains(got, "bot: Stopped.") {
			t.Errorf("transcript:\n%s", got)
		}
		if r := w.give(w.inbound("Ann", core.Pressed{Token: token, Message: on}))[0]; r.Kind != core.Decided || r.Outcome != core.Withdrawn {
			t.Errorf("a press after /stop: %+v", r)
		}
		if len(w.notes()) != 0 {
			t.Error("it ran all the same")
		}
	})
}

func TestStopWithNothingRunning(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.command("stop", "")
		check(t, "transcript", w.platform.transcript(), "bot: Nothing is running.")
	})
}

// A tool that has begun an effect may have finished it: /stop cannot know.
func TestStopDuringAnEffect(t *testing.T) {
	bubble(t, func(w *world) {
		w.model.replies["chime"] = []core.Reply{call("chime", `{}`), {Text: "Chimed."}}
		w.bell.gate = make(chan struct{})
	}, func(w *world) {
		w.say("chime")
		w.command("stop", "")
		h := w.history()
		if !strings.Contains(h, `"code":"outcome_unknown"`) || !strings.Contains(h, "notice: Stopped. An action had begun") {
			t.Errorf("history:\n%s", h)
		}
	})
}

// /stop counts for everything before it, also when the process died in between: seed 002 §6.2, architecture hop 3.
func TestStopAfterARestart(t *testing.T) {
	bubble(t, func(w *world) { w.model.gates["slow"] = make(chan struct{}) }, func(w *world) {
		w.say("slow")
		w.say("b")
		if err := w.haltNow(); err != nil {
			t.Log(err)
		}
		w.model.mu.Lock()
		delete(w.model.gates, "slow")
		asked := len(w.model.prompts)
		w.model.mu.Unlock()
		stop := w.inbound("Ann", core.Commanded{Name: "stop"})
		w.startWith(stop)
		synctest.Wait()
		if w.model.asked() > asked+1 || !strings.Contains(w.history(), "notice: Stopped.") {
			t.Errorf("asked %d times more\n%s", w.model.asked()-asked, w.history())
		}
		if strings.Contains(w.history(), "user: b\n") {
			t.Errorf("a message before /stop ran:\n%s", w.history())
		}
	})
}

func TestSlowChatDelaysNobody(t *testing.T) {
	bubble(t, func(w *world) {
		w.model.gates["slow"] = make(chan struct{})
		asks(w)
		w.options = func(o *core.Options) { o.Limits.Workers = 2 }
	}, func(w *world) {
		in := func(chat core.ChatKey, ev core.Event) core.Inbound {
			i := w.inbound("Ann", ev)
			i.Chat = chat
			return i
		}
		w.say("note milk") // parked: holds no slot
		w.give(in("test:a", core.Said{Text: "slow"}))
		w.give(in("test:b", core.Said{Text: "hello"}))
		if !strings.Contains(w.platform.transcript(), "echo: hello") {
			t.Error("a slow chat delayed another one")
		}
		w.give(in("test:c", core.Said{Text: "slow"})) // all workers are busy now
		w.give(in("test:d", core.Said{Text: "waits"}))
		if strings.Contains(w.platform.transcript(), "echo: waits") {
			t.Error("more workers than there are")
		}
		began := time.Now()
		w.press("Ann", "Do it") // the decision is made, and shown, though nobody can go on with the turn
		if got := w.platform.transcript(); !strings.Contains(got, "✓ Approved") || time.Since(began) > 100*time.Millisecond {
			t.Errorf("a press with all workers busy:\n%s", got)
		}
		w.give(in("test:a", core.Commanded{Name: "stop"}))
		if got := w.platform.transcript(); !strings.Contains(got, "echo: waits") || !strings.Contains(got, "bot: Well.") {
			t.Errorf("the free slot was not used:\n%s", got)
		}
	})
}

func TestSameChatKeepsItsOrder(t *testing.T) {
	bubble(t, nil, func(w *world) {
		var ins []core.Inbound
		var want strings.Builder
		for i := range 30 {
			text := string(rune('A'+i%26)) + strings.Repeat("x", i)
			ins = append(ins, w.inbound("Ann", core.Said{Text: text}))
			want.WriteString("user: " + text + "\nagent: echo: " + text + "\n")
		}
		w.give(ins...)
		got := strings.ReplaceAll(w.history(), "notice: This conversation has become long. /new starts a fresh one; your habits stay.\n", "")
		check(t, "history", got, want.String())
	})
}

func TestFullChatIsTold(t *testing.T) {
	bubble(t, func(w *world) { w.model.gates["slow"] = make(chan struct{}) }, func(w *world) {
		w.say("slow")
		for range 31 {
			w.say("more")
		}
		lost := w.inbound("Ann", core.Said{Text: "one too many"})
		if r := w.give(lost)[0]; r.Kind != core.NotTaken || r.Text() == "" {
			t.Errorf("receipt %+v, want NotTaken", r)
		}
		w.give(lost) // delivered again
		if n := strings.Count(w.platform.transcript(), "> one too many"); n != 1 {
			t.Errorf("told %d times which message was not taken, want once:\n%s", n, w.platform.transcript())
		}
	})
}

func TestTooFastIsToldOnce(t *testing.T) {
	bubble(t, func(w *world) { w.options = func(o *core.Options) { o.Limits.SoftHistoryTurns = 1000 } }, func(w *world) {
		for range 70 {
			w.say("hi")
		}
		if n := strings.Count(w.platform.transcript(), "echo: hi"); n != 60 {
			t.Errorf("%d answers, want 60", n)
		}
		if n := strings.Count(w.platform.transcript(), "Slower, please"); n != 1 {
			t.Errorf("told %d times, want once", n)
		}
		time.Sleep(time.Minute)
		w.say("hi")
		if n := strings.Count(w.platform.transcript(), "echo: hi"); n != 61 {
			t.Error("a minute later it is still too fast")
		}
	})
}

func TestLongInputIsCutAndSaid(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.say(strings.Repeat("가", 20_000))
		if !strings.Contains(w.platform.transcript(), "메시지가 20000자라서 앞의 16000자만 읽었어요.") {
			t.Errorf("%.200s", w.platform.transcript())
		}
		ask := w.model.lastPrompt().Items[0].(core.Ask)
		if n := len([]rune(ask.Text)); n != 16_000 {
			t.Errorf("%d characters reached the model", n)
		}
	})
}

func TestMediaWithoutText(t *testing.T) {
	bubble(t, nil, func(w *world) {
		in := w.inbound("Ann", core.Said{})
		in.Media = []core.Media{{Kind: "audio/ogg"}}
		w.give(in)
		check(t, "transcript", w.platform.transcript(), "bot: I cannot read this kind of message. Please write it as text.")
		if w.model.asked() != 0 {
			t.Error("the model was asked")
		}
	})
}

func TestEditOfAWaitingMessage(t *testing.T) {
	bubble(t, nil, func(w *world) {
		gate := make(chan struct{})
		w.model.gates["slow"] = gate
		w.say("slow")
		waiting := w.inbound("Ann", core.Said{Text: "first words"})
		w.give(waiting)
		w.give(w.inbound("Ann", core.Edited{Of: waiting.ID, Text: "better words"}))
		close(gate)
		synctest.Wait()
		w.give(w.inbound("Ann", core.Edited{Of: waiting.ID, Text: "too late"}))
		check(t, "history", w.history(), "user: slow\nagent: echo: slow\nuser: better words\nagent: echo: better words")
	})
}

func TestNewConversationEndsTheTurn(t *testing.T) {
	bubble(t, func(w *world) { w.model.gates["slow"] = make(chan struct{}) }, func(w *world) {
		w.say("hello")
		w.say("slow")
		w.command("new", "")
		w.say("fresh")
		if n := len(w.model.lastPrompt().Items); n != 1 {
			t.Errorf("%d items after /new", n)
		}
		h, err := w.engine.History(t.Context(), "test:1", 0, 100)
		if err != nil || h.Mark == 0 || h.Revision != uint64(len(h.Entries)) {
			t.Errorf("mark %d revision %d entries %d %v: history stays, the revision never falls", h.Mark, h.Revision, len(h.Entries), err)
		}
	})
}

func TestCommands(t *testing.T) {
	bubble(t, nil, func(w *world) {
		for _, c := range []struct{ name, args, want string }{
			{"help", "", "/stop"},
			{"start", "", "Hello! I am Steady"},
			{"tools", "", "Ring the bell"},
			{"status", "", "Nothing is running."},
			{"status", "please", "/status takes nothing after it."},
			{"dance", "", "I do not know /dance."},
		} {
			before := len(w.platform.transcript())
			w.command(c.name, c.args)
			if got := w.platform.transcript()[before:]; !strings.Contains(got, c.want) {
				t.Errorf("/%s %s: %s", c.name, c.args, got)
			}
		}
		if w.model.asked() != 0 {
			t.Error("a command asked the model")
		}
	})
}
