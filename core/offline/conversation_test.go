package offline_test

import (
	"fmt"
	"strings"
	"testing"

	"steady/core"
	"steady/core/offline"
)

// A talk is a conversation with the coach: the items of the prompt grow as an engine would let them.
type talk struct {
	t     *testing.T
	m     *offline.Model
	who   person
	items []core.PromptItem
	tools []core.ToolSpec
	last  core.Reply
	rev   uint64
}

func newTalk(t *testing.T, l core.Lang, habits ...string) *talk {
	return &talk{t: t, m: model(t), tools: tools(), who: person{today: "2026-03-10", lang: l, habits: habits}}
}

// says lets the person say something, with the facts on this message alone.
func (k *talk) says(text string) *talk {
	for i, it := range k.items {
		if a, ok := it.(core.Ask); ok {
			k.items[i] = core.Ask{Text: a.Text}
		}
	}
	facts := k.who.facts()
	if k.who.today == "" {
		facts = ""
	}
	k.items = append(k.items, core.Ask{Text: text, Facts: facts})
	return k.step()
}

func (k *talk) step() *talk {
	k.t.Helper()
	k.rev++
	k.last = reply(k.t, k.m, core.Prompt{Items: k.items, Tools: k.tools, Lang: k.who.lang, Revision: k.rev})
	if len(k.last.Calls) > 0 {
		k.items = append(k.items, core.Calls{Text: k.last.Text, Calls: k.last.Calls})
	} else {
		k.items = append(k.items, core.Answer{Text: k.last.Text})
	}
	return k
}

// calls checks the call that the coach just made.
func (k *talk) calls(tool, args string) *talk {
	k.t.Helper()
	if len(k.last.Calls) != 1 || k.last.Calls[0].Name != tool || k.last.Calls[0].Args != args {
		k.t.Fatalf("want %s %s, got %v %q", tool, args, k.last.Calls, k.last.Text)
	}
	return k
}

// result hands the coach the outcome of its call.
func (k *talk) result(json string) *talk {
	k.t.Helper()
	if len(k.last.Calls) == 0 {
		k.t.Fatalf("no call, but %q", k.last.Text)
	}
	for _, c := range k.last.Calls {
		k.items = append(k.items, core.Outcome{ID: c.ID, Name: c.Name, JSON: json})
	}
	return k.step()
}

// answers checks that the coach answers in words that have all parts.
func (k *talk) answers(parts ...string) *talk {
	k.t.Helper()
	if len(k.last.Calls) > 0 {
		k.t.Fatalf("want words, got %v", k.last.Calls)
	}
	for _, p := range parts {
		if !strings.Contains(k.last.Text, p) {
			k.t.Fatalf("%q has no %q", k.last.Text, p)
		}
	}
	return k
}

// Results as the tools of habits.md §2.3 give them.
const (
	foundSleep = `{"status":"ok","data":{"count":2,"items":[{"id":"sleep_morning_daylight","title":"Morning daylight","category":"sleep","summary":"Go outdoors."},{"id":"sleep_tomorrow_list","title":"Tomorrow list","category":"sleep","summary":"Write a list."}]}}`
	oneEntry   = `{"status":"ok","data":{"id":"sleep_morning_daylight","kind":"protocol","title":"T-itle","category":"sleep","summary":"S-ummary","direction":"at_least","unit":"minutes","doses":{"minimum":"M-in","standard":"S-td","stretch":"S-tr"},"anchor":"A-nchor","frame_example":"F-rame","cautions":["C-aution"],"evidence":[{"citation":"Blume C","year":2019,"grade":"B"}],"active_habit_id":null}}`
	listed     = `{"status":"ok","data":{"count":2,"build_count":1,"break_count":1,"build_quota_remaining":2,"break_quota_remaining":0,"items":[{"habit_id":1,"title":"Walk after a meal","type":"build","status":"active","today":"open","current_streak":3,"at_risk":false},{"habit_id":3,"title":"The phone sleeps elsewhere","type":"break","status":"active","today":"done","current_streak":8,"at_risk":false}]}}`
	streakOf   = `{"status":"ok","data":{"current_streak":3,"longest_streak":5,"done_count_30d":9,"done_count_phase42":7,"tier":"sprout","never_miss_twice_broken":false}}`
	addedHabit = `{"status":"ok","data":{"habit_id":17,"title":"Morning daylight","type":"build","frame_level":"process"}}`
	loggedDay  = `{"status":"ok","data":{"entry_id":311,"habit_id":1,"date":"2026-03-10","value":"done","variant":"standard"}}`
)

