package telegram

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
	"steady/internal/faketelegram"
)

// bubble runs a test on a platform and a clock of its own.
func bubble(t *testing.T, test func(t *testing.T, s *faketelegram.Server, c *Channel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(faketelegram.Config{})
		defer s.Close()
		test(t, s, newChannel(t, s, nil))
	})
}

var toAda = place{chat: ada}.context()

func send7(t *testing.T, c *Channel, to core.ChannelContext, b core.Body) {
	t.Helper()
	if _, err := c.Send(t.Context(), to, "item 7", b); err != nil {
		t.Fatal(err)
	}
}

func mustSend(t *testing.T, c *Channel, to core.ChannelContext, b core.Body) core.MessageID {
	t.Helper()
	id, err := c.Send(t.Context(), to, "", b)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestSendFormats(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		md := "# Plan\n**walk** _daily_ ~~run~~ ||secret|| `x<y`\n\n```go\nfmt.Println(\"안녕 🙂\")\n```\n\n> said\n\n[more](https://example.org/?a=1&b=2)"
		mustSend(t, c, toAda, core.Body{Text: md})
		m := s.FromBot(ada)[0]
		got := map[string]string{}
		for _, e := range m.Entities {
			got[string(e.Type)] += entityText(m.Text, e) + e.URL + e.Language
		}
		want := map[string]string{
			"bold": "Planwalk", "italic": "daily", "strikethrough": "run", "spoiler": "secret", "code": "x<y",
			"pre": "fmt.Println(\"안녕 🙂\")go", "blockquote": "said", "text_link": "morehttps://example.org/?a=1&b=2",
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("entities\n got %v\nwant %v\nin %q", got, want, m.Text)
		}
		p := s.CallsTo("sendMessage")[0].Params
		if p["parse_mode"] != "" || p["link_preview_options"] != `{"is_disabled":true}` || m.Mended {
			t.Errorf("sent with %v", p)
		}
	})
}

func entityText(text string, e faketelegram.Entity) string {
	b := message{Text: text}.body()
	return body{units: b.units[e.Offset : e.Offset+e.Length]}.String()
}

func TestSendIntoTopics(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		forum := s.AddGroup(faketelegram.Chat{Type: faketelegram.Supergroup, IsForum: true})
		walks := s.AddTopic(forum.ID)
		to := place{forum.ID, int(walks)}
		mustSend(t, c, to.context(), core.Body{Text: "Delete?", Buttons: []core.Button{{Label: "Yes", Token: "ytoken"}}})
		m := s.FromBot(forum.ID)[0]
		if m.Thread != walks || m.Buttons[0][0].Data != fmt.Sprintf("ytoken:%d", walks) {
			t.Errorf("%+v", m)
		}
		s.DeleteTopic(forum.ID, walks)
		id := mustSend(t, c, to.context(), core.Body{Text: "the answer"})
		if all := s.FromBot(forum.ID); len(all) != 1 || all[0].Thread != 0 || all[0].Text != "the answer" {
			t.Errorf("the topic is gone, shown %+v", all)
		}
		time.Sleep(5 * time.Second)
		if err := c.Edit(t.Context(), to.context(), id, core.Body{Text: "the whole answer"}); err != nil {
			t.Errorf("edit where the topic was: %v", err)
		}
		if got := len(s.CallsTo("sendMessage")); got != 3 {
			t.Errorf("%d sends, want one in the topic, one refused, one without it", got)
		}
	})
}

// An answered message that is gone, or of a group's time before it moved, is no error.
func TestSendWithoutTheAnswered(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		asked := s.Say(ada, ada, "how far?")
		own := post{ada, int(asked.ID)}.messageID()
		mustSend(t, c, toAda, core.Body{Text: "one", ReplyTo: own})
		s.DeleteMessage(ada, asked.ID)
		mustSend(t, c, toAda, core.Body{Text: "two", ReplyTo: own})
		s.Break(faketelegram.Rule{Method: "sendMessage", Nth: 1, Do: faketelegram.Refusal{Code: 400, Description: "Bad Request: message to be replied not found"}})
		mustSend(t, c, toAda, core.Body{Text: "three", ReplyTo: own})
		time.Sleep(5 * time.Second)
		mustSend(t, c, toAda, core.Body{Text: "four", ReplyTo: "-77/5"})
		var replies []bool
		for _, m := range s.FromBot(ada) {
			replies = append(replies, m.ReplyTo != 0)
		}
		if !slices.Equal(replies, []bool{true, false, false, false}) {
			t.Errorf("answers: %v", replies)
		}
	})
}

