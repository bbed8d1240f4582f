package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"steady/channels/web"
	"steady/core"
)

const (
	tabKey   = "\t"
	enterKey = "\r"
	escape   = "\u001b"
)

// focused is what has keyboard focus.
const focused = `document.activeElement.id || document.activeElement.tagName`

func chatting(t *testing.T, l look) (*world, *tab) {
	t.Helper()
	w := newWorld()
	w.answer = echo
	p := browse(t, start(t, w, withLabels), l)
	p.online()
	return w, p
}

// running is a turn that thinks.
func running(text string) *core.Snapshot {
	return &core.Snapshot{Turn: 50, User: "질문", State: core.Thinking, Text: text}
}

// presses returns the tokens that were pressed.
func (w *world) presses() []string {
	var out []string
	for _, in := range w.took() {
		if e, ok := in.Event.(core.Pressed); ok {
			out = append(out, e.Token)
		}
	}
	return out
}

// commands returns the names of the commands that came.
func (w *world) commands() []string {
	var out []string
	for _, in := range w.took() {
		if e, ok := in.Event.(core.Commanded); ok {
			out = append(out, e.Name)
		}
	}
	return out
}

// ---- seed 003 ----

// Classes, labels, side and border all come from the role.
func TestRoleLabelsAndLooksDeriveFromTheRole(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ lang, user, agent, page, anew string }{
		{"ko-KR", "사용자", "에이전트", "ko", "새 대화 (이전 기록 비우기)"},
		{"en-US", "You", "Coach", "en", "New conversation (clears the earlier messages)"},
		{"zh-CN", "用户", "教练", "zh", "新对话(清空之前的记录)"},
		{"fr-FR", "You", "Coach", "en", "New conversation (clears the earlier messages)"},
	} {
		t.Run(test.lang, func(t *testing.T) {
			w := newWorld()
			w.commit("main", 1, said("agent: I am the user"), agent("user: I am the agent"))
			p := browse(t, start(t, w, nil), look{lang: test.lang})
			p.wait(`document.querySelectorAll('.message').length === 2`)
			for _, want := range []struct{ selector, text string }{
				{".user-message .user-role", test.user}, {".response-message .agent-role", test.agent},
				{".user-message .text", "agent: I am the user"}, {".response-message .prose", "user: I am the agent"},
				{".user-message .agent-role", ""}, {".response-message .user-role", ""},
			} {
				if got := strings.Join(p.texts(want.selector), "|"); got != want.text {
					t.Errorf("%s: %q", want.selector, got)
				}
			}
			sides := value[[]bool](p, `['.user-message', '.response-message'].map(s => {
				const r = document.querySelector(s).getBoundingClientRect(), c = document.querySelector('#log').getBoundingClientRect();
				return Math.abs(c.right - r.right) < 2 && r.left > c.left + 40 })`)
			if !sides[0] || sides[1] {
				t.Errorf("the user's is right: %t, the agent's: %t", sides[0], sides[1])
			}
			edges := value[[]string](p, `['.user-message', '.response-message'].map(s => {
				const c = getComputedStyle(document.querySelector(s)); return c.borderLeftWidth + ' ' + c.borderRightWidth })`)
			if edges[0] != "0px 3px" || edges[1] != "3px 0px" {
				t.Errorf("borders %v", edges)
			}
			names := value[[]string](p, `[document.documentElement.lang, document.querySelector('#new-conversation').ariaLabel]`)
			if names[0] != test.page || names[1] != test.anew {
				t.Errorf("the page is in %s and offers %q", names[0], names[1])
			}
		})
	}
}

