package core_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
)

// The matrix of seed 002 §15, of what exists so far. Fallback and head-of-line blocking are in outbox_test.go and stop_test.go.

// Stale worker: a turn that was stopped while its model answered commits nothing of that answer.
func TestStaleTurnDoesNotCommit(t *testing.T) {
	bubble(t, func(w *world) { w.options = func(o *core.Options) { o.Model = stubborn{w.model} } }, func(w *world) {
		gate := make(chan struct{})
		w.model.gates["slow"] = gate
		w.say("slow")
		w.command("stop", "")
		close(gate) // the model answers all the same, too late
		synctest.Wait()
		check(t, "history", w.history(), "user: slow\nnotice: Stopped.")
		w.say("next")
		if !strings.Contains(w.history(), "agent: echo: next") {
			t.Error("the chat is stuck")
		}
	})
}

// stubborn is a model that does not listen to its context.
type stubborn struct{ *script }

func (s stubborn) Reply(ctx context.Context, p core.Prompt, sink func(core.Delta)) (core.Reply, error) {
	return s.script.Reply(context.WithoutCancel(ctx), p, sink)
}

// One chat is never worked on twice at once, also when a model does not listen: the next turn waits until it is really over.
func TestAbandonedWorkIsNotOvertaken(t *testing.T) {
	bubble(t, func(w *world) { w.options = func(o *core.Options) { o.Model = stubborn{w.model} } }, func(w *world) {
		gate := make(chan struct{})
		w.model.gates["slow"] = gate
		w.say("slow")
		w.command("stop", "")
		w.say("next")
		if w.model.asked() != 1 {
			t.Error("the next turn began beside the abandoned one")
		}
		close(gate)
		synctest.Wait()
		if w.model.most != 1 || !strings.Contains(w.history(), "agent: echo: next") {
			t.Errorf("%d at once\n%s", w.model.most, w.history())
		}
	})
}

// Overflow recovery: once, through the same assembly, with the facts attached once and the system message first.
func TestOverflowRecovery(t *testing.T) {
	bubble(t, func(w *world) { w.options = func(o *core.Options) { o.Limits.ContextTokens = 2000 } }, func(w *world) {
		for range 7 {
			w.say(strings.Repeat("word ", 200))
		}
		before := w.model.asked()
		w.model.errs["big"] = []error{&core.Error{Kind: core.Overflow}}
		w.say("big")
		if n := w.model.asked() - before; n != 2 {
			t.Fatalf("asked %d times, want the try and the recovery", n)
		}
		w.model.mu.Lock()
		first, second := w.model.prompts[before], w.model.prompts[before+1]
		w.model.mu.Unlock()
		for name, p := range map[string]core.Prompt{"first": first, "recovery": second} {
			facts := 0
			for _, it := range p.Items {
				if ask, ok := it.(core.Ask); ok && ask.Facts != "" {
					facts++
				}
			}
			if facts != 1 || !strings.HasPrefix(p.System, "You are a test.") || strings.Count(p.System, "You are a test.") != 1 {
				t.Errorf("%s: facts attached %d times, system %q", name, facts, p.System)
			}
		}
		if second.Tokens > 1000 || len(second.Items) >= len(first.Items) {
			t.Errorf("the recovery has %d items and %d tokens, the first try %d and %d", len(second.Items), second.Tokens, len(first.Items), first.Tokens)
		}
		w.model.errs["still big"] = []error{&core.Error{Kind: core.Overflow}, &core.Error{Kind: core.Overflow}}
		w.say("still big")
		if !strings.Contains(w.platform.transcript(), "LLM response failed: the conversation is too long.") {
			t.Errorf("no honest error after the recovery:\n%s", w.platform.transcript())
		}
	})
}

// The history of a prompt is cut at whole exchanges and stays under its budget.
func TestHistoryIsCutAtWholeExchanges(t *testing.T) {
	bubble(t, func(w *world) {
		w.options = func(o *core.Options) { o.Limits.ContextTokens = 1500 }
		w.model.replies["notes?"] = []core.Reply{call("list_notes", `{}`), {Text: strings.Repeat("none ", 60)}}
	}, func(w *world) {
		for range 20 {
			w.say("notes?")
			p := w.model.lastPrompt()
			if p.Tokens > 1500 {
				t.Fatalf("%d tokens, budget 1500", p.Tokens)
			}
			if _, ok := p.Items[0].(core.Ask); !ok {
				t.Fatalf("the history begins in the middle of an exchange: %T", p.Items[0])
			}
			open := ""
			for _, it := range p.Items {
				switch it := it.(type) {
				case core.Calls:
					open = it.Calls[0].ID
				case core.Outcome:
					if it.ID != open {
						t.Fatal("a result without its call")
					}
					open = ""
				default:
					if open != "" {
						t.Fatal("a call without its result")
					}
				}
			}
		}
		if n := len(w.model.lastPrompt().Items); n < 6 {
			t.Errorf("only %d items used of the budget", n)
		}
	})
}