// What is wrong with a body is said without a call.
func TestSendRefuses(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		button := func(label, token string) core.Body {
			return core.Body{Text: "x", Buttons: []core.Button{{Label: label, Token: token}}}
		}
		for _, test := range []struct {
			to  core.ChannelContext
			b   core.Body
			why string
		}{
			{"oc_5f3a", core.Body{Text: "x"}, "another channel's address"},
			{toAda, core.Body{}, "nothing to show"},
			{toAda, core.Body{Text: " \u200b"}, "nothing to see"},
			{toAda, core.Body{Text: "x", Part: 1}, "there is no second part"},
			{toAda, core.Body{Text: "x", Part: -1}, ""},
			{toAda, button("Yes", strings.Repeat("t", 64)), "more than a button carries"},
			{toAda, button("Yes", ""), ""},
			{toAda, button(" ", "t"), "nothing to press"},
			{toAda, core.Body{Text: "x", Files: []core.File{{Name: "a", Data: make([]byte, maxFileSize+1)}}}, "too large"},
			{toAda, core.Body{Text: "x", Files: []core.File{{Name: "a"}}}, "empty files are refused"},
			{toAda, core.Body{Text: "x", Files: make([]core.File, maxFiles+1)}, "too many"},
		} {
			if id, err := c.Send(t.Context(), test.to, "", test.b); core.KindOf(err) != core.Refused || id != "" {
				t.Errorf("%+v: %q, %v (%s)", test.b, id, err, test.why)
			}
		}
		for _, id := range []core.MessageID{"", "om_77", "-77/5"} { // the last one is of a group that has moved
			if err := c.Edit(t.Context(), toAda, id, core.Body{Text: "x"}); core.KindOf(err) != core.Refused {
				t.Errorf("edit of %q: %v", id, err)
			}
		}
		if calls := s.Calls(); len(calls) > 0 {
			t.Errorf("the platform was asked: %v", calls)
		}
	})
}

// Files come below the text, once each, also when the first try stops half-way.
func TestSendFiles(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		b := core.Body{Text: "Delete these?", Files: []core.File{{Name: "a.json", Data: []byte(`{"a":1}`)}, {Name: "b.json", Data: []byte(`{"b":2}`)}}}
		s.Break(faketelegram.Rule{Method: "sendDocument", Nth: 2, Do: faketelegram.BadGateway{}})
		if id, err := c.Send(t.Context(), toAda, "item 7", b); core.KindOf(err) != core.Uncertain || id != "" {
			t.Fatalf("the second file fails: %q, %v", id, err)
		}
		time.Sleep(5 * time.Second)
		send7(t, c, place{chat: bob}.context(), b) // another chat's item of the same name begins at the beginning
		if all := s.FromBot(bob); len(all) != 3 {
			t.Errorf("Bob is shown %+v", all)
		}
		id, err := c.Send(t.Context(), toAda, "item 7", b)
		if err != nil {
			t.Fatal(err)
		}
		all := s.FromBot(ada)
		if len(all) != 3 || all[0].Text != b.Text || all[1].File.Name != "a.json" || all[2].File.Name != "b.json" || string(all[2].File.Data) != `{"b":2}` {
			t.Errorf("shown %+v", all)
		}
		if id != (post{ada, int(all[0].ID)}).messageID() {
			t.Errorf("id %q is not the text's", id)
		}
		time.Sleep(5 * time.Second)
		if again, err := c.Send(t.Context(), toAda, "item 7", b); err != nil || again == id {
			t.Errorf("a finished send is not resumed: %q, %v", again, err)
		}
	})
}

// An answer that says ok is a success, whatever else is in it: the message would be sent again otherwise.
func TestSendSurvivesUnknownAnswers(t *testing.T) {
	result := `{"ok":true,"result":{"message_id":9,"date":1,"chat":{"id":1001,"type":"private"},"reply_to_message":{"message_id":2,"date":1,"chat":{"id":1001,"type":"private"},"forward_origin":{"type":"telepathy"}},"text":"x"}}`
	c := newChannel(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, result) }), nil)
	if id, err := c.Send(t.Context(), toAda, "", core.Body{Text: "x"}); err != nil || id != "1001/9" {
		t.Errorf("Send = %q, %v", id, err)
	}
	if err := c.Edit(t.Context(), toAda, "1001/9", core.Body{Text: "x"}); err != nil {
		t.Errorf("Edit: %v", err)
	}
	c = newChannel(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ok":true,"result":true}`) }), nil)
	if _, err := c.Send(t.Context(), toAda, "", core.Body{Text: "x"}); core.KindOf(err) != core.Uncertain {
		t.Errorf("a message without an id: %v", err)
	}
}

