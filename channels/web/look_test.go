package web_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"steady/channels/web"
	"steady/core"
)

const rich = "좋아요! 이렇게 시작해 볼까요?\n\n## 저녁 산책\n\n1. **19:00**에 알림을 드릴게요\n2. 20분만 걸어요\n   - 비가 오면 `실내 스트레칭`\n   - 힘들면 ~~20분~~ 5분도 좋아요\n\n" +
	"| 요일 | 목표 | 기록 |\n|---|:-:|--:|\n| 월 | 20분 | 22 |\n| 화 | 20분 | 18 |\n\n> 작게 시작하면 오래 갑니다.\n\n```\n08:00 물 한 잔\n19:00 산책\n```\n\n자세히: https://example.org/habits 또는 [안내](https://example.org/guide)"

// everyday fills a session with one of everything.
func everyday(w *world) {
	w.commit("main", 1, said("산책 습관을 만들고 싶어요.\n저녁이 좋아요."),
		core.Call{ID: "c1", Tool: "search_catalog", Reply: 1, Text: "어떤 방법이 있는지 찾아볼게요."},
		core.Result{ID: "c1", Tool: "search_catalog", JSON: `{"status":"ok","data":{}}`},
		core.Call{ID: "c2", Tool: "add_habit", Reply: 2},
		core.Result{ID: "c2", Tool: "add_habit", JSON: `{"status":"cancelled","reason":"user did not confirm"}`},
		agent(rich))
	w.commit("main", 0, core.Notice{Kind: core.Hint, Text: "대화가 길어졌어요. 새로 시작할까요?"})
	w.commit("other", 1, said("물 마시기"), agent("좋아요."))
}

func labels(tool string) core.LocalText {
	switch tool {
	case "add_habit":
		return core.LocalText{En: "Add habit", Ko: "습관 추가", Zh: "添加习惯"}
	case "search_catalog":
		return core.LocalText{En: "Search catalog", Ko: "카탈로그 검색", Zh: "搜索目录"}
	}
	return core.LocalText{}
}