// The habits of the person in each language, as facts have them.
func walkAndPhone(l core.Lang) []string {
	switch l {
	case core.Ko:
		return []string{`habit_id 1 "식후 산책" (build, active), today open, streak 3`, `habit_id 3 "휴대폰은 거실에서 재우기" (break, active), today open, streak 8`}
	case core.Zh:
		return []string{`habit_id 1 "饭后散步" (build, active), today open, streak 3`, `habit_id 3 "让手机睡在客厅" (break, active), today open, streak 8`}
	}
	return []string{`habit_id 1 "Walk after a meal" (build, active), today open, streak 3`, `habit_id 3 "The phone sleeps elsewhere" (break, active), today open, streak 8`}
}

// TestConversations goes from a message over the call and its result to the words, for each tool in each language. The words
// have the numbers of the result.
func TestConversations(t *testing.T) {
	frame := map[core.Lang]string{core.En: "Right after my first drink I step outside into daylight", core.Ko: "첫 물을 마시고 바로 밖에서 햇빛을 쬔다", core.Zh: "喝完第一杯水我就到户外晒晒太阳"}
	tests := []struct {
		lang       core.Lang
		text       string
		tool, args string
		result     string
		want       []string
	}{
		{core.En, "sleep habits", "search_catalog", `{"category":"sleep"}`, foundSleep, []string{"1. Morning daylight – Go outdoors.", "2. Tomorrow list"}},
		{core.Ko, "수면 습관 찾아줘", "search_catalog", `{"category":"sleep"}`, foundSleep, []string{"1. Morning daylight", "번호"}},
		{core.Zh, "找睡眠习惯", "search_catalog", `{"category":"sleep"}`, foundSleep, []string{"1. Morning daylight", "编号"}},
		{core.En, "tell me about morning daylight", "query_protocol", `{"id":"sleep_morning_daylight"}`, oneEntry, []string{"T-itle: S-ummary", "Minimum: M-in", "Caution: C-aution", "Blume C (2019)", "add it"}},
		{core.Ko, "아침 햇빛 쬐기 자세히 알려줘", "query_protocol", `{"id":"sleep_morning_daylight"}`, oneEntry, []string{"최소: M-in", "주의: C-aution", "2019"}},
		{core.Zh, "介绍一下晨间日光", "query_protocol", `{"id":"sleep_morning_daylight"}`, oneEntry, []string{"最小：M-in", "注意：C-aution", "2019"}},
		{core.En, "my habits", "list_active_habits", `{}`, listed, []string{"Walk after a meal · open · 3 in a row", "done · 8 in a row", "2 to build, 0 to change"}},
		{core.Ko, "내 습관", "list_active_habits", `{}`, listed, []string{"아직 · 연속 3일", "완료 · 연속 8일"}},
		{core.Zh, "我的习惯", "list_active_habits", `{}`, listed, []string{"待完成 · 连续3天", "完成 · 连续8天"}},
		{core.En, "walk streak", "get_streak", `{"habit_id":1}`, streakOf, []string{"Walk after a meal: 3 in a row, longest 5", "9 times in 30 days", "7 in this phase", "sprout"}},
		{core.Ko, "산책 며칠째야?", "get_streak", `{"habit_id":1}`, streakOf, []string{"식후 산책: 연속 3일, 최장 5일", "9번", "새싹"}},
		{core.Zh, "散步连续几天了", "get_streak", `{"habit_id":1}`, streakOf, []string{"饭后散步：连续3天，最长5天", "9次", "新芽"}},
		{core.En, "add morning daylight", "add_habit", `{"protocol_id":"sleep_morning_daylight","frame_level":"process","framed_text":"` + frame[core.En] + `"}`, addedHabit, []string{"“Morning daylight” is on your list"}},
		{core.Ko, "아침 햇빛 쬐기 추가해줘", "add_habit", `{"protocol_id":"sleep_morning_daylight","frame_level":"process","framed_text":"` + frame[core.Ko] + `"}`, addedHabit, []string{"Morning daylight", "넣었어요"}},
		{core.Zh, "添加晨间日光", "add_habit", `{"protocol_id":"sleep_morning_daylight","frame_level":"process","framed_text":"` + frame[core.Zh] + `"}`, addedHabit, []string{"Morning daylight", "已加入"}},
	}
	for _, v := range tests {
		t.Run(v.tool+"/"+string(v.lang), func(t *testing.T) {
			newTalk(t, v.lang, walkAndPhone(v.lang)...).says(v.text).calls(v.tool, v.args).result(v.result).answers(v.want...)
		})
	}
}