// A redirect would carry the token to another server.
func TestRedirectsAreNotFollowed(t *testing.T) {
	followed := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed = true }))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c := newChannel(t, nil, func(c *Config) { c.HTTP, c.APIURL = nil, server.URL+"/" })
	if _, err := c.Send(t.Context(), toAda, "", core.Body{Text: "x"}); core.KindOf(err) != core.Uncertain || followed {
		t.Errorf("%v, followed %t", err, followed)
	}
}

// Each call ends by itself.
func TestCallsHaveADeadline(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		s.Break(faketelegram.Rule{Do: faketelegram.Hang{}})
		start := time.Now()
		_, err := c.Send(t.Context(), toAda, "", core.Body{Text: "x"})
		if core.KindOf(err) != core.Uncertain || time.Since(start) != callTimeout {
			t.Errorf("%v after %s", err, time.Since(start))
		}
	})
}

// The pace is kept by telling the core to come back, chat by chat; signs of work give way.
func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		start := time.Now()
		for i := range 10 { // a burst of three, then one a second, which is short enough to wait for
			mustSend(t, c, toAda, core.Body{Text: fmt.Sprint(i)})
		}
		if took := time.Since(start); took < 7*time.Second || took > 8*time.Second {
			t.Errorf("ten messages take %s", took)
		}
		group := s.AddGroup(faketelegram.Chat{Type: faketelegram.Group})
		toGroup := place{chat: group.ID}.context()
		for range 3 {
			mustSend(t, c, toGroup, core.Body{Text: "x"})
		}
		_, err := c.Send(t.Context(), toGroup, "", core.Body{Text: "x"})
		if e := coreError(err); e == nil || e.Kind != core.Throttled || e.Wait <= 2*time.Second || e.Wait > 4*time.Second {
			t.Errorf("the fourth message to a group at once: %v", err)
		}
		if err := c.Typing(t.Context(), toGroup); err != nil || len(s.CallsTo("sendChatAction")) > 0 {
			t.Errorf("typing takes what a message needs: %v", err)
		}
		mustSend(t, c, place{chat: bob}.context(), core.Body{Text: "x"}) // others go on
	})
}

func coreError(err error) *core.Error {
	e, _ := err.(*core.Error)
	return e
}

// A preview leaves the chat room for the answer that follows it.
func TestPreviewsGiveWay(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		group := s.AddGroup(faketelegram.Chat{Type: faketelegram.Group})
		to := place{chat: group.ID}.context()
		id := mustSend(t, c, to, core.Body{Text: "I", Silent: true})
		if p := s.CallsTo("sendMessage")[0].Params; p["disable_notification"] != "true" {
			t.Errorf("the preview rings: %v", p)
		}
		var err error
		text := "I"
		for err == nil {
			text += " walk"
			err = c.Edit(t.Context(), to, id, core.Body{Text: text, Silent: true})
		}
		if core.KindOf(err) != core.Throttled {
			t.Errorf("previews without end: %v", err)
		}
		if err := c.Edit(t.Context(), to, id, core.Body{Text: "I walked."}); err != nil {
			t.Errorf("the answer after the previews: %v", err)
		}
	})
}

// After a 429 nothing is sent to the chat until the platform takes it again, and nothing else waits (pains.md S16, S17).
func TestThrottledChat(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		s.Break(faketelegram.Rule{Method: "sendMessage", Chat: ada, Nth: 1, Do: faketelegram.TooMany(30)})
		id, err := c.Send(t.Context(), toAda, "", core.Body{Text: "**x**"})
		if e := coreError(err); e == nil || e.Wait != 30*time.Second || id != "" {
			t.Fatalf("%q, %v, want a wait of 30 s", id, err)
		}
		calls := len(s.Calls())
		time.Sleep(10 * time.Second)
		_, err = c.Send(t.Context(), toAda, "", core.Body{Text: "**x**"})
		if e := coreError(err); e == nil || e.Kind != core.Throttled || e.Wait != 20*time.Second || len(s.Calls()) != calls {
			t.Errorf("10 s later: %v after %d calls", err, len(s.Calls()))
		}
		if err := c.Typing(t.Context(), toAda); err != nil || len(s.Calls()) != calls {
			t.Errorf("typing: %v", err)
		}
		mustSend(t, c, place{chat: bob}.context(), core.Body{Text: "x"})
		time.Sleep(20 * time.Second)
		mustSend(t, c, toAda, core.Body{Text: "x"})
	})
}

