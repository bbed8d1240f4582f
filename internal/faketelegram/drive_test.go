package faketelegram_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	tg "steady/internal/faketelegram"
)

// only is the one update that is pending.
func (s *site) only() got {
	s.t.Helper()
	us := s.poll(args{"offset": -1})
	if len(us) != 1 {
		s.t.Fatalf("%d updates", len(us))
	}
	return us[0]
}

// TestSayEntities: commands, mentions and links become entities, whose offsets count UTF-16 units.
func TestSayEntities(t *testing.T) {
	s := start(t, tg.Config{})
	for _, c := range []struct{ text, want string }{
		{"/start now", `[{"type":"bot_command","offset":0,"length":6}]`},
		{"/ask@steady_bot", `[{"type":"bot_command","offset":0,"length":15}]`},
		{"😀😀 /stop", `[{"type":"bot_command","offset":5,"length":5}]`},
		{"안녕 @mina, ok?", `[{"type":"mention","offset":3,"length":5}]`},
		{"see https://e.org/a?b=c\n/x", `[{"type":"url","offset":4,"length":19},{"type":"bot_command","offset":24,"length":2}]`},
		{"1/2 a@b / @", ``},
	} {
		s.Say(s.chat, s.user.ID, c.text)
		if u := s.only(); string(u.Message.Entities) != c.want {
			t.Errorf("%q: %s, want %s", c.text, u.Message.Entities, c.want)
		}
	}
}

func TestPostShapes(t *testing.T) {
	s := start(t, tg.Config{})
	ours := s.sent(s.forum, "question")
	p := tg.Post{Chat: s.forum, User: s.user.ID, Text: "42", Thread: s.topic, ReplyTo: ours, Quote: "quest"}
	said := s.Post(p)
	if m := s.only().Message; m.ID != said.ID || m.ReplyTo.ID != ours || !m.Topic || m.Thread != s.topic || !strings.Contains(string(m.Quote), `"quest"`) {
		t.Errorf("reply in a topic: %+v", m)
	}
	s.Promote(s.grp, s.user.ID)
	s.Post(tg.Post{Chat: s.grp, User: s.user.ID, Text: "x", Thread: 77})
	if m := s.only().Message; m.Topic || m.Thread != 77 {
		t.Errorf("a chain of replies in a plain group is no topic: %+v", m)
	}
	for _, kind := range []tg.FileKind{tg.Document, tg.Photo, tg.Voice} {
		f := tg.File{Kind: kind, Name: "n", MIME: "text/plain", Data: []byte("x")}
		s.Post(tg.Post{Chat: s.chat, User: s.user.ID, Text: "see", File: &f})
		m := s.only().Message
		if m.Caption != "see" || m.Text != "" || (m.Document != nil) != (kind == tg.Document) || (len(m.Photo) > 0) != (kind == tg.Photo) ||
			(m.Voice != nil) != (kind == tg.Voice) {
			t.Errorf("%s: %+v", kind, m)
		}
	}
	album := s.PostAlbum(tg.Post{Chat: s.chat, User: s.user.ID, Text: "three"}, tg.File{Kind: tg.Photo}, tg.File{Kind: tg.Photo}, tg.File{Kind: tg.Photo})
	us := s.poll(args{"offset": -3})
	if len(us) != 3 || us[0].Message.Caption != "three" || us[1].Message.Caption != "" || us[0].Message.Album != album[2].Album || album[0].Album == "" {
		t.Errorf("album: %+v", us)
	}
	s.Edit(s.forum, said.ID, "43")
	if e := s.only().Edited; e == nil || e.Text != "43" || e.Date == 0 {
		t.Errorf("edit: %+v", e)
	}
}

// TestPrivacyMode: of a group the bot sees only what is meant for it, unless privacy is off or it is an administrator.
func TestPrivacyMode(t *testing.T) {
	s := start(t, tg.Config{})
	ours := s.sent(s.grp, "hello")
	for _, c := range []struct {
		why  string
		post tg.Post
		sees bool
	}{
		{"talk of others", tg.Post{Text: "lunch?"}, false},
		{"a command for anybody", tg.Post{Text: "/help"}, true},
		{"a command for it", tg.Post{Text: "/help@Steady_Bot"}, true},
		{"a command for another bot", tg.Post{Text: "/help@other_bot"}, false},
		{"a mention", tg.Post{Text: "hey @steady_bot"}, true},
		{"a mention of somebody else", tg.Post{Text: "hey @mina"}, false},
		{"a reply to it", tg.Post{Text: "yes", ReplyTo: ours}, true},
		{"a mention without a name", tg.Post{Text: "you", Entities: []tg.Entity{{Type: tg.TextMention, Length: 3, UserID: s.Me().ID}}}, true},
	} {
		before := len(s.Pending())
		c.post.Chat, c.post.User = s.grp, s.user.ID
		s.Post(c.post)
		if sees := len(s.Pending()) > before; sees != c.sees {
			t.Errorf("%s: sees %v", c.why, sees)
		}
	}
	before := len(s.Pending())
	s.Promote(s.grp, s.user.ID)
	s.Say(s.grp, s.user.ID, "lunch?")
	if len(s.Pending()) != before+2 {
		t.Error("an administrator does not see everything")
	}
	open := start(t, tg.Config{Bot: tg.Bot{ReadsAll: true}})
	open.Say(open.grp, open.user.ID, "lunch?")
	if len(open.Pending()) != 1 {
		t.Error("privacy is off and the bot does not see everything")
	}
}

