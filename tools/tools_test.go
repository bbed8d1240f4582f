package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"steady/core"
)

func TestTheSixTools(t *testing.T) { // seed 001 §3 and §11
	w := newWorld(t)
	for _, v := range []struct {
		name, ko string
		required []string
		reads    bool
	}{
		{"search_catalog", "카탈로그 검색", []string{}, true},
		{"query_protocol", "프로토콜 조회", []string{"id"}, true},
		{"list_active_habits", "내 습관 목록", []string{}, true},
		{"get_streak", "연속 기록 확인", []string{"habit_id"}, true},
		{"add_habit", "습관 추가", []string{"protocol_id", "frame_level", "framed_text"}, false},
		{"log_tracker_entry", "하루 기록", []string{"habit_id", "value"}, false},
	} {
		tool, ok := w.tools[v.name]
		if !ok {
			t.Errorf("%s is missing", v.name)
			continue
		}
		var schema struct {
			Type     string
			Required []string
		}
		if err := json.Unmarshal(tool.Schema, &schema); err != nil || schema.Type != "object" || !slices.Equal(schema.Required, v.required) {
			t.Errorf("%s: got schema %s, %v", v.name, tool.Schema, err)
		}
		if tool.Label.Ko != v.ko || tool.Label.En == "" || tool.Label.Zh == "" || tool.Description == "" {
			t.Errorf("%s: got label %+v, description %q", v.name, tool.Label, tool.Description)
		}
		if reads := tool.Effect != nil && tool.Effect(w.o, json.RawMessage(`{}`)) == core.Reads; reads != v.reads {
			t.Errorf("%s: reads is %v", v.name, reads)
		}
		if (tool.Apply == nil) == (tool.Run == nil) || tool.Run != nil {
			t.Errorf("%s must be exact", v.name)
		}
	}
	if len(w.tools) != 6 {
		t.Errorf("got %d tools", len(w.tools))
	}
}

