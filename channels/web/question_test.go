package web_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"steady/core"
)

// The question as a panel: seed 001 §6.

func asked(t *testing.T, l look) (*world, *tab) {
	t.Helper()
	w, p := chatting(t, l)
	s := running("")
	s.State, s.Question = core.Parked, question("1")
	w.show("main", s)
	p.wait(`document.activeElement.id === 'deny'`)
	return w, p
}

func TestAQuestionIsAPanelThatStartsOnCancel(t *testing.T) {
	t.Parallel()
	_, p := asked(t, look{})
	for selector, want := range map[string]string{
		"#question-title": "이 작업을 수행할까요?", "#question-body": "습관을 추가합니다.\n저녁 산책 20분\n매일 19:00", "#approve": "수행", "#deny": "취소",
	} {
		got := value[string](p, fmt.Sprintf(`document.querySelector(%q).innerText.replace(/\n+/g, '\n')`, selector))
		if got != want {
			t.Errorf("%s: %q", selector, got)
		}
	}
	if got := value[string](p, `['role', 'aria-labelledby', 'aria-describedby'].map(a => document.querySelector('#question').getAttribute(a)).join()`); got != "alertdialog,question-title,question-body" {
		t.Errorf("the panel is %s", got)
	}
	for _, want := range []string{"approve", "deny", "approve"} { // focus goes around
		p.keys(tabKey)
		if got := value[string](p, focused); got != want {
			t.Errorf("focus is on %s, not %s", got, want)
		}
	}
	p.keys(tabKey, chromedp.KeyModifiers(chromedp.ModifierShift))
	if got := value[string](p, focused); got != "deny" {
		t.Errorf("backwards, focus is on %s", got)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	for i, test := range []struct {
		why  string
		do   func()
		sign string // of the token that is pressed
	}{
		{"Enter on Cancel, where focus starts", func() { p.keys(enterKey) }, "n"},
		{"Esc", func() { p.keys(escape) }, "n"},
		{"Esc while writing", func() { p.do(chromedp.Focus("#input")); p.keys(escape) }, "n"},
		{"Enter on Do it", func() { p.keys(tabKey + enterKey) }, "y"},
		{"space on Do it", func() { p.keys(tabKey + " ") }, "y"},
		{"the mouse", func() { p.click("#approve") }, "y"},
		{"a second answer is none", func() { p.do(chromedp.Click("#deny"), chromedp.Click("#approve")); p.keys(escape) }, "n"},
	} {
		s := running("")
		s.State, s.Question = core.Parked, question(fmt.Sprint(i))
		w.show("main", s)
		p.wait(`document.activeElement.id === 'deny'`)
		test.do()
		p.wait(`document.querySelector('#approve').ariaDisabled === 'true'`)
		w.await(t, 1)
		w.show("main", nil)
		p.wait(`document.querySelector('#question').hidden && document.activeElement.id === 'input'`) // focus returns
		if got := w.presses(); len(got) != i+1 || got[i] != test.sign+fmt.Sprint(i) {
			t.Errorf("%s: pressed %v", test.why, got)
		}
	}
}

// Whatever the language: a bold first line of the text is the title, else the page has one.
func TestTitlesOfQuestions(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{lang: "zh"})
	for i, test := range []struct{ body, title, rest string }{
		{"**Shall I do this?**\n\n**Add habit** — adds one", "Shall I do this?", "Add habit — adds one"},
		{"**Add habit** — adds one", "要执行吗?", "Add habit — adds one"},
		{"plain", "要执行吗?", "plain"},
		{"", "要执行吗?", ""},
	} {
		s := running("")
		s.State, s.Question = core.Parked, question(fmt.Sprint(i))
		s.Question.Body = test.body
		w.show("main", s)
		p.wait(fmt.Sprintf(`document.querySelector('#question-title').textContent === %q && document.querySelector('#question-body').textContent === %q`, test.title, test.rest))
	}
}

// A press only counts as decided when the core says so: the panel stays until then, and a late one is told.
func TestALatePressIsTold(t *testing.T) {
	t.Parallel()
	w, p := asked(t, look{})
	w.set(func(w *world) {
		w.answer = func(*world, core.Inbound) (core.Receipt, error) { return core.Receipt{Kind: core.Expired}, nil }
	})
	p.click("#approve")
	p.wait(`document.querySelector('#toast').textContent !== ''`)
	if p.count("#question:not([hidden])") != 1 || p.count(".call, .response-message") != 0 {
		t.Error("something is shown as done")
	}
}

// A07: writing is no answer, and the panel does not take the keys away from somebody who is writing.
func TestAQuestionWaitsForTheWriterToPause(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	p.do(chromedp.Focus("#input"))
	p.keys("네, 그")
	s := running("")
	s.State, s.Question = core.Parked, question("1")
	w.show("main", s)
	p.wait(`!document.querySelector('#question').hidden`)
	if got := value[string](p, focused); got != "input" {
		t.Errorf("focus went to %s", got)
	}
	p.keys("런데 ok\r")
	p.wait(`document.activeElement.id === 'deny'`)
	if len(w.presses()) != 0 {
		t.Error("writing answered the question")
	}
}

func TestANewQuestionReplacesTheOld(t *testing.T) {
	t.Parallel()
	w, p := asked(t, look{})
	p.click("#deny")
	w.await(t, 1)
	s := running("")
	s.State, s.Question = core.Parked, question("2")
	w.show("main", s)
	p.wait(`document.querySelector('#deny').ariaDisabled === 'false'`)
	p.click("#approve")
	w.await(t, 1)
	if got := w.presses(); !slices.Equal(got, []string{"n1", "y2"}) {
		t.Errorf("pressed %v", got)
	}
}
