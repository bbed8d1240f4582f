package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"steady/core"
	"steady/tools/habit"
)

// tracked is the state of habits.md §3.3: habit 17 began on 2 March, and 9 March is logged as done.
func tracked(t testing.TB) *world {
	t.Helper()
	w := newWorld(t)
	w.plant(planted{id: 17, protocol: "move_after_meal_walk", title: "Walk"},
		planted{id: 18, protocol: "mind_slow_breath", title: "Breath", days: "[1,3,5]"},
		planted{id: 19, protocol: "sleep_steady_wake", title: "Wake", start: "2026-02-01"},
		planted{id: 20, protocol: "sleep_tomorrow_list", title: "List", start: "2026-03-08"},
		planted{id: 21, protocol: "learn_recall_review", title: "Recall", status: habit.Paused},
		planted{id: 22, protocol: "diet_nuts_handful", title: "Nuts", status: habit.Archived})
	w.log(17, map[string]string{"2026-03-09": "done/standard"})
	return w
}

func TestLogTrackerEntry(t *testing.T) { // E01–E25
	for _, v := range []struct {
		id, now, args string
		code          string // "" is ok
		says          string // in the reason
		date          string
		mark          string // value, or value/variant
		asks          bool
		why           string
	}{
		{"E01", "", `{"habit_id":17,"value":"done"}`, "", "", "2026-03-10", "done/standard", true, "no date is today"},
		{"E02", "", `{"habit_id":17,"value":"done","date":"yesterday"}`, "duplicate", "9 March is already logged as done", "", "", false, "one entry a day"},
		{"E04", "", `{"habit_id":17,"value":"done","variant":"minimum","date":"2026-03-09","replace":true}`, "", "", "2026-03-09", "done/minimum", true, "replaced"},
		{"E05", "", `{"habit_id":17,"value":"blank","date":"2026-03-10"}`, "", "", "2026-03-10", "blank", false, "honesty needs no yes"},
		{"E06", "", `{"habit_id":17,"value":"blank","date":"2026-03-09","replace":true}`, "", "", "2026-03-09", "blank", true, "but overwriting does"},
		{"E07", "", `{"habit_id":17,"value":"done","date":"2026-03-11"}`, "date_future", "10 March", "", "", false, "tomorrow"},
		{"E08", "", `{"habit_id":17,"value":"done","date":"2026-03-03"}`, "", "", "2026-03-03", "done/standard", true, "exactly seven days"},
		{"E09", "", `{"habit_id":19,"value":"done","date":"2026-03-02"}`, "date_too_old", "3 March", "", "", false, "eight days"},
		{"E10", "", `{"habit_id":20,"value":"done","date":"2026-03-07"}`, "before_start", "8 March", "", "", false, "before it began"},
		{"E11", "", `{"habit_id":17,"value":"done","date":"2026-02-29"}`, "validation", "YYYY-MM-DD", "", "", false, "on no calendar"},
		{"E12", "", `{"habit_id":17,"value":"done","date":"10.03.2026"}`, "validation", "YYYY-MM-DD", "", "", false, "the form is shown"},
		{"E13", "2026-03-10 02:00", `{"habit_id":17,"value":"done","date":"어제"}`, "", "", "2026-03-08", "done/standard", true, "at two in the night today is still the 9th"},
		{"E14", "2026-03-10 02:59", `{"habit_id":17,"value":"done"}`, "duplicate", "9 March", "", "", false, "a minute before the day begins"},
		{"E15", "2026-03-10 03:00", `{"habit_id":17,"value":"done"}`, "", "", "2026-03-10", "done/standard", true, "the day begins"},
		{"E16", "", `{"habit_id":18,"value":"done","date":"2026-03-08"}`, "", "", "2026-03-08", "done/standard", true, "a Sunday of a Mon/Wed/Fri habit"},
		{"E17", "", `{"habit_id":21,"value":"done"}`, "", "", "2026-03-10", "done/standard", true, "paused"},
		{"E18", "", `{"habit_id":22,"value":"done"}`, "habit_not_active", "Nuts", "", "", false, "archived"},
		{"E22", "", `{"habit_id":17,"value":"blank","variant":"stretch"}`, "validation", "variant", "", "", false, "only done has a variant"},
		{"E23", "", `{"habit_id":17,"value":"완료"}`, "", "", "2026-03-10", "done/standard", true, "in Korean"},
		{"E24", "", `{"habit_id":17,"value":"minimum"}`, "", "", "2026-03-10", "done/minimum", true, "seed 001 §11: the minimum is within reach"},
		{"E25", "", `{"habit_id":"17","value":"done"}`, "", "", "2026-03-10", "done/standard", true, "a numeric string"},
		{"words", "", `{"habit_id":17,"value":"skip","date":" Today "}`, "", "", "2026-03-10", "skip", true, "words for dates, in any letter case"},
		{"words", "", `{"habit_id":17,"value":"完成","date":"今天"}`, "", "", "2026-03-10", "done/standard", true, "in Chinese"},
		{"unknown", "", `{"habit_id":99,"value":"done"}`, "not_found", "17 “Walk”", "", "", false, "it lists what exists"},
		{"order", "", `{"habit_id":99,"value":"done","date":"tomorrow"}`, "validation", "", "", "", false, "validation comes first"},
		{"order", "", `{"habit_id":99,"value":"done","note":"I want to die"}`, "safety_gate", "", "", "", false, "then safety"},
		{"order", "", `{"habit_id":22,"value":"done","date":"2026-03-11"}`, "habit_not_active", "", "", "", false, "then the habit"},
		{"order", "", `{"habit_id":20,"value":"done","date":"2026-03-01"}`, "date_too_old", "", "", "", false, "too old before too early"},
		{"note", "", `{"habit_id":17,"value":"done","note":"chest pain, stop taking my pills"}`, "", "", "2026-03-10", "done/standard", true, "an awkward note is loggable: crisis only"},
		{"note", "", `{"habit_id":17,"value":"blank","note":"죽고 싶어"}`, "safety_gate", "", "", "", false, "a crisis is not"},
		{"replace", "", `{"habit_id":17,"value":"done","date":"2026-03-08","replace":true}`, "", "", "2026-03-08", "done/standard", true, "nothing there to replace"},
	} {
		w := tracked(t)
		if v.now != "" {
			w.at(v.now, "Asia/Seoul")
		}
		out := w.do("log_tracker_entry", v.args)
		if out.code != v.code || !strings.Contains(out.reason, v.says) {
			t.Errorf("%s: got %q %q, want %q: %s", v.id, out.code, out.reason, v.code, v.why)
			continue
		}
		if out.code != "" {
			continue
		}
		mark := fmt.Sprint(out.data["value"])
		if out.data["variant"] != nil {
			mark += "/" + fmt.Sprint(out.data["variant"])
		}
		if out.data["date"] != v.date || mark != v.mark || out.asks != v.asks || len(out.data) != 5 {
			t.Errorf("%s: got %s, asks %v: %s", v.id, out.json, out.asks, v.why)
		}
	}
}