func TestValidation(t *testing.T) {
	w := newWorld(t)
	for _, v := range []struct {
		tool, args string
		want       string // canonical arguments, or "" for a refusal
		says       string // a piece of the reason
		why        string
	}{
		{"get_streak", `{"habit_id":17}`, `{"habit_id":17}`, "", "as it should be"},
		{"get_streak", `{"habit_id":"17"}`, `{"habit_id":17}`, "", "E25: a numeric string"},
		{"get_streak", `{"habit_id":" 17 "}`, `{"habit_id":17}`, "", "with space around it"},
		{"get_streak", `{"habit_id":17.0}`, `{"habit_id":17}`, "", "a whole number is an integer"},
		{"get_streak", `{"habit_id":17.5}`, "", "habit_id", "half a habit"},
		{"get_streak", `{"habit_id":0}`, "", "at least 1", "ids begin at 1"},
		{"get_streak", `{"habit_id":-1}`, "", "at least 1", "below it"},
		{"get_streak", `{"habit_id":1e999999999}`, "", "habit_id", "a number that would fill the memory"},
		{"get_streak", `{"habit_id":null}`, "", "habit_id", "null is not a value of a required one"},
		{"get_streak", `{}`, "", "habit_id", "required"},
		{"get_streak", `[17]`, "", "object", "no object"},
		{"get_streak", `"17"`, "", "object", "no object either"},
		{"get_streak", `{"habit_id":17} {}`, "", "object", "two values"},
		{"get_streak", `{"habit_id":17,`, "", "object", "cut off"},
		{"list_active_habits", ``, `{}`, "", "a call without arguments"},
		{"list_active_habits", `null`, `{}`, "", "another way to write that"},
		{"list_active_habits", `{"verbose":true}`, `{}`, "", "undeclared keys are ignored, seed 001 §5"},
		{"search_catalog", `{"keyword":"coffee","limit":"3","category":null}`, `{"keyword":"coffee","limit":3}`, "", "null leaves out"},
		{"search_catalog", `{"limit":11}`, "", "at most 10", "above the limit"},
		{"search_catalog", `{"category":""}`, "", "at least 1", "an empty category"},
		{"search_catalog", `{"keyword":["coffee"]}`, "", "keyword", "a list"},
		{"add_habit", `{"protocol_id":"x","frame_level":"Identity","framed_text":"I walk"}`, `{"frame_level":"identity","framed_text":"I walk","protocol_id":"x"}`, "", "C05: enums in any letter case"},
		{"add_habit", `{"protocol_id":"x","frame_level":2,"framed_text":"I walk"}`, `{"frame_level":"process","framed_text":"I walk","protocol_id":"x"}`, "", "C06: levels by number"},
		{"add_habit", `{"protocol_id":"x","frame_level":"3","framed_text":"I walk"}`, `{"frame_level":"identity","framed_text":"I walk","protocol_id":"x"}`, "", "and as a numeric string"},
		{"add_habit", `{"protocol_id":"x","frame_level":4,"framed_text":"I walk"}`, "", "frame_level", "there are three"},
		{"add_habit", `{"protocol_id":"x","frame_level":"process","framed_text":"I <b>walk</b> & run","days":["1",3,3.0]}`, "", "only once", "C: a weekday twice"},
		{"add_habit", `{"protocol_id":"x","frame_level":"process","framed_text":"I <b>walk</b> & run","days":["1",3]}`, `{"days":[1,3],"frame_level":"process","framed_text":"I <b>walk</b> & run","protocol_id":"x"}`, "", "items are coerced, and nothing is escaped"},
		{"add_habit", `{"protocol_id":"x","frame_level":"process","framed_text":"I walk","days":[]}`, "", "at least 1", "never an empty set"},
		{"add_habit", `{"protocol_id":"x","frame_level":"process","framed_text":"I walk","days":[8]}`, "", "at most 7", "no such weekday"},
		{"log_tracker_entry", `{"habit_id":1,"value":"완료"}`, `{"habit_id":1,"value":"done"}`, "", "E23"},
		{"log_tracker_entry", `{"habit_id":1,"value":"minimum"}`, `{"habit_id":1,"value":"done","variant":"minimum"}`, "", "E24"},
		{"log_tracker_entry", `{"habit_id":1,"value":"안 함"}`, `{"habit_id":1,"value":"blank"}`, "", "blank in Korean"},
		{"log_tracker_entry", `{"habit_id":1,"value":"跳过"}`, `{"habit_id":1,"value":"skip"}`, "", "skip in Chinese"},
		{"log_tracker_entry", `{"habit_id":1,"value":"DONE","variant":"Stretch"}`, `{"habit_id":1,"value":"done","variant":"stretch"}`, "", "letter case"},
		{"log_tracker_entry", `{"habit_id":1,"value":"maybe"}`, "", "done, blank, skip", "a closed set"},
		{"log_tracker_entry", `{"habit_id":1,"value":"done","replace":"perhaps"}`, "", "replace", "no boolean"},
		{"log_tracker_entry", `{"habit_id":1,"value":"done","was":"blank"}`, `{"habit_id":1,"value":"done"}`, "", "what the precheck adds cannot be given"},
	} {
		got, err := w.tools[v.tool].Validate(w.o, json.RawMessage(v.args))
		if v.want != "" {
			if err != nil || string(got) != v.want {
				t.Errorf("%s %s: got %s, %v, want %s: %s", v.tool, v.args, got, err, v.want, v.why)
			}
			continue
		}
		out := outcome{}
		if err == nil {
			t.Errorf("%s %s: got %s: %s", v.tool, v.args, got, v.why)
		} else if out = w.refused(out, err); out.code != "validation" || !strings.Contains(out.reason, v.says) {
			t.Errorf("%s %s: got %s %q, want %q in it: %s", v.tool, v.args, out.code, out.reason, v.says, v.why)
		}
	}
}