func TestPresses(t *testing.T) {
	clock := newClock()
	s := start(t, tg.Config{Now: clock.Now})
	got := s.do("sendMessage", args{"chat_id": s.chat, "text": "Delete?",
		"reply_markup": `{"inline_keyboard":[[{"text":"Yes","callback_data":"y"}],[{"text":"No","callback_data":"n"},{"text":"?","url":"https://e.org"}]]}`})
	id := decode[struct {
		ID int64 `json:"message_id"`
	}](t, got.Result).ID
	answerPress := func(press, text string) answer {
		return s.do("answerCallbackQuery", args{"callback_query_id": press, "text": text, "show_alert": true})
	}
	old := "Bad Request: query is too old and response timeout expired or query ID is invalid"

	press, err := s.PressButton(s.chat, s.user.ID, id, 1)
	if err != nil {
		t.Fatal(err)
	}
	if c := s.only().Callback; c.ID != press || c.Data != "n" || c.Message.ID != id || c.Message.Date == 0 || c.From.ID != s.user.ID {
		t.Errorf("callback: %+v", c)
	}
	wantRefusal(t, answerPress(press, repeat("x", 201)), 400, "Bad Request: MESSAGE_TOO_LONG")
	wantOK(t, answerPress(press, "Kept."))
	wantRefusal(t, answerPress(press, "again"), 400, old)
	if p, ok := s.PressOf(press); !ok || !p.Answered || p.Text != "Kept." || !p.Alert || p.Data != "n" {
		t.Errorf("press: %+v %v", p, ok)
	}
	wantRefusal(t, answerPress("none", ""), 400, old)

	late := s.Press(s.chat, s.user.ID, id, "forged data is possible")
	clock.advance(151 * time.Second)
	wantRefusal(t, answerPress(late, ""), 400, old)

	s.DeleteMessage(s.chat, id)
	s.Press(s.chat, s.user.ID, id, "y")
	if c := s.only().Callback; c.Message.ID != id || c.Message.Date != 0 {
		t.Errorf("a press on a deleted message must be inaccessible: %+v", c)
	}
	if _, err := s.PressButton(s.chat, s.user.ID, id, 0); err == nil {
		t.Error("pressed a button that is gone")
	}
	if _, ok := s.PressOf("none"); ok {
		t.Error("found a press that never was")
	}
}

// TestMembership: what people do to the bot reaches it as my_chat_member, and ends its rights at once.
func TestMembership(t *testing.T) {
	s := start(t, tg.Config{})
	for _, c := range []struct {
		why      string
		do       func(chat, by int64)
		from, to string
	}{
		{"promoted", s.Promote, "member", "administrator"},
		{"kicked", s.Kick, "administrator", "kicked"},
		{"invited again", s.Invite, "kicked", "member"},
		{"removed", s.Remove, "member", "left"},
	} {
		c.do(s.grp, s.user.ID)
		if m := s.only().Member; m == nil || m.Old.Status != c.from || m.New.Status != c.to {
			t.Errorf("%s: %+v", c.why, m)
		}
	}
	before := len(s.Pending())
	s.Say(s.grp, s.user.ID, "/help")
	if len(s.Pending()) != before {
		t.Error("the bot hears of a group that it is not in")
	}
	s.Block(s.user.ID)
	if m := s.only().Member; m.New.Status != "kicked" {
		t.Errorf("blocked: %+v", m)
	}
	wantRefusal(t, s.do("sendMessage", args{"chat_id": s.chat, "text": "x"}), 403, "Forbidden: bot was blocked by the user")
	s.Unblock(s.user.ID)
	s.sent(s.chat, "back")
}

func TestMigrate(t *testing.T) {
	s := start(t, tg.Config{})
	id := s.sent(s.grp, "hello")
	to := s.Migrate(s.grp, s.user.ID)
	us := s.poll(args{"offset": -2})
	if us[0].Message.MovedTo != to.ID || us[1].Message.MovedFrom != s.grp || to.Type != tg.Supergroup {
		t.Errorf("updates: %+v %+v", us[0].Message, us[1].Message)
	}
	for _, got := range []answer{
		s.do("sendMessage", args{"chat_id": s.grp, "text": "x"}),
		s.do("editMessageText", args{"chat_id": s.grp, "message_id": id, "text": "x"}),
	} {
		wantRefusal(t, got, 400, "Bad Request: group chat was upgraded to a supergroup chat")
		if got.Parameters.MigrateTo != to.ID {
			t.Errorf("migrate_to_chat_id %d, want %d", got.Parameters.MigrateTo, to.ID)
		}
	}
	s.sent(to.ID, "here we are")
}