// Duplicate tool progress: tools are in snapshots, and no message ever reports one.
func TestToolProgressIsInSnapshotsOnly(t *testing.T) {
	bubble(t, func(w *world) {
		w.model.replies["chime"] = []core.Reply{call("chime", `{}`), {Text: "Chimed."}}
	}, func(w *world) {
		gate := make(chan struct{})
		w.bell.gate = gate
		w.say("chime")
		s, ok, err := w.engine.Snapshot(t.Context(), "test:1")
		if err != nil || !ok || s.State != core.Acting || len(s.Calls) != 1 || !s.Calls[0].Started || s.Calls[0].Finished || s.Calls[0].Label.En != "Chime" {
			t.Errorf("snapshot %+v %v %v", s, ok, err)
		}
		close(gate)
		synctest.Wait()
		check(t, "transcript", w.platform.transcript(), "bot: Chimed.")
		if _, ok, _ := w.engine.Snapshot(t.Context(), "test:1"); ok {
			t.Error("a snapshot after the end of the turn")
		}
	})
}

// Inbound fidelity: who wrote, when it was received, what it replied to.
func TestInboundFidelity(t *testing.T) {
	bubble(t, nil, func(w *world) {
		in := w.inbound("Ann", core.Said{Text: "what is this?"})
		in.Received = in.Received.Add(-time.Second)
		in.ReplyTo = &core.Quote{ID: "m9", Author: "Bob", Text: "the quoted\nwords"}
		in.Sender.Account = "test:4711"
		w.give(in)
		h, err := w.engine.History(t.Context(), "test:1", 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		src := h.Entries[0].Entry.(core.Message).Source
		if src == nil || src.Account != "test:4711" || src.Name != "Ann" || src.Channel != "test" || !src.Received.Equal(in.Received) || src.ReplyTo == nil || src.ReplyTo.Text != "the quoted\nwords" || src.Inbound != in.ID {
			t.Errorf("source %+v", src)
		}
		ask := w.model.lastPrompt().Items[0].(core.Ask)
		if !strings.Contains(ask.Facts, "in reply to (Bob): the quoted words") || strings.Contains(ask.Facts+ask.Text, "4711") {
			t.Errorf("the model reads %+v", ask)
		}
	})
}

func TestFactsOfTheMoment(t *testing.T) {
	bubble(t, func(w *world) {
		w.options = func(o *core.Options) {
			o.Zone = time.FixedZone("KST", 9*3600)
			o.Plan = func(context.Context, *core.Documents, core.Origin) (string, error) { return "- #1 Walk: open", nil }
		}
	}, func(w *world) {
		w.say("안녕")
		facts := w.model.lastPrompt().Items[0].(core.Ask).Facts
		for _, want := range []string{"now: 2000-01-01T09:00:", "today: 2000-01-01", "language: ko", "speaker: Ann", "habits:\n- #1 Walk: open"} {
			if !strings.Contains(facts, want) {
				t.Errorf("no %q in\n%s", want, facts)
			}
		}
		in := w.inbound("Ann", core.Said{Text: "hello"})
		in.Chat, in.Direct = "test:group", false
		w.give(in)
		p := w.model.lastPrompt()
		ask := p.Items[0].(core.Ask)
		if strings.Contains(ask.Facts, "Walk") || ask.Text != "Ann: hello" {
			t.Errorf("in a group the model reads %+v", ask)
		}
	})
}

// Shutdown: intake closes, a running turn gets its grace, everything is reclaimed within bounds.
func TestShutdown(t *testing.T) {
	bubble(t, func(w *world) { w.model.gates["slow"] = make(chan struct{}) }, func(w *world) {
		w.say("slow")
		began := time.Now()
		w.stop()
		synctest.Wait()
		if _, err := w.accept(context.Background(), w.inbound("Ann", core.Said{Text: "late"})); !errors.Is(err, core.ErrClosed) {
			t.Errorf("accept after stop: %v, want ErrClosed", err)
		}
		if err := <-w.done; err != nil {
			t.Errorf("stop: %v", err)
		}
		if d := time.Since(began); d < 20*time.Second || d > 21*time.Second {
			t.Errorf("stopped after %v, want the grace of 20 s", d)
		}
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
		w.model.mu.Lock()
		delete(w.model.gates, "slow")
		w.model.mu.Unlock()
		w.start()
		synctest.Wait()
		check(t, "history", w.history(), "user: slow\nagent: echo: slow")
	})
}

func TestRunningTurnEndsWithinItsGrace(t *testing.T) {
	bubble(t, nil, func(w *world) {
		gate := make(chan struct{})
		w.model.gates["slow"] = gate
		w.say("slow")
		w.stop()
		time.Sleep(5 * time.Second)
		close(gate)
		if err := <-w.done; err != nil {
			t.Error(err)
		}
		check(t, "transcript", w.platform.transcript(), "bot: echo: slow")
		if err := w.store.Close(); err != nil {
			t.Error(err)
		}
		w.start()
	})
}

// A message that kills the process each time is given up after three beginnings.
func TestTurnBegunThreeTimesFails(t *testing.T) {
	bubble(t, func(w *world) { w.model.gates["poison"] = make(chan struct{}) }, func(w *world) {
		w.say("poison")
		for range 3 {
			_ = w.haltNow()
			time.Sleep(time.Second)
			w.start()
			synctest.Wait()
		}
		if n := w.model.asked(); n != 3 {
			t.Errorf("begun %d times, want 3", n)
		}
		if !strings.Contains(w.platform.transcript(), "I could not work on this message.") {
			t.Errorf("transcript:\n%s", w.platform.transcript())
		}
		w.say("next")
		if !strings.Contains(w.history(), "agent: echo: next") {
			t.Error("the chat is stuck")
		}
	})
}

// A panic in an agent's child or in the agent is a failed turn, and nothing else.
func TestPanicIsAFailedTurn(t *testing.T) {
	for name, set := range map[string]func(*core.Options){
		"model": func(o *core.Options) { o.Model = panicky{} },
		"plan": func(o *core.Options) {
			o.Plan = func(context.Context, *core.Documents, core.Origin) (string, error) { panic("plan") }
		},
		"guard": func(o *core.Options) {
			o.Guard = func(context.Context, *core.Documents, core.Origin, string) (core.Verdict, error) { panic("guard") }
		},
		"channel": func(o *core.Options) { o.Lang = core.En },
	} {
		bubble(t, func(w *world) {
			w.options = set
			if name == "channel" {
				w.platform.fault = func(_ string, n int, _ core.Body) error {
					if n == 1 {
						panic("send")
					}
					return nil
				}
			}
		}, func(w *world) {
			w.say("hi")
			time.Sleep(5 * time.Second)
			synctest.Wait()
			if n := len(strings.Split(strings.TrimSpace(w.history()), "\n")); n != 2 {
				t.Errorf("%s: history:\n%s", name, w.history())
			}
			if w.platform.transcript() == "" {
				t.Errorf("%s: nothing was said", name)
			}
		})
	}
}

type panicky struct{}

func (panicky) Reply(context.Context, core.Prompt, func(core.Delta)) (core.Reply, error) {
	panic("model")
}

// The guard's answer is the whole answer; its notice goes into the request of this turn only.
func TestGuard(t *testing.T) {
	bubble(t, func(w *world) {
		w.options = func(o *core.Options) {
			o.Guard = func(_ context.Context, _ *core.Documents, _ core.Origin, text string) (core.Verdict, error) {
				switch text {
				case "danger":
					return core.Verdict{Answer: "Please call someone now."}, nil
				case "careful":
					return core.Verdict{Notice: "speak of no food"}, nil
				}
				return core.Verdict{}, nil
			}
		}
	}, func(w *world) {
		w.say("danger")
		check(t, "transcript", w.platform.transcript(), "bot: Please call someone now.")
		if w.model.asked() != 0 {
			t.Error("the model was asked")
		}
		w.say("careful")
		facts := func() string {
			items := w.model.lastPrompt().Items
			return items[len(items)-1].(core.Ask).Facts
		}
		if !strings.Contains(facts(), "\nspeak of no food") {
			t.Errorf("the notice is missing: %s", facts())
		}
		w.say("hello")
		if strings.Contains(facts(), "speak of no food") {
			t.Error("the notice stayed")
		}
	})
}

// Seed 002 §11: entries come as increments; the reader's revision and the database agree.
func TestReaderFollowsByIncrements(t *testing.T) {
	bubble(t, nil, func(w *world) {
		hint, stop := w.engine.Watch("test:1")
		defer stop()
		w.say("one")
		select {
		case <-hint:
		default:
			t.Error("no hint")
		}
		h, err := w.engine.History(t.Context(), "test:1", 0, 100)
		if err != nil || h.Revision != 2 || len(h.Entries) != 2 {
			t.Fatalf("%+v %v", h, err)
		}
		w.say("two")
		more, err := w.engine.History(t.Context(), "test:1", h.Revision, 100)
		if err != nil || more.Revision-uint64(len(more.Entries)) != h.Revision {
			t.Errorf("%+v %v: not an increment of revision %d", more, err, h.Revision)
		}
		chats, err := w.engine.Chats(t.Context(), "test")
		if err != nil || len(chats) != 1 || chats[0].Chat != "test:1" || chats[0].Title != "one" || chats[0].Revision != 4 {
			t.Errorf("%+v %v", chats, err)
		}
	})
}