// TestCaution holds that a proposal to add an entry comes with its caution, in the person's language (habits.md §1.3).
func TestCaution(t *testing.T) {
	for l, v := range map[core.Lang][2]string{
		core.En: {"add walk out the craving", "Combine with a quitline"},
		core.Ko: {"담배 생각이 나면 걷기 추가해줘", "금연 상담 전화"},
		core.Zh: {"添加烟瘾来时走一走", "戒烟热线"},
	} {
		k := newTalk(t, l).says(v[0])
		if len(k.last.Calls) != 1 || k.last.Calls[0].Name != "add_habit" || !strings.Contains(k.last.Text, v[1]) {
			t.Errorf("%s: %v %q", v[0], k.last.Calls, k.last.Text)
		}
	}
}

// TestLogThenStreak holds habits.md §2.4: after a log one line with what was logged and the streak, which is asked for once.
func TestLogThenStreak(t *testing.T) {
	for _, v := range []struct {
		lang core.Lang
		text string
		want string
	}{
		{core.En, "walk done", "Logged “Walk after a meal” for today: done. Streak: 3."},
		{core.Ko, "산책 했어", "“식후 산책” 오늘 기록: 완료. 연속 3일."},
		{core.Zh, "散步完成", "已记录“饭后散步”今天：完成。 连续3天。"},
	} {
		k := newTalk(t, v.lang, walkAndPhone(v.lang)...).says(v.text).calls("log_tracker_entry", `{"habit_id":1,"value":"done"}`)
		k.result(loggedDay).calls("get_streak", `{"habit_id":1}`).result(streakOf).answers(v.want)
	}
	t.Run("the streak cannot be had", func(t *testing.T) {
		newTalk(t, core.En, walkAndPhone(core.En)...).says("walk done").result(loggedDay).
			result(`{"status":"error","code":"handler_error","reason":"x"}`).answers("Logged “Walk after a meal” for today: done.")
	})
	t.Run("an honest blank is thanked for", func(t *testing.T) {
		newTalk(t, core.En, walkAndPhone(core.En)...).says("no walk yesterday").calls("log_tracker_entry", `{"habit_id":1,"value":"blank","date":"yesterday"}`).
			result(`{"status":"ok","data":{"entry_id":1,"habit_id":1,"date":"2026-03-09","value":"blank","variant":null}}`).result(streakOf).answers("yesterday: not done", "Thank you")
	})
}

// TestRefusals goes through every code of habits.md §2.2: each has kind words of its own in each language, and shows nothing
// internal.
func TestRefusals(t *testing.T) {
	codes := []string{"unknown_tool", "validation", "handler_error", "outcome_unknown", "changed", "r3_quota", "duplicate", "r7_avoidance", "r8_xor", "not_found",
		"already_active", "habit_not_active", "date_future", "date_too_old", "before_start", "skip_budget", "private_chat_only", "safety_gate", "some_new_code"}
	asks := map[core.Lang]string{core.En: "walk done", core.Ko: "산책 했어", core.Zh: "散步完成"}
	for l, text := range asks {
		seen := map[string]string{}
		for _, code := range codes {
			for _, reason := range []string{"", "Because so."} {
				k := newTalk(t, l, walkAndPhone(l)...).says(text).result(fmt.Sprintf(`{"status":"error","code":%q,"reason":%q}`, code, reason)).answers()
				if strings.Contains(code, "_") && strings.Contains(k.last.Text, code) || strings.Contains(k.last.Text, "{") {
					t.Errorf("%s %s: %q shows what is internal", l, code, k.last.Text)
				}
				if got := core.LangOf(strings.ReplaceAll(k.last.Text, "Because so.", "")); got != l && got != "" {
					t.Errorf("%s %s: %q is in another language", l, code, k.last.Text)
				}
				if reason == "" {
					seen[k.last.Text] += " " + code
				}
			}
		}
		if len(seen) < len(codes)-3 { // unknown_tool and private_chat_only are the same to a person
			t.Errorf("%s: codes share their words: %v", l, seen)
		}
	}
	newTalk(t, core.En, walkAndPhone(core.En)...).says("walk done").
		result(`{"status":"error","code":"duplicate","reason":"10 March is already logged as not done."}`).answers("10 March is already logged as not done.", "replace")
	newTalk(t, core.En, walkAndPhone(core.En)...).says("walk done").
		result(`{"status":"error","code":"safety_gate","reason":"Please call 112."}`).answers("Please call 112.")
	newTalk(t, core.Ko, walkAndPhone(core.Ko)...).says("산책 했어").
		result(`{"status":"cancelled","reason":"user did not confirm"}`).answers("알겠어요", "바꾸지 않았어요")
}

