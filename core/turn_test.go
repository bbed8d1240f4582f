package core_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
)

// Seed 000 §9: answer in words only.
func TestNaturalLanguageAnswer(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.model.replies["hi"] = []core.Reply{{Text: "안녕!"}}
		w.say("  hi \n")
		check(t, "transcript", w.platform.transcript(), "bot: 안녕!")
		check(t, "history", w.history(), "user: hi\nagent: 안녕!")
	})
}

// Seed 000 §9: one call, then the answer.
func TestOneToolCallThenAnswer(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.model.replies["notes?"] = []core.Reply{call("list_notes", `{}`), {Text: "None yet."}}
		w.say("notes?")
		check(t, "history", w.history(), `user: notes?
call 1: list_notes {}
result: {"status":"ok","data":{"count":0,"items":null}}
agent: None yet.`)
		if n := w.model.asked(); n != 2 {
			t.Errorf("the model was asked %d times, want 2", n)
		}
	})
}

// Seed 000 §9: the person says no to a destructive call.
func TestDestructiveCallCancelled(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.model.replies["note milk"] = []core.Reply{call("add_note", `{"text":"milk","extra":1}`), {Text: "All right."}}
		w.say("note milk")
		if !strings.Contains(w.platform.transcript(), "[Do it] [Cancel]") {
			t.Fatalf("no question:\n%s", w.platform.transcript())
		}
		w.press("Ann", "Cancel")
		check(t, "history", w.history(), `user: note milk
call 1: add_note {"text":"milk","extra":1}
result: {"status":"cancelled","reason":"user did not confirm"}
agent: All right.`)
		if len(w.notes()) != 0 {
			t.Error("the note was added all the same")
		}
	})
}

func TestDestructiveCallApproved(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.model.replies["note milk"] = []core.Reply{call("add_note", `{"text":"milk"}`), {Text: "Noted."}}
		w.say("note milk")
		r := w.press("Ann", "Do it")
		if r.Kind != core.Received {
			t.Errorf("receipt %v, want Received", r.Kind)
		}
		if len(w.notes()) != 1 {
			t.Error("the note was not added")
		}
		if got := w.platform.transcript(); !strings.Contains(got, "✓ Approved") || strings.Contains(got, "[Do it]") || !strings.Contains(got, "bot: Noted.") {
			t.Errorf("transcript:\n%s", got)
		}
	})
}

// Seed 000 §9 and seed 001 §4: the model calls tools for ever.
func TestTooManyRounds(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.model.replies["loop"] = []core.Reply{call("list_notes", `{}`)}
		w.say("loop")
		if n := w.model.asked(); n != 5 {
			t.Errorf("the model was asked %d times, want 4 rounds and one for words", n)
		}
		if !w.model.lastPrompt().NoTools {
			t.Error("the last request allowed tools")
		}
		h := w.history()
		if strings.Count(h, "call ") != 4 || strings.Count(h, "result: ") != 4 {
			t.Errorf("history:\n%s", h)
		}
		if !strings.HasSuffix(strings.TrimSpace(h), "notice: The chain of tool calls got too long, so I stopped it.") {
			t.Errorf("history:\n%s", h)
		}
	})
}

func TestTooManyRoundsInKorean(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.model.replies["반복"] = []core.Reply{call("list_notes", `{}`)}
		w.say("반복")
		check(t, "transcript", w.platform.transcript(), "bot: 도구 호출 루프가 너무 길어 중단했습니다.")
	})
}

// Seed 000 §9: the same message again during its turn changes nothing; another one waits without an entry.
func TestSameInboundDuringTurn(t *testing.T) {
	bubble(t, nil, func(w *world) {
		gate := make(chan struct{})
		w.model.gates["slow"] = gate
		first := w.inbound("Ann", core.Said{Text: "slow"})
		w.give(first)
		if r := w.give(first)[0]; r.Kind != core.Nothing {
			t.Errorf("the same inbound: receipt %v, want Nothing", r.Kind)
		}
		if r := w.say("next")[0]; r.Kind != core.Queued || r.Ahead != 1 {
			t.Errorf("another message: receipt %v ahead %d, want Queued 1", r.Kind, r.Ahead)
		}
		if w.history() != "" {
			t.Errorf("an entry before its turn:\n%s", w.history())
		}
		s, ok, err := w.engine.Snapshot(t.Context(), "test:1")
		if err != nil || !ok || len(s.Waiting) != 1 || s.Waiting[0].Text != "next" {
			t.Errorf("snapshot %+v %v %v, want next waiting", s, ok, err)
		}
		close(gate)
		synctest.Wait()
		check(t, "history", w.history(), "user: slow\nagent: echo: slow\nuser: next\nagent: echo: next")
		if w.model.asked() != 2 || w.model.most != 1 {
			t.Errorf("asked %d times, %d at once", w.model.asked(), w.model.most)
		}
	})
}

