package core_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
)

// streaming makes the platform one that shows previews, and holds the answer to "hi" back until its gate is closed.
func streaming(gate chan struct{}) func(*world) {
	return func(w *world) {
		w.streams, w.platform.interval = true, time.Second
		w.model.replies["hi"] = []core.Reply{{Text: "half whole"}}
		w.model.half["hi"] = "half "
		w.model.gates["hi"] = gate
	}
}

// Seed 002 §5: the answer is an edit of the turn's own message. Pains S01, S02: no second copy, no delete.
func TestAnswerIsEditedIntoThePreview(t *testing.T) {
	gate := make(chan struct{})
	bubble(t, func(w *world) {
		gate = make(chan struct{})
		streaming(gate)(w)
	}, func(w *world) {
		w.say("hi")
		check(t, "preview", w.platform.transcript(), "bot: half")
		close(gate)
		synctest.Wait()
		check(t, "transcript", w.platform.transcript(), "bot: half whole")
		check(t, "calls", strings.Join(w.platform.calls, " "), "send edit")
		d, err := w.engine.AwaitDelivery(context.Background(), "test:1", 1)
		if err != nil || d.Outcome != core.Delivered || d.Message != "m1" {
			t.Errorf("delivery %+v %v", d, err)
		}
	})
}

// Seed 002 §5.3, and each row of the delivery table as a person sees it. The first send is the preview, the first edit the answer.
func TestDeliveryOfTheAnswer(t *testing.T) {
	kind := func(k core.Kind) error { return &core.Error{Kind: k, Wait: 30 * time.Second} }
	for _, c := range []struct {
		why     string
		edit    func(nth int) error // before an edit takes effect
		lost    func(nth int) error // after it did
		send    func(nth int) error
		after   time.Duration // until everything is settled
		want    string
		calls   string
		outcome core.DeliveryOutcome
	}{
		{why: "the final edit is refused: exactly one plain message, the stale preview goes",
			edit: func(int) error { return kind(core.Refused) }, want: "bot: half whole", calls: "send edit send delete", outcome: core.FellBack},
		{why: "it fails for a moment, then works: no plain message",
			edit: func(n int) error { return first(n, 2, kind(core.Uncertain)) }, after: 5 * time.Second, want: "bot: half whole", calls: "send edit edit edit", outcome: core.Delivered},
		{why: "the answer to the edit is lost: the same edit again",
			lost: func(n int) error { return first(n, 1, kind(core.Uncertain)) }, after: 5 * time.Second, want: "bot: half whole", calls: "send edit edit", outcome: core.Delivered},
		{why: "throttled: the same edit after the wait",
			edit: func(n int) error { return first(n, 1, kind(core.Throttled)) }, after: 31 * time.Second, want: "bot: half whole", calls: "send edit edit", outcome: core.Delivered},
		{why: "nothing was written: again",
			edit: func(n int) error { return first(n, 3, kind(core.Unsent)) }, after: 10 * time.Second, want: "bot: half whole", calls: "send edit edit edit edit", outcome: core.Delivered},
		{why: "markup: the same without it",
			edit: func(n int) error { return first(n, 1, kind(core.Markup)) }, want: "bot: half whole", calls: "send edit edit", outcome: core.Delivered},
		{why: "blocked: dropped", edit: func(int) error { return kind(core.Gone) }, want: "bot: half", calls: "send edit", outcome: core.ChatGone},
		{why: "the preview was refused: the answer is a plain send",
			send: func(n int) error { return first(n, 1, kind(core.Refused)) }, want: "bot: half whole", calls: "send send", outcome: core.Delivered},
		{why: "edit and fallback are refused: dropped",
			edit: func(int) error { return kind(core.Refused) }, send: func(n int) error { return after(n, 1, kind(core.Refused)) }, want: "bot: half", calls: "send edit send", outcome: core.NotShown},
	} {
		var gate chan struct{}
		bubble(t, func(w *world) {
			gate = make(chan struct{})
			streaming(gate)(w)
			w.platform.fault = func(op string, nth int, b core.Body) error {
				if f := map[string]func(int) error{"edit": c.edit, "send": c.send}[op]; f != nil {
					return f(nth)
				}
				return nil
			}
			w.platform.after = func(op string, nth int, b core.Body) error {
				if op == "edit" && c.lost != nil {
					return c.lost(nth)
				}
				return nil
			}
		}, func(w *world) {
			w.say("hi")
			close(gate)
			synctest.Wait()
			time.Sleep(c.after)
			synctest.Wait()
			check(t, c.why, w.platform.transcript(), c.want)
			check(t, c.why, strings.Join(w.platform.calls, " "), c.calls)
			d, err := w.engine.AwaitDelivery(context.Background(), "test:1", 1)
			if err != nil || d.Outcome != c.outcome {
				t.Errorf("%s: delivery %+v %v, want outcome %d", c.why, d, err, c.outcome)
			}
		})
	}
}