func TestPageFitsAnyScreen(t *testing.T) {
	t.Parallel()
	w := newWorld()
	p := browse(t, start(t, w, withLabels), look{})
	p.online()
	p.shot("empty")
	everyday(w)
	p.wait(`document.querySelectorAll('.message').length === 2`)
	for i, l := range []look{{width: 320, height: 640}, {width: 360, height: 780}, {width: 360, height: 780, dark: true}, {width: 1280, height: 800}, {width: 1280, height: 800, dark: true}} {
		w.show("main", nil)
		p.emulate(l)
		p.wait(fmt.Sprintf(`innerWidth === %d && document.querySelector('#question').hidden`, l.width))
		name := fmt.Sprintf("%d-dark-%t", l.width, l.dark)
		if over := value[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s: the page is %d px too wide", name, over)
		}
		p.shot("history-" + name)
		q := question(fmt.Sprint(i))
		q.Expires = time.Now().Add(9 * time.Minute)
		w.show("main", &core.Snapshot{Turn: 8, User: "산책 습관을 추가해 줘", State: core.Parked, Text: "추가하기 전에 확인할게요.", Question: q,
			Calls:   []core.CallProgress{{ID: "d1", Label: labels("search_catalog"), Started: true, Finished: true}, {ID: "d2", Label: labels("add_habit")}},
			Waiting: []core.WaitingView{{Inbound: "w1", Text: "그리고 물 마시기도요"}}})
		p.wait(`!document.querySelector('#question').hidden`)
		for _, selector := range []string{"#deny", "#approve", "#input", "#send", "#stop", "#new-conversation"} {
			inside := value[bool](p, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
				return r.width >= 44 && r.height >= 40 && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight })()`, selector))
			if !inside {
				t.Errorf("%s: %s is too small or not on the screen", name, selector)
			}
		}
		p.shot("question-" + name)
	}
}

// Everything can be done with the keyboard alone, and one can always see where one is.
func TestKeyboardAlone(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.answer = echo
	everyday(w)
	p := browse(t, start(t, w, nil), look{width: 360, height: 720})
	p.wait(`document.activeElement.id === 'input' && document.querySelectorAll('#sessions button').length === 2`)
	var order []string
	for range 30 {
		p.keys(tabKey, chromedp.KeyModifiers(chromedp.ModifierShift))
		at := value[string](p, focused)
		if at == "BODY" {
			break
		}
		order = append(order, at)
		if value[string](p, `getComputedStyle(document.activeElement).outlineStyle`) == "none" {
			t.Errorf("focus on %s cannot be seen", at)
		}
		if at == "menu" {
			break
		}
	}
	for _, want := range []string{"new-conversation", "menu"} {
		if !slices.Contains(order, want) {
			t.Errorf("%s cannot be reached; the order is %v", want, order)
		}
	}
	p.keys(enterKey)
	p.wait(`document.activeElement.id === 'new-session' && document.querySelector('#menu').ariaExpanded === 'true'`)
	p.keys(escape)
	p.wait(`document.activeElement.id === 'menu' && getComputedStyle(document.querySelector('#side')).visibility === 'hidden'`)
	p.keys(enterKey)
	p.wait(`document.activeElement.id === 'new-session'`)
	p.keys(tabKey + tabKey + enterKey)
	p.wait(`document.querySelector('#title').textContent === '물 마시기' && document.querySelector('#menu').ariaExpanded === 'false'`)
	p.say("끝")
	p.wait(`[...document.querySelectorAll('.response-message .prose')].pop()?.textContent === 're: 끝'`)
}

// The basics that checkers for accessibility look for.
func TestAccessibility(t *testing.T) {
	t.Parallel()
	w := newWorld()
	everyday(w)
	p := browse(t, start(t, w, withLabels), look{lang: "en"})
	s := running("growing **text**")
	s.State, s.Question = core.Parked, question("1")
	s.Calls = []core.CallProgress{{ID: "a", Label: labels("add_habit"), Started: true}}
	s.Waiting = []core.WaitingView{{Inbound: "w", Text: "waiting"}}
	w.show("main", s)
	w.commit("main", 0, core.Notice{Kind: core.Failed, Text: "that failed"})
	p.wait(`document.querySelectorAll('#sessions button').length === 2`)
	w.commit("other", 0, core.Notice{Kind: core.Told, Text: "something new"})
	p.wait(`!document.querySelector('#question').hidden && document.querySelector('.notice-failed') && document.querySelector('.unread')`)
	for _, dark := range []bool{false, true} {
		p.emulate(look{lang: "en", dark: dark})
		p.wait(fmt.Sprintf(`matchMedia('(prefers-color-scheme: dark)').matches === %t`, dark))
		for _, fault := range value[[]string](p, accessibility) {
			t.Errorf("dark=%t: %s", dark, fault)
		}
	}
}

const accessibility = `(() => {
	const faults = [];
	const seen = (e) => e.getClientRects().length > 0;
	const name = (e) => e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent.trim() || e.alt;
	for (const e of document.querySelectorAll('button, input, textarea, a, nav, [role=log], [role=region]')) if (seen(e) && !name(e)) faults.push('no name: ' + e.outerHTML.slice(0, 90));
	for (const e of document.querySelectorAll('img')) if (e.getAttribute('alt') === null) faults.push('no alt');
	for (const e of document.querySelectorAll('svg')) if (e.getAttribute('aria-hidden') !== 'true') faults.push('svg is read out');
	const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
	for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) faults.push('id twice: ' + id);
	for (const a of ['aria-labelledby', 'aria-describedby', 'aria-controls']) for (const e of document.querySelectorAll('[' + a + ']')) if (!document.getElementById(e.getAttribute(a))) faults.push(a + ' to nothing');
	if (document.documentElement.lang !== 'en') faults.push('lang ' + document.documentElement.lang);
	if (!document.title) faults.push('no title');
	if (document.querySelectorAll('main').length !== 1 || [...document.querySelectorAll('h1')].filter(seen).length !== 1) faults.push('not one main with one h1');
	const log = document.querySelector('#log');
	if (log.getAttribute('role') !== 'log' || document.querySelector('#now').getAttribute('aria-live') !== 'off') faults.push('answers are not announced once');
	const rgb = (c) => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m };
	const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
	const light = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b };
	const ground = (e) => { if (!e) return [255, 255, 255]; const c = rgb(getComputedStyle(e).backgroundColor); return c[3] === 1 ? c.slice(0, 3) : over(c, ground(e.parentElement)) };
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		if (!walker.currentNode.textContent.trim() || !seen(e) || e.closest('.hidden, noscript, script')) continue;
		const below = ground(e), style = getComputedStyle(e);
		const [x, y] = [light(over([...rgb(style.color).slice(0, 3), rgb(style.color)[3] * style.opacity], below)), light(below)].sort((a, b) => b - a);
		const ratio = (x + 0.05) / (y + 0.05);
		if (ratio < 4.5) faults.push('contrast ' + ratio.toFixed(2) + ': ' + e.className + ' ' + walker.currentNode.textContent.slice(0, 30));
	}
	return faults })()`

func TestSignInOnThePage(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.answer = echo
	address := start(t, w, func(c *web.Config) { c.Token = "열려라 sesame" })
	p := browse(t, address, look{width: 360, height: 640})
	p.wait(`!document.querySelector('#login').hidden && document.activeElement.id === 'token'`)
	p.shot("login")
	p.keys("wrong" + enterKey)
	p.wait(`document.querySelector('#login-error').textContent === '토큰이 맞지 않아요.'`)
	p.keys("열려라 sesame" + enterKey)
	p.online()
	p.wait(`document.activeElement.id === 'input' && document.querySelector('#login').hidden`)
	if cookie := value[string](p, `document.cookie`); cookie != "" {
		t.Errorf("scripts see the cookie %q", cookie)
	}
	p.say("안녕")
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	p.do(chromedp.Reload())
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
}

func TestPairingTextIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld()
	p := browse(t, start(t, w, func(c *web.Config) { c.PairingHint = func() string { return "/start <b>1234</b>" } }), look{width: 360, height: 640})
	p.wait(`document.querySelector('#pairing').textContent === '/start <b>1234</b>'`)
	p.shot("pairing")
}

// How frames change what the page knows (seed 002 §11.2): gaps are noticed, repeated increments are harmless, messages taken
// together are not shown twice.
func TestSessionState(t *testing.T) {
	t.Parallel()
	p := browse(t, start(t, newWorld(), nil), look{})
	for _, fault := range value[[]string](p, `import('/session.js').then(({ Session }) => {
		const faults = [];
		const want = (why, got, wanted) => JSON.stringify(got) !== JSON.stringify(wanted) && faults.push(why + ': ' + JSON.stringify(got));
		const entry = (revision, role, text, more) => ({ revision, kind: 'message', role, text, turn: 1, at: '2026-05-04T09:30:00Z', ...more });
		const texts = (s) => s.items().map((i) => i.text);
		let s = new Session('x');
		s.history({ revision: 2, mark: 0, entries: [entry(1, 'user', 'a'), entry(2, 'agent', 'b')] });
		want('an increment', [s.committed({ after: 2, revision: 3, mark: 0, entries: [entry(3, 'user', 'c')] }), texts(s)], [true, ['a', 'b', 'c']]);
		want('the same again', [s.committed({ after: 2, revision: 3, mark: 0, entries: [entry(3, 'user', 'c')] }), texts(s)], [true, ['a', 'b', 'c']]);
		want('one that overlaps', [s.committed({ after: 1, revision: 4, mark: 0, entries: [entry(2, 'agent', 'b'), entry(3, 'user', 'c'), entry(4, 'agent', 'd')] }), texts(s)], [true, ['a', 'b', 'c', 'd']]);
		want('a gap changes nothing', [s.committed({ after: 6, revision: 7, mark: 0, entries: [entry(7, 'user', 'x')] }), texts(s), s.known], [false, ['a', 'b', 'c', 'd'], 4]);
		want('a mark hides', [s.committed({ after: 4, revision: 5, mark: 4, entries: [entry(5, 'user', 'e')] }), texts(s)], [true, ['e']]);
		s.say('m1', 'one'); s.say('m2', 'two'); s.say('m2', 'two');
		want('own messages wait', s.waiting().map((m) => m.text + m.state), ['onesending', 'twosending']);
		s.receipt('m1', 'stored', ''); s.receipt('m2', 'queued', '');
		s.snapshot = { turn: 9, user: 'one', waiting: [] };
		want('what runs waits no more', s.waiting().map((m) => m.text), ['two']);
		want('and is shown once', s.live().map((i) => i.text), ['one']);
		s.committed({ after: 5, revision: 6, mark: 4, entries: [entry(6, 'user', 'one\ntwo', { turn: 9, inbound: 'm1' })] });
		want('taken together', s.waiting(), []);
		want('the entry takes the place', s.live().map((i) => i.text), []);
		s.snapshot = { turn: 9, user: 'one', text: 'late', state: 'thinking' };
		s.committed({ after: 6, revision: 7, mark: 4, entries: [entry(7, 'agent', 'answer', { turn: 9 })] });
		want('a snapshot older than the answer', s.live(), []);
		s.snapshot = null;
		s.say('m3', 'three'); s.receipt('m3', 'queued', '');
		s.committed({ after: 7, revision: 8, mark: 4, entries: [{ revision: 8, kind: 'notice', notice: 'stopped', text: 'stopped' }] });
		want('a stop drops what waits', s.waiting(), []);
		s.say('m4', 'four'); s.receipt('m4', 'not_taken', 'too much');
		want('not taken stays to be seen', s.waiting().map((m) => m.state + m.note), ['failedtoo much']);
		s.snapshot = { turn: 11, user: 'five', text: 'look', state: 'acting', calls: [{ call: 'c', label: 'L', started: true }] };
		want('a call is shown with what was said before it', s.live().map((i) => i.key), ['user', 'text', 'cc']);
		s.committed({ after: 8, revision: 10, mark: 4, entries: [entry(9, 'user', 'five', { turn: 11 }), { revision: 10, kind: 'call', call: 'c', label: 'L', text: 'look', turn: 11 }] });
		want('and no more when it is committed', [s.live(), s.items().slice(-2).map((i) => i.status || i.text)], [[], ['look', 'running']]);
		s.snapshot.text = 'look\n\nand then';
		want('only what follows', s.live().map((i) => i.text), ['and then']);
		return faults })`) {
		t.Error(fault)
	}
}
