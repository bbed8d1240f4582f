package core

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// Nothing that a model writes into arguments can hide, or get out of the block that shows them.
func FuzzQuestionText(f *testing.F) {
	for _, s := range []string{"milk", "```\n**Approve**", "a\u202eb\u200b", "\x00\u0085\u2028", "👩‍👩‍👧 \u200d x", strings.Repeat("`", 40), "\U000e0041"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, value, summary string) {
		args, err := json.Marshal(map[string]string{"text": value})
		if err != nil {
			t.Skip()
		}
		block, files := argumentsBlock(args, shownArguments)
		text := questionHead(plannedCall{tool: &Tool{Label: LocalText{En: "Label"}, Description: "Does."}}, summary, En) + block
		for _, r := range text {
			if r == 0x202E || r == 0x200B || r == 0x2066 || unicode.IsControl(r) && r != '\n' && r != '\t' {
				t.Fatalf("%U is in the question", r)
			}
		}
		open := strings.LastIndex(text, "json\n")
		fence := text[strings.LastIndex(text[:open], "\n")+1 : open]
		if body := text[open:]; !strings.HasSuffix(body, "\n"+fence) || strings.Count(body, fence) != 1 {
			t.Fatalf("the block can be left: %q", text)
		}
		if len(files) == 0 && utf16Len(text) > shownArguments+4000 {
			t.Fatal("too long, and no file")
		}
	})
}

// A row that cannot be read is an error, never a panic.
func FuzzRows(f *testing.F) {
	f.Add(packInbound(Inbound{ID: "1", Event: Said{Text: "hi"}}, 0))
	f.Add(packEntry(Recorded{Entry: Call{ID: "c"}}))
	f.Add([]byte(`{"v":99}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if in, err := unpack[inboundRow](b); err == nil {
			if ev, err := in.event(); err == nil && ev == nil {
				t.Fatal("no event and no error")
			}
		}
		if r, err := unpackEntry(KV{entryKey(1), b}); err == nil && r.Entry == nil {
			t.Fatal("no entry and no error")
		}
		_, _ = unpack[turnRow](b)
		_, _ = unpack[questionRow](b)
		_, _ = unpack[outboxRow](b)
		_, _ = unpack[chatRow](b)
	})
}

// Whatever is in a result, the envelope is JSON and within its limit.
func FuzzEnvelope(f *testing.F) {
	f.Add("summary", 40)
	f.Add("\u2028<>&\"\\", 3000)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = min(max(n, 0), 300)
		var items []map[string]string
		for range n {
			items = append(items, map[string]string{"summary": s, "id": "x"})
		}
		for _, got := range []string{
			resultOf(map[string]any{"count": n, "items": items}, nil, 2048, En),
			resultOf(s, nil, 2048, Ko),
			resultOf(nil, &ToolError{"code", s}, 2048, Zh),
		} {
			if !json.Valid([]byte(got)) || utf16Len(got) > 2048 {
				t.Fatalf("%d units: %.200s", utf16Len(got), got)
			}
		}
	})
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want, why string }{
		{"plain 한글 字 é", "plain 한글 字 é", "letters stay"},
		{"a\u202eb", "a⟦U+202E⟧b", "it would turn the line around"},
		{"a\u200bb\u2060", "a⟦U+200B⟧b⟦U+2060⟧", "they have no width"},
		{"👩\u200d👧 ❤\ufe0f", "👩\u200d👧 ❤\ufe0f", "a family and a heart"},
		{"a\u200db", "a⟦U+200D⟧b", "a joiner between letters hides"},
		{"l1\nl2\t", "l1\nl2\t", "line breaks are seen"},
		{"\x07", "⟦U+0007⟧", "a control character"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%s: Visible(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
}

func TestLang(t *testing.T) {
	e := &Engine{}
	said := func(text string, l Lang) inboundRow { return inboundRow{Kind: "said", Text: text, Lang: l} }
	for _, c := range []struct {
		chosen, fixed Lang
		in            inboundRow
		want          Lang
		why           string
	}{
		{"", "", said("안녕 hi", En), Ko, "the script tells more than the profile"},
		{"", "", said("你好", ""), Zh, "the script tells"},
		{"", "", said("ok", Ko), Ko, "Latin letters say little"},
		{"", "", said("hello", ""), En, "English is the rest"},
		{"", Zh, said("안녕", Ko), Zh, "the operator fixed it"},
		{En, Zh, said("안녕", Ko), En, "the person chose"},
	} {
		e.opt.Lang = c.fixed
		if got := e.langOf(c.chosen, c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
	for tag, want := range map[string]Lang{"ko-KR": Ko, "zh-hans": Zh, "zh_TW": Zh, "EN": En, "fr": "", "": ""} {
		if got := ParseLang(tag); got != want {
			t.Errorf("ParseLang(%q) = %q, want %q", tag, got, want)
		}
	}
}

func TestTextsExistInEveryLanguage(t *testing.T) {
	texts := map[string]LocalText{"queued": textQueued, "not taken": textNotTaken, "too fast": textTooFast, "media": textMedia, "dropped": textDropped(2),
		"cut": textCut(2, 1), "waits": textWaitsFor("a", "b"), "help": textHelp, "hint": textHint, "doubtful": textDoubtful}
	for s := Approved; s <= Unreachable; s++ {
		texts["outcome "+s.String()] = outcomeText(s)
	}
	for name, d := range builtins() {
		texts["command "+name] = d
	}
	for k := InputPersistence; k <= tooManyRounds; k++ {
		for m := Other; m <= Truncated; m++ {
			texts[m.String()] = LocalText{failureText(k, m, false, En), failureText(k, m, true, Ko), failureText(k, m, false, Zh)}
		}
	}
	for name, text := range texts {
		if text.En == "" || text.Ko == "" || text.Zh == "" || text.En == text.Ko || text.Ko == text.Zh {
			t.Errorf("%s: %+v", name, text)
		}
	}
}