func TestSkipBudget(t *testing.T) { // E19–E21
	for _, v := range []struct {
		id    string
		skips []string
		args  string
		code  string
		why   string
	}{
		{"E19", []string{"2026-02-20", "2026-02-25", "2026-03-01"}, `{"habit_id":19,"value":"skip"}`, "", "the fourth"},
		{"E20", []string{"2026-02-20", "2026-02-25", "2026-03-01", "2026-03-05"}, `{"habit_id":19,"value":"skip"}`, "skip_budget", "the fifth"},
		{"E21", []string{"2026-02-08", "2026-02-25", "2026-03-01", "2026-03-05"}, `{"habit_id":19,"value":"skip"}`, "", "the oldest was 30 days ago"},
		{"E21b", []string{"2026-02-09", "2026-02-25", "2026-03-01", "2026-03-05"}, `{"habit_id":19,"value":"skip"}`, "skip_budget", "it was 29 days ago"},
		{"late", []string{"2026-02-20", "2026-02-25", "2026-03-01", "2026-03-10"}, `{"habit_id":19,"value":"skip","date":"2026-03-05"}`, "skip_budget", "a skip of an earlier day makes a fifth one, too"},
		{"same", []string{"2026-02-20", "2026-02-25", "2026-03-01", "2026-03-10"}, `{"habit_id":19,"value":"skip","replace":true}`, "", "replacing a skip adds none"},
		{"done", []string{"2026-02-20", "2026-02-25", "2026-03-01", "2026-03-05"}, `{"habit_id":19,"value":"done"}`, "", "done needs no budget"},
		{"other", []string{"2026-02-20", "2026-02-25", "2026-03-01", "2026-03-05"}, `{"habit_id":17,"value":"skip"}`, "", "each habit has its own"},
	} {
		w := tracked(t)
		entries := map[string]string{}
		for _, d := range v.skips {
			entries[d] = "skip"
		}
		w.log(19, entries)
		if out := w.do("log_tracker_entry", v.args); out.code != v.code {
			t.Errorf("%s: got %q %q, want %q: %s", v.id, out.code, out.reason, v.code, v.why)
		}
	}
}