// TestReasonsSpeakTheLanguage holds that a refusal is in the person's language, whatever is wrong.
func TestReasonsSpeakTheLanguage(t *testing.T) {
	w := newWorld(t)
	w.plant(planted{id: 1, protocol: "move_after_meal_walk"}, planted{id: 2, protocol: "diet_nuts_handful"},
		planted{id: 3, protocol: "mind_slow_breath"}, planted{id: 4, protocol: "sleep_steady_wake", status: habitArchived})
	w.log(1, map[string]string{"2026-03-09": "done/standard"})
	for _, v := range [][2]string{
		{"get_streak", `{}`}, {"get_streak", `[]`}, {"get_streak", `{"habit_id":0}`}, {"get_streak", `{"habit_id":9}`}, {"get_streak", `{"habit_id":true}`},
		{"search_catalog", `{"limit":99}`}, {"search_catalog", `{"category":""}`}, {"search_catalog", `{"keyword":"` + strings.Repeat("가", 81) + `"}`},
		{"query_protocol", `{"id":"sleep_cafeine"}`}, {"query_protocol", `{"id":"guitar"}`},
		{"add_habit", add("sleep_steady_wake", `"framed_text":"   "`)}, {"add_habit", add("sleep_steady_wake", `"type":"break"`)},
		{"add_habit", add("move_after_meal_walk", "")}, {"add_habit", add("sleep_steady_wake", "")}, {"add_habit", add("break_smoke_walk", `"framed_text":"Stop smoking"`)},
		{"add_habit", add("break_smoke_walk", `"framed_text":"Fewer cigarettes"`)}, {"add_habit", add("break_smoke_walk", `"framed_text":"催吐减肥法"`)},
		{"add_habit", add("break_smoke_walk", `"days":[]`)}, {"add_habit", add("break_smoke_walk", `"days":[1,1]`)}, {"add_habit", add("break_smoke_walk", `"frame_level":"feeling"`)},
		{"log_tracker_entry", `{"habit_id":1,"value":"done","date":"yesterday"}`}, {"log_tracker_entry", `{"habit_id":1,"value":"done","date":"tomorrow"}`},
		{"log_tracker_entry", `{"habit_id":1,"value":"done","date":"2026-03-11"}`}, {"log_tracker_entry", `{"habit_id":1,"value":"done","date":"2026-02-11"}`},
		{"log_tracker_entry", `{"habit_id":4,"value":"done"}`}, {"log_tracker_entry", `{"habit_id":1,"value":"skip","variant":"minimum"}`},
	} {
		for _, l := range []core.Lang{core.En, core.Ko, core.Zh} {
			w.o.Lang = l
			out := w.do(v[0], v[1])
			quoted := quotedText.ReplaceAllString(out.reason, "")
			written := core.LangOf(quoted)
			if out.code == "" || written != l || strings.Contains(out.reason, "%!") {
				t.Errorf("%s %s in %s: got %s %q", v[0], v[1], l, out.code, out.reason)
			}
		}
	}
}

func FuzzArguments(f *testing.F) {
	for _, args := range []string{
		``, `null`, `{}`, `[]`, `{"habit_id":1}`, `{"habit_id":"1","value":"minimum","date":"어제","replace":true}`, `{"habit_id":1e400}`,
		`{"protocol_id":"break_smoke_walk","frame_level":3,"framed_text":"I am a walker","days":["1",2],"title":"\u200b"}`,
		`{"category":"수면","keyword":"\ud800","limit":1.5}`, `{"id":"sleep_cafeine"}`, `{"habit_id":1,"value":"skip","note":"I want to die"}`,
		`{"days":[[[[{"a":1e999}]]]]}`, `{"habit_id":1,"habit_id":2,"value":"blank"}`,
	} {
		for i := range 6 {
			f.Add(i, args)
		}
	}
	names := []string{"search_catalog", "query_protocol", "list_active_habits", "get_streak", "add_habit", "log_tracker_entry"}
	f.Fuzz(func(t *testing.T, i int, args string) {
		w := newWorld(t)
		w.plant(planted{id: 1, protocol: "move_after_meal_walk"})
		// do fails the test on any error that is not a refusal.
		out := w.do(names[(i%6+6)%6], args)
		if out.code == "" && units(out.json) > 4096 {
			t.Errorf("got %d units", units(out.json))
		}
	})
}
