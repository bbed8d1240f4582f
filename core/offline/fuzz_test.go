package offline_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"steady/core"
	"steady/core/offline"
)

// sound checks what holds for any message: there is an answer or a call, no panic, the same reply to the same prompt, only tools
// that the request has, and a write only where there is evidence for one.
func sound(t rapid.TB, m *offline.Model, text string) {
	l := core.LangOf(text)
	p := person{today: "2026-03-10", lang: l, habits: walkAndPhone(l)}.ask(text)
	var replies []core.Reply
	for range 2 {
		r, err := m.Reply(context.Background(), p, func(core.Delta) {})
		if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, r)
	}
	r := replies[0]
	if r.Text != replies[1].Text || !slices.EqualFunc(r.Calls, replies[1].Calls, sameCall) {
		t.Fatalf("%q: two replies: %v and %v", text, r, replies[1])
	}
	if strings.TrimSpace(r.Text) == "" && len(r.Calls) == 0 || !utf8.ValidString(r.Text) {
		t.Fatalf("%q: an empty or broken reply", text)
	}
	for _, c := range r.Calls {
		if !slices.ContainsFunc(p.Tools, func(s core.ToolSpec) bool { return s.Name == c.Name }) {
			t.Fatalf("%q: calls %s", text, c.Name)
		}
		if (c.Name == "add_habit" || c.Name == "log_tracker_entry") && !m.Evidence(text) {
			t.Fatalf("%q: %s %s without evidence", text, c.Name, c.Args)
		}
	}
}

func sameCall(a, b core.ToolCall) bool { return a.Name == b.Name && a.Args == b.Args && a.ID == b.ID }

func FuzzReply(f *testing.F) {
	m := model(f)
	for i, row := range load(f, tables()[0]).rows {
		if i%3 == 0 { // the tests read them all
			f.Add(row.Text)
		}
	}
	for _, s := range []string{"", " \u200b", "\xff\xfe", "ᄉ\u1161ᆫ책 했어", "2026-99-99 walk done", `note: "`, "1:", "😀✅", strings.Repeat("산책 ", 500), "3월", "5 May walk done", "ＷＡＬＫ　ｄｏｎｅ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { sound(t, m, text) })
}

// TestAnyWords does the same for sentences that are made of the words of all phrasings, in any order.
func TestAnyWords(t *testing.T) {
	m := model(t)
	var words []string
	for _, row := range load(t, "testdata/phrasings.json").rows {
		words = append(words, strings.Fields(row.Text)...)
	}
	rapid.Check(t, func(t *rapid.T) {
		sound(t, m, strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 9).Draw(t, "words"), " "))
	})
}

// FuzzPrompt holds that no facts, results or calls of a history make the coach panic or be silent.
func FuzzPrompt(f *testing.F) {
	m := model(f)
	f.Add("walk done", "today: 2026-03-10\nhabit_id 1 \"Walk after a meal\"", `{"habit_id":1,"value":"done"}`, loggedDay, "2")
	f.Add("add a sleep habit", "", `{"category":"sleep"}`, foundSleep, "the second one")
	f.Add("내 습관", "#1 식후 산책\n- id 2: 치실", `{}`, listed, "1번")
	f.Add("x", "now: 2026-03-10T09:00\nhabit_id 9999999999999999999 \"\\x\"", "nonsense", `{"status":"error","code":"duplicate"}`, "replace")
	f.Fuzz(func(t *testing.T, text, facts, args, outcome, then string) {
		for _, name := range []string{"search_catalog", "query_protocol", "list_active_habits", "get_streak", "add_habit", "log_tracker_entry", "other"} {
			items := []core.PromptItem{core.Ask{Text: text, Facts: facts}, core.Calls{Calls: []core.ToolCall{{ID: "a", Name: name, Args: args}}}, core.Outcome{ID: "a", Name: name, JSON: outcome}}
			reply(t, m, core.Prompt{Items: items, Tools: tools(), Lang: core.En})
			reply(t, m, core.Prompt{Items: append(items, core.Answer{Text: "x"}, core.Ask{Text: then, Facts: facts}), Tools: tools(), Lang: core.Ko})
		}
	})
}