func TestSkipBudgetOverNewYear(t *testing.T) {
	w := newWorld(t)
	w.at("2027-01-03 09:00", "Asia/Seoul")
	w.plant(planted{id: 1, protocol: "sleep_steady_wake", start: "2026-11-01"})
	w.log(1, map[string]string{"2026-12-10": "skip", "2026-12-20": "skip", "2026-12-31": "skip", "2027-01-01": "skip"})
	if out := w.do("log_tracker_entry", `{"habit_id":1,"value":"skip"}`); out.code != "skip_budget" {
		t.Errorf("got %q: the days before new year count", out.code)
	}
}

func TestDuplicateOfReplaceRace(t *testing.T) { // E26 for the chat: two devices, one row
	w := tracked(t)
	first, err := w.propose("log_tracker_entry", `{"habit_id":17,"value":"done"}`)
	if err != nil {
		t.Fatal(err)
	}
	second, err := w.propose("log_tracker_entry", `{"habit_id":17,"value":"skip"}`)
	if err != nil {
		t.Fatal(err)
	}
	if out := w.accept(first); out.code != "" {
		t.Errorf("the first got %q", out.code)
	}
	if out := w.accept(second); out.code != "duplicate" || !strings.Contains(out.reason, "done") {
		t.Errorf("the second got %q %q", out.code, out.reason)
	}
}

func TestReplaceRunsWhatWasShown(t *testing.T) {
	w := tracked(t)
	replace := `{"habit_id":17,"value":"blank","date":"2026-03-09","replace":true}`
	shown, err := w.propose("log_tracker_entry", replace)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Log Walk for 2026-03-09: not done\nReplaces: done"; shown.summary != want {
		t.Errorf("got %q", shown.summary)
	}
	w.must("log_tracker_entry", `{"habit_id":17,"value":"minimum","date":"2026-03-09","replace":true}`)
	if out := w.accept(shown); out.code != "changed" {
		t.Errorf("got %q: what it would overwrite is no longer what was shown", out.code)
	}
}

func TestReplaceKeepsRevision(t *testing.T) { // E04
	w := tracked(t)
	id := w.must("log_tracker_entry", `{"habit_id":17,"value":"skip","date":"2026-03-08","note":"ill"}`).data["entry_id"]
	out := w.must("log_tracker_entry", `{"habit_id":17,"value":"minimum","date":"2026-03-08","replace":true}`)
	if out.data["entry_id"] != id {
		t.Errorf("got %v, want %v: an entry keeps its id", out.data["entry_id"], id)
	}
	row := string(w.docs[core.PersonKey(w.o.Person, "habits/17/2026")].Body)
	if !strings.Contains(row, `"before":{"value":"skip","note":"ill"`) {
		t.Errorf("got %s", row)
	}
}

func TestLogSummary(t *testing.T) { // habits.md §2.3
	w := tracked(t)
	for l, want := range map[core.Lang]string{
		core.En: "Log Walk for 2026-03-09: done (minimum)\nReplaces: done\nNote: in the rain",
		core.Ko: "2026-03-09 Walk 기록: 완료 (최소)\n바꾸기 전: 완료\n메모: in the rain",
		core.Zh: "记录 2026-03-09 Walk:完成 (最小)\n替换:完成\n备注:in the rain",
	} {
		w.o.Lang = l
		c, err := w.propose("log_tracker_entry", `{"habit_id":17,"value":"minimum","date":"yesterday","replace":true,"note":" in the rain "}`)
		if err != nil || c.summary != want {
			t.Errorf("%s: got %q, %v", l, c.summary, err)
		}
	}
}

// TestDateStaysWhatWasShown holds that "today" is the day that was shown, also when the yes comes after the day has changed.
func TestDateStaysWhatWasShown(t *testing.T) {
	w := tracked(t)
	w.at("2026-03-11 02:55", "Asia/Seoul")
	c, err := w.propose("log_tracker_entry", `{"habit_id":17,"value":"done"}`)
	if err != nil {
		t.Fatal(err)
	}
	w.at("2026-03-11 03:05", "Asia/Seoul")
	if out := w.accept(c); out.data["date"] != "2026-03-10" {
		t.Errorf("got %q %s", out.code, out.json)
	}
}

