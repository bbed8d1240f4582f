package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
)

// A history of several pages is sent once, in order.
func TestLongHistoryIsSentOnce(t *testing.T) {
	bubble(t, func(w *world) { w.options = func(o *core.Options) { o.Limits.SoftHistoryTurns = 1000 } }, func(w *world) {
		for i := range 110 {
			w.say(fmt.Sprint("message ", i))
			if i%50 == 49 {
				time.Sleep(time.Minute) // nobody writes faster
			}
		}
		seen := map[string]bool{}
		asked := false
		for _, it := range w.model.lastPrompt().Items {
			ask, ok := it.(core.Ask)
			if ok == asked {
				t.Fatalf("speakers do not alternate at %+v", it)
			}
			asked = ok
			if ok && seen[ask.Text] {
				t.Fatalf("%q stands twice", ask.Text)
			}
			seen[ask.Text] = ok
		}
		if n := len(w.model.lastPrompt().Items); n != 219 {
			t.Errorf("%d items, want 109 exchanges and the message", n)
		}
	})
}

func TestStopOfATurnWhoseMessageWasEdited(t *testing.T) {
	bubble(t, nil, func(w *world) {
		gate := make(chan struct{})
		w.model.gates["slow"], w.model.gates["better words"] = gate, make(chan struct{})
		w.say("slow")
		waiting := w.inbound("Ann", core.Said{Text: "first words"})
		w.give(waiting)
		w.give(w.inbound("Ann", core.Edited{Of: waiting.ID, Text: "better words"}))
		close(gate)
		synctest.Wait()
		w.command("stop", "")
		w.say("next")
		if h := w.history(); !strings.Contains(h, "user: better words\nnotice: Stopped.") || !strings.Contains(h, "agent: echo: next") {
			t.Errorf("history:\n%s", h)
		}
	})
}

// Typing goes on while a model runs and an item waits for the platform; pains S13. A loop that never waits would hang here.
func TestTypingWhileTheOutboxWaits(t *testing.T) {
	bubble(t, func(w *world) {
		w.streams, w.platform.interval = true, time.Second
		w.model.gates["slow"] = make(chan struct{})
		w.platform.fault = func(op string, n int, _ core.Body) error {
			return first(n, 1, &core.Error{Kind: core.Throttled, Wait: time.Minute})
		}
	}, func(w *world) {
		w.say("hi")
		w.say("slow")
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if n := w.platform.callCount("typing"); n < 4 || n > 8 {
			t.Errorf("%d typing signs in 20 s, want about one each 4.5 s", n)
		}
		w.command("stop", "")
		n := w.platform.callCount("typing")
		time.Sleep(20 * time.Second)
		if w.platform.callCount("typing") != n {
			t.Error("typing goes on after the end")
		}
	})
}

// However many deliveries hang, a press elsewhere is decided at once.
func TestHangingDeliveriesDelayNoPress(t *testing.T) {
	bubble(t, asks, func(w *world) {
		const chats = 80
		in := func(n int, ev core.Event) core.Inbound {
			i := w.inbound("Ann", ev)
			i.Chat, i.Sender.Account = core.ChatKey(fmt.Sprint("test:chat", n)), core.AccountID(fmt.Sprint("test:ann", n))
			return i
		}
		for n := range chats {
			w.give(in(n, core.Said{Text: "note milk"}))
		}
		hang := make(chan struct{})
		w.platform.mu.Lock()
		w.platform.gate = func(string, int) <-chan struct{} { return hang }
		var tokens []string
		for _, m := range w.platform.shown {
			tokens = append(tokens, m.body.Buttons[0].Token)
		}
		w.platform.mu.Unlock()
		began := time.Now()
		for n, token := range tokens {
			r := w.give(in(n, core.Pressed{Token: token}))[0]
			if s, err := r.Decision(context.Background()); err != nil || s == core.Proposed {
				t.Fatalf("press %d: %v %v", n, s, err)
			}
		}
		if d := time.Since(began); d > time.Second {
			t.Errorf("the presses took %v", d)
		}
		close(hang)
	})
}

