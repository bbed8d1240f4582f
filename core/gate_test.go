package core_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
)

// asks scripts the usual question.
func asks(w *world) {
	w.model.replies["note milk"] = []core.Reply{call("add_note", `{"text":"milk"}`), {Text: "Well."}}
}

func TestPresses(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		if r := w.press("Bob", "Do it"); r.Kind != core.NotYours || r.Text() == "" {
			t.Errorf("another person: %+v", r)
		}
		if len(w.notes()) != 0 || !strings.Contains(w.platform.transcript(), "[Do it]") {
			t.Error("another person's press changed something")
		}
		token, on, _ := w.platform.button("Do it")
		rs := w.give(w.inbound("Ann", core.Pressed{Token: token, Message: on}), w.inbound("Ann", core.Pressed{Token: "d" + token[1:], Message: on}))
		if len(w.notes()) != 1 {
			t.Error("the first of two presses must win")
		}
		for i, r := range rs {
			if s, err := r.Decision(t.Context()); err != nil || s != core.Done && s != core.Approved {
				t.Errorf("press %d: decision %v %v", i, s, err)
			}
		}
		if r := w.give(w.inbound("Ann", core.Pressed{Token: token, Message: on}))[0]; r.Kind != core.Decided || r.Outcome != core.Done {
			t.Errorf("a late press: %+v, want the recorded outcome", r)
		}
		if r := w.give(w.inbound("Ann", core.Pressed{Token: "aforged"}))[0]; r.Kind != core.Unknown {
			t.Errorf("a forged press: %+v", r)
		}
		if len(w.notes()) != 1 {
			t.Error("the note was added twice")
		}
	})
}

func TestApproverMayAnswer(t *testing.T) {
	bubble(t, func(w *world) {
		asks(w)
		w.options = func(o *core.Options) { o.Limits.Approvers = []core.AccountID{"test:Bob"} }
	}, func(w *world) {
		w.say("note milk")
		w.press("Bob", "Do it")
		if len(w.notes()) != 1 {
			t.Error("an approver's press did nothing")
		}
	})
}

func TestQuestionExpires(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		token, on, _ := w.platform.button("Do it")
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		if got := w.platform.transcript(); !strings.Contains(got, "Expired without an answer") || strings.Contains(got, "[Do it]") {
			t.Errorf("transcript:\n%s", got)
		}
		if !strings.Contains(w.history(), `result: {"status":"cancelled","reason":"user did not confirm"}`+"\nagent: Well.") {
			t.Errorf("history:\n%s", w.history())
		}
		if r := w.give(w.inbound("Ann", core.Pressed{Token: token, Message: on}))[0]; r.Kind != core.Expired {
			t.Errorf("press after the expiry: %+v", r)
		}
		if len(w.notes()) != 0 {
			t.Error("an expired question ran")
		}
	})
}

func TestMessageOfTheRequesterWithdraws(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		time.Sleep(5 * time.Second)
		w.say("ok")
		if len(w.notes()) != 0 {
			t.Error("free text approved")
		}
		check(t, "history", w.history(), `user: note milk
call 1: add_note {"text":"milk"}
result: {"status":"cancelled","reason":"user did not confirm"}
agent: All right, I have left that undone.
user: ok
agent: echo: ok`)
		if !strings.Contains(w.platform.transcript(), "Withdrawn") {
			t.Errorf("transcript:\n%s", w.platform.transcript())
		}
	})
}

func TestCommandsDoNotWithdraw(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		w.command("status", "")
		if got := w.platform.transcript(); !strings.Contains(got, "Waiting for your answer: Notes") {
			t.Errorf("transcript:\n%s", got)
		}
		w.press("Ann", "Do it")
		if len(w.notes()) != 1 {
			t.Error("a command withdrew the question")
		}
	})
}