func TestInputIsShownTrimmedAsTheUsersAndThenTheAgentsAnswer(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	for i := range 3 {
		p.say(fmt.Sprintf("  메시지 %d  ", i))
		p.wait(fmt.Sprintf(`document.querySelectorAll('.response-message').length === %d`, i+1))
	}
	want := []string{"메시지 0", "re: 메시지 0", "메시지 1", "re: 메시지 1", "메시지 2", "re: 메시지 2"}
	if got := p.texts(".message .text, .message .prose"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if n := p.count(".pending-message"); n != 0 {
		t.Errorf("%d messages are still pending", n)
	}
	if got := w.took()[0].Event; got != (core.Said{Text: "메시지 0"}) {
		t.Errorf("got %#v", got)
	}
	if text := value[string](p, `document.querySelector('#input').value`); text != "" {
		t.Errorf("the input still has %q", text)
	}
}

func TestBlankInputDoesNothingAtAll(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	before := value[string](p, `document.querySelector('#column').outerHTML`)
	for _, text := range []string{"", "   ", "\u200b\u200b", "\u3164"} {
		p.say(text)
		p.click("#send")
		value[bool](p, `(document.querySelector('#input').value = '', true)`)
	}
	if after := value[string](p, `document.querySelector('#column').outerHTML`); after != before {
		t.Errorf("the page changed to %s", after)
	}
	p.say("x")
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	if n := len(w.took()); n != 1 {
		t.Errorf("%d inbounds", n)
	}
}

// ---- writing ----

func TestEnterSendsAndShiftEnterBreaksTheLine(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	p.do(chromedp.Focus("#input"))
	p.keys("one")
	p.keys(enterKey, chromedp.KeyModifiers(chromedp.ModifierShift))
	p.keys("two")
	if text := value[string](p, `document.querySelector('#input').value`); text != "one\ntwo" {
		t.Errorf("the input has %q", text)
	}
	p.keys(enterKey)
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	if got := w.took()[0].Event; got != (core.Said{Text: "one\ntwo"}) {
		t.Errorf("got %#v", got)
	}
}

// Enter that ends the composition of a syllable does not send half a word.
func TestEnterOfACompositionDoesNotSend(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	value[bool](p, `(() => { const i = document.querySelector('#input'); i.value = '안녀';
		for (const init of [{ key: 'Enter', isComposing: true }, { key: 'Enter', keyCode: 229 }])
			i.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
		return true })()`)
	p.do(chromedp.Focus("#input"))
	p.keys("ok" + enterKey)
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	if got := w.took(); len(got) != 1 || got[0].Event != (core.Said{Text: "안녀ok"}) && got[0].Event != (core.Said{Text: "ok안녀"}) {
		t.Errorf("got %+v", got)
	}
}

// A command that was typed makes no message: nothing waits for one.
func TestTypedCommandsLeaveNothingPending(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	p.say("/status")
	p.say("x")
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	if n := p.count(".pending-message"); n != 0 || !slices.Equal(w.commands(), []string{"status"}) {
		t.Errorf("%d pending, commands %v", n, w.commands())
	}
}

func TestLongTextIsCutToAFrame(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	value[bool](p, `(document.querySelector('#input').value = '가'.repeat(40000), true)`)
	p.click("#send")
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	text := w.took()[0].Event.(core.Said).Text
	if n := len([]rune(text)); n < 16_000 || n >= 40_000 {
		t.Errorf("%d characters came", n)
	}
	p.wait(`document.querySelector('#toast').textContent.length > 0`)
}

// ---- a turn ----

func TestAnAnswerGrowsAndEndsAsOneMessage(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	w.show("main", running(""))
	p.wait(`document.querySelector('.thinking') && !document.querySelector('#stop').hidden`)
	if got := p.texts(".user-message .text"); !slices.Equal(got, []string{"질문"}) {
		t.Errorf("what the turn is about is shown: %q", got)
	}
	for _, part := range []struct{ text, html string }{
		{"**굵", "<p><strong>굵</strong></p>"},
		{"**굵게** `코", "<p><strong>굵게</strong> <code>코</code></p>"},
		{"**굵게**\n\n```\nx = <b>", `<p><strong>굵게</strong></p><pre tabindex="0"><code>x = &lt;b&gt;</code></pre>`},
	} {
		w.show("main", running(part.text))
		p.wait(fmt.Sprintf(`document.querySelector('.response-message .prose')?.innerHTML === %q`, part.html))
	}
	if p.count(".response-message") != 1 || p.count(".thinking") != 0 {
		t.Error("there is more than the growing answer")
	}
	w.finish("main", 50, said("질문"), agent("**굵게** 끝"))
	p.wait(`document.querySelector('#stop').hidden`)
	if got := p.texts(".message .text, .message .prose"); !slices.Equal(got, []string{"질문", "굵게 끝"}) {
		t.Errorf("got %q", got)
	}
	if p.count("#log .message") != 2 || p.count("#now > *") != 0 {
		t.Error("the answer is not in the log")
	}
}

func TestCallsAreRowsWithTheirLabel(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	s := running("")
	s.State = core.Acting
	s.Calls = []core.CallProgress{{ID: "a", Label: labels("search_catalog"), Started: true}, {ID: "b", Label: labels("add_habit")}}
	w.show("main", s)
	p.wait(`document.querySelectorAll('.call').length === 2`)
	if got := p.texts(".call"); !slices.Equal(got, []string{"카탈로그 검색진행 중", "습관 추가대기"}) {
		t.Errorf("got %q", got)
	}
	w.commit("main", 50, said("질문"), core.Call{ID: "a", Tool: "search_catalog", Reply: 1}, core.Call{ID: "b", Tool: "add_habit", Reply: 1},
		core.Result{ID: "a", JSON: `{"status":"ok"}`})
	p.wait(`document.querySelectorAll('#log .call').length === 2`)
	if got := p.texts(".call"); !slices.Equal(got, []string{"카탈로그 검색완료", "습관 추가대기"}) {
		t.Errorf("got %q", got)
	}
	w.finish("main", 50, core.Result{ID: "b", JSON: `{"status":"error","code":"r3_quota"}`}, agent("끝"))
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	if got := p.texts(".call"); !slices.Equal(got, []string{"카탈로그 검색완료", "습관 추가실패"}) {
		t.Errorf("got %q", got)
	}
}

// The input stays usable while a turn runs; what waits is shown as that and is no message until its turn (Q01, Q08).
func TestMessagesDuringATurnWait(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	w.set(func(w *world) {
		w.answer = func(*world, core.Inbound) (core.Receipt, error) {
			return core.Receipt{Kind: core.Queued, Ahead: 1}, nil
		}
	})
	w.show("main", running("생각 중"))
	p.wait(`!document.querySelector('#stop').hidden`)
	p.say("그리고")
	p.wait(`document.querySelector('.pending-message[data-state=waiting]')`)
	id := w.took()[0].ID
	s := running("생각 중")
	s.Waiting = []core.WaitingView{{Inbound: id, Text: "그리고"}, {Inbound: "other-tab", Text: "다른 탭"}}
	w.show("main", s)
	p.wait(`document.querySelectorAll('.pending-message').length === 2`)
	if got := p.texts(".pending-message .text"); !slices.Equal(got, []string{"그리고", "다른 탭"}) {
		t.Errorf("got %q", got)
	}
	if got := p.texts(".user-message .text"); !slices.Equal(got, []string{"질문"}) {
		t.Errorf("a waiting message is shown as a message: %q", got)
	}
	w.finish("main", 50, said("질문"), agent("답"))
	own := user(w.took()[0])
	w.show("main", &core.Snapshot{Turn: 51, User: "그리고", State: core.Thinking})
	p.wait(`document.querySelectorAll('.user-message').length === 2 && !document.querySelector('.pending-message')`)
	w.finish("main", 51, own, agent("또 답"))
	p.wait(`document.querySelectorAll('#log .user-message').length === 2`)
	if n := p.count(".pending-message"); n != 0 {
		t.Errorf("%d are still pending", n)
	}
}

func TestStopIsThereWhileATurnRuns(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	if value[bool](p, `!document.querySelector('#stop').hidden`) {
		t.Error("there is nothing to stop")
	}
	w.show("main", running("반쯤"))
	p.wait(`!document.querySelector('#stop').hidden`)
	p.click("#stop")
	w.await(t, 1)
	w.finish("main", 50, said("질문"), core.Message{Role: core.Agent, Text: "반쯤", Partial: true}, core.Notice{Kind: core.Stopped, Text: "멈췄어요."})
	p.wait(`document.querySelector('#stop').hidden && document.querySelector('.notice-stopped')`)
	if got := w.commands(); !slices.Equal(got, []string{"stop"}) {
		t.Errorf("commands %v", got)
	}
	if got := p.texts(".partial"); !slices.Equal(got, []string{"중간에 멈춤"}) {
		t.Errorf("partial %q", got)
	}
}

func TestAMessageThatWasNotTakenCanBeWrittenAgain(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	w.set(func(w *world) {
		w.answer = func(*world, core.Inbound) (core.Receipt, error) { return core.Receipt{Kind: core.NotTaken}, nil }
	})
	p.say("너무 많이")
	p.wait(`document.querySelector('.pending-message[data-state=failed] button')`)
	p.click(".pending-message button")
	p.wait(`document.querySelector('#input').value === '너무 많이' && !document.querySelector('.pending-message')`)
}

// ---- several pages ----

func TestTwoTabsShowTheSame(t *testing.T) {
	t.Parallel()
	w, one := chatting(t, look{})
	two := browse(t, one.address, look{})
	two.online()
	one.say("안녕")
	for _, p := range []*tab{one, two} {
		p.wait(`document.querySelectorAll('.response-message').length === 1`)
	}
	if a, b := one.texts(".message"), two.texts(".message"); !slices.Equal(a, b) {
		t.Errorf("one shows %q, the other %q", a, b)
	}
	s := running("")
	s.State, s.Question = core.Parked, question("1")
	w.show("main", s)
	for _, p := range []*tab{one, two} {
		p.wait(`!document.querySelector('#question').hidden`)
	}
	two.click("#approve")
	w.await(t, 2) // a message and the press
	w.finish("main", 50, said("질문"), agent("끝"))
	for _, p := range []*tab{one, two} {
		p.wait(`document.querySelector('#question').hidden && document.querySelectorAll('.response-message').length === 2`)
	}
	if got := w.presses(); !slices.Equal(got, []string{"y1"}) {
		t.Errorf("pressed %v", got)
	}
}

// Closing or loading the page again stops nothing and answers nothing; it shows the turn and the question as they stand.
func TestReloadShowsTheTurnAsItStands(t *testing.T) {
	t.Parallel()
	w, p := asked(t, look{})
	s := running("반쯤")
	s.State, s.Question = core.Parked, question("1")
	w.show("main", s)
	p.wait(`document.querySelector('.response-message')`)
	p.do(chromedp.Reload())
	p.wait(`document.activeElement.id === 'deny' && document.querySelector('.response-message .prose')?.textContent === '반쯤'`)
	if n := len(w.took()); n != 0 {
		t.Errorf("%d inbounds came of a reload", n)
	}
	if p.count(".message") != 2 || value[bool](p, `document.querySelector('#stop').hidden`) {
		t.Error("the turn is not as it was")
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.answer = echo
	everyday(w)
	p := browse(t, start(t, w, nil), look{})
	p.wait(`document.querySelectorAll('#sessions button').length === 2 && document.querySelectorAll('.message').length === 2`)
	if got := value[string](p, `document.querySelector('#sessions [aria-current=page]').textContent`); !strings.Contains(got, "산책") {
		t.Errorf("the first session is not the current one: %q", got)
	}
	p.do(chromedp.Click("#sessions li:nth-child(2) button"))
	p.wait(`document.querySelector('#title').textContent === '물 마시기' && document.querySelectorAll('.message').length === 2`)
	p.click("#new-session")
	p.wait(`document.querySelectorAll('.message').length === 0 && !document.querySelector('#empty').hidden`)
	p.say("새로운 것")
	p.wait(`document.querySelectorAll('.response-message').length === 1 && document.querySelector('#title').textContent === '새로운 것'`)
	if n := p.count("#sessions button"); n != 3 {
		t.Errorf("%d sessions", n)
	}
	w.commit("other", 9, core.Notice{Kind: core.Told, Text: "알림"})
	p.wait(`document.querySelector('.unread')`)
	hash := value[string](p, `location.hash`)
	p.do(chromedp.Reload())
	p.wait(`document.querySelectorAll('.response-message').length === 1`)
	if value[string](p, `location.hash`) != hash || p.texts("#title")[0] != "새로운 것" {
		t.Error("a reload shows another session")
	}
}

func TestNewConversation(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	w.commit("main", 1, said("전"), agent("후"))
	p.wait(`document.querySelectorAll('.message').length === 2`)
	p.click("#new-conversation")
	w.await(t, 1)
	w.change("main", func(c *chat) {
		c.mark = 2
		c.append(0, core.Notice{Kind: core.Told, Text: "새로 시작해요."})
	})
	p.wait(`document.querySelectorAll('.message').length === 0 && document.querySelector('.notice')`)
	if got := w.commands(); !slices.Equal(got, []string{"new"}) {
		t.Errorf("commands %v", got)
	}
}

func TestEarlierMessages(t *testing.T) {
	t.Parallel()
	w := newWorld()
	for i := range uint64(250) {
		w.commit("main", i, core.Notice{Kind: core.Told, Text: fmt.Sprint("n", i+1)})
	}
	p := browse(t, start(t, w, nil), look{})
	p.wait(`document.querySelectorAll('.notice').length === 200 && !document.querySelector('#earlier').hidden`)
	const below = `document.querySelector('#scroll').scrollHeight - document.querySelector('#scroll').scrollTop`
	p.wait(below + ` - document.querySelector('#scroll').clientHeight < 2`) // the newest message is in view
	p.click("#earlier")
	before := value[int](p, below)
	p.wait(`document.querySelectorAll('.notice').length === 250 && document.querySelector('#earlier').hidden`)
	if after := value[int](p, below); after > before+100 || value[int](p, `document.querySelector('#scroll').scrollTop`) == 0 {
		t.Errorf("what was in view moved from %d to %d", before, after)
	}
	w.commit("main", 0, core.Notice{Kind: core.Told, Text: "news"})
	p.wait(`document.querySelectorAll('.notice').length === 251`)
	if after := value[int](p, below); after < 1000 {
		t.Error("news tear away from what is being read")
	}
	if first := p.texts(".notice")[0]; first != "n1" {
		t.Errorf("first is %q", first)
	}
}

// ---- connection ----

// serveUntil runs a channel on an address until the returned stop, which waits.
func serveUntil(t *testing.T, w *world, address string) (listening string, stop func()) {
	t.Helper()
	up := make(chan string, 1)
	c, err := web.New(web.Config{Listen: address, Reader: w, Listening: func(a addr) { up <- a.String() }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, w.accept) }()
	select {
	case listening = <-up:
	case err := <-ended:
		t.Fatal(err)
	}
	return listening, func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// W01: after a reconnect nothing is missing or doubled, and what was not taken is sent again, once.
func TestReconnect(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.answer = echo
	w.commit("main", 1, said("전"), agent("후"))
	address, stop := serveUntil(t, w, "127.0.0.1:0")
	p := browse(t, address, look{})
	p.wait(`document.querySelectorAll('.message').length === 2`)
	w.set(func(w *world) {
		w.answer = func(*world, core.Inbound) (core.Receipt, error) { return core.Receipt{}, core.ErrClosed }
	})
	p.say("잃지 마")
	p.wait(`document.querySelector('.pending-message[data-state=sending]') && document.querySelector('#toast').textContent`)
	stop()
	p.wait(`!document.querySelector('#banner').hidden`)
	if got := p.texts("#banner-text")[0]; got == "" || p.count("#input:disabled") != 0 {
		t.Errorf("offline: %q", got)
	}
	p.say("나중 것")
	w.commit("main", 2, said("그동안"), agent("있었던 일"))
	w.set(func(w *world) { w.answer = echo })
	_, stop = serveUntil(t, w, address)
	defer stop()
	value[bool](p, `(document.querySelector('#reconnect').click(), true)`) // it may be back by itself already
	p.wait(`document.querySelectorAll('.response-message').length === 4 && document.querySelector('#banner').hidden`)
	want := []string{"전", "후", "그동안", "있었던 일", "잃지 마", "re: 잃지 마", "나중 것", "re: 나중 것"}
	if got := p.texts(".message .text, .message .prose"); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if p.count(".pending-message") != 0 || len(w.took()) != 2 {
		t.Errorf("%d inbounds", len(w.took()))
	}
}

// What was written while the bot was stopping outlives even a reload of the page.
func TestUnsentMessagesOutliveAReload(t *testing.T) {
	t.Parallel()
	w, p := chatting(t, look{})
	w.set(func(w *world) {
		w.answer = func(*world, core.Inbound) (core.Receipt, error) { return core.Receipt{}, core.ErrClosed }
	})
	p.say("잃지 마")
	p.wait(`document.querySelector('#toast').textContent`)
	w.set(func(w *world) { w.answer = echo })
	p.do(chromedp.Reload())
	p.wait(`document.querySelectorAll('.response-message').length === 1 && !document.querySelector('.pending-message')`)
	if n := len(w.took()); n != 1 {
		t.Errorf("%d inbounds", n)
	}
}

func noticeOf(text string) core.Notice { return core.Notice{Kind: core.Told, Text: text} }