// TestPick holds that what was offered can be picked by number, by name, or by "it".
func TestPick(t *testing.T) {
	daylight := `{"protocol_id":"sleep_morning_daylight","frame_level":"process","framed_text":"Right after my first drink I step outside into daylight"}`
	list := `{"protocol_id":"sleep_tomorrow_list","frame_level":"process","framed_text":"After brushing my teeth I write tomorrow's list"}`
	search := func(t *testing.T, text string) *talk {
		return newTalk(t, core.En, walkAndPhone(core.En)...).says(text).calls("search_catalog", `{"category":"sleep"}`).result(foundSleep).answers("1. ")
	}
	for _, v := range []struct {
		why, first, then, tool, args string
	}{
		{"a number after a wish adds", "add a sleep habit", "the second one", "add_habit", list},
		{"a bare digit", "add a sleep habit", "1", "add_habit", daylight},
		{"a name", "add a sleep habit", "the tomorrow list", "add_habit", list},
		{"after a look it looks closer", "sleep habits", "the first one please", "query_protocol", `{"id":"sleep_morning_daylight"}`},
		{"after a look with the word for adding it adds", "sleep habits", "add the second one", "add_habit", list},
		{"another wish is none of the choices", "add a sleep habit", "my habits", "list_active_habits", `{}`},
	} {
		t.Run(v.why, func(t *testing.T) { search(t, v.first).says(v.then).calls(v.tool, v.args) })
	}
	t.Run("in Korean", func(t *testing.T) {
		newTalk(t, core.Ko).says("수면 습관 하나 추가해줘").calls("search_catalog", `{"category":"sleep"}`).result(foundSleep).says("2번").
			calls("add_habit", `{"protocol_id":"sleep_tomorrow_list","frame_level":"process","framed_text":"양치하고 내일 목록을 적는다"}`)
	})
	t.Run("in Chinese", func(t *testing.T) {
		newTalk(t, core.Zh).says("我想加一个睡眠习惯").calls("search_catalog", `{"category":"sleep"}`).result(foundSleep).says("第二个").
			calls("add_habit", `{"protocol_id":"sleep_tomorrow_list","frame_level":"process","framed_text":"刷完牙我写下明天的清单"}`)
	})
	t.Run("it, after an entry was shown", func(t *testing.T) {
		for _, v := range []struct {
			lang      core.Lang
			ask, pick string
		}{{core.En, "tell me about morning daylight", "add it"}, {core.Ko, "아침 햇빛 쬐기 자세히", "이거 추가"}, {core.Zh, "介绍一下晨间日光", "加这个"}} {
			k := newTalk(t, v.lang, walkAndPhone(v.lang)...).says(v.ask).result(oneEntry).says(v.pick)
			if len(k.last.Calls) != 1 || k.last.Calls[0].Name != "add_habit" || !strings.Contains(k.last.Calls[0].Args, "sleep_morning_daylight") {
				t.Errorf("%s: got %v %q", v.pick, k.last.Calls, k.last.Text)
			}
		}
	})
	t.Run("a refusal of the offer is no pick", func(t *testing.T) {
		newTalk(t, core.En).says("tell me about morning daylight").result(oneEntry).says("don't add it").answers()
	})
	t.Run("which habit was meant", func(t *testing.T) {
		newTalk(t, core.En, walkAndPhone(core.En)...).says("log it as done for yesterday").answers("1. Walk after a meal", "2. The phone").
			says("the phone one").calls("log_tracker_entry", `{"habit_id":3,"value":"done","date":"yesterday"}`)
	})
	t.Run("replace what is logged", func(t *testing.T) {
		newTalk(t, core.En, walkAndPhone(core.En)...).says("walk done").result(`{"status":"error","code":"duplicate","reason":"10 March is already logged as not done."}`).
			says("replace").calls("log_tracker_entry", `{"habit_id":1,"value":"done","replace":true}`)
	})
	t.Run("one of two rewordings", func(t *testing.T) {
		k := newTalk(t, core.En).says("add: I stop the phone in my bedroom, the phone sleeps elsewhere")
		if len(k.last.Calls) != 1 || k.last.Calls[0].Name != "add_habit" {
			t.Fatalf("got %v %q", k.last.Calls, k.last.Text)
		}
		k.result(`{"status":"error","code":"r7_avoidance","reason":"“stop” says what not to do."}`).answers("1. At 22:30 my phone goes", "2. I am someone").
			says("the second").calls("add_habit", `{"protocol_id":"break_phone_bedroom","frame_level":"identity","framed_text":"I am someone who makes room for this: The phone sleeps elsewhere"}`)
	})
}

