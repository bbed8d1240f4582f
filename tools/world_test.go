package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"
	"unicode/utf16"

	"steady/core"
	"steady/tools"
	"steady/tools/habit"
)

// documents is a store of documents with revisions, as a commit sees them.
type documents map[string]core.Document

func (s documents) Documents(_ context.Context, prefix, after string, max int) ([]core.Document, error) {
	var out []core.Document
	for key, doc := range s {
		if strings.HasPrefix(key, prefix) && key > after {
			out = append(out, doc)
		}
	}
	slices.SortFunc(out, func(a, b core.Document) int { return strings.Compare(a.Key, b.Key) })
	return out[:min(max, len(out))], nil
}

// commit writes what a view has read and put, or refuses it whole.
func (s documents) commit(d *core.Documents) error {
	for _, w := range d.Writes() {
		if s[w.Key].Revision != w.Revision {
			return core.ErrConflict
		}
	}
	for _, w := range d.Writes() {
		if w.Body != nil {
			s[w.Key] = core.Document{Key: w.Key, Revision: w.Revision + 1, Body: slices.Clone(w.Body)}
		}
	}
	return nil
}

// A world is one person with their documents and the tools, driven as the dispatcher drives them.
type world struct {
	t     testing.TB
	docs  documents
	coach *habit.Coach
	tools map[string]core.Tool
	o     core.Origin
}

// shared is built once: reading the catalog takes longer than a test.
var shared = sync.OnceValues(func() (*habit.Coach, error) { return habit.New() })

// newWorld is a person in Seoul on 2026-03-10 at 09:00, whose day begins at 3 (habits.md §3.3).
func newWorld(t testing.TB) *world {
	t.Helper()
	coach, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	all, err := tools.All(coach)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, docs: documents{}, coach: coach, tools: map[string]core.Tool{}}
	for _, tool := range all {
		w.tools[tool.Name] = tool
	}
	w.o = core.Origin{Person: "web:kim", Account: "web:kim", Name: "Kim", Chat: "web:1", Direct: true, Lang: core.En, DayStart: 3}
	w.at("2026-03-10 09:00", "Asia/Seoul")
	return w
}

// at moves the person in time and place.
func (w *world) at(wall, zone string) {
	w.t.Helper()
	z, err := time.LoadLocation(zone)
	if err != nil {
		w.t.Fatal(err)
	}
	now, err := time.ParseInLocation("2006-01-02 15:04", wall, z)
	if err != nil {
		w.t.Fatal(err)
	}
	w.o.Zone, w.o.Now = z, now
}

// A call is a tool call on its way: what the dispatcher knows before it asks.
type call struct {
	tool    core.Tool
	args    json.RawMessage
	asks    bool
	summary string
}

// An outcome is what came of a call.
type outcome struct {
	call
	code, reason string // of a refusal
	data         map[string]any
	json         string
}

// propose takes a call as far as the question.
func (w *world) propose(name, args string) (c call, err error) {
	w.t.Helper()
	c.tool = w.tools[name]
	ctx, view := context.Background(), core.NewDocuments(w.docs)
	if c.args, err = c.tool.Validate(w.o, json.RawMessage(args)); err != nil {
		return c, err
	}
	if c.tool.Precheck != nil {
		if c.args, err = c.tool.Precheck(ctx, view, w.o, c.args); err != nil {
			return c, err
		}
		again, err := c.tool.Precheck(ctx, view, w.o, c.args)
		if err != nil || !bytes.Equal(again, c.args) {
			w.t.Errorf("%s %s: the precheck does not accept its own output: %s, %v", name, c.args, again, err)
		}
	}
	c.asks = c.tool.Effect == nil || c.tool.Effect(w.o, c.args) == core.Destroys
	if c.tool.Summary != nil {
		c.summary, err = c.tool.Summary(ctx, view, w.o, c.args)
	}
	return c, err
}

// accept runs a call that was allowed, again when a document changed meanwhile.
func (w *world) accept(c call) (out outcome) {
	w.t.Helper()
	out.call = c
	for range 5 {
		view := core.NewDocuments(w.docs)
		data, err := c.tool.Apply(context.Background(), view, w.o, c.args)
		if err != nil {
			return w.refused(out, err)
		}
		if err := w.docs.commit(view); errors.Is(err, core.ErrConflict) {
			continue
		}
		return w.answered(out, data)
	}
	w.t.Fatal("the documents never stood still")
	return out
}

