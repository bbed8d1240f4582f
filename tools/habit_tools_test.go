package tools_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"steady/core"
	"steady/tools/habit"
)

const habitArchived = habit.Archived

// quotedText is what a text quotes: words of the person or names, in whatever language.
var quotedText = regexp.MustCompile(`“[^”]*”|\([^)]*\)|[A-Za-z_-]*[a-z]+_[a-z_]+|YYYY-MM-DD|JSON|variant|integer|string|boolean|array`)

func TestAddHabit(t *testing.T) { // C01–C29
	long := strings.Repeat("가", 200)
	type state []planted
	for _, v := range []struct {
		id   string
		have state
		args string
		code string // "" is ok
		says string // in the reason
		data map[string]any
		warn []any
		why  string
	}{
		{"C01", nil, `{"protocol_id":"sleep_caffeine_curfew","frame_level":"process","framed_text":"I enjoy my last coffee right after lunch","anchor_after_what":"lunch"}`,
			"", "", map[string]any{"habit_id": 1.0, "title": "Early last coffee", "type": "build", "frame_level": "process"}, nil, "as it should be"},
		{"C02", nil, add("sleep_cafeine", ""), "not_found", "sleep_caffeine_curfew", nil, nil, "the nearest id is named"},
		{"C03", nil, add("u_guitar_scales", ""), "not_found", "", nil, nil, "another user's private entry"},
		{"C05", nil, add("sleep_steady_wake", `"frame_level":"Identity","framed_text":"I am an early riser"`), "", "", map[string]any{"frame_level": "identity"}, nil, "letter case"},
		{"C06", nil, add("sleep_steady_wake", `"frame_level":2`), "", "", map[string]any{"frame_level": "process"}, nil, "by number"},
		{"C07", nil, add("sleep_steady_wake", `"frame_level":"feeling"`), "validation", "identity", nil, nil, "a closed set"},
		{"C08", nil, add("sleep_steady_wake", `"framed_text":"  "`), "validation", "framed_text", nil, nil, "blank"},
		{"C08b", nil, add("sleep_steady_wake", `"framed_text":"\u200b\u200b\u200b\u200b\u200b"`), "validation", "framed_text", nil, nil, "nothing to see"},
		{"C09", nil, add("sleep_steady_wake", `"framed_text":"`+long+`가"`), "validation", "200", nil, nil, "201 runes"},
		{"C10", nil, add("sleep_steady_wake", `"framed_text":"`+long+`"`), "", "", nil, nil, "200 runes are 600 bytes"},
		{"C10b", nil, add("sleep_steady_wake", `"framed_text":"`+strings.Repeat("\u1100\u1161", 200)+`"`), "", "", nil, nil, "decomposed Hangul counts as it looks"},
		{"C11", nil, add("sleep_steady_wake", `"framed_text":"I get up\nwhen it rings"`), "", "", nil, nil, "a line break becomes a space"},
		{"C12", nil, add("sleep_steady_wake", `"frame_level":"identity","framed_text":"I walk after dinner"`), "", "", nil, []any{"r2_frame_shape"}, "it does not say who"},
		{"C13", nil, add("sleep_steady_wake", `"frame_level":"identity","framed_text":"I am a person who walks after dinner"`), "", "", nil, nil, "it does"},
		{"C14", nil, add("sleep_steady_wake", `"frame_level":"identity","framed_text":"나는 저녁마다 걷는 사람이다"`), "", "", nil, nil, "in Korean"},
		{"C15", nil, `{"protocol_id":"sleep_steady_wake","frame_level":"process","framed_text":"I get up when it rings"}`, "", "", nil, []any{"r4_no_anchor"}, "no cue"},
		{"C16", nil, add("sleep_steady_wake", `"anchor_when":"07:30"`), "", "", nil, nil, "a clock cue"},
		{"C17", nil, add("sleep_steady_wake", `"anchor_after_what":"after I stop working"`), "", "", nil, nil, "R7 does not read anchors"},
		{"C18", nil, add("sleep_steady_wake", `"type":"break"`), "r8_xor", "build", nil, nil, "the entry decides"},
		{"C19", nil, add("diet_nuts_handful", `"type":"build"`), "", "", map[string]any{"type": "build"}, nil, "diet is built"},
		{"C20", nil, add("break_smoke_walk", ""), "", "", map[string]any{"type": "break"}, nil, "from the kind"},
		{"C24", nil, add("sleep_steady_wake", `"minimum_text":""`), "validation", "minimum_text", nil, nil, "R9: no empty minimum"},
		{"C24b", nil, add("sleep_steady_wake", `"minimum_text":"   "`), "validation", "minimum_text", nil, nil, "nor one of spaces"},
		{"C25", state{{id: 7, protocol: "sleep_steady_wake"}}, add("sleep_steady_wake", ""), "already_active", "7", nil, nil, "that habit is named"},
		{"C25b", state{{id: 7, protocol: "sleep_steady_wake", status: habit.Paused}}, add("sleep_steady_wake", ""), "already_active", "7", nil, nil, "paused is still there"},
		{"C26", state{{id: 7, protocol: "sleep_steady_wake", status: habit.Archived}}, add("sleep_steady_wake", ""), "", "", map[string]any{"habit_id": 8.0}, nil, "archived is not, and its id is not used again"},
		{"C27", three, add("sleep_steady_wake", `"framed_text":"Stop sleeping in"`), "r3_quota", "", nil, nil, "the quota before the wording"},
		{"C28", nil, add("sleep_xyzzy_wake", `"framed_text":"Stop sleeping in"`), "not_found", "", nil, nil, "the entry before the wording"},
		{"C29", three, add("sleep_xyzzy_wake", `"framed_text":"eat 600 kcal a day"`), "safety_gate", "", nil, nil, "safety before anything else"},
		{"R7", nil, add("sleep_steady_wake", `"framed_text":"Stop sleeping in"`), "r7_avoidance", "“stop”", nil, nil, "the matched words are named"},
		{"R7 title", nil, add("sleep_steady_wake", `"title":"No snooze"`), "r7_avoidance", "“no snooze”", nil, nil, "R7 reads titles"},
		{"R7 soft", nil, add("break_scroll_budget", `"framed_text":"Less scrolling"`), "r7_avoidance", "“less”", nil, nil, "a reduction without a number"},
		{"R7 limit", nil, add("break_scroll_budget", `"framed_text":"Scrolling fits in 30 minutes at most"`), "", "", nil, nil, "with a number"},
		{"order", three, add("sleep_steady_wake", `"type":"break"`), "r8_xor", "", nil, nil, "the type before the quota"},
		{"order", append(slices.Clone(three), planted{id: 9, protocol: "sleep_steady_wake", status: habit.Paused}), add("sleep_steady_wake", ""), "already_active", "", nil, nil, "what is there before the quota"},
	} {
		w := newWorld(t)
		w.plant(v.have...)
		out := w.do("add_habit", v.args)
		if out.code != v.code || !strings.Contains(out.reason, v.says) {
			t.Errorf("%s: got %q %q, want %q: %s", v.id, out.code, out.reason, v.code, v.why)
			continue
		}
		if out.code != "" {
			continue
		}
		for name, want := range v.data {
			if out.data[name] != want {
				t.Errorf("%s: got %s %v, want %v", v.id, name, out.data[name], want)
			}
		}
		if warn, _ := out.data["warnings"].([]any); !slices.Equal(warn, v.warn) {
			t.Errorf("%s: got warnings %v, want %v: %s", v.id, warn, v.warn, v.why)
		}
		if !out.asks {
			t.Errorf("%s: it was not asked", v.id)
		}
	}
}