func TestTyping(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		forum := s.AddGroup(faketelegram.Chat{Type: faketelegram.Supergroup, IsForum: true})
		walks := s.AddTopic(forum.ID)
		if err := c.Typing(t.Context(), place{forum.ID, int(walks)}.context()); err != nil {
			t.Fatal(err)
		}
		if p := s.CallsTo("sendChatAction")[0].Params; p["action"] != "typing" || p.Int("message_thread_id") != walks {
			t.Errorf("%v", p)
		}
	})
}

func TestStreamInterval(t *testing.T) {
	for _, test := range []struct {
		set            time.Duration
		private, group time.Duration
	}{
		{0, time.Second, 3 * time.Second},
		{5 * time.Second, 5 * time.Second, 5 * time.Second},
	} {
		c := newChannel(t, nil, func(c *Config) { c.StreamInterval = test.set })
		if p, g := c.StreamInterval(toAda), c.StreamInterval("-77:5"); p != test.private || g != test.group {
			t.Errorf("set %s: private %s, group %s", test.set, p, g)
		}
	}
}

func TestKeyboardRows(t *testing.T) {
	var buttons []core.Button
	for _, label := range []string{"✅ Done", "🌱 Minimum", "⏭ Skip", "Not today", "💤 1 h", strings.Repeat("long ", 8), "No"} {
		buttons = append(buttons, core.Button{Label: label, Token: "t", Style: core.Strong})
	}
	keys, err := keyboard(buttons, 0)
	if err != nil {
		t.Fatal(err)
	}
	var rows []int
	for _, row := range keys.InlineKeyboard {
		rows = append(rows, len(row))
	}
	if !slices.Equal(rows, []int{3, 2, 1, 1}) || keys.InlineKeyboard[0][0].Style != "primary" {
		t.Errorf("rows of %v", rows)
	}
}

// A group that has moved: the send says where to, and goes there with the new address (pains.md U09).
func TestRelocated(t *testing.T) {
	bubble(t, func(t *testing.T, s *faketelegram.Server, c *Channel) {
		group := s.AddGroup(faketelegram.Chat{Type: faketelegram.Group})
		old := place{chat: group.ID}
		super := s.Migrate(group.ID, ada)
		_, err := c.Send(t.Context(), old.context(), "", core.Body{Text: "reminder"})
		e := coreError(err)
		if e == nil || e.Kind != core.Relocated || e.Chat != (place{chat: super.ID}).key() {
			t.Fatalf("%v", err)
		}
		mustSend(t, c, e.Context, core.Body{Text: "reminder"})
		if n := len(s.FromBot(super.ID)); n != 1 {
			t.Errorf("%d messages in the supergroup", n)
		}
	})
}

func TestCommandsMenu(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(faketelegram.Config{})
		defer s.Close()
		group := s.AddGroup(faketelegram.Chat{Type: faketelegram.Group})
		s.Break(faketelegram.Rule{Method: "setMyCommands", Nth: 2, Do: faketelegram.BadGateway{}})
		stop := run(t, newChannel(t, s, func(c *Config) {
			c.Commands = []Command{
				{Name: "today", Description: core.LocalText{En: "today's plan", Ko: "오늘 할 일", Zh: "今天的计划"}, DirectOnly: true},
				{Name: "stop", Description: core.LocalText{En: "stop", Ko: "중지"}},
			}
		}), &engine{})
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		for _, test := range []struct {
			chat int64
			lang string
			want string
		}{
			{ada, "en", "today=today's plan stop=stop "},
			{ada, "ko", "today=오늘 할 일 stop=중지 "},
			{ada, "zh", "today=今天的计划 stop=stop "},
			{ada, "fr", "today=today's plan stop=stop "},
			{group.ID, "ko", "stop=중지 "},
		} {
			got := ""
			for _, c := range s.Menu(test.chat, ada, test.lang) {
				got += c.Command + "=" + c.Description + " "
			}
			if got != test.want {
				t.Errorf("menu in %d for %s: %q, want %q", test.chat, test.lang, got, test.want)
			}
		}
	})
}