func (w *world) answered(out outcome, data any) outcome {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		Status string `json:"status"`
		Data   any    `json:"data"`
	}{"ok", data}); err != nil {
		w.t.Fatal(err)
	}
	out.json = strings.TrimSpace(buf.String())
	var env struct{ Data map[string]any }
	if err := json.Unmarshal(buf.Bytes(), &env); err != nil {
		w.t.Fatal(err)
	}
	out.data = env.Data
	return out
}

func (w *world) refused(out outcome, err error) outcome {
	w.t.Helper()
	var e *core.ToolError
	if !errors.As(err, &e) {
		w.t.Fatalf("%s: %v is no word for the model", out.tool.Name, err)
	}
	out.code, out.reason = e.Code, e.Reason
	return out
}

// do makes a call and says yes to it.
func (w *world) do(name, args string) outcome {
	w.t.Helper()
	c, err := w.propose(name, args)
	if err != nil {
		return w.refused(outcome{call: c}, err)
	}
	return w.accept(c)
}

// must is do for a call that cannot be refused.
func (w *world) must(name, args string) outcome {
	w.t.Helper()
	out := w.do(name, args)
	if out.code != "" {
		w.t.Fatalf("%s %s: %s: %s", name, args, out.code, out.reason)
	}
	return out
}

// A planted habit is one that is there already.
type planted struct {
	id       int
	protocol string
	status   habit.Status
	start    string
	title    string
	frame    string
	days     string // JSON
}

// plant writes habits as they are stored, without the rules: an import may have forced them in.
func (w *world) plant(habits ...planted) {
	w.t.Helper()
	next := 1
	var rows []map[string]any
	for _, p := range habits {
		next = max(next, p.id+1)
		row := map[string]any{"id": p.id, "title": orElse(p.title, p.protocol), "frame_level": "process", "framed_text": orElse(p.frame, "I walk after dinner"),
			"dose_text": "10 minutes", "minimum_text": "2 minutes", "start_date": orElse(p.start, "2026-03-02"), "phase_start_date": orElse(p.start, "2026-03-02"),
			"status": orElse(string(p.status), "active"), "created_at": w.o.Now, "updated_at": w.o.Now}
		column := "build_protocol_id"
		if strings.HasPrefix(p.protocol, "break_") {
			column = "break_protocol_id"
		}
		row[column] = p.protocol
		switch p.status {
		case habit.Archived:
			row["archived_on"] = "2026-03-06"
		case habit.Paused:
			row["pauses"] = []map[string]any{{"from": "2026-03-08"}}
		}
		if p.days != "" {
			row["schedule"] = []map[string]any{{"days": json.RawMessage(p.days)}}
		}
		rows = append(rows, row)
	}
	w.write("habits", map[string]any{"v": 1, "next": next, "habits": rows})
}

// log writes entries as they are stored: date, then value or value/variant.
func (w *world) log(id int, entries map[string]string) {
	w.t.Helper()
	years := map[string][]map[string]any{}
	for date, mark := range entries {
		value, variant, _ := strings.Cut(mark, "/")
		years[date[:4]] = append(years[date[:4]], map[string]any{"date": date, "value": value, "variant": variant, "source": "chat", "logged_at": w.o.Now})
	}
	for year, rows := range years {
		slices.SortFunc(rows, func(a, b map[string]any) int { return strings.Compare(a["date"].(string), b["date"].(string)) })
		w.write(fmt.Sprintf("habits/%d/%s", id, year), map[string]any{"v": 1, "entries": rows})
	}
}

func (w *world) write(part string, row any) {
	w.t.Helper()
	body, err := json.Marshal(row)
	if err != nil {
		w.t.Fatal(err)
	}
	key := core.PersonKey(w.o.Person, part)
	w.docs[key] = core.Document{Key: key, Revision: w.docs[key].Revision + 1, Body: body}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// units counts as the cap of results does.
func units(s string) int { return len(utf16.Encode([]rune(s))) }
