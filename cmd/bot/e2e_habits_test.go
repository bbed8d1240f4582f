package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	asks     = `!document.querySelector('#question').hidden`
	asksNot  = `document.querySelector('#question').hidden`
	escape   = "\u001b"
	messages = "#log .message, #log .notice"
)

// A person on the page with a bot that nobody configured: the whole way of a habit, in their language.
func TestAHabitOnThePage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, request, ask, yes, no, title, added, open string
	}{
		{"en-US", "add morning daylight", "Shall I do this?", "Do it", "Cancel", "Morning daylight", "is on your list", "Morning daylight · open"},
		{"ko-KR", "아침 햇빛 쬐기 추가해줘", "이 작업을 수행할까요?", "수행", "취소", "아침 햇빛", "넣었어요", " · 아직"},
	} {
		t.Run(c.lang, func(t *testing.T) {
			t.Parallel()
			b, start, address := freshBot(t)
			b.hide(c.request, c.title)
			first := start()
			p := browse(t, address, c.lang, nil)

			p.say(c.request)
			p.wait(asks)
			p.shot("question-" + c.lang)
			if got := strings.Join(p.texts("#question-title, #approve, #deny"), "|"); got != c.ask+"|"+c.no+"|"+c.yes {
				t.Errorf("the question reads %q", got)
			}
			p.says("#question-body", c.title)
			p.do(chromedp.Click("#approve"))
			p.wait(asksNot)
			p.says("#log .response-message", c.added)
			p.say("/habits")
			p.says(messages, c.open)
			p.shot("habit-" + c.lang)

			before := p.texts(messages)
			p.do(chromedp.Reload())
			p.online()
			p.says(messages, c.open)
			if got := p.texts(messages); !slices.Equal(got, before) {
				t.Errorf("after a reload it shows %q, before %q", got, before)
			}

			first.kill() // as a power cut does
			p.wait(`!document.querySelector('#banner').hidden`)
			p.shot("away-" + c.lang)
			second := start()
			p.wait(`document.querySelector('#banner').hidden`) // the page comes back by itself
			if got := p.texts(messages); !slices.Equal(got, before) {
				t.Errorf("after a restart it shows %q, before %q", got, before)
			}
			p.say("/habits")
			p.wait(`[...document.querySelectorAll('#log .notice')].length === 2`)
			if got := p.texts("#log .notice"); got[0] != got[1] || strings.Count(got[1], c.open) != 1 {
				t.Errorf("the habits before and after are %q", got)
			}
			if code := second.stop(t); code != exitOK {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// A no by the button and a no by Esc: nothing is added, and the coach says so.
func TestNoOnThePage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		no   chromedp.Action[chromedp.Void]
	}{
		{"the button", chromedp.Click("#deny")},
		{"Esc", chromedp.KeyEvent(escape)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, start, address := freshBot(t)
			start()
			p := browse(t, address, "ko-KR", nil)
			p.say("아침 햇빛 쬐기 추가해줘")
			p.wait(asks)
			p.do(c.no)
			p.wait(asksNot + ` && document.querySelectorAll('#log .response-message').length === 1`)
			p.say("/habits")
			p.says(messages, "아직 습관이 없어요")
		})
	}
}

// Two tabs of a person show the same; one asks, the other answers.
func TestTwoTabsOnThePage(t *testing.T) {
	t.Parallel()
	_, start, address := freshBot(t)
	start()
	one := browse(t, address, "en-US", nil)
	two := browse(t, address, "en-US", one)
	one.say("add morning daylight")
	for _, p := range []*tab{one, two} {
		p.wait(asks)
	}
	two.do(chromedp.Click("#approve"))
	for _, p := range []*tab{one, two} {
		p.wait(asksNot)
		p.says("#log .response-message", "is on your list")
	}
	one.say("/habits")
	for _, p := range []*tab{one, two} {
		p.says(messages, "Morning daylight · open")
	}
	if a, b := one.texts(messages), two.texts(messages); !slices.Equal(a, b) {
		t.Errorf("one shows %q, the other %q", a, b)
	}
	if n := strings.Count(strings.Join(one.texts("#log .notice"), " "), "Morning daylight"); n != 1 {
		t.Errorf("the habit is there %d times", n)
	}
}

// An open question is there after the process died, and is answered once.
func TestAQuestionOnThePageOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	_, start, address := freshBot(t)
	first := start()
	p := browse(t, address, "en-US", nil)
	p.say("add morning daylight")
	p.wait(asks)
	first.kill()
	p.wait(`!document.querySelector('#banner').hidden`)
	start()
	p.wait(`document.querySelector('#banner').hidden`)
	p.wait(asks)
	p.do(chromedp.Reload())
	p.online()
	p.wait(asks)
	p.do(chromedp.Click("#approve"))
	p.wait(asksNot)
	p.says("#log .response-message", "is on your list")
	p.say("/habits")
	p.says(messages, "Morning daylight · open")
}
