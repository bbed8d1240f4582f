package habit_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"steady/core"
	"steady/tools/habit"
)

func TestAvoidanceVectors(t *testing.T) { // A01–A81
	a := habit.NewAvoidance()
	for _, v := range vectors[struct {
		ID, Text, Note, Rule, Match string
		Accept                      bool
		Reason                      habit.Framing
	}](t, "avoidance") {
		got := a.Judge(v.Text)
		want := habit.Verdict{Framing: v.Reason, Rule: v.Rule, Match: v.Match}
		if got != want || got.Framing.Accepted() != v.Accept {
			t.Errorf("%s %q: got %+v, want %+v: %s", v.ID, v.Text, got, want, v.Note)
		}
	}
}

func TestAvoidanceSeesThroughSpelling(t *testing.T) {
	a := habit.NewAvoidance()
	for _, v := range []struct {
		text string
		want habit.Framing
		why  string
	}{
		{"ＳＴＯＰ eating sugar", habit.AvoidanceFraming, "full-width letters"},
		{"st\u200bop eating sugar", habit.AvoidanceFraming, "a zero-width space inside the word"},
		{"sto\u00adp eating sugar", habit.AvoidanceFraming, "a soft hyphen inside the word"},
		{"I don\u2018t drink soda", habit.AvoidanceFraming, "the other curly apostrophe"},
		{"No   phone\tin bed", habit.AvoidanceFraming, "runs of white space"},
		{"담배 끊기", habit.AvoidanceFraming, "decomposed Hangul"},
		{"戒煙", habit.AvoidanceFraming, "traditional characters"},
		{"No more than 2 cups of coffee", habit.LimitWithNumber, "a limit with a number"},
		{"No more coffee", habit.AvoidanceFraming, "a prohibition, though it begins the same"},
		{"Drink less soda, with water in place of it", habit.LimitWithNumber, "a reduction with a replacement"},
		{"", habit.Approach, "nothing says nothing"},
	} {
		if got := a.Judge(v.text); got.Framing != v.want {
			t.Errorf("%q: got %+v, want %s: %s", v.text, got, v.want, v.why)
		}
	}
}

// TestAvoidanceOfFixedExamples holds that the rewordings which the coach is told to imitate pass (habits.md §4.5).
func TestAvoidanceOfFixedExamples(t *testing.T) {
	a := habit.NewAvoidance()
	for _, text := range []string{
		"At 22:30 my phone goes to the living room and I open a book", "I am someone who reads before sleep",
		"밤 9시에 따뜻한 차를 마시고 양치한다", "나는 저녁을 제때 챙겨 먹는 사람이다", "下午三点我泡一杯花茶", "我是爱喝淡茶的人",
	} {
		if got := a.Judge(text); got.Framing != habit.Approach {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

// TestAvoidanceIsStable holds that a verdict depends on the words alone: white space around them and their letter case change
// nothing.
func TestAvoidanceIsStable(t *testing.T) {
	a := habit.NewAvoidance()
	rows := vectors[struct{ Text string }](t, "avoidance")
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SampledFrom(rows).Draw(rt, "row").Text
		want := a.Judge(text)
		for _, same := range []string{"  " + text + " \n", strings.ToUpper(text), strings.ReplaceAll(text, " ", "\u00a0")} {
			if got := a.Judge(same); got != want {
				rt.Fatalf("%q: got %+v, and %+v of %q", same, got, want, text)
			}
		}
	})
}

func FuzzPatterns(f *testing.F) {
	for _, s := range []string{"Don’t", "no more than 2", "遠離手機", "st\u200bop", "\xff\xfe", "　全角　", "I am 12"} {
		f.Add(s)
	}
	a, g := habit.NewAvoidance(), habit.NewGate()
	f.Fuzz(func(t *testing.T, s string) {
		v := a.Judge(s)
		if (v.Rule == "") != (v.Framing == habit.Approach) {
			t.Errorf("%q: got %+v", s, v)
		}
		class, notice := g.Notice(s, core.En, time.UTC)
		if (class == habit.Safe) != (notice == "") {
			t.Errorf("%q: got %q, %q", s, class, notice)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	a := habit.NewAvoidance()
	for b.Loop() {
		a.Judge("After I put my plate away I walk around the block, even when it rains")
	}
}