func TestCommands(t *testing.T) {
	s := start(t, tg.Config{})
	set := func(scope, language, command string) {
		t.Helper()
		a := args{"commands": []args{{"command": command, "description": "does it"}}, "language_code": language}
		if scope != "" {
			a["scope"] = json.RawMessage(scope)
		}
		wantOK(t, s.do("setMyCommands", a))
	}
	set("", "", "all")
	set("", "ko", "all_ko")
	set(`{"type":"all_private_chats"}`, "", "private")
	set(`{"type":"chat","chat_id":`+itoa(s.grp)+`}`, "", "group")
	set(`{"type":"chat_member","chat_id":`+itoa(s.grp)+`,"user_id":`+itoa(s.user.ID)+`}`, "", "mine")
	for _, c := range []struct {
		why        string
		chat, user int64
		language   string
		want       string
	}{
		{"the scope is narrower than the language", s.chat, s.user.ID, "ko", "private"},
		{"the narrowest scope", s.grp, s.user.ID, "ko", "mine"},
		{"somebody else in the group", s.grp, 5, "ko", "group"},
		{"another group, in the user's language", s.forum, 5, "ko", "all_ko"},
		{"another group, another language", s.forum, 5, "de", "all"},
	} {
		if menu := s.Menu(c.chat, c.user, c.language); len(menu) != 1 || menu[0].Command != c.want {
			t.Errorf("%s: %v, want %s", c.why, menu, c.want)
		}
	}
	list := func(a args) string { return string(s.do("getMyCommands", a).Result) }
	if got := list(nil); got != `[{"command":"all","description":"does it"}]` {
		t.Errorf("getMyCommands: %s", got)
	}
	if got := list(args{"language_code": "fr"}); got != "[]" {
		t.Errorf("exactly this scope and language: %s", got)
	}
	wantOK(t, s.do("deleteMyCommands", nil))
	wantOK(t, s.do("setMyCommands", args{"commands": []args{}, "language_code": "ko"}))
	if menu := s.Menu(s.forum, 5, "ko"); menu != nil {
		t.Errorf("still %v", menu)
	}

	one := func(name, description string) args {
		return args{"commands": []args{{"command": name, "description": description}}}
	}
	var many []args
	for range 101 {
		many = append(many, args{"command": "a", "description": "b"})
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{one("", "x"), "Bad Request: command must be non-empty"},
		{one(repeat("a", 33), "x"), "Bad Request: command length must not exceed 32"},
		{one("a", " "), "Bad Request: command description must be non-empty"},
		{one("a", repeat("x", 257)), "Bad Request: command description length must not exceed 256"},
		{one("Stop", "x"), "Bad Request: BOT_COMMAND_INVALID"},
		{args{"commands": many}, "Bad Request: BOT_COMMANDS_TOO_MUCH"},
		{args{"commands": "{"}, "Bad Request: can't parse commands JSON object"},
		{args{"commands": "{}"}, "Bad Request: expected an Array of BotCommand"},
		{args{"commands": []args{{"command": "a"}}}, `Bad Request: can't parse BotCommand: Can't find field "description"`},
		{args{"commands": []args{{"description": "a"}}}, `Bad Request: can't parse BotCommand: Can't find field "command"`},
		{args{"language_code": "kor"}, "Bad Request: invalid language code specified"},
		{args{"scope": "nonsense"}, "Bad Request: can't parse BotCommandScope JSON object"},
		{args{"scope": args{"type": "moon"}}, "Bad Request: can't parse BotCommandScope: Unsupported type specified"},
		{args{"scope": args{"type": "chat", "chat_id": 5}}, "Bad Request: chat not found"},
		{args{"scope": args{"type": "chat_member", "chat_id": s.grp}}, "Bad Request: can't parse BotCommandScope: Invalid user_id specified"},
	} {
		wantRefusal(t, s.do("setMyCommands", c.args), 400, c.want)
	}
}

// TestWaitForGivesUp: a wait in vain says how far the bot came.
func TestWaitForGivesUp(t *testing.T) {
	s := start(t, tg.Config{})
	ctx, cancel := context.WithCancel(bounded(t))
	cancel()
	never := func() bool { return false }
	if err := s.WaitFor(ctx, never); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "no calls") {
		t.Errorf("error %v", err)
	}
	s.do("getMe", nil)
	if err := s.WaitFor(ctx, never); !strings.Contains(err.Error(), "1 calls, the last getMe, 0 updates pending") {
		t.Errorf("error %v", err)
	}
}

// TestMistakesOfTests: naming somebody who is not there is a mistake in the test, and stops it.
func TestMistakesOfTests(t *testing.T) {
	s := start(t, tg.Config{})
	for _, c := range []struct {
		want string
		do   func()
	}{
		{"no chat 5", func() { s.Say(5, s.user.ID, "x") }},
		{"no user 5", func() { s.Say(s.grp, 5, "x") }},
		{"no message 999", func() { s.Edit(s.grp, 999, "x") }},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, c.want) {
					t.Errorf("panic %q, want %q", text, c.want)
				}
			}()
			c.do()
		}()
	}
	if s.Messages(5) != nil {
		t.Error("messages of no chat")
	}
}
