package offline_test

import (
	"os"
	"strings"
	"testing"

	"steady/core"
)

// twists turn a report or an order into something that must not be written: "%" is the sentence.
func twists() map[core.Lang][]string {
	return map[core.Lang][]string{
		core.En: {
			"%?", "Maybe %", "I think %", "If %", "What if %", "Should I say: %", "My wife says %", `She wrote "%"`, "Tomorrow %", "% tomorrow",
			"%, just kidding", "%. Scratch that.", "Suppose %", "I dreamt that %", "According to my brother %", "Did I say % yet", "don't believe that %",
			"%, or did I", "%, not really", "Yesterday's news: the president said %", "Imagine %", "% – no wait", "Next week %",
		},
		core.Ko: {
			"만약 %", "아마 %", "내일 %", "친구가 %라고 말했어", "%라고 쓰여 있어", "%, 농담이야", "%. 아니다 취소", "엄마가 % 라고 하더라", "% 모르겠어",
			"다음 주에 %", "%라고 치자", "꿈에서 %", "동생이 %", "책에 %라고 적혀 있어", "% 아닌데", "%라고 한 적 없어", "% 이거 어떻게 되는 거야",
		},
		core.Zh: {
			"如果%", "也许%", "明天%", "我朋友说%", "书上写着%", "%，开玩笑的", "%，不对", "要是%就好了", "我老婆%", "不确定%", "%吗？", "他说“%”",
			"梦见%", "假如%", "下周%", "听说%", "我可没说%",
		},
	}
}

// TestTwisted holds that no report and no order is left once a sentence says that it is none.
func TestTwisted(t *testing.T) {
	m := model(t)
	for _, file := range tables()[:2] {
		p := load(t, file)
		for _, row := range p.rows {
			if row.Tool != "log_tracker_entry" && row.Tool != "add_habit" {
				continue
			}
			for _, twist := range twists()[row.Lang] {
				text := strings.ReplaceAll(twist, "%", row.Text)
				if twist == "%?" && polite(row.Text) || twist == "%吗？" && polite(row.Text) {
					continue
				}
				if row.Args["note"] != nil && strings.HasPrefix(twist, "%") {
					continue // it would be part of the note
				}
				for _, c := range reply(t, m, p.who(row.Lang).ask(text)).Calls {
					if c.Name == "log_tracker_entry" || c.Name == "add_habit" {
						t.Errorf("%q leads to %s %s", text, c.Name, c.Args)
					}
				}
			}
		}
	}
}

// polite tells whether a sentence is an order that stays one as a question.
func polite(s string) bool {
	for _, w := range []string{"please", "pls", "plz", "can you", "could you", "would you", "can we", "帮", "给我", "请", "麻烦", "为我"} {
		if strings.Contains(strings.ToLower(s), w) {
			return true
		}
	}
	return false
}

// TestTraps holds that nothing is written for any sentence of the list of traps.
func TestTraps(t *testing.T) {
	m := model(t)
	body, err := os.ReadFile("testdata/traps.txt")
	if err != nil {
		t.Fatal(err)
	}
	persons := []phrasings{load(t, "testdata/phrasings.json"), load(t, "testdata/phrasings_blind.json")}
	n := 0
	for line := range strings.Lines(string(body)) {
		l, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		n++
		for _, p := range persons {
			for _, c := range reply(t, m, p.who(core.Lang(l)).ask(text)).Calls {
				if c.Name == "log_tracker_entry" || c.Name == "add_habit" {
					t.Errorf("%q leads to %s %s", text, c.Name, c.Args)
				}
			}
		}
	}
	t.Logf("%d sentences", n)
}