func TestGetStreak(t *testing.T) {
	w := tracked(t)
	w.log(17, map[string]string{"2026-03-07": "done/standard", "2026-03-08": "done/minimum", "2026-03-09": "done/stretch"})
	out := w.must("get_streak", `{"habit_id":17}`)
	if want := `{"status":"ok","data":{"current_streak":3,"longest_streak":3,"done_count_30d":3,"done_count_phase42":3,"tier":"seed","never_miss_twice_broken":false}}`; out.json != want {
		t.Errorf("got %s", out.json)
	}
	if out.asks {
		t.Error("reading needs no yes")
	}
	if out := w.must("get_streak", `{"habit_id":22}`); len(out.data) != 6 {
		t.Errorf("archived: got %s", out.json)
	}
	if out := w.do("get_streak", `{"habit_id":5}`); out.code != "not_found" {
		t.Errorf("unknown: got %q", out.code)
	}
}

func TestStreakOverYears(t *testing.T) {
	w := newWorld(t)
	w.at("2027-01-02 09:00", "Asia/Seoul")
	w.plant(planted{id: 1, protocol: "sleep_steady_wake", start: "2026-12-29"})
	for _, d := range []string{"2026-12-29", "2026-12-30", "2026-12-31", "2027-01-01", "2027-01-02"} {
		w.must("log_tracker_entry", `{"habit_id":1,"value":"done","date":"`+d+`"}`)
	}
	if out := w.must("get_streak", `{"habit_id":1}`); out.data["current_streak"] != 5.0 || out.data["longest_streak"] != 5.0 {
		t.Errorf("got %s", out.json)
	}
	var years []string
	for key := range w.docs {
		years = append(years, strings.TrimPrefix(key, core.PersonKey(w.o.Person, "")))
	}
	slices.Sort(years)
	if !slices.Equal(years, []string{"habits", "habits/1/2026", "habits/1/2027"}) {
		t.Errorf("got documents %v", years)
	}
}

func TestZoneChange(t *testing.T) { // E27
	w := tracked(t)
	w.log(17, map[string]string{"2026-03-08": "done/standard", "2026-03-09": "done/standard", "2026-03-10": "done/standard"})
	w.at("2026-03-09 17:00", "America/Los_Angeles")
	if out := w.must("get_streak", `{"habit_id":17}`); out.data["current_streak"] != 2.0 {
		t.Errorf("got %s: today is the 9th again, the 10th waits", out.json)
	}
	if out := w.do("log_tracker_entry", `{"habit_id":17,"value":"done"}`); out.code != "duplicate" {
		t.Errorf("got %q: entries keep their dates", out.code)
	}
	w.at("2026-03-10 09:00", "America/Los_Angeles")
	if out := w.must("get_streak", `{"habit_id":17}`); out.data["current_streak"] != 3.0 {
		t.Errorf("got %s: the 10th has come", out.json)
	}
}

func TestMinimumThenStandard(t *testing.T) { // M02
	w := tracked(t)
	w.must("log_tracker_entry", `{"habit_id":17,"value":"minimum"}`)
	if out := w.do("log_tracker_entry", `{"habit_id":17,"value":"done"}`); out.code != "duplicate" || !strings.Contains(out.reason, "minimum") {
		t.Errorf("got %q %q", out.code, out.reason)
	}
}

func TestNewerRow(t *testing.T) {
	w := tracked(t)
	w.write("habits", map[string]any{"v": 99, "next": 1})
	view := core.NewDocuments(w.docs)
	if _, err := w.tools["list_active_habits"].Apply(t.Context(), view, w.o, []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "newer program") {
		t.Errorf("got %v", err)
	}
}

func BenchmarkGetStreakThreeYears(b *testing.B) {
	w := newWorld(b)
	w.at("2026-03-10 09:00", "Asia/Seoul")
	w.plant(planted{id: 1, protocol: "sleep_steady_wake", start: "2023-03-10"})
	entries := map[string]string{}
	start, _ := habit.ParseDate("2023-03-10")
	for d := start; d < start+3*365; d++ {
		entries[d.String()] = []string{"done/standard", "done/minimum", "skip"}[d%3]
	}
	w.log(1, entries)
	for _, name := range []string{"get_streak", "list_active_habits"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := w.tools[name].Apply(b.Context(), core.NewDocuments(w.docs), w.o, []byte(`{"habit_id":1}`)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
