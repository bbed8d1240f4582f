package offline_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"steady/core"
	"steady/core/offline"
)

// A phrasing is a message with the call that it should lead to. Tool is that of the call, or none, help, greeting for words.
type phrasing struct {
	Lang core.Lang
	Text string
	Tool string
	Args map[string]any // what is certain of the arguments; a habit by its English title
	Also []string       // other outcomes that are right
	Note string
}

type phrasings struct {
	who       func(core.Lang) person
	ids       map[string]float64 // of habits, by their English titles
	rows      []phrasing
	yesterday string
}

// load reads a table of phrasings: a header with the person's habits and the date, then the rows.
func load(t testing.TB, file string) phrasings {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil {
		t.Fatal(err)
	}
	var head struct {
		Habits []struct {
			ID    int
			Kind  string
			Title core.LocalText
		}
		Today string
	}
	if err := json.Unmarshal(raw[0], &head); err != nil {
		t.Fatal(err)
	}
	out := phrasings{ids: map[string]float64{}}
	out.who = func(l core.Lang) person {
		p := person{today: head.Today, lang: l}
		for _, h := range head.Habits {
			p.habits = append(p.habits, fmt.Sprintf("habit_id %d %q (%s, active), today open, streak 3", h.ID, h.Title.In(l), h.Kind))
		}
		return p
	}
	day, err := time.Parse("2006-01-02", head.Today)
	if err != nil {
		t.Fatal(err)
	}
	out.yesterday = day.AddDate(0, 0, -1).Format("2006-01-02")
	for _, h := range head.Habits {
		out.ids[h.Title.En] = float64(h.ID)
	}
	for _, r := range raw[1:] {
		var p phrasing
		if err := json.Unmarshal(r, &p); err != nil {
			t.Fatal(err)
		}
		out.rows = append(out.rows, p)
	}
	return out
}

// wrong tells what of a call is not as the row has it, "" if all is.
func (p phrasings) wrong(row phrasing, args map[string]any) string {
	for key, want := range row.Args {
		got := args[key]
		switch key {
		case "habit":
			want, got = p.ids[want.(string)], args["habit_id"]
		case "protocol":
			got = args["protocol_id"]
			if row.Tool == "query_protocol" {
				got = args["id"]
			}
		case "variant":
			if got == nil && want == "standard" {
				continue
			}
		case "date":
			if want == "today" && got == nil || want == p.yesterday && got == "yesterday" {
				continue
			}
		case "note", "framed_text", "keyword", "anchor":
			text := fmt.Sprint(got)
			if key == "anchor" {
				text = fmt.Sprint(args["anchor_after_what"], args["anchor_when"], args["framed_text"])
			}
			if !strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimRight(want.(string), ".!。！"))) {
				return fmt.Sprintf("%s: got %v, want %v", key, text, want)
			}
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("%s: got %v, want %v", key, got, want)
		}
	}
	return ""
}

// judge runs a row. right tells whether the call is the right one, harm whether a write is asked for that the row does not have.
func (p phrasings) judge(t testing.TB, m *offline.Model, row phrasing) (right bool, harm bool, what string) {
	r := reply(t, m, p.who(row.Lang).ask(row.Text))
	if len(r.Calls) == 0 {
		words := row.Tool == "none" || row.Tool == "help" || row.Tool == "greeting"
		return words, false, "words: " + r.Text
	}
	c := r.Calls[0]
	var args map[string]any
	if err := json.Unmarshal([]byte(c.Args), &args); err != nil {
		t.Fatal(err)
	}
	what = c.Name + " " + c.Args
	if c.Name == row.Tool {
		bad := p.wrong(row, args)
		if len(r.Calls) > 1 {
			bad += " and more calls"
		}
		writes := c.Name == "add_habit" || c.Name == "log_tracker_entry"
		return bad == "", bad != "" && writes, what + " " + bad
	}
	for _, also := range row.Also {
		if c.Name == also {
			return true, false, what
		}
	}
	return false, c.Name == "add_habit" || c.Name == "log_tracker_entry", what
}

// tables are the tables of phrasings. The blind one was written by somebody who had not seen the code, the later one when it was
// done.
func tables() []string {
	return []string{"testdata/phrasings.json", "testdata/phrasings_blind.json", "testdata/phrasings_later.json"}
}

// TestPhrasings counts for each tool and language how many messages reach the right call with the right arguments. At least nine
// of ten must, the rest must get words, and none may lead to a write that is not meant.
func TestPhrasings(t *testing.T) {
	m := model(t)
	type count struct{ all, right, harm int }
	counts := map[string]*count{}
	for _, file := range tables() {
		p := load(t, file)
		for _, row := range p.rows {
			key := fmt.Sprintf("%-18s %s", row.Tool, row.Lang)
			if counts[key] == nil {
				counts[key] = &count{}
			}
			c := counts[key]
			right, harm, what := p.judge(t, m, row)
			c.all++
			if right {
				c.right++
			}
			switch {
			case harm:
				c.harm++
				t.Errorf("a wrong write: %s %q: %s", row.Lang, row.Text, what)
			case !right:
				t.Logf("not understood: %s %q (%s): %s", row.Lang, row.Text, row.Tool, what)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		c := counts[key]
		t.Logf("%s %3d of %3d, %d wrong writes", key, c.right, c.all, c.harm)
		if c.right*10 < c.all*9 {
			t.Errorf("%s: only %d of %d", key, c.right, c.all)
		}
	}
}
