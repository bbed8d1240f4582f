package offline_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"steady/core"
	"steady/core/offline"
)

// logged returns the arguments of the log call that a message leads to, nil if there is none.
func logged(t *testing.T, p core.Prompt) map[string]any {
	t.Helper()
	r := reply(t, model(t), p)
	if len(r.Calls) != 1 || r.Calls[0].Name != "log_tracker_entry" {
		return nil
	}
	var args map[string]any
	if err := json.Unmarshal([]byte(r.Calls[0].Args), &args); err != nil {
		t.Fatal(err)
	}
	return args
}

// TestDates reads dates on Tuesday, 10 March 2026. "-" is no call: the date is not certain, or still to come.
func TestDates(t *testing.T) {
	for _, v := range []struct {
		lang       core.Lang
		text, want string
	}{
		{core.En, "walk done", ""},
		{core.En, "walk done today", ""},
		{core.En, "walk done yesterday", "yesterday"},
		{core.En, "the day before yesterday: walk done", "2026-03-08"}, // has the word yesterday
		{core.En, "walk done two days ago", "2026-03-08"},
		{core.En, "walk done 3 days ago", "2026-03-07"},
		{core.En, "walk done some days ago", "-"}, // how many?
		{core.En, "walk done on Monday", "2026-03-09"},
		{core.En, "walk done last Friday", "2026-03-06"},
		{core.En, "walk done on Tuesday", "-"}, // today, or a week ago
		{core.En, "walk done last Tuesday", "2026-03-03"},
		{core.En, "walk done this Friday", "-"}, // to come
		{core.En, "walk done on 9 March", "yesterday"},
		{core.En, "walk done March 7th", "2026-03-07"},
		{core.En, "walk done on the 5th of March", "2026-03-05"},
		{core.En, "walk done on the 8th", "2026-03-08"},
		{core.En, "walk done 2026-03-04", "2026-03-04"},
		{core.En, "walk done 2026-02-30", "-"}, // on no calendar
		{core.En, "walk done 3/7", "2026-03-07"},
		{core.En, "walk done 28/2", "2026-02-28"}, // a first number above 12 is the day
		{core.En, "walk done on 12 March", "-"},   // to come
		{core.En, "walk done December 30", "2025-12-30"},
		{core.En, "walk done on Monday and Friday", "-"}, // two days
		{core.En, "now logging yesterday's walk", "yesterday"},
		{core.En, "5 May walk done", "-"}, // to come, and no doubt
		{core.Ko, "산책 했어", ""},
		{core.Ko, "어제 산책 했어", "yesterday"},
		{core.Ko, "그저께 산책 했어", "2026-03-08"},
		{core.Ko, "3일 전에 산책 했어", "2026-03-07"},
		{core.Ko, "지난주 금요일에 산책 했어", "2026-03-06"},
		{core.Ko, "월요일에 산책 했어", "yesterday"},
		{core.Ko, "3월 7일 산책 했어", "2026-03-07"},
		{core.Ko, "3월7일 산책 완료", "2026-03-07"},
		{core.Ko, "3/7 산책 완료", "2026-03-07"},
		{core.Ko, "2026년 3월 5일 산책 완료", "2026-03-05"},
		{core.Ko, "내일 산책 완료", "-"},
		{core.Zh, "散步完成", ""},
		{core.Zh, "昨天散步完成", "yesterday"},
		{core.Zh, "前天散步了", "2026-03-08"},
		{core.Zh, "大前天散步了", "2026-03-07"},
		{core.Zh, "三天前散步了", "2026-03-07"},
		{core.Zh, "上周五散步了", "2026-03-06"},
		{core.Zh, "周一散步了", "yesterday"},
		{core.Zh, "3月7号散步了", "2026-03-07"},
		{core.Zh, "三月七日散步了", "2026-03-07"},
		{core.Zh, "7号散步了", "2026-03-07"},
		{core.Zh, "明天散步完成", "-"},
	} {
		args := logged(t, person{today: "2026-03-10", lang: v.lang, habits: walkAndPhone(v.lang)}.ask(v.text))
		got := "-"
		if args != nil {
			got, _ = args["date"].(string)
		}
		if got != v.want && !(v.want == "2026-03-09" && got == "yesterday") {
			t.Errorf("%q: date %q, want %q", v.text, got, v.want)
		}
	}
}