func TestApproveAndDenyByID(t *testing.T) {
	for _, c := range []struct {
		command, who string
		notes        int
		state        string
	}{
		{"approve", "Ann", 1, "✓ Approved"},
		{"deny", "Ann", 0, "✗ Cancelled"},
		{"approve", "Bob", 0, "Only the person who asked"},
	} {
		bubble(t, asks, func(w *world) {
			w.say("note milk")
			token, _, _ := w.platform.button("Do it")
			w.give(w.inbound(c.who, core.Commanded{Name: c.command, Args: " " + strings.ToUpper(token[1:7]) + " "}))
			if len(w.notes()) != c.notes || !strings.Contains(w.platform.transcript(), c.state) {
				t.Errorf("/%s by %s: %d notes\n%s", c.command, c.who, len(w.notes()), w.platform.transcript())
			}
		})
	}
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		w.command("approve", "zzzzzz")
		if len(w.notes()) != 0 || !strings.Contains(w.platform.transcript(), "There is no such open question.") {
			t.Errorf("a wrong id:\n%s", w.platform.transcript())
		}
	})
}

func TestQuestionSurvivesARestart(t *testing.T) {
	bubble(t, asks, func(w *world) {
		w.say("note milk")
		if err := w.halt(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		w.start()
		synctest.Wait()
		s, ok, err := w.engine.Snapshot(t.Context(), "test:1")
		if err != nil || !ok || s.State != core.Parked || s.Question == nil || s.User != "note milk" {
			t.Errorf("snapshot after the restart: %+v %v %v", s, ok, err)
		}
		w.press("Ann", "Do it")
		if len(w.notes()) != 1 || !strings.Contains(w.platform.transcript(), "bot: Well.") {
			t.Errorf("after the restart: %v\n%s", w.notes(), w.platform.transcript())
		}
	})
}

// A rule that was kept when the question was shown may be broken when it is answered.
func TestApprovedCallIsCheckedAgain(t *testing.T) {
	bubble(t, func(w *world) {
		asks(w)
		for _, n := range []string{"a", "b", "c"} {
			w.model.replies["note "+n] = []core.Reply{call("add_note", `{"text":"`+n+`"}`), {Text: "Well."}}
		}
	}, func(w *world) {
		for _, n := range []string{"a", "b"} {
			w.say("note " + n)
			w.press("Ann", "Do it")
		}
		w.say("note c")
		other := w.inbound("Ann", core.Said{Text: "note milk"}) // the same person in another chat
		other.Chat = "test:2"
		w.give(other)
		for range 2 {
			token, on, ok := w.platform.button("Do it")
			if !ok {
				t.Fatal("no button")
			}
			for _, chat := range []core.ChatKey{"test:1", "test:2"} {
				in := w.inbound("Ann", core.Pressed{Token: token, Message: on})
				in.Chat = chat
				w.give(in)
			}
		}
		if len(w.notes()) != 3 {
			t.Errorf("%v, want three: the fourth is refused when it is approved", w.notes())
		}
		h1 := w.history()
		h2, err := w.engine.History(t.Context(), "test:2", 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		n := strings.Count(h1, "r3_quota")
		for _, r := range h2.Entries {
			if res, ok := r.Entry.(core.Result); ok {
				n += strings.Count(res.JSON, "r3_quota")
			}
		}
		if n != 1 {
			t.Errorf("%d refusals, want one", n)
		}
	})
}

// Everything that will run is shown, and nothing in it hides.
func TestQuestionShowsEverything(t *testing.T) {
	bubble(t, func(w *world) {
		w.model.replies["note"] = []core.Reply{call("add_note", `{"text":"pay 1\u202e00\u200b `+"```"+` <b>"}`), {Text: "Well."}}
		w.model.replies["long"] = []core.Reply{call("add_note", `{"text":"`+strings.Repeat("가", 3000)+`"}`), {Text: "Well."}}
	}, func(w *world) {
		w.say("note")
		w.platform.mu.Lock()
		q := w.platform.shown[0].body
		w.platform.mu.Unlock()
		for _, part := range []string{"**Shall I do this?**", "**Notes**", `Add a note\.`, "⟦U+202E⟧", "⟦U+200B⟧", "````json\n"} {
			if !strings.Contains(q.Text, part) {
				t.Errorf("%q is not in\n%s", part, q.Text)
			}
		}
		w.command("stop", "")
		w.say("long")
		if s, _, _ := w.engine.Snapshot(t.Context(), "test:1"); s.Question == nil || strings.Count(s.Question.Body, "가") != 3000 {
			t.Error("a screen does not show the whole question")
		}
		w.platform.mu.Lock()
		defer w.platform.mu.Unlock()
		q = w.platform.shown[len(w.platform.shown)-1].body
		if len(q.Files) != 1 || strings.Count(string(q.Files[0].Data), "가") != 3000 || len([]rune(q.Text)) > 2500 {
			t.Errorf("long arguments: %d files, %d letters of text", len(q.Files), len([]rune(q.Text)))
		}
	})
}

func TestQuestionThatCannotBeShownIsUnreachable(t *testing.T) {
	bubble(t, func(w *world) {
		asks(w)
		w.platform.fault = func(op string, nth int, b core.Body) error {
			if len(b.Buttons) > 0 {
				return &core.Error{Kind: core.Refused}
			}
			return nil
		}
	}, func(w *world) {
		w.say("note milk")
		if !strings.Contains(w.history(), `result: {"status":"cancelled","reason":"user did not confirm"}`+"\nagent: Well.") || len(w.notes()) != 0 {
			t.Errorf("history:\n%s", w.history())
		}
	})
}

// In a group others wait, with word of the question; only its requester answers it or stops it.
func TestGroup(t *testing.T) {
	bubble(t, asks, func(w *world) {
		in := func(who string, ev core.Event) core.Inbound {
			i := w.inbound(who, ev)
			i.Direct = false
			return i
		}
		w.give(in("Ann", core.Said{Text: "note milk"}))
		time.Sleep(5 * time.Second)
		w.give(in("Bob", core.Said{Text: "hello"}))
		if !strings.Contains(w.platform.transcript(), "I am waiting for Ann to answer a question (Notes) first") {
			t.Errorf("transcript:\n%s", w.platform.transcript())
		}
		w.give(in("Bob", core.Commanded{Name: "new"}))
		w.give(in("Bob", core.Commanded{Name: "stop"})) // stops what Bob asked, and only that
		if s, ok, _ := w.engine.Snapshot(t.Context(), "test:1"); !ok || s.State != core.Parked {
			t.Errorf("Bob ended Ann's question: %+v", s)
		}
		w.give(in("Bob", core.Said{Text: "hello again"}))
		w.press("Ann", "Do it")
		if len(w.notes()) != 1 {
			t.Error("Ann's press did nothing")
		}
		h := w.history()
		if strings.Contains(h, "user: hello\n") || !strings.Contains(h, "user: hello again\nagent: echo: Bob: hello again") && !strings.Contains(h, "user: hello again\nagent: echo: hello again") {
			t.Errorf("history:\n%s", h)
		}
	})
}

func TestEffectOutsideTheStore(t *testing.T) {
	bubble(t, func(w *world) {
		w.model.replies["ring"] = []core.Reply{call("ring", `{}`), {Text: "Rung."}}
		w.model.replies["chime"] = []core.Reply{call("chime", `{}`), {Text: "Chimed."}}
	}, func(w *world) {
		w.say("chime")
		if w.bell.count() != 1 {
			t.Error("Writes asks nobody")
		}
		w.say("ring")
		if w.bell.count() != 1 {
			t.Error("it rang before the yes")
		}
		w.press("Ann", "Do it")
		if w.bell.count() != 2 || !strings.Contains(w.history(), `result: {"status":"ok","data":{"rung":"yes"}}`+"\nagent: Rung.") {
			t.Errorf("%d rings\n%s", w.bell.count(), w.history())
		}
	})
}

// An effect whose end nobody knows is said to be unknown, and never repeated.
func TestToolTimeoutIsDoubtful(t *testing.T) {
	bubble(t, func(w *world) {
		w.model.replies["chime"] = []core.Reply{call("chime", `{}`), {Text: "Hm."}}
		w.bell.gate = make(chan struct{})
	}, func(w *world) {
		w.say("chime")
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.bell.count() != 1 || !strings.Contains(w.history(), `"code":"outcome_unknown"`) || !strings.Contains(w.platform.transcript(), "I do not know whether it was done") {
			t.Errorf("%d rings\n%s", w.bell.count(), w.history())
		}
	})
}