// three is a person without a free place for a build habit.
var three = []planted{{id: 1, protocol: "move_after_meal_walk", title: "Walk"}, {id: 2, protocol: "diet_nuts_handful", title: "Nuts"}, {id: 3, protocol: "mind_slow_breath", title: "Breath"}}

func TestSafetyReadsEveryText(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"framed_text", "title", "dose_text", "minimum_text", "anchor_when", "anchor_after_what"} {
		out := w.do("add_habit", add("sleep_steady_wake", fmt.Sprintf(`%q:"fast for five days"`, name)))
		if out.code != "safety_gate" || !strings.Contains(out.reason, "eating-disorder") {
			t.Errorf("%s: got %q %q", name, out.code, out.reason)
		}
	}
}

func TestStoredTypeXor(t *testing.T) { // C21
	for _, columns := range []map[string]any{
		{"build_protocol_id": "sleep_steady_wake", "break_protocol_id": "break_smoke_walk"},
		{},
	} {
		w := newWorld(t)
		row := map[string]any{"id": 1, "title": "x", "minimum_text": "y", "start_date": "2026-03-02", "phase_start_date": "2026-03-02", "status": "active"}
		for k, v := range columns {
			row[k] = v
		}
		w.write("habits", map[string]any{"v": 1, "next": 2, "habits": []any{row}})
		if out := w.do("get_streak", `{"habit_id":1}`); out.code != "r8_xor" {
			t.Errorf("%v: got %q %s", columns, out.code, out.json)
		}
	}
}