// Seed 003: blank input is silent everywhere.
func TestBlankInputIsSilent(t *testing.T) {
	bubble(t, nil, func(w *world) {
		for _, blank := range []string{"", " \t\n", "\u200b\u200d\ufeff", "\u00ad"} {
			if r := w.say(blank)[0]; r.Kind != core.Nothing {
				t.Errorf("%q: receipt %v", blank, r.Kind)
			}
		}
		if w.history()+w.platform.transcript() != "" || w.model.asked() != 0 {
			t.Error("blank input left a trace")
		}
	})
}

// Seed 003: several messages alternate user and agent, and the roles are data.
func TestRolesAlternate(t *testing.T) {
	bubble(t, nil, func(w *world) {
		for _, text := range []string{"one", "two", "three"} {
			w.say(text)
		}
		h, err := w.engine.History(t.Context(), "test:1", 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range h.Entries {
			m, ok := r.Entry.(core.Message)
			want := core.User
			if i%2 == 1 {
				want = core.Agent
			}
			if !ok || m.Role != want || r.Revision != uint64(i+1) {
				t.Errorf("entry %d: %+v", i, r)
			}
		}
		if h.Revision != 6 {
			t.Errorf("revision %d, want 6", h.Revision)
		}
	})
}

// Seed 000 §6: a failing model, its kind in the person's language; the history stays valid for the next request.
func TestModelFailure(t *testing.T) {
	for _, c := range []struct {
		text string
		kind core.Kind
		want string
	}{
		{"hello", core.Throttled, "LLM response failed: too many requests."},
		{"안녕", core.Throttled, "LLM 응답 실패: 요청이 너무 많습니다."},
		{"你好", core.Transient, "LLM 响应失败:无法连接模型。"},
		{"hello", core.Other, "LLM response failed: the model cannot be reached."}, // unknown errors say nothing of themselves
	} {
		bubble(t, nil, func(w *world) {
			w.model.errs[c.text] = []error{&core.Error{Kind: c.kind, Err: errors.New("secret sk-123")}}
			w.say(c.text)
			got := w.platform.transcript()
			if !strings.Contains(got, c.want) || strings.Contains(got, "sk-123") {
				t.Errorf("%s: %s", c.kind, got)
			}
			w.say("again")
			items := w.model.lastPrompt().Items
			if len(items) != 3 {
				t.Errorf("the next request has %d items: %+v", len(items), items)
			}
		})
	}
}

func TestHintAfterEightTurns(t *testing.T) {
	bubble(t, nil, func(w *world) {
		for range 9 {
			w.say("hi")
		}
		if n := strings.Count(w.history(), "This conversation has become long"); n != 1 {
			t.Errorf("%d hints, want one after the eighth turn", n)
		}
		w.command("new", "")
		w.say("fresh")
		if n := len(w.model.lastPrompt().Items); n != 1 {
			t.Errorf("%d items after /new, want the message alone", n)
		}
		for range 7 {
			w.say("hi")
		}
		if n := strings.Count(w.history(), "This conversation has become long"); n != 2 {
			t.Errorf("%d hints, want a second one eight turns after /new", n)
		}
	})
}

func TestTurnTimeout(t *testing.T) {
	bubble(t, nil, func(w *world) {
		w.model.gates["slow"], w.model.half["slow"] = make(chan struct{}), "half an"
		w.say("slow")
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		check(t, "history", w.history(), `user: slow
agent (partial): half an
notice: LLM response failed: the model cannot be reached. Nothing was changed. Please send it again in a moment.`)
		w.say("next")
		if !strings.Contains(w.history(), "agent: echo: next") {
			t.Error("the chat is stuck")
		}
	})
}

func TestDispatcherNeverFails(t *testing.T) {
	for _, c := range []struct{ tool, args, want, why string }{
		{"nothing", `{}`, `"code":"unknown_tool"`, "no such tool"},
		{"add_note", `{"text":`, `"code":"validation"`, "no JSON"},
		{"add_note", `{}`, `"code":"validation"`, "the schema says no"},
		{"panics", `{}`, `"code":"handler_error"`, "a panic is a result"},
		{"unencodable", `{}`, `"code":"handler_error"`, "so is a result that cannot be encoded"},
	} {
		bubble(t, nil, func(w *world) {
			w.model.replies["go"] = []core.Reply{call(c.tool, c.args), {Text: "Well."}}
			w.say("go")
			if h := w.history(); !strings.Contains(h, c.want) || !strings.Contains(h, "agent: Well.") {
				t.Errorf("%s:\n%s", c.why, h)
			}
		})
	}
}

func TestCallsOfOneReplyRunInOrderAndAreBounded(t *testing.T) {
	bubble(t, nil, func(w *world) {
		var r core.Reply
		for i := range 18 {
			r.Calls = append(r.Calls, core.ToolCall{ID: string(rune('a' + i)), Name: "chime", Args: "{}"})
		}
		w.model.replies["many"] = []core.Reply{r, {Text: "Done."}}
		w.say("many")
		if w.bell.count() != 16 {
			t.Errorf("%d calls ran, want 16", w.bell.count())
		}
		if n := strings.Count(w.history(), `"code":"validation"`); n != 2 {
			t.Errorf("%d calls were refused, want the 17th and the 18th", n)
		}
	})
}
