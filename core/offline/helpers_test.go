package offline_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"steady/core"
	"steady/core/offline"
)

// config is the built-in catalog as the coach gets it.
func config(t testing.TB) offline.Config {
	t.Helper()
	body, err := os.ReadFile("testdata/catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	type dose struct {
		Amount float64
		Text   core.LocalText
	}
	var file struct {
		Categories []struct {
			ID      string
			Name    core.LocalText
			Aliases []string
		}
		Entries []struct {
			ID, Kind, Category, Direction, Unit              string
			Title, Summary, Anchor, Frame, Replaces, Caution core.LocalText
			Doses                                            struct{ Minimum, Standard, Stretch dose }
			Tags                                             []string
		}
	}
	if err := json.Unmarshal(body, &file); err != nil {
		t.Fatal(err)
	}
	var cfg offline.Config
	for _, c := range file.Categories {
		cfg.Categories = append(cfg.Categories, offline.Category{ID: c.ID, Name: c.Name, Aliases: c.Aliases})
	}
	for _, e := range file.Entries {
		cfg.Catalog = append(cfg.Catalog, offline.Entry{ID: e.ID, Kind: e.Kind, Category: e.Category, Direction: e.Direction, Unit: e.Unit,
			Title: e.Title, Summary: e.Summary, Anchor: e.Anchor, Frame: e.Frame, Replaces: e.Replaces, Caution: e.Caution,
			Minimum: offline.Dose(e.Doses.Minimum), Standard: offline.Dose(e.Doses.Standard), Stretch: offline.Dose(e.Doses.Stretch), Tags: e.Tags})
	}
	return cfg
}

// model returns the coach that all tests share: it never changes.
func model(t testing.TB) *offline.Model {
	t.Helper()
	shared.once.Do(func() { shared.m, shared.err = offline.New(config(t)) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.m
}

var shared struct {
	once sync.Once
	m    *offline.Model
	err  error
}

// tools are the specs of all six tools.
func tools() []core.ToolSpec {
	var specs []core.ToolSpec
	for _, name := range []string{"search_catalog", "query_protocol", "list_active_habits", "get_streak", "add_habit", "log_tracker_entry"} {
		specs = append(specs, core.ToolSpec{Name: name})
	}
	return specs
}

// A person is whose facts a prompt has.
type person struct {
	today  string
	lang   core.Lang
	habits []string // lines as the habit domain writes them
}

func (p person) facts() string {
	return fmt.Sprintf("now: %sT09:00:00+09:00\ntoday: %s\nzone: Asia/Seoul\nlanguage: %s\n%s\nfree places: 1 build, 0 break",
		p.today, p.today, p.lang, strings.Join(p.habits, "\n"))
}

// ask makes a prompt of one message.
func (p person) ask(text string) core.Prompt {
	return core.Prompt{Lang: p.lang, Tools: tools(), Items: []core.PromptItem{core.Ask{Text: text, Facts: p.facts()}}}
}

// reply asks and checks what holds for every reply: the stream is the text, and there is an answer or a call.
func reply(t testing.TB, m *offline.Model, p core.Prompt) core.Reply {
	t.Helper()
	var streamed strings.Builder
	r, err := m.Reply(t.Context(), p, func(d core.Delta) { streamed.WriteString(d.Text) })
	switch {
	case err != nil:
		t.Fatal(err)
	case streamed.String() != r.Text:
		t.Fatalf("streamed %q, replied %q", streamed.String(), r.Text)
	case r.Text == "" && len(r.Calls) == 0:
		t.Fatal("an empty reply")
	}
	return r
}
