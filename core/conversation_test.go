package core_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/tools/txtar"

	"steady/core"
	"steady/store/storetest"
)

var update = flag.Bool("update", false, "rewrite what conversations want")

// TestConversations plays testdata/*.txtar. A file reads from top to bottom: "model TEXT" scripts the replies to the message TEXT,
// one after another, split by ---; "user", "command", "press LABEL", "wait" and "restart" happen; "want" is what the chat shows at
// the end, "history" what the database holds, "effects" what happened outside, as a count of rings.
//
// Each is played again and again, the process ended after its 1st, 2nd, … durable transaction and before it: what the chat shows,
// what is stored and what happened must be the same. Only where an effect outside the store was cut short may the one note stand
// in its place.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := conversation{archive: a}
			got := c.play(t, nil)
			if *update {
				c.set(got)
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			got.compare(t, "", c.want(), false)
			for _, plan := range []func(int) storetest.Plan{storetest.CrashAfter, storetest.CrashBefore} {
				for n := 1; ; n++ {
					res := c.play(t, plan(n))
					res.compare(t, fmt.Sprintf("stopped at transaction %d: ", n), c.want(), true)
					if !res.crashed || t.Failed() {
						break
					}
				}
			}
		})
	}
}

type conversation struct{ archive *txtar.Archive }

// An outcome is what a played conversation came to.
type outcome struct {
	transcript, history, effects string
	crashed, doubtful            bool
}

func (c conversation) want() outcome {
	var o outcome
	for _, f := range c.archive.Files {
		switch f.Name {
		case "want":
			o.transcript = string(f.Data)
		case "history":
			o.history = string(f.Data)
		case "effects":
			o.effects = string(f.Data)
		}
	}
	return o
}

func (c conversation) set(o outcome) {
	for i, f := range c.archive.Files {
		switch f.Name {
		case "want":
			c.archive.Files[i].Data = []byte(o.transcript)
		case "history":
			c.archive.Files[i].Data = []byte(o.history)
		case "effects":
			c.archive.Files[i].Data = []byte(o.effects)
		}
	}
}

func (o outcome) compare(t *testing.T, when string, want outcome, crash bool) {
	t.Helper()
	if crash && o.doubtful {
		if !strings.Contains(o.transcript, "I do not know whether it was done") || o.effects > want.effects {
			t.Errorf("%san effect was cut short, but the note is missing, or it was repeated (%s):\n%s", when, o.effects, o.transcript)
		}
		return
	}
	check(t, when+"transcript", o.transcript, want.transcript)
	check(t, when+"history", o.history, want.history)
	check(t, when+"effects", o.effects, want.effects)
}

// play plays the conversation in a bubble of its own. With a plan the process ends once at the planned place and is started again.
func (c conversation) play(t *testing.T, plan storetest.Plan) (o outcome) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.streams = strings.Contains(string(c.archive.Comment), "streams")
		w.platform.interval = time.Second
		p := &player{world: w}
		if plan != nil {
			w.flaky = func(s core.Store) core.Store {
				p.flaky = storetest.NewFlaky(s, plan)
				plan = nil // once
				return p.flaky
			}
		}
		w.start()
		w.flaky = nil
		time.Sleep(time.Millisecond)
		for _, f := range c.archive.Files {
			p.step(f.Name, strings.TrimSuffix(string(f.Data), "\n"))
		}
		synctest.Wait()
		p.revive()
		time.Sleep(time.Hour) // whatever waits for a later try
		synctest.Wait()
		p.revive()
		o = outcome{transcript: w.platform.transcript(), history: w.history(), effects: fmt.Sprintln(w.bell.count()), crashed: p.crashed}
		o.doubtful = strings.Contains(o.history, "outcome_unknown")
		if err := w.halt(); err != nil {
			t.Error("stop:", err)
		}
	})
	return o
}

// A player plays a conversation and starts the bot again after a crash, as its supervisor would.
type player struct {
	*world
	flaky   *storetest.Flaky
	crashed bool
}

func (p *player) step(name, data string) {
	p.t.Helper()
	verb, arg, _ := strings.Cut(name, " ")
	switch verb {
	case "model":
		for _, reply := range strings.Split(data, "\n---\n") {
			p.model.replies[arg] = append(p.model.replies[arg], parseReply(p.t, reply))
		}
	case "user":
		p.deliver(p.inbound("Ann", core.Said{Text: data}))
	case "command":
		cmd, args, _ := strings.Cut(strings.TrimPrefix(data, "/"), " ")
		p.deliver(p.inbound("Ann", core.Commanded{Name: cmd, Args: args}))
	case "press":
		token, on, ok := p.platform.button(arg)
		if !ok {
			p.t.Fatalf("no button %q in\n%s", arg, p.platform.transcript())
		}
		p.deliver(p.inbound("Ann", core.Pressed{Token: token, Message: on}))
	case "wait":
		d, err := time.ParseDuration(data)
		if err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(d)
		synctest.Wait()
		p.revive()
	case "restart":
		if err := p.halt(); err != nil {
			p.t.Fatal(err)
		}
		p.start()
		synctest.Wait()
	case "want", "history", "effects":
	default:
		p.t.Fatalf("unknown section %q", name)
	}
}

// deliver hands an inbound over as a platform does: again until it is taken.
func (p *player) deliver(in core.Inbound) {
	p.t.Helper()
	for {
		_, err := p.accept(context.Background(), in)
		synctest.Wait()
		p.revive()
		if err == nil {
			time.Sleep(3 * time.Second) // people read before they go on
			synctest.Wait()
			p.revive()
			return
		}
		if !errors.Is(err, core.ErrClosed) {
			p.t.Fatal(err)
		}
	}
}

// revive starts the bot again if it crashed.
func (p *player) revive() {
	p.t.Helper()
	if p.flaky == nil {
		return
	}
	select {
	case <-p.flaky.Crashed():
	default:
		return
	}
	p.crashed, p.flaky = true, nil
	if err := p.halt(); err != nil && !errors.Is(err, core.ErrClosed) {
		p.t.Error("after the crash:", err)
	}
	time.Sleep(time.Second)
	p.start()
	synctest.Wait()
}

// parseReply reads a scripted reply: lines that begin with "call" are calls, "error KIND" fails, the rest is text.
func parseReply(t *testing.T, s string) core.Reply {
	var r core.Reply
	var text []string
	for _, line := range strings.Split(s, "\n") {
		if rest, ok := strings.CutPrefix(line, "call "); ok {
			name, args, _ := strings.Cut(rest, " ")
			r.Calls = append(r.Calls, core.ToolCall{ID: fmt.Sprintf("c%d-%s", len(r.Calls), name), Name: name, Args: args})
			continue
		}
		text = append(text, line)
	}
	r.Text = strings.Join(text, "\n")
	return r
}
