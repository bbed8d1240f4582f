package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"steady/core"
)

func TestSearchCatalog(t *testing.T) {
	w := newWorld(t)
	for _, v := range []struct {
		args  string
		lang  core.Lang
		count int
		first string
		title string
		why   string
	}{
		{`{}`, core.En, 5, "break_nail_touch", "", "five by default"},
		{`{"limit":10}`, core.En, 10, "break_nail_touch", "", "ten at most"},
		{`{"category":"SLEEP"}`, core.En, 4, "sleep_caffeine_curfew", "Early last coffee", "seed 001 §11: letter case"},
		{`{"category":" 수면 "}`, core.Ko, 4, "sleep_caffeine_curfew", "", "in Korean"},
		{`{"category":"睡眠","limit":1}`, core.Zh, 1, "sleep_caffeine_curfew", "", "in Chinese"},
		{`{"keyword":"coffee"}`, core.En, 1, "sleep_caffeine_curfew", "Early last coffee", "by a word"},
		{`{"keyword":"daylight"}`, core.Ko, 1, "sleep_morning_daylight", "아침 햇빛 쬐기", "an English word, answered in Korean"},
		{`{"keyword":"xyzzy"}`, core.En, 0, "", "", "nothing is no error"},
	} {
		w.o.Lang = v.lang
		out := w.must("search_catalog", v.args)
		items := out.data["items"].([]any)
		if out.data["count"] != float64(v.count) || len(items) != v.count {
			t.Errorf("%s: got %s: %s", v.args, out.json, v.why)
			continue
		}
		if v.count == 0 {
			continue
		}
		first := items[0].(map[string]any)
		if first["id"] != v.first || v.title != "" && first["title"] != v.title || len(first) != 4 || out.asks {
			t.Errorf("%s: got %v: %s", v.args, first, v.why)
		}
	}
}

func TestSearchUnknownCategory(t *testing.T) {
	out := newWorld(t).must("search_catalog", `{"category":"dreams"}`)
	if out.data["count"] != 0.0 || len(out.data["items"].([]any)) != 0 || len(out.data["known_categories"].([]any)) != 8 {
		t.Errorf("got %s", out.json)
	}
}

func TestQueryProtocol(t *testing.T) {
	w := newWorld(t)
	w.plant(planted{id: 17, protocol: "sleep_caffeine_curfew"})
	out := w.must("query_protocol", `{"id":"sleep_caffeine_curfew"}`)
	want := []string{"active_habit_id", "anchor", "category", "cautions", "direction", "doses", "evidence", "frame_example", "id", "kind", "summary", "title", "unit"}
	if got := keys(out.data); !slices.Equal(got, want) {
		t.Errorf("got fields %v", got)
	}
	if out.data["active_habit_id"] != 17.0 || out.data["kind"] != "protocol" || out.data["unit"] != "hours_before_bed" {
		t.Errorf("got %s", out.json)
	}
	evidence := out.data["evidence"].([]any)[0].(map[string]any)
	if got := keys(evidence); !slices.Equal(got, []string{"citation", "grade", "year"}) {
		t.Errorf("got evidence %v", evidence)
	}
	if out := w.must("query_protocol", `{"id":" Sleep_Steady_Wake"}`); out.data["active_habit_id"] != nil {
		t.Errorf("got %s", out.json)
	}
}

func TestQueryKinds(t *testing.T) { // habits.md §2.4
	w := newWorld(t)
	for _, v := range []struct {
		id   string
		lang core.Lang
		want map[string]any
	}{
		{"break_phone_bedroom", core.En, map[string]any{"replaces": "scrolling in bed", "urge_plan": "If the urge comes, then: Out of arm's reach 5 minutes before lights out.", "not_for": nil}},
		{"break_phone_bedroom", core.Ko, map[string]any{"replaces": "침대에서 휴대폰 보기"}},
		{"diet_nuts_handful", core.En, map[string]any{"not_for": "Nut allergy: this one is not for you.", "urge_plan": nil}},
		{"diet_whole_grain_swap", core.Zh, map[string]any{"not_for": "乳糜泻者选无麸质谷物。"}},
		{"break_smoke_walk", core.En, map[string]any{"requires_professional": true}},
		{"sleep_steady_wake", core.En, map[string]any{"requires_professional": nil, "replaces": nil, "not_for": nil}},
	} {
		w.o.Lang = v.lang
		out := w.must("query_protocol", `{"id":"`+v.id+`"}`)
		for name, want := range v.want {
			if out.data[name] != want {
				t.Errorf("%s: got %s %v, want %v", v.id, name, out.data[name], want)
			}
		}
	}
}

func TestQueryNotFound(t *testing.T) { // C02–C04
	w := newWorld(t)
	for _, v := range []struct{ id, says, why string }{
		{"sleep_cafeine", "sleep_caffeine_curfew", "a typo: the nearest is named"},
		{"u_guitar_scales", "search", "somebody else's entry does not exist"},
		{"", "id", "empty"},
	} {
		out := w.do("query_protocol", `{"id":"`+v.id+`"}`)
		if v.id != "" && out.code != "not_found" || !strings.Contains(out.reason, v.says) {
			t.Errorf("%q: got %s %q: %s", v.id, out.code, out.reason, v.why)
		}
	}
}

// TestQueryFits holds that each entry in full is within the cap of results, so that it never has to be cut.
func TestQueryFits(t *testing.T) {
	w := newWorld(t)
	w.o.Lang = core.En
	for _, category := range w.must("search_catalog", `{"category":"dreams"}`).data["known_categories"].([]any) {
		for _, item := range w.must("search_catalog", `{"limit":10,"category":"`+category.(string)+`"}`).data["items"].([]any) {
			for _, l := range []core.Lang{core.En, core.Ko, core.Zh} {
				w.o.Lang = l
				if out := w.must("query_protocol", `{"id":"`+item.(map[string]any)["id"].(string)+`"}`); units(out.json) > 2048 {
					t.Errorf("%v in %s has %d units", item, l, units(out.json))
				}
			}
		}
	}
}

func TestSearchUnderSafetyFlags(t *testing.T) { // habits.md §7.3
	w := newWorld(t)
	for _, v := range []struct {
		says  string
		diet  bool
		steps bool
		why   string
	}{
		{"hello", true, true, "nothing is hidden at first"},
		{"I am 12", false, true, "a child sees no diet entries"},
		{"bulimia", false, false, "nor do people with an eating disorder, and no step targets either"},
		{"hello again", false, false, "it stays so"},
	} {
		w.say(v.says)
		diet := w.must("search_catalog", `{"category":"diet"}`).data["count"] != 0.0
		steps := w.do("query_protocol", `{"id":"move_daily_steps"}`).code == ""
		if diet != v.diet || steps != v.steps {
			t.Errorf("after %q: diet %v, steps %v: %s", v.says, diet, steps, v.why)
		}
		if out := w.do("add_habit", add("diet_nuts_handful", "")); !v.diet && out.code != "not_found" {
			t.Errorf("after %q: a diet habit got %q", v.says, out.code)
		}
	}
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// add is the arguments of an add_habit that is in order, but for what more says.
func add(protocol, more string) string {
	args := map[string]any{"protocol_id": protocol, "frame_level": "process", "framed_text": "I take two minutes for it after lunch", "anchor_after_what": "lunch"}
	if more != "" {
		if err := json.Unmarshal([]byte("{"+more+"}"), &args); err != nil {
			panic(err)
		}
	}
	body, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return string(body)
}
