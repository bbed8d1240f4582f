package habit_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"steady/core"
	"steady/tools/habit"
)

// avoidance is compiled once.
var avoidance = sync.OnceValue(habit.NewAvoidance)

// every lets every entry be seen.
func every(*habit.CatalogEntry) bool { return true }

var loaded = sync.OnceValues(func() (*habit.Catalog, error) { return habit.BuiltIn(avoidance()) })

func builtIn(t testing.TB) *habit.Catalog {
	t.Helper()
	c, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// small is the built-in file with three of its entries, one of them of kind break.
func small(t testing.TB) []byte {
	t.Helper()
	body, err := os.ReadFile("catalog.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Version    int               `json:"version"`
		Categories json.RawMessage   `json:"categories"`
		Entries    []json.RawMessage `json:"entries"`
	}
	if err := json.Unmarshal(body, &file); err != nil {
		t.Fatal(err)
	}
	file.Entries = slices.DeleteFunc(file.Entries, func(e json.RawMessage) bool {
		return !bytes.Contains(e, []byte(`"sleep_morning_daylight"`)) && !bytes.Contains(e, []byte(`"sleep_caffeine_curfew"`)) && !bytes.Contains(e, []byte(`"break_phone_bedroom"`))
	})
	if body, err = json.MarshalIndent(file, "", " "); err != nil || len(file.Entries) != 3 {
		t.Fatal(len(file.Entries), err)
	}
	return body
}

// lineOf is the line on which the entry with an id begins.
func lineOf(file []byte, id string) string {
	before, _, _ := bytes.Cut(file, []byte(`"id": "`+id+`"`))
	return fmt.Sprint("line ", bytes.Count(before, []byte("\n")))
}

func TestBuiltInCatalog(t *testing.T) {
	found, known := builtIn(t).Search(habit.Query{Allows: every, Max: 100})
	if !known || len(found) != 24 {
		t.Fatalf("got %d entries", len(found))
	}
	if got := builtIn(t).Categories(); len(got) != 8 {
		t.Errorf("got categories %v", got)
	}
}

// TestCatalogErrors breaks the built-in file in one place each and looks at what the loader says.
func TestCatalogErrors(t *testing.T) {
	file := small(t)
	daylight, phone := lineOf(file, "sleep_morning_daylight"), lineOf(file, "break_phone_bedroom")
	for _, v := range []struct {
		name     string
		old, new string
		want     []string
		why      string
	}{
		{"C22", `"id": "break_phone_bedroom"`, `"id": "sleep_morning_daylight"`, []string{phone, "already used on " + daylight, "one kind"}, "one id under two kinds: both lines are named"},
		{"C23", `"amount": 2,`, `"amount": 10,`, []string{daylight + ": sleep_morning_daylight", "R9"}, "a minimum as hard as the standard"},
		{"category", `"category": "sleep"`, `"category": "dreams"`, []string{`unknown category "dreams"`}, "categories must exist"},
		{"kind", `"kind": "protocol"`, `"kind": "ritual"`, []string{`unknown kind "ritual"`}, "a closed set"},
		{"id", `"id": "sleep_caffeine_curfew"`, `"id": "Steady!"`, []string{"the id must match"}, "ids are plain"},
		{"r7", `"en": "Morning daylight"`, `"en": "Stop sleeping in"`, []string{"title (en)", `"stop"`, "R7"}, "titles pass R7"},
		{"long", `"en": "Morning daylight"`, `"en": "` + strings.Repeat("day ", 16) + `"`, []string{"title (en) has more than 60"}, "titles fit"},
		{"unknown field", `"direction": "at_least",`, `"direction": "at_least", "colour": "red",`, []string{"line ", "colour"}, "a mistyped field is not ignored"},
		{"replaces", `"kind": "break"`, `"kind": "protocol"`, []string{"replaces belongs to kind break"}, "only break replaces"},
		{"grade", `"grade": "B"`, `"grade": "D"`, []string{"grade A, B or C"}, "a closed set"},
		{"version", `"version": 1`, `"version": 2`, []string{"version 2"}, "a file of another time"},
		{"syntax", `"entries": [`, `"entries": [,`, []string{"read catalog: line "}, "no JSON"},
	} {
		t.Run(v.name, func(t *testing.T) {
			broken := bytes.Replace(file, []byte(v.old), []byte(v.new), 1)
			if bytes.Equal(broken, file) {
				t.Fatal("nothing was broken")
			}
			_, err := habit.LoadCatalog(broken, avoidance())
			if err == nil {
				t.Fatalf("it was accepted: %s", v.why)
			}
			for _, w := range v.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %q: %s", w, err, v.why)
				}
			}
		})
	}
}