// Both lanes count in sequence order for one question: who wrote before they pressed has withdrawn.
func TestMessageBeforeAPressWithdraws(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		time.Sleep(5 * time.Second)
		token, on, _ := w.platform.button("Do it")
		w.give(w.inbound("Ann", core.Said{Text: "no, wait"}), w.inbound("Ann", core.Pressed{Token: token, Message: on}))
		if len(w.notes()) != 0 || !strings.Contains(w.history(), "agent: All right, I have left that undone.") {
			t.Errorf("%v\n%s", w.notes(), w.history())
		}
	})
}

// A slow clock of the platform does not keep a message from withdrawing.
func TestClockSkewDoesNotBlockWithdrawal(t *testing.T) {
	bubble(t, asks, func(w *world) {
		in := func(text string) core.Inbound {
			i := w.inbound("Ann", core.Said{Text: text})
			i.Sent = i.Sent.Add(-30 * time.Second)
			return i
		}
		w.give(in("note milk"))
		time.Sleep(5 * time.Second)
		w.give(in("never mind"))
		if !strings.Contains(w.history(), "agent: echo: never mind") {
			t.Errorf("history:\n%s", w.history())
		}
	})
}

func TestChatThatIsGoneGetsNothing(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		asked, sent := w.model.asked(), w.platform.callCount("send")
		w.give(w.inbound("Ann", core.Left{}))
		time.Sleep(time.Hour)
		synctest.Wait()
		if w.platform.callCount("send") != sent || !strings.Contains(w.history(), `"status":"cancelled"`) {
			t.Errorf("%d sends, asked %d times\n%s", w.platform.callCount("send")-sent, w.model.asked()-asked, w.history())
		}
		w.give(w.inbound("Ann", core.Returned{}))
		time.Sleep(time.Hour)
		if w.platform.callCount("send") != sent {
			t.Error("what was for then came now")
		}
		w.say("hello")
		if !strings.Contains(w.platform.transcript(), "echo: hello") {
			t.Error("the chat is stuck")
		}
	})
}

func TestUndeliveredIsToldWhenSomethingCanBe(t *testing.T) {
	bubble(t, func(w *world) {
		w.platform.fault = func(_ string, n int, _ core.Body) error { return first(n, 1, &core.Error{Kind: core.Refused}) }
	}, func(w *world) {
		w.say("one")
		w.model.errs["two"] = []error{&core.Error{Kind: core.Transient}}
		w.say("two")
		w.say("three")
		if n := strings.Count(w.platform.transcript(), "An earlier message could not be delivered"); n != 1 {
			t.Errorf("told %d times:\n%s", n, w.platform.transcript())
		}
	})
}

func TestNewTakesNoArguments(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.say("hello")
		w.command("new", "habit please")
		w.say("again")
		if n := len(w.model.lastPrompt().Items); n != 3 || !strings.Contains(w.platform.transcript(), "/new takes nothing after it.") {
			t.Errorf("%d items\n%s", n, w.platform.transcript())
		}
	})
}

func TestStopKeepsReports(t *testing.T) {
	bubble(t, func(w *world) { w.model.gates["slow"] = make(chan struct{}) }, func(w *world) {
		w.say("slow")
		w.give(w.inbound("Ann", core.Reported{Work: "export", Text: "Your export is ready."}))
		w.command("stop", "")
		if got := w.platform.transcript(); !strings.Contains(got, "Your export is ready.") || strings.Contains(got, "dropped") {
			t.Errorf("transcript:\n%s", got)
		}
	})
}

// A question that still waits for the platform when it is withdrawn is never shown.
func TestWithdrawnQuestionIsNotShownLater(t *testing.T) {
	bubble(t, func(w *world) {
		asks(w)
		w.platform.fault = func(_ string, n int, _ core.Body) error {
			return first(n, 1, &core.Error{Kind: core.Throttled, Wait: 30 * time.Second})
		}
	}, func(w *world) {
		w.say("note milk")
		time.Sleep(5 * time.Second)
		w.command("stop", "")
		time.Sleep(time.Minute)
		synctest.Wait()
		check(t, "transcript", w.platform.transcript(), "bot: Stopped.")
	})
}

func TestChatThatMovesForEver(t *testing.T) {
	bubble(t, func(w *world) {
		w.platform.fault = func(string, int, core.Body) error {
			return &core.Error{Kind: core.Relocated, Chat: "test:elsewhere", Context: "x"}
		}
	}, func(w *world) {
		w.say("hi")
		time.Sleep(time.Hour)
		if n := w.platform.callCount("send"); n > 10 {
			t.Errorf("%d sends", n)
		}
	})
}