// TestGroup holds that where the facts have no habits, as in a group, they are asked for first.
func TestGroup(t *testing.T) {
	k := newTalk(t, core.En)
	k.who.today = ""
	k.says("walk done").calls("list_active_habits", `{}`).result(listed).calls("log_tracker_entry", `{"habit_id":1,"value":"done"}`).
		result(loggedDay).calls("get_streak", `{"habit_id":1}`).result(streakOf).answers("Walk after a meal", "Streak: 3")

	k = newTalk(t, core.En)
	k.who.today = ""
	k.says("walk streak").calls("list_active_habits", `{}`).result(listed).calls("get_streak", `{"habit_id":1}`)

	k = newTalk(t, core.En)
	k.who.today = ""
	k.says("walk done").result(`{"status":"ok","data":{"count":0,"build_count":0,"break_count":0,"build_quota_remaining":3,"break_quota_remaining":1,"items":[]}}`).answers()
}

// TestLimits holds what a request may forbid: tools that are not there, and calls at all.
func TestLimits(t *testing.T) {
	m := model(t)
	p := person{today: "2026-03-10", lang: core.En, habits: walkAndPhone(core.En)}.ask("walk done")
	p.NoTools = true
	if r := reply(t, m, p); len(r.Calls) > 0 {
		t.Errorf("NoTools, but %v", r.Calls)
	}
	p.NoTools, p.Tools = false, []core.ToolSpec{{Name: "get_streak"}}
	if r := reply(t, m, p); len(r.Calls) > 0 {
		t.Errorf("a tool that is not there: %v", r.Calls)
	}
	t.Run("words of what there is, after the last round", func(t *testing.T) {
		k := newTalk(t, core.En, walkAndPhone(core.En)...).says("walk done")
		k.tools = []core.ToolSpec{{Name: "log_tracker_entry"}}
		k.result(loggedDay).answers("Logged “Walk after a meal” for today: done.")
	})
	t.Run("the words of the safety gate", func(t *testing.T) {
		k := newTalk(t, core.En, append(walkAndPhone(core.En), "Safety notice: answer with the following words and stop coaching. That needs a doctor.")...)
		k.says("walk done").answers("That needs a doctor.")
	})
	t.Run("a result that was too long", func(t *testing.T) {
		newTalk(t, core.En).says("show the catalog").result(`{"status":"ok","data":{"_truncated":true,"_hint":"x"}}`).answers("too much")
	})
	t.Run("a result that is no JSON", func(t *testing.T) {
		newTalk(t, core.En).says("show the catalog").result(`nonsense`).answers("went wrong")
	})
	t.Run("nothing was said", func(t *testing.T) {
		if r := reply(t, m, core.Prompt{}); r.Text == "" {
			t.Error("no words for an empty prompt")
		}
	})
}

// TestCoachSaysWhatItIs holds that a person is told that this is the offline coach.
func TestCoachSaysWhatItIs(t *testing.T) {
	for l, words := range map[core.Lang][]string{
		core.En: {"hello", "help", "who are you", "purple elephants dance", "what a day", "the weather is lovely"},
		core.Ko: {"안녕하세요", "도움말", "너 누구야", "오늘 날씨 좋다"},
		core.Zh: {"你好", "帮助", "你是谁", "今天天气真好"},
	} {
		name := map[core.Lang]string{core.En: "offline coach", core.Ko: "오프라인 코치", core.Zh: "离线教练"}[l]
		for _, text := range words {
			newTalk(t, l).says(text).answers(name)
		}
	}
}