func first(nth, n int, err error) error {
	if nth <= n {
		return err
	}
	return nil
}

func after(nth, n int, err error) error {
	if nth > n {
		return err
	}
	return nil
}

// Where a platform cannot tell a repeated send, it is tried three times at most.
func TestUncertainSendWithoutDedupe(t *testing.T) {
	bubble(t, func(w *world) {
		w.platform.dedupes = false
		w.platform.after = func(string, int, core.Body) error { return &core.Error{Kind: core.Uncertain} }
	}, func(w *world) {
		w.say("hi")
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := w.platform.callCount("send"); n != 3 {
			t.Errorf("%d sends, want 3", n)
		}
	})
}

// Where it can, it is tried until it is known, and shown once.
func TestUncertainSendWithDedupe(t *testing.T) {
	bubble(t, func(w *world) {
		w.platform.after = func(_ string, n int, _ core.Body) error { return first(n, 6, &core.Error{Kind: core.Uncertain}) }
	}, func(w *world) {
		w.say("hi")
		time.Sleep(time.Hour)
		synctest.Wait()
		check(t, "transcript", w.platform.transcript(), "bot: echo: hi")
	})
}

func TestChatThatMoved(t *testing.T) {
	bubble(t, func(w *world) {
		w.platform.fault = func(op string, n int, b core.Body) error {
			return first(n, 1, &core.Error{Kind: core.Relocated, Chat: "test:new", Context: "new ctx"})
		}
	}, func(w *world) {
		w.say("hi")
		check(t, "transcript", w.platform.transcript(), "bot: echo: hi")
		in := w.inbound("Ann", core.Said{Text: "from there"})
		in.Chat = "test:new"
		w.give(in)
		if !strings.Contains(w.history(), "user: from there") {
			t.Errorf("the new address is another chat:\n%s", w.history())
		}
	})
}

func TestUnreachableChatRestsUntilItReturns(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.platform.fault = func(string, int, core.Body) error { return &core.Error{Kind: core.Gone} }
		w.say("hi")
		n := w.platform.callCount("send")
		time.Sleep(24 * time.Hour)
		if got := w.platform.callCount("send"); got != n {
			t.Errorf("%d sends to a chat that is gone", got-n)
		}
		w.platform.mu.Lock()
		w.platform.fault = nil
		w.platform.mu.Unlock()
		w.say("back")
		check(t, "transcript", w.platform.transcript(), "bot: echo: back")
	})
}

// What could not be shown is said in the next turn.
func TestRefusedAnswerIsMentionedNextTime(t *testing.T) {
	bubble(t, func(w *world) {
		w.platform.fault = func(_ string, n int, _ core.Body) error { return first(n, 1, &core.Error{Kind: core.Refused}) }
	}, func(w *world) {
		w.say("one")
		w.say("two")
		check(t, "transcript", w.platform.transcript(), "bot: An earlier message could not be delivered: > echo: one\nbot: echo: two")
	})
}