// What runs is what was shown: a call whose resolved arguments have changed meanwhile does not run, and its question says so.
func TestChangedSinceItWasShown(t *testing.T) {
	version := 1
	ran := false
	bubble(t, func(w *world) {
		w.model.replies["set"] = []core.Reply{call("set", `{}`), {Text: "Hm."}}
		w.options = func(o *core.Options) {
			o.Tools = append(o.Tools, core.Tool{Name: "set", Schema: json.RawMessage(`{"type":"object"}`),
				Precheck: func(context.Context, *core.Documents, core.Origin, json.RawMessage) (json.RawMessage, error) {
					return json.RawMessage(fmt.Sprintf(`{"was":%d}`, version)), nil
				},
				Apply: func(context.Context, *core.Documents, core.Origin, json.RawMessage) (any, error) {
					ran = true
					return nil, nil
				}})
		}
	}, func(w *world) {
		w.say("set")
		version = 2
		w.press("Ann", "Do it")
		if ran || !strings.Contains(w.history(), `"code":"changed"`) || !strings.Contains(w.platform.transcript(), "could not be done") {
			t.Errorf("ran %v\n%s%s", ran, w.history(), w.platform.transcript())
		}
	})
}

// Doubt about an effect is said however the turn ends, and never with word that nothing was changed.
func TestDoubtIsSaidWhateverEndsTheTurn(t *testing.T) {
	for name, end := range map[string]func(*world){
		"/new":     func(w *world) { w.command("new", "") },
		"/stop":    func(w *world) { w.command("stop", "") },
		"too long": func(w *world) { time.Sleep(6 * time.Minute); synctest.Wait() },
	} {
		bubble(t, func(w *world) {
			w.model.replies["chime"] = []core.Reply{call("chime", `{}`), {Text: "Chimed."}}
			w.bell.gate = make(chan struct{})
			w.options = func(o *core.Options) { o.Limits.ToolTimeout = time.Hour }
		}, func(w *world) {
			w.say("chime")
			end(w)
			if got := w.platform.transcript(); !strings.Contains(got, "I do not know whether it was done") || strings.Contains(got, "Nothing was changed") {
				t.Errorf("%s:\n%s", name, got)
			}
		})
	}
}

// A delivery that arrived while the process was ending is not sent again.
func TestDeliveryAtTheEndOfTheGraceIsRecorded(t *testing.T) {
	slow := make(chan struct{})
	bubble(t, func(w *world) {
		slow = make(chan struct{})
		w.platform.dedupes = false
		w.options = func(o *core.Options) { o.Limits.ShutdownGrace = time.Second }
		w.platform.gate = func(op string, n int) <-chan struct{} {
			if op == "send" && n == 1 {
				return slow
			}
			return nil
		}
	}, func(w *world) {
		w.say("hi")
		w.stop()
		close(slow)
		if err := <-w.done; err != nil {
			t.Error(err)
		}
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
		w.start()
		time.Sleep(time.Hour)
		check(t, "transcript", w.platform.transcript(), "bot: echo: hi")
	})
}

// The process dies between the platform showing a question and the commit that says so, and the person presses: the question is
// settled where it stands, and not shown again.
func TestPressOnAQuestionWhoseIdWasLost(t *testing.T) {
	bubble(t, func(w *world) {
		asks(w)
		w.platform.dedupes = false
		w.platform.after = func(_ string, n int, b core.Body) error {
			if len(b.Buttons) > 0 {
				w.store.Close() // nothing is durable any more
			}
			return nil
		}
	}, func(w *world) {
		w.say("note milk")
		_ = w.haltNow()
		w.platform.mu.Lock()
		w.platform.after = nil
		w.platform.mu.Unlock()
		token, on, _ := w.platform.button("Do it")
		time.Sleep(time.Second)
		press := w.inbound("Ann", core.Pressed{Token: token, Message: on})
		w.startWith(press)
		synctest.Wait()
		if got := w.platform.transcript(); strings.Count(got, "Shall I do this?") != 1 || !strings.Contains(got, "✓ Approved") || len(w.notes()) != 1 {
			t.Errorf("%v\n%s", w.notes(), got)
		}
	})
}
