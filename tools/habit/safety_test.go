package habit_test

import (
	"strings"
	"testing"
	"time"

	"steady/core"
	"steady/tools/habit"
)

func TestSafetyVectors(t *testing.T) { // G01–G44
	g := habit.NewGate()
	for _, v := range vectors[struct {
		ID, Text string
		Class    habit.Class
	}](t, "safety") {
		if got := g.Classify(v.Text); got != v.Class {
			t.Errorf("%s %q: got %q, want %q", v.ID, v.Text, got, v.Class)
		}
	}
}

func TestSafetyPriority(t *testing.T) {
	g := habit.NewGate()
	for _, v := range []struct {
		text string
		want habit.Class
		why  string
	}{
		{"he hits me and I want to die", habit.Crisis, "a crisis before abuse"},
		{"overdosed on my pills, should I stop taking my pills", habit.Emergency, "an emergency before medication"},
		{"he hits me, I am bulimic, bulimia", habit.Abuse, "abuse before eating"},
		{"bulimia and withdrawal", habit.Eating, "eating before substance"},
		{"withdrawal; stop taking my meds", habit.Substance, "substance before medication"},
		{"I want to d\u200bie", habit.Crisis, "hidden characters do not hide it"},
		{"ＷＡＮＴ ＴＯ ＤＩＥ", habit.Crisis, "nor does another width"},
	} {
		if got := g.Classify(v.text); got != v.want {
			t.Errorf("%q: got %q, want %q: %s", v.text, got, v.want, v.why)
		}
	}
}

func TestNoticeNumbers(t *testing.T) {
	g := habit.NewGate()
	for _, v := range []struct {
		zone string
		lang core.Lang
		want []string
		why  string
	}{
		{"Asia/Seoul", core.Ko, []string{"109", "119 / 112"}, "Korea"},
		{"Asia/Seoul", core.En, []string{"109", "119 / 112"}, "an English speaker in Korea calls Korean numbers"},
		{"Asia/Shanghai", core.Zh, []string{"12356", "120 / 110"}, "China"},
		{"America/New_York", core.En, []string{"988", "911"}, "United States"},
		{"America/Toronto", core.Zh, []string{"988", "911"}, "Canada"},
		{"America/Indiana/Knox", core.En, []string{"988", "911"}, "a zone with a state"},
		{"Pacific/Honolulu", core.En, []string{"988", "911"}, "Hawaii"},
		{"America/Sao_Paulo", core.En, []string{"findahelpline.com", "112"}, "America is more than its north"},
		{"America/Argentina/Ushuaia", core.En, []string{"findahelpline.com"}, "nested zones elsewhere"},
		{"Europe/London", core.En, []string{"116 123", "999 / 112"}, "United Kingdom"},
		{"Europe/Dublin", core.Ko, []string{"116 123", "999 / 112"}, "Ireland"},
		{"Europe/Berlin", core.Ko, []string{"findahelpline.com", "112"}, "the place counts, not the language"},
		{"UTC", core.Ko, []string{"109"}, "no place is known: the language is the best guess"},
		{"UTC", core.Zh, []string{"12356"}, "the same"},
		{"UTC", core.En, []string{"findahelpline.com"}, "English is spoken everywhere"},
		{"Etc/GMT-9", core.Ko, []string{"109"}, "an offset is no place"},
	} {
		class, notice := g.Notice("自杀", v.lang, zone(t, v.zone))
		if class != habit.Crisis {
			t.Errorf("%s: got class %q", v.zone, class)
		}
		for _, w := range v.want {
			if !strings.Contains(notice, w) {
				t.Errorf("%s, %s: %q is not in %q: %s", v.zone, v.lang, w, notice, v.why)
			}
		}
	}
}

// TestNoticeInEveryLanguage holds that each class has its words in each language, without a hole left in them.
func TestNoticeInEveryLanguage(t *testing.T) {
	g := habit.NewGate()
	for text, class := range map[string]habit.Class{
		"I want to die": habit.Crisis, "chest pain": habit.Emergency, "he hits me": habit.Abuse, "anorexia": habit.Eating,
		"withdrawal": habit.Substance, "stop taking my pills": habit.Medication, "I am 12": habit.Minor,
	} {
		for _, l := range []core.Lang{core.En, core.Ko, core.Zh} {
			got, notice := g.Notice(text, l, time.UTC)
			written := core.LangOf(strings.NewReplacer("findahelpline.com", "").Replace(notice))
			if got != class || written != l || strings.Contains(notice, "{") {
				t.Errorf("%q in %s: got %q, %q", text, l, got, notice)
			}
		}
	}
	if class, notice := g.Notice("walk after dinner", core.En, time.UTC); class != habit.Safe || notice != "" {
		t.Errorf("a safe text got %q, %q", class, notice)
	}
}

func TestNoticeWithoutZone(t *testing.T) {
	if _, notice := habit.NewGate().Notice("죽고 싶어", core.Ko, nil); !strings.Contains(notice, "109") {
		t.Errorf("got %q", notice)
	}
}