// The preview is still on its way when the answer is there: one message all the same.
func TestAnswerWaitsForThePreviewOnItsWay(t *testing.T) {
	var gate, slow chan struct{}
	bubble(t, func(w *world) {
		gate, slow = make(chan struct{}), make(chan struct{})
		streaming(gate)(w)
		w.platform.gate = func(op string, nth int) <-chan struct{} {
			if op == "send" && nth == 1 {
				return slow
			}
			return nil
		}
	}, func(w *world) {
		w.say("hi")
		close(gate)
		synctest.Wait()
		if !strings.Contains(w.history(), "agent: half whole") {
			t.Error("the commit waited for a slow platform")
		}
		close(slow)
		synctest.Wait()
		check(t, "transcript", w.platform.transcript(), "bot: half whole")
		check(t, "calls", strings.Join(w.platform.calls, " "), "send edit")
	})
}

// Text before a question is frozen, the question is its own message, text after it starts a new one. Pains A21.
func TestQuestionIsItsOwnMessage(t *testing.T) {
	bubble(t, func(w *world) {
		w.streams, w.platform.interval = true, time.Second
		r := call("add_note", `{"text":"milk"}`)
		r.Text = "Let me note that."
		w.model.replies["note milk"] = []core.Reply{r, {Text: "Noted."}}
	}, func(w *world) {
		w.say("note milk")
		w.press("Ann", "Do it")
		lines := strings.Split(strings.TrimSpace(w.platform.transcript()), "\n")
		if len(lines) != 3 || lines[0] != "bot: Let me note that." || !strings.Contains(lines[1], "✓ Approved") || lines[2] != "bot: Noted." {
			t.Errorf("transcript:\n%s", strings.Join(lines, "\n"))
		}
	})
}

// No preview goes out more often than the interval, whatever the model does; S16.
func TestPreviewsKeepTheirInterval(t *testing.T) {
	bubble(t, func(w *world) {
		w.streams, w.platform.interval = true, time.Second
		w.options = func(o *core.Options) { o.Model = drip{} }
	}, func(w *world) {
		w.say("hi")
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if n := w.platform.callCount("edit"); n < 9 || n > 12 {
			t.Errorf("%d edits in ten seconds, want about ten", n)
		}
		check(t, "transcript", w.platform.transcript(), "bot: "+strings.TrimSpace(strings.Repeat("drop ", 200)))
	})
}

// drip is a model that says a word each 50 ms.
type drip struct{}

func (drip) Reply(ctx context.Context, p core.Prompt, sink func(core.Delta)) (core.Reply, error) {
	var b strings.Builder
	for range 200 {
		time.Sleep(50 * time.Millisecond)
		b.WriteString("drop ")
		sink(core.Delta{Text: "drop "})
	}
	return core.Reply{Text: b.String()}, nil
}

// Cancelled and failed turns get their partial text and one notice, never the text twice (seed 002 §5.2).
func TestStoppedTurnKeepsItsPartialText(t *testing.T) {
	bubble(t, func(w *world) { streaming(make(chan struct{}))(w) }, func(w *world) {
		w.say("hi")
		w.command("stop", "")
		check(t, "transcript", w.platform.transcript(), "bot: half\nbot: Stopped.")
	})
}

// A message that is full is not edited again and again while the rest of the answer grows; the rest follows as sends. Pains S05.
func TestLongAnswerContinuesInSends(t *testing.T) {
	bubble(t, func(w *world) {
		w.streams, w.platform.interval, w.platform.limit = true, time.Second, 200
		w.options = func(o *core.Options) { o.Model = drip{} }
	}, func(w *world) {
		w.say("hi")
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if n := w.platform.callCount("edit"); n > 5 {
			t.Errorf("%d edits, although the message was full after two seconds", n)
		}
		var parts []string
		for _, line := range strings.Split(strings.TrimSpace(w.platform.transcript()), "\n") {
			parts = append(parts, strings.TrimPrefix(line, "bot: "))
		}
		if got, want := strings.Join(parts, " "), strings.TrimSpace(strings.Repeat("drop ", 200)); got != want || len(parts) != 5 {
			t.Errorf("%d messages: %q", len(parts), got)
		}
	})
}