func TestQuota(t *testing.T) { // Q01–Q10
	build := func(n int) (all []planted) { return three[:n:n] }
	breaks := planted{id: 5, protocol: "break_smoke_walk"}
	paused := planted{id: 6, protocol: "learn_recall_review", status: habit.Paused}
	fourth := planted{id: 7, protocol: "social_reach_out"}
	for _, v := range []struct {
		id   string
		have []planted
		add  string
		code string
		left [2]float64 // build, break afterwards
		why  string
	}{
		{"Q01", nil, "sleep_steady_wake", "", [2]float64{2, 1}, "the first"},
		{"Q02", build(2), "diet_veg_first", "", [2]float64{0, 1}, "diet counts as build"},
		{"Q03", build(3), "sleep_steady_wake", "r3_quota", [2]float64{0, 1}, "full"},
		{"Q04", build(3), "break_smoke_walk", "", [2]float64{0, 0}, "break has a place of its own"},
		{"Q05", []planted{breaks}, "break_scroll_budget", "r3_quota", [2]float64{3, 0}, "one break"},
		{"Q06", append(build(2), paused), "sleep_steady_wake", "", [2]float64{0, 1}, "paused does not count"},
		{"Q10", append(build(3), fourth), "sleep_steady_wake", "r3_quota", [2]float64{0, 1}, "a fourth was forced in: never negative"},
	} {
		w := newWorld(t)
		w.plant(v.have...)
		out := w.do("add_habit", add(v.add, ""))
		if out.code != v.code {
			t.Errorf("%s: got %q %q, want %q: %s", v.id, out.code, out.reason, v.code, v.why)
		}
		if v.id == "Q03" && !(strings.Contains(out.reason, "Walk") && strings.Contains(out.reason, "Nuts") && strings.Contains(out.reason, "Breath")) {
			t.Errorf("Q03: %q does not list the three titles", out.reason)
		}
		list := w.must("list_active_habits", "")
		if got := [2]float64{list.data["build_quota_remaining"].(float64), list.data["break_quota_remaining"].(float64)}; got != v.left {
			t.Errorf("%s: got %v places left, want %v: %s", v.id, got, v.left, v.why)
		}
	}
}

func TestTwoAddsRace(t *testing.T) { // Q09: both are asked, both get their yes
	w := newWorld(t)
	w.plant(three[:2]...)
	first, err := w.propose("add_habit", add("sleep_steady_wake", ""))
	if err != nil {
		t.Fatal(err)
	}
	second, err := w.propose("add_habit", add("sleep_tomorrow_list", ""))
	if err != nil {
		t.Fatal(err)
	}
	if out := w.accept(first); out.code != "" || out.data["habit_id"] != 3.0 {
		t.Errorf("the first got %q %s", out.code, out.json)
	}
	if out := w.accept(second); out.code != "r3_quota" {
		t.Errorf("the second got %q %s", out.code, out.json)
	}
}