func TestCatalogTellsAllProblems(t *testing.T) {
	file := small(t)
	broken := bytes.Replace(file, []byte(`"kind": "protocol"`), []byte(`"kind": "ritual"`), 2)
	if _, err := habit.LoadCatalog(broken, avoidance()); err == nil || strings.Count(err.Error(), "unknown kind") != 2 {
		t.Errorf("got %v", err)
	}
}

// withDisabled is the built-in catalog with one entry switched off by its operator.
func withDisabled(t testing.TB, id string) *habit.Catalog {
	t.Helper()
	file := small(t)
	key := []byte(`"id": "` + id + `",`)
	c, err := habit.LoadCatalog(bytes.Replace(file, key, append(key, ` "enabled": false,`...), 1), avoidance())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDisabledEntry(t *testing.T) { // C04
	c := withDisabled(t, "sleep_caffeine_curfew")
	if _, ok := c.Get("sleep_caffeine_curfew"); ok {
		t.Error("it can be read")
	}
	if found, _ := c.Search(habit.Query{Keyword: "coffee", Allows: every, Max: 10}); len(found) != 0 {
		t.Errorf("it can be found: %v", found)
	}
	if near := c.Nearest("sleep_cafeine", every); near != "" {
		t.Errorf("it is proposed: %s", near)
	}
}

func TestSearch(t *testing.T) {
	c := builtIn(t)
	for _, v := range []struct {
		category, keyword string
		first             string // "" where nothing is found
		count             int    // -1 where it does not matter
		why               string
	}{
		{"sleep", "", "sleep_caffeine_curfew", 4, "a category, by its id; ties by id"},
		{"SLEEP", "", "sleep_caffeine_curfew", 4, "in any letter case"},
		{" 수면 ", "", "sleep_caffeine_curfew", 4, "its Korean name, with space around it"},
		{"睡眠", "", "sleep_caffeine_curfew", 4, "its Chinese name"},
		{"睡觉", "", "sleep_caffeine_curfew", 4, "an alias"},
		{"ＳＬＥＥＰ", "", "sleep_caffeine_curfew", 4, "full-width letters"},
		{"", "coffee", "sleep_caffeine_curfew", -1, "a word of the title"},
		{"", "COFFEE", "sleep_caffeine_curfew", -1, "in any letter case"},
		{"", "Morning daylight", "sleep_morning_daylight", -1, "the whole title"},
		{"", "morning", "sleep_morning_daylight", -1, "a title that starts so goes first"},
		{"", "햇빛", "sleep_morning_daylight", -1, "a Korean word"},
		{"", "闹钟", "sleep_steady_wake", -1, "a Chinese tag"},
		{"", "diet_nuts", "diet_nuts_handful", 1, "a piece of the id"},
		{"", "walk xyzzy", "break_smoke_walk", 4, "not every word is found: any will do"},
		{"", "xyzzy", "", 0, "nothing"},
		{"sleep", "nuts", "", 0, "the keyword is looked for within the category"},
		{"", "   ", "break_nail_touch", 24, "only space is no keyword"},
	} {
		found, known := c.Search(habit.Query{Category: v.category, Keyword: v.keyword, Allows: every, Max: 100})
		first := ""
		if len(found) > 0 {
			first = found[0].ID
		}
		if !known || first != v.first || v.count >= 0 && len(found) != v.count {
			t.Errorf("%q %q: got %d, first %q, want %d, first %q: %s", v.category, v.keyword, len(found), first, v.count, v.first, v.why)
		}
	}
	if _, known := c.Search(habit.Query{Category: "dreams", Allows: every, Max: 5}); known {
		t.Error("dreams is no category")
	}
}

// TestSearchOrder holds the order of habits.md §2.4: equal title, title starts, title contains, tags, summary.
func TestSearchOrder(t *testing.T) {
	found, _ := builtIn(t).Search(habit.Query{Keyword: "walk", Allows: every, Max: 100})
	rank := func(e *habit.CatalogEntry) int {
		tags := strings.ToLower(strings.Join(e.Tags, "\n"))
		switch title := strings.ToLower(e.Title.En); {
		case strings.HasPrefix(title, "walk"):
			return 1
		case strings.Contains(title, "walk"):
			return 2
		case strings.Contains(tags, "walk"):
			return 3
		case strings.Contains(strings.ToLower(e.Summary.En), "walk"):
			return 4
		}
		return 5
	}
	if len(found) < 3 {
		t.Fatalf("got %d entries", len(found))
	}
	for i := 1; i < len(found); i++ {
		a, b := found[i-1], found[i]
		if rank(a) > rank(b) || rank(a) == rank(b) && a.ID > b.ID {
			t.Errorf("%s comes before %s", a.ID, b.ID)
		}
	}
}

func TestNearest(t *testing.T) {
	c := builtIn(t)
	for _, v := range []struct{ id, want, why string }{
		{"sleep_cafeine", "sleep_caffeine_curfew", "C02: near to how it begins"},
		{"sleep_caffeine_curfew", "sleep_caffeine_curfew", "itself"},
		{"sleep_steady_wak", "sleep_steady_wake", "one letter short"},
		{"Sleep_Steady_Wake", "sleep_steady_wake", "letter case"},
		{"mind_slow_braeth", "mind_slow_breath", "two letters swapped"},
		{"guitar_scales", "", "far from all"},
		{"u_guitar", "", "somebody's own entry is not guessed at"},
		{"sle", "", "too short to mean one"},
		{"", "", "nothing"},
	} {
		if got := c.Nearest(v.id, every); got != v.want {
			t.Errorf("%q: got %q, want %q: %s", v.id, got, v.want, v.why)
		}
	}
}

func TestMinimumOfAtMost(t *testing.T) { // M07: looser is smaller
	e, ok := builtIn(t).Get("break_scroll_budget")
	if !ok || e.Direction != "at_most" {
		t.Fatalf("got %+v", e)
	}
	if d := e.Doses; !(d.Minimum.Amount == 60 && d.Standard.Amount == 30 && d.Stretch.Amount == 20) {
		t.Errorf("got %+v", d)
	}
}

func TestDaysJSON(t *testing.T) {
	for _, v := range []struct {
		text string
		ok   bool
		lang core.Lang
		name string
	}{
		{`[1,3,5]`, true, core.En, "Mon, Wed, Fri"},
		{`[6,7]`, true, core.Ko, "토·일"},
		{`[7]`, true, core.Zh, "周日"},
		{`[1,2,3,4,5,6,7]`, true, core.Zh, "每天"},
		{`[0]`, false, "", ""},
		{`[8]`, false, "", ""},
		{`"daily"`, false, "", ""},
	} {
		var d habit.Days
		err := json.Unmarshal([]byte(v.text), &d)
		if (err == nil) != v.ok {
			t.Errorf("%s: got error %v", v.text, err)
			continue
		}
		if back, err := json.Marshal(d); v.ok && (err != nil || string(back) != v.text || d.In(v.lang) != v.name) {
			t.Errorf("%s: got %s, %q, %v", v.text, back, d.In(v.lang), err)
		}
	}
}

func FuzzLoadCatalog(f *testing.F) {
	f.Add(small(f))
	f.Add([]byte(`{"version":1,"categories":[],"entries":[{}]}`))
	f.Add([]byte(`{"version":1,"entries":[{"id":"abc","replaces":{}}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if c, err := habit.LoadCatalog(file, avoidance()); (c == nil) == (err == nil) {
			t.Errorf("got %v, %v", c, err)
		}
	})
}