// TestUnknownToday holds that without a date among the facts only what the tool can resolve by itself is passed on.
func TestUnknownToday(t *testing.T) {
	facts := "habit_id 1 \"Walk after a meal\" (build, active), today open"
	for text, want := range map[string]string{"walk done yesterday": "yesterday", "walk done": "", "walk done on Monday": "-", "walk done 9 March": "-"} {
		got := "-"
		if args := logged(t, core.Prompt{Lang: core.En, Tools: tools(), Items: []core.PromptItem{core.Ask{Text: text, Facts: facts}}}); args != nil {
			got, _ = args["date"].(string)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSlots reads values, variants and notes.
func TestSlots(t *testing.T) {
	for _, v := range []struct {
		lang                       core.Lang
		text, value, variant, note string
	}{
		{core.En, "walk done", "done", "", ""},
		{core.En, "walked for 2 minutes after lunch", "done", "minimum", ""},
		{core.En, "walked for 7 minutes after lunch", "done", "minimum", ""}, // not the 10 of the standard yet
		{core.En, "walked ten minutes after lunch", "done", "standard", ""},
		{core.En, "walked half an hour after lunch", "", "", ""}, // half of it, or half an hour?
		{core.En, "walked 20min after lunch", "done", "stretch", ""},
		{core.En, "skip the walk today", "skip", "", ""},
		{core.En, "no walk today", "blank", "", ""},
		{core.En, "walk: blank", "blank", "", ""},
		{core.En, "couldn't walk today, I have a fever", "skip", "", "I have a fever"}, // could not, rather than did not
		{core.En, `walk done, note: "Windy & cold"`, "done", "", "Windy & cold"},
		{core.En, "Walk done. Felt great.", "done", "", "Felt great"},
		{core.En, "walk done, thanks", "done", "", ""}, // courtesy is no note
		{core.En, "phone was on the charger outside the bedroom 5 minutes before bed, done", "done", "minimum", ""},
		{core.Ko, "밥 먹고 20분 걸었어", "done", "stretch", ""},
		{core.Ko, "산책 최소로 했어", "done", "minimum", ""},
		{core.Ko, "산책 완료, 메모: 바람이 찼다", "done", "", "바람이 찼다"},
		{core.Ko, "오늘 산책은 쉴게", "skip", "", ""},
		{core.Ko, "산책 못 했어", "blank", "", ""},
		{core.Zh, "饭后走了二十分钟", "done", "stretch", ""},
		{core.Zh, "散步打卡，最小版", "done", "minimum", ""},
		{core.Zh, "散步完成，备注：风很大", "done", "", "风很大"},
		{core.Zh, "今天散步请假", "skip", "", ""},
		{core.Zh, "今天没散步", "blank", "", ""},
	} {
		args := logged(t, person{today: "2026-03-10", lang: v.lang, habits: walkAndPhone(v.lang)}.ask(v.text))
		text := func(key string) string { s, _ := args[key].(string); return s }
		if text("value") != v.value || text("variant") != v.variant || text("note") != v.note {
			t.Errorf("%q: %v, want %s %s %q", v.text, args, v.value, v.variant, v.note)
		}
	}
}

// TestFacts reads the lines about habits in more than one form.
func TestFacts(t *testing.T) {
	for _, line := range []string{
		`habit_id 7 "Walk after a meal" (build, active), today open, streak 3`,
		`#7 Walk after a meal (build), today open`,
		`- #7: Walk after a meal · open`,
		`id=7 “Walk after a meal”; open`,
		`* habit 7 – Walk after a meal`,
		`habit_id 7 "식후 산책" (build, active)`,          // the title of another language is the same entry
		`habit_id 7 "My little walk" (build, paused)`, // a title of one's own
	} {
		if args := logged(t, core.Prompt{Lang: core.En, Tools: tools(), Items: []core.PromptItem{core.Ask{Text: "walk done", Facts: "today: 2026-03-10\n" + line}}}); args["habit_id"] != 7.0 {
			t.Errorf("%s: %v", line, args)
		}
	}
}

// TestToday takes the person's date from the facts, and that of the clock only where there is none.
func TestToday(t *testing.T) {
	for facts, want := range map[string]string{
		"now: 2026-03-11T01:30:00+09:00\ntoday: 2026-03-10":         "2026-03-08", // the day begins at three
		"now 2026-03-11T01:30, today is 2026-03-10 (Tuesday)":       "2026-03-08",
		"now: 2026-03-10T09:00:00+09:00":                            "2026-03-08",
		"speaker: Ann\n* Today: 2026-03-10\nlanguage: en\nmemory: ": "2026-03-08",
	} {
		args := logged(t, core.Prompt{Lang: core.En, Tools: tools(), Items: []core.PromptItem{
			core.Ask{Text: "the day before yesterday: walk done", Facts: facts + "\nhabit_id 1 \"Walk after a meal\" (build, active), today open"}}})
		if args["date"] != want {
			t.Errorf("%q: %v", facts, args)
		}
	}
}

// TestHelpIsTrue says to the coach what its help tells people to say.
func TestHelpIsTrue(t *testing.T) {
	want := []string{"search_catalog", "query_protocol", "add_habit", "list_active_habits", "log_tracker_entry", "log_tracker_entry", "log_tracker_entry", "get_streak"}
	for l, ask := range map[core.Lang]string{core.En: "help", core.Ko: "도움말", core.Zh: "帮助"} {
		p := person{today: "2026-03-10", lang: l, habits: walkAndPhone(l)}
		var got []string
		for _, part := range strings.Split(reply(t, model(t), p.ask(ask)).Text, "“")[1:] {
			example, _, _ := strings.Cut(part, "”")
			for _, c := range reply(t, model(t), p.ask(example)).Calls {
				got = append(got, c.Name)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v, want %v", l, got, want)
		}
	}
}

// TestCancelled holds that a context that has ended is an error.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, err := model(t).Reply(ctx, core.Prompt{Items: []core.PromptItem{core.Ask{Text: "help"}}}, func(core.Delta) { t.Error("a delta") }); !errors.Is(err, stopped) {
		t.Errorf("got %v", err)
	}
}

// TestNew tells all that is wrong with a configuration.
func TestNew(t *testing.T) {
	good := config(t)
	if _, err := offline.New(offline.Config{}); err != nil {
		t.Errorf("an empty catalog: %v", err)
	}
	bad := offline.Config{Catalog: []offline.Entry{good.Catalog[0], good.Catalog[0], {ID: "x"}}}
	_, err := offline.New(bad)
	for _, part := range []string{"twice", "unknown category", "a title"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not tell of %q", err, part)
		}
	}
}