func TestTwoAddsAgainstOneRevision(t *testing.T) { // Q09, where both had already read the documents
	w := newWorld(t)
	w.plant(three[:2]...)
	views := []*core.Documents{core.NewDocuments(w.docs), core.NewDocuments(w.docs)}
	for i, protocol := range []string{"sleep_steady_wake", "sleep_tomorrow_list"} {
		c, err := w.propose("add_habit", add(protocol, ""))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.tool.Apply(t.Context(), views[i], w.o, c.args); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.docs.commit(views[0]); err != nil {
		t.Errorf("the first got %v", err)
	}
	if err := w.docs.commit(views[1]); err != core.ErrConflict {
		t.Errorf("the second got %v", err)
	}
}

func TestAddSummary(t *testing.T) { // habits.md §2.3
	w := newWorld(t)
	args := `{"protocol_id":"sleep_caffeine_curfew","frame_level":"process","framed_text":"I enjoy my last coffee right after lunch","anchor_when":"13:00","anchor_after_what":"lunch","days":[1,3]}`
	for l, want := range map[core.Lang]string{
		core.En: "Add habit “Early last coffee” (build)\nI enjoy my last coffee right after lunch\nWhen: 13:00, after “lunch”\nDose: Last caffeine 8 hours before bed · on a hard day: Last caffeine 6 hours before bed\nDays: Mon, Wed\nPlaces left after this: 2 build / 1 break",
		core.Ko: "습관 추가: “마지막 커피 일찍 마시기” (만들기)\nI enjoy my last coffee right after lunch\n언제: 13:00, “lunch” 다음\n용량: 취침 8시간 전에 마지막 카페인 · 힘든 날: 취침 6시간 전에 마지막 카페인\n요일: 월·수\n남은 자리: 만들기 2 / 바꾸기 1",
		core.Zh: "添加习惯“提早喝完最后一杯咖啡”(养成)\nI enjoy my last coffee right after lunch\n时机:13:00,“lunch”之后\n剂量:睡前8小时喝完·困难的日子:睡前6小时喝完\n日期:周一、周三\n剩余名额:养成2/改变1",
	} {
		w.o.Lang = l
		c, err := w.propose("add_habit", args)
		if err != nil || c.summary != want {
			t.Errorf("%s: got %q, %v", l, c.summary, err)
		}
	}
}

// TestShownIsWhatRuns holds that the habit that is stored is the one that was shown, defaults included.
func TestShownIsWhatRuns(t *testing.T) {
	w := newWorld(t)
	c, err := w.propose("add_habit", add("move_strength_snack", ""))
	if err != nil {
		t.Fatal(err)
	}
	w.o.Lang = core.Ko // the language of the person changes between question and yes
	w.accept(c)
	w.o.Lang = core.En
	var shown map[string]any
	if err := json.Unmarshal(c.args, &shown); err != nil {
		t.Fatal(err)
	}
	item := w.must("list_active_habits", "").data["items"].([]any)[0].(map[string]any)
	for _, name := range []string{"title", "dose_text", "minimum_text", "framed_text", "frame_level", "type", "anchor_after_what"} {
		if shown[name] != item[name] || item[name] == nil {
			t.Errorf("%s: %v was shown, %v is stored", name, shown[name], item[name])
		}
	}
	if fmt.Sprint(item["days"]) != "[1 3 5]" {
		t.Errorf("got days %v: the entry has default days", item["days"])
	}
}

func TestListActiveHabits(t *testing.T) {
	w := newWorld(t)
	if out := w.must("list_active_habits", ""); out.json != `{"status":"ok","data":{"count":0,"build_count":0,"break_count":0,"build_quota_remaining":3,"break_quota_remaining":1,"items":[]}}` {
		t.Errorf("an empty shelf: got %s", out.json)
	}
	w.plant(planted{id: 4, protocol: "mind_slow_breath"}, planted{id: 17, protocol: "move_after_meal_walk", title: "Walk <&>"},
		planted{id: 18, protocol: "break_smoke_walk", status: habit.Paused}, planted{id: 19, protocol: "diet_nuts_handful", status: habit.Archived})
	w.log(4, map[string]string{"2026-03-10": "done/minimum"})
	w.log(17, map[string]string{"2026-03-07": "done/standard", "2026-03-08": "done/standard", "2026-03-09": "done/standard"})
	out := w.must("list_active_habits", "")
	items := out.data["items"].([]any)
	if out.data["count"] != 3.0 || out.data["build_count"] != 2.0 || out.data["break_count"] != 0.0 || out.data["break_quota_remaining"] != 1.0 {
		t.Errorf("got %s: paused ones are listed but not counted, archived ones neither", out.json)
	}
	if want := `{"habit_id":17,"title":"Walk <&>","type":"build","status":"active","protocol_id":"move_after_meal_walk","frame_level":"process","framed_text":"I walk after dinner","anchor_when":null,"anchor_after_what":null,"dose_text":"10 minutes","minimum_text":"2 minutes","days":[1,2,3,4,5,6,7],"start_date":"2026-03-02","phase_day":9,"today":"open","current_streak":3,"at_risk":false,"reminders":[]}`; !strings.Contains(out.json, want) {
		t.Errorf("got %s", out.json)
	}
	var order []string
	for _, it := range items {
		m := it.(map[string]any)
		order = append(order, fmt.Sprint(m["habit_id"], " ", m["today"]))
	}
	if !slices.Equal(order, []string{"17 open", "4 minimum", "18 paused"}) {
		t.Errorf("got order %v: open ones first, then by id", order)
	}
}

func TestListSheds(t *testing.T) { // habits.md §2.4
	frame := strings.Repeat("걷", 200)
	protocols := []string{"move_after_meal_walk", "diet_nuts_handful", "mind_slow_breath", "break_smoke_walk", "sleep_steady_wake",
		"sleep_tomorrow_list", "learn_recall_review", "social_reach_out", "care_floss_after_brush", "diet_veg_first", "diet_plant_variety",
		"move_desk_break", "mind_mindful_minutes", "break_scroll_budget", "break_nail_touch"}
	for _, v := range []struct {
		habits, title int
		whole         bool // every habit is there
		has, lacks    string
	}{
		{1, 5, true, "reminders", ""},
		{4, 5, true, "framed_text", "reminders"},
		{10, 5, true, "current_streak", "framed_text"},
		{10, 60, true, "current_streak", "framed_text"},
		{15, 60, false, "current_streak", "framed_text"},
	} {
		w := newWorld(t)
		w.o.Lang = core.Ko
		var have []planted
		for i, p := range protocols[:v.habits] {
			status := habit.Active
			if i >= 4 {
				status = habit.Paused
			}
			have = append(have, planted{id: i + 1, protocol: p, status: status, frame: frame, title: strings.Repeat("습", v.title)})
		}
		w.plant(have...)
		out := w.must("list_active_habits", "")
		items := out.data["items"].([]any)
		if units(out.json) > 2048 || float64(len(items)) != out.data["count"] || (len(items) == v.habits) != v.whole || (out.data["truncated"] == true) == v.whole {
			t.Errorf("%d habits: got %d items, %d units, truncated %v", v.habits, len(items), units(out.json), out.data["truncated"])
		}
		active := 0
		for _, it := range items {
			m := it.(map[string]any)
			for _, name := range []string{"habit_id", "title", "type", "status", "today", "current_streak", "at_risk", v.has} {
				if _, ok := m[name]; !ok {
					t.Errorf("%d habits: %s is missing in %v", v.habits, name, m)
				}
			}
			if _, ok := m[v.lacks]; ok {
				t.Errorf("%d habits: %s is still there", v.habits, v.lacks)
			}
			if m["status"] == "active" {
				active++
			}
		}
		if active != min(4, v.habits) {
			t.Errorf("%d habits: %d active ones left; they are never dropped", v.habits, active)
		}
	}
}

func TestOtherPeople(t *testing.T) {
	w := newWorld(t)
	w.must("add_habit", add("sleep_steady_wake", ""))
	w.o.Person, w.o.Direct = "web:lee", false // another speaker of the same group
	if out := w.must("list_active_habits", ""); out.data["count"] != 0.0 {
		t.Errorf("got %s", out.json)
	}
	if out := w.do("log_tracker_entry", `{"habit_id":1,"value":"done"}`); out.code != "not_found" {
		t.Errorf("somebody else's id got %q", out.code)
	}
	if out := w.must("add_habit", add("sleep_steady_wake", "")); out.data["habit_id"] != 1.0 {
		t.Errorf("got %s: ids are per person", out.json)
	}
}
