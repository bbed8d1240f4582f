package faketelegram_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	tg "steady/internal/faketelegram"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// TestSendRefusals is one row for each way in which a message cannot be sent; the texts are the server's.
func TestSendRefusals(t *testing.T) {
	s := start(t, tg.Config{})
	blocked := s.AddUser(tg.User{})
	s.Open(blocked.ID)
	s.Block(blocked.ID)
	gone := s.AddUser(tg.User{})
	s.Open(gone.ID)
	s.Deactivate(gone.ID)
	shy := s.AddUser(tg.User{})
	s.Say(s.grp, shy.ID, "hi all")
	kicked, left := s.AddGroup(tg.Chat{Type: tg.Group}).ID, s.AddGroup(tg.Chat{Type: tg.Supergroup}).ID
	s.Kick(kicked, s.user.ID)
	s.Remove(left, s.user.ID)
	kickedSuper := s.AddGroup(tg.Chat{Type: tg.Supergroup}).ID
	s.Kick(kickedSuper, s.user.ID)
	deleted := s.AddGroup(tg.Chat{Type: tg.Group}).ID
	s.DeleteGroup(deleted)
	closed := s.AddTopic(s.forum)
	s.CloseTopic(s.forum, closed)
	lost := s.AddTopic(s.forum)
	s.DeleteTopic(s.forum, lost)

	quoted := s.Say(s.chat, s.user.ID, "said").ID

	button := func(b string) args {
		return args{"reply_markup": json.RawMessage(`{"inline_keyboard":[[` + b + `]]}`)}
	}
	many := strings.TrimSuffix(repeat(`{"text":"x","callback_data":"y"},`, 101), ",")
	for _, c := range []struct {
		why  string
		args args
		code int
		want string
	}{
		{"no text", args{"text": ""}, 400, "Bad Request: message text is empty"},
		{"nothing but white space", args{"text": " \n\t "}, 400, "Bad Request: message text is empty"},
		{"nothing that has a width", args{"text": "\u200b\u2060"}, 400, "Bad Request: message text is empty"},
		{"4097 units", args{"text": repeat("x", 4097)}, 400, "Bad Request: message is too long"},
		{"an emoji is two units", args{"text": repeat("😀", 2049)}, 400, "Bad Request: message is too long"},
		{"over 32768 bytes, refused before it is parsed", args{"text": repeat("x", 32769)}, 400, "Bad Request: text is too long"},
		{"no chat", args{"chat_id": ""}, 400, "Bad Request: chat_id is empty"},
		{"an unknown chat", args{"chat_id": 5}, 400, "Bad Request: chat not found"},
		{"a name that nobody has", args{"chat_id": "@nobody"}, 400, "Bad Request: chat not found"},
		{"a user who was only met in a group", args{"chat_id": shy.ID}, 403, "Forbidden: bot can't initiate conversation with a user"},
		{"blocked", args{"chat_id": blocked.ID}, 403, "Forbidden: bot was blocked by the user"},
		{"deactivated", args{"chat_id": gone.ID}, 403, "Forbidden: user is deactivated"},
		{"kicked", args{"chat_id": kicked}, 403, "Forbidden: bot was kicked from the group chat"},
		{"kicked from a supergroup", args{"chat_id": kickedSuper}, 403, "Forbidden: bot was kicked from the supergroup chat"},
		{"removed", args{"chat_id": left}, 403, "Forbidden: bot is not a member of the supergroup chat"},
		{"deleted group", args{"chat_id": deleted}, 403, "Forbidden: the group chat was deleted"},
		{"a thread where there are none", args{"message_thread_id": 3}, 400, "Bad Request: message thread not found"},
		{"the General topic has no id", args{"chat_id": s.forum, "message_thread_id": 1000}, 400, "Bad Request: message thread not found"},
		{"a deleted topic", args{"chat_id": s.forum, "message_thread_id": lost}, 400, "Bad Request: message thread not found"},
		{"a closed topic", args{"chat_id": s.forum, "message_thread_id": closed}, 400, "Bad Request: TOPIC_CLOSED"},
		{"a reply to nothing", args{"reply_parameters": args{"message_id": 999}}, 400, "Bad Request: message to be replied not found"},
		{"the older way to reply", args{"reply_to_message_id": 999}, 400, "Bad Request: message to be replied not found"},
		{"reply parameters that are no object", args{"reply_parameters": "[]"}, 400, "Bad Request: object expected as reply parameters"},
		{"broken reply parameters", args{"reply_parameters": "{"}, 400, "Bad Request: can't parse reply parameters JSON object"},
		{"a reply to no message", args{"reply_parameters": args{"quote": "x"}}, 400, `Bad Request: can't find field "message_id"`},
		{"a quote that is not in the message", args{"reply_parameters": args{"message_id": quoted, "quote": "never said"}}, 400, "Bad Request: QUOTE_TEXT_INVALID"},
		{"a reply to another chat that is not there", args{"reply_parameters": args{"message_id": 1, "chat_id": 5}}, 400, "Bad Request: chat not found"},
		{"preview options that are no object", args{"link_preview_options": "true"}, 400, "Bad Request: object expected as link preview options"},
		{"an unknown parse mode", args{"parse_mode": "BBCode"}, 400, "Bad Request: unsupported parse_mode"},
		{"broken markup", args{"reply_markup": "{"}, 400, "Bad Request: can't parse reply keyboard markup JSON object"},
		{"markup that is no object", args{"reply_markup": "[]"}, 400, "Bad Request: object expected as reply markup"},
		{"rows that are no lists", args{"reply_markup": `{"inline_keyboard":[{}]}`}, 400,
			`Bad Request: field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays`},
		{"a button without a text", button(`{"callback_data":"x"}`), 400,
			`Bad Request: can't parse inline keyboard button: Can't find field "text"`},
		{"a button without an action", button(`{"text":"x"}`), 400,
			"Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"},
		{"a button that is no object", button(`"x"`), 400,
			"Bad Request: can't parse inline keyboard button: InlineKeyboardButton must be an Object with fields of the documented types"},
		{"two actions", button(`{"text":"x","callback_data":"y","url":"https://e.org"}`), 400,
			"Bad Request: can't parse inline keyboard button: exactly one action must be used"},
		{"65 bytes of data", button(`{"text":"x","callback_data":"` + repeat("é", 32) + `x"}`), 400, "Bad Request: BUTTON_DATA_INVALID"},
		{"101 buttons", button(many), 400, "Bad Request: reply markup is too long"},
	} {
		t.Run(c.why, func(t *testing.T) {
			a := args{"chat_id": s.chat, "text": "hello"}
			for k, v := range c.args {
				a[k] = v
			}
			wantRefusal(t, s.do("sendMessage", a), c.code, c.want)
		})
	}
	if shown := s.FromBot(s.chat); len(shown) != 0 {
		t.Errorf("a refused message is shown: %+v", shown)
	}
}

// TestSendLimits are messages at the edge of what is allowed.
func TestSendLimits(t *testing.T) {
	s := start(t, tg.Config{})
	old := s.Say(s.chat, s.user.ID, "what is one and one?")
	s.DeleteMessage(s.chat, s.Say(s.chat, s.user.ID, "gone").ID)
	elsewhere := s.Say(s.grp, s.user.ID, "elsewhere").ID
	for _, c := range []struct {
		why   string
		args  args
		check func(tg.Message) bool
	}{
		{"4096 units", args{"text": repeat("x", 4096)}, nil},
		{"2048 emoji are 4096 units", args{"text": repeat("😀", 2048)}, nil},
		{"64 bytes of data", args{"reply_markup": `{"inline_keyboard":[[{"text":"x","callback_data":"` + repeat("é", 32) + `"}]]}`},
			func(m tg.Message) bool { return len(m.Buttons[0][0].Data) == 64 }},
		{"the empty copy_text of go-telegram/bot", args{"reply_markup": `{"inline_keyboard":[[{"text":"x","callback_data":"y","copy_text":{"text":""}}]]}`},
			func(m tg.Message) bool { return m.Buttons[0][0].Data == "y" }},
		{"other markup is accepted and not shown with the message", args{"reply_markup": `{"remove_keyboard":true}`},
			func(m tg.Message) bool { return len(m.Buttons) == 0 }},
		{"a reply with a quote", args{"reply_parameters": args{"message_id": old.ID, "quote": "one and one"}},
			func(m tg.Message) bool { return m.ReplyTo == old.ID && m.Quote == "one and one" }},
		{"an empty object is no reply", args{"reply_parameters": "{}"}, func(m tg.Message) bool { return m.ReplyTo == 0 }},
		{"an empty parameter is no reply", args{"reply_parameters": ""}, func(m tg.Message) bool { return m.ReplyTo == 0 }},
		{"a reply to a message elsewhere is shown as a reference outside the chat",
			args{"reply_parameters": args{"message_id": elsewhere, "chat_id": itoa(s.grp)}}, func(m tg.Message) bool { return m.ReplyTo == 0 }},
		{"a reply to a deleted message, allowed without", args{"reply_parameters": args{"message_id": old.ID + 1, "allow_sending_without_reply": true}},
			func(m tg.Message) bool { return m.ReplyTo == 0 }},
		{"white space at the ends is cut", args{"text": "\n hi \r\n\t"}, func(m tg.Message) bool { return m.Text == "hi" }},
		{"control characters are spaces, carriage returns go", args{"text": "a\tb\r\nc"}, func(m tg.Message) bool { return m.Text == "a b\nc" }},
	} {
		t.Run(c.why, func(t *testing.T) {
			a := args{"chat_id": s.chat, "text": "hello"}
			for k, v := range c.args {
				a[k] = v
			}
			wantOK(t, s.do("sendMessage", a))
			shown := s.FromBot(s.chat)
			if last := shown[len(shown)-1]; c.check != nil && !c.check(last) {
				t.Errorf("shown %+v", last)
			}
		})
	}
}

func TestTopics(t *testing.T) {
	s := start(t, tg.Config{Bot: tg.Bot{HasTopics: true}})
	for _, chat := range []int64{s.forum, s.chat} {
		topic := s.AddTopic(chat)
		got := s.do("sendMessage", args{"chat_id": chat, "message_thread_id": topic, "text": "here"})
		m := decode[struct {
			Thread int64 `json:"message_thread_id"`
			Topic  bool  `json:"is_topic_message"`
		}](t, got.Result)
		if m.Thread != topic || !m.Topic || s.FromBot(chat)[0].Thread != topic {
			t.Errorf("chat %d: %s", chat, got.Result)
		}
	}
}

// entity is a shorthand for tables.
func entity(kind string, offset, length int) string {
	return fmt.Sprintf(`{"type":%q,"offset":%d,"length":%d}`, kind, offset, length)
}

// TestEntities checks what becomes of the entities that a bot sends; offsets count UTF-16 units.
func TestEntities(t *testing.T) {
	s := start(t, tg.Config{})
	bold := func(o, l int) tg.Entity { return tg.Entity{Type: tg.Bold, Offset: o, Length: l} }
	kind := func(k tg.EntityType, o, l int) tg.Entity { return tg.Entity{Type: k, Offset: o, Length: l} }
	for _, c := range []struct {
		why, text, entities string
		want                []tg.Entity
		mended              bool
		refused             string
	}{
		{why: "plain", text: "ab", entities: entity("bold", 0, 2), want: []tg.Entity{bold(0, 2)}},
		{why: "around an emoji", text: "😀b", entities: entity("bold", 0, 2), want: []tg.Entity{bold(0, 2)}},
		{why: "begins in the middle of an emoji", text: "😀b", entities: entity("bold", 1, 2),
			refused: "Bad Request: entity begins in a middle of a UTF-16 symbol at byte offset 4"},
		{why: "ends in the middle of an emoji", text: "a😀", entities: entity("bold", 0, 2),
			refused: "Bad Request: entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol at byte offset 5"},
		{why: "begins after the text", text: "ab", entities: entity("bold", 3, 1),
			refused: "Bad Request: entity begins after the end of the text at UTF-16 offset 3"},
		{why: "ends after the text", text: "ab", entities: entity("bold", 1, 2),
			refused: "Bad Request: entity beginning at UTF-16 offset 1 ends after the end of the text at UTF-16 offset 3"},
		{why: "before the text", text: "ab", entities: entity("bold", -1, 2), refused: "Bad Request: receive an entity with incorrect offset -1"},
		{why: "negative length", text: "ab", entities: entity("bold", 0, -2), refused: "Bad Request: receive an entity with incorrect length -2"},
		{why: "no length", text: "ab", entities: `{"type":"bold","offset":0}`,
			refused: `Bad Request: can't parse MessageEntity: Can't find field "length"`},
		{why: "no offset", text: "ab", entities: `{"type":"bold","length":1}`,
			refused: `Bad Request: can't parse MessageEntity: Can't find field "offset"`},
		{why: "no type", text: "ab", entities: `{"offset":0,"length":1}`, refused: `Bad Request: can't parse MessageEntity: Can't find field "type"`},
		{why: "an empty type", text: "ab", entities: entity("", 0, 1), refused: `Bad Request: can't parse MessageEntity: Type is not specified`},
		{why: "an unknown type", text: "ab", entities: entity("blink", 0, 1),
			refused: "Bad Request: can't parse MessageEntity: Unsupported type specified"},
		{why: "a link without an address", text: "ab", entities: entity("text_link", 0, 1),
			refused: `Bad Request: can't parse MessageEntity: Can't find field "url"`},
		{why: "a link that is none", text: "ab", entities: `{"type":"text_link","offset":0,"length":1,"url":"nonsense"}`,
			refused: "Bad Request: entity URL 'nonsense' is invalid"},
		{why: "a mention of nobody", text: "ab", entities: entity("text_mention", 0, 1),
			refused: `Bad Request: can't parse MessageEntity: Can't find field "user"`},
		{why: "a mention", text: "ab", entities: `{"type":"text_mention","offset":0,"length":1,"user":{"id":7}}`,
			want: []tg.Entity{{Type: tg.TextMention, Length: 1, UserID: 7}}},
		{why: "an emoji without its id", text: "ab", entities: entity("custom_emoji", 0, 1),
			refused: `Bad Request: can't parse MessageEntity: Can't find field "custom_emoji_id"`},
		{why: "an emoji", text: "ab", entities: `{"type":"custom_emoji","offset":0,"length":1,"custom_emoji_id":"5"}`,
			want: []tg.Entity{{Type: tg.CustomEmoji, Length: 1, EmojiID: "5"}}},
		{why: "fields of a wrong type", text: "ab", entities: `{"type":"bold","offset":"x","length":1}`,
			refused: "Bad Request: can't parse MessageEntity: expected an Object with fields of the documented types"},
		{why: "a link in a link", text: "abcd", want: []tg.Entity{{Type: tg.TextLink, Length: 4, URL: "https://e.org/"}}, mended: true,
			entities: `{"type":"text_link","offset":0,"length":4,"url":"https://e.org/"},{"type":"text_link","offset":1,"length":1,"url":"https://e.org/2"}`},
		{why: "a style in a link", text: "abcd", entities: `{"type":"text_link","offset":0,"length":4,"url":"https://e.org/"},` + entity("bold", 1, 2),
			want: []tg.Entity{{Type: tg.TextLink, Length: 4, URL: "https://e.org/"}, bold(1, 2)}},
		{why: "a link", text: "ab", entities: `{"type":"text_link","offset":0,"length":1,"url":"https://e.org/"}`,
			want: []tg.Entity{{Type: tg.TextLink, Length: 1, URL: "https://e.org/"}}},
		{why: "a language", text: "ab", entities: `{"type":"pre","offset":0,"length":2,"language":"go"}`,
			want: []tg.Entity{{Type: tg.Pre, Length: 2, Language: "go"}}},
		{why: "what the platform finds itself is ignored", text: "@a", entities: entity("mention", 0, 2)},
		{why: "an empty one vanishes", text: "ab", entities: entity("bold", 1, 0)},
		{why: "nesting of styles", text: "abcd", entities: entity("italic", 1, 2) + "," + entity("bold", 0, 4),
			want: []tg.Entity{bold(0, 4), kind(tg.Italic, 1, 2)}},
		{why: "styles that cross are cut", text: "abcd", entities: entity("bold", 0, 3) + "," + entity("italic", 2, 2),
			want: []tg.Entity{bold(0, 2), kind(tg.Italic, 2, 2), bold(2, 1)}, mended: true},
		{why: "code holds nothing", text: "abcd", entities: entity("code", 0, 4) + "," + entity("bold", 1, 2),
			want: []tg.Entity{kind(tg.Code, 0, 4)}, mended: true},
		{why: "code lies in no style: the style stops before and goes on after", text: "abcd", entities: entity("bold", 0, 4) + "," + entity("code", 1, 2),
			want: []tg.Entity{bold(0, 1), kind(tg.Code, 1, 2), bold(3, 1)}, mended: true},
		{why: "code in code", text: "abcd", entities: entity("pre", 0, 4) + "," + entity("code", 1, 2),
			want: []tg.Entity{kind(tg.Pre, 0, 4)}, mended: true},
		{why: "a quote may hold code", text: "abcd", entities: entity("blockquote", 0, 4) + "," + entity("code", 1, 2),
			want: []tg.Entity{kind(tg.Blockquote, 0, 4), kind(tg.Code, 1, 2)}},
		{why: "quotes do not nest", text: "abcd", entities: entity("blockquote", 0, 4) + "," + entity("expandable_blockquote", 1, 2),
			want: []tg.Entity{kind(tg.Blockquote, 0, 4)}, mended: true},
		{why: "code that sticks out of a quote goes", text: "abcd", entities: entity("blockquote", 0, 3) + "," + entity("code", 2, 2),
			want: []tg.Entity{kind(tg.Blockquote, 0, 3)}, mended: true},
		{why: "neighbours of one style become one", text: "abcd", entities: entity("bold", 0, 2) + "," + entity("bold", 2, 2),
			want: []tg.Entity{bold(0, 4)}, mended: true},
		{why: "white space at the beginning of an entity is not in it", text: "a bc", entities: entity("bold", 1, 3),
			want: []tg.Entity{bold(2, 2)}},
		{why: "an entity on white space only vanishes", text: "a  b", entities: entity("bold", 1, 2)},
		{why: "the cut of the text's ends moves and shortens", text: "  ab  ", entities: entity("bold", 2, 4),
			want: []tg.Entity{bold(0, 2)}},
		{why: "dropped characters move what follows", text: "a\r\nb", entities: entity("bold", 3, 1), want: []tg.Entity{bold(2, 1)}},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := s.do("sendMessage", args{"chat_id": s.chat, "text": c.text, "entities": "[" + c.entities + "]"})
			if c.refused != "" {
				wantRefusal(t, got, 400, c.refused)
				return
			}
			wantOK(t, got)
			shown := s.FromBot(s.chat)
			m := shown[len(shown)-1]
			if len(m.Entities)+len(c.want) > 0 && !reflect.DeepEqual(m.Entities, c.want) || m.Mended != c.mended {
				t.Errorf("shown %q %+v mended %v, want %+v %v", m.Text, m.Entities, m.Mended, c.want, c.mended)
			}
		})
	}
	t.Run("a broken list is ignored", func(t *testing.T) {
		wantOK(t, s.do("sendMessage", args{"chat_id": s.chat, "text": "a", "entities": "[{"}))
	})
	t.Run("the 101st is dropped without a word", func(t *testing.T) {
		var es []string
		for i := range 101 {
			es = append(es, entity("bold", 2*i, 1))
		}
		wantOK(t, s.do("sendMessage", args{"chat_id": s.chat, "text": repeat("a ", 101), "entities": "[" + strings.Join(es, ",") + "]"}))
		shown := s.FromBot(s.chat)
		if m := shown[len(shown)-1]; len(m.Entities) != 100 || !m.Mended {
			t.Errorf("%d entities, mended %v", len(m.Entities), m.Mended)
		}
	})
}

func TestParseModes(t *testing.T) {
	s := start(t, tg.Config{})
	for _, c := range []struct {
		mode, in, text string
		entities       []tg.Entity
		refused        string
	}{
		{mode: "HTML", in: "<b>a</b> &lt;&#33;", text: "a <!", entities: []tg.Entity{{Type: tg.Bold, Length: 1}}},
		{mode: "html", in: `<a href="https://e.org">x</a>`, text: "x", entities: []tg.Entity{{Type: tg.TextLink, Length: 1, URL: "https://e.org"}}},
		{mode: "HTML", in: `<pre><code class="language-go">x</code></pre>`, text: "x", entities: []tg.Entity{{Type: tg.Pre, Length: 1, Language: "go"}}},
		{mode: "HTML", in: `<a href="tg://user?id=` + itoa(s.user.ID) + `">you</a>`, text: "you",
			entities: []tg.Entity{{Type: tg.TextMention, Length: 3, UserID: s.user.ID}}},
		{mode: "HTML", in: `<i>a</i><u>b</u><s>c</s><tg-spoiler>d</tg-spoiler><blockquote>e</blockquote>`, text: "abcde", entities: []tg.Entity{
			{Type: tg.Italic, Length: 1}, {Type: tg.Underline, Offset: 1, Length: 1}, {Type: tg.Strikethrough, Offset: 2, Length: 1},
			{Type: tg.Spoiler, Offset: 3, Length: 1}, {Type: tg.Blockquote, Offset: 4, Length: 1}}},
		{mode: "HTML", in: `<span class="tg-spoiler">a</span><tg-emoji emoji-id="5">b</tg-emoji><b></b>`, text: "ab",
			entities: []tg.Entity{{Type: tg.Spoiler, Length: 1}, {Type: tg.CustomEmoji, Offset: 1, Length: 1, EmojiID: "5"}}},
		{mode: "HTML", in: "a & b", text: "a & b"},
		{mode: "HTML", in: "<b>a", refused: "Bad Request: can't parse entities: Can't find end tag corresponding to start tag b"},
		{mode: "HTML", in: "<h1>a</h1>", refused: `Bad Request: can't parse entities: Unsupported start tag "h1" at byte offset 0`},
		{mode: "HTML", in: "a</b>", refused: "Bad Request: can't parse entities: Unexpected end tag at byte offset 1"},
		{mode: "HTML", in: "<b><i>a</b></i>", refused: `Bad Request: can't parse entities: Unmatched end tag at byte offset 7, expected "</i>", found "</b>"`},
		{mode: "HTML", in: "1 < 2", refused: "Bad Request: can't parse entities: Unclosed start tag at byte offset 2"},
		{mode: "MarkdownV2", in: `*a* _b_ __c__ ~d~ ||e||`, text: "a b c d e", entities: []tg.Entity{{Type: tg.Bold, Length: 1},
			{Type: tg.Italic, Offset: 2, Length: 1}, {Type: tg.Underline, Offset: 4, Length: 1}, {Type: tg.Strikethrough, Offset: 6, Length: 1},
			{Type: tg.Spoiler, Offset: 8, Length: 1}}},
		{mode: "MarkdownV2", in: "```go\nx := 1```", text: "x := 1", entities: []tg.Entity{{Type: tg.Pre, Length: 6, Language: "go"}}},
		{mode: "MarkdownV2", in: "`a.b`", text: "a.b", entities: []tg.Entity{{Type: tg.Code, Length: 3}}},
		{mode: "MarkdownV2", in: `[x](https://e.org/\))`, text: "x", entities: []tg.Entity{{Type: tg.TextLink, Length: 1, URL: "https://e.org/)"}}},
		{mode: "MarkdownV2", in: `1\. \\`, text: `1. \`},
		{mode: "MarkdownV2", in: "the end.", refused: `Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\'`},
		{mode: "MarkdownV2", in: "a *b", refused: "Bad Request: can't parse entities: Can't find end of Bold entity at byte offset 2"},
		{mode: "MarkdownV2", in: "```x", refused: "Bad Request: can't parse entities: Can't find end of Pre entity at byte offset 0"},
		{mode: "MarkdownV2", in: "[x", refused: "Bad Request: can't parse entities: Can't find end of TextUrl entity at byte offset 0"},
		{mode: "MarkdownV2", in: "[x]y", refused: "Bad Request: can't parse entities: Can't find end of a URL at byte offset 0"},
		{mode: "MarkdownV2", in: "[x](", refused: "Bad Request: can't parse entities: Can't find end of a URL at byte offset 0"},
	} {
		t.Run(c.mode+" "+c.in, func(t *testing.T) {
			got := s.do("sendMessage", args{"chat_id": s.chat, "text": c.in, "parse_mode": c.mode})
			if c.refused != "" {
				wantRefusal(t, got, 400, c.refused)
				return
			}
			wantOK(t, got)
			shown := s.FromBot(s.chat)
			if m := shown[len(shown)-1]; m.Text != c.text || len(m.Entities)+len(c.entities) > 0 && !reflect.DeepEqual(m.Entities, c.entities) {
				t.Errorf("shown %q %+v", m.Text, m.Entities)
			}
		})
	}
}

func TestEditMessageText(t *testing.T) {
	s := start(t, tg.Config{})
	id := s.sent(s.chat, "one")
	theirs := s.Say(s.chat, s.user.ID, "mine").ID
	lost := s.sent(s.chat, "lost")
	s.DeleteMessage(s.chat, lost)
	yes := `{"inline_keyboard":[[{"text":"Yes","callback_data":"y"}]]}`
	same := "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"
	for _, c := range []struct {
		why     string
		args    args
		refused string
	}{
		{"a new text", args{"text": "two"}, ""},
		{"the same text", args{"text": "two"}, same},
		{"the same text once white space is cut", args{"text": " two\n"}, same},
		{"the same text with a button", args{"text": "two", "reply_markup": yes}, ""},
		{"the same text and button", args{"text": "two", "reply_markup": yes}, same},
		{"an edit without buttons takes them away", args{"text": "two"}, ""},
		{"the same text in bold", args{"text": "two", "entities": "[" + entity("bold", 0, 3) + "]"}, ""},
		{"too long has another text than with a send", args{"text": repeat("x", 4097)}, "Bad Request: MESSAGE_TOO_LONG"},
		{"empty", args{"text": ""}, "Bad Request: message text is empty"},
		{"blank", args{"text": "  "}, "Bad Request: message text is empty"},
		{"bad entities", args{"text": "a", "entities": "[" + entity("bold", 0, 9) + "]"},
			"Bad Request: entity beginning at UTF-16 offset 0 ends after the end of the text at UTF-16 offset 9"},
		{"an unknown message", args{"text": "x", "message_id": 9999}, "Bad Request: message to edit not found"},
		{"no message", args{"text": "x", "message_id": nil}, "Bad Request: message to edit not found"},
		{"a deleted message", args{"text": "x", "message_id": lost}, "Bad Request: message to edit not found"},
		{"somebody else's message", args{"text": "x", "message_id": theirs}, "Bad Request: message can't be edited"},
		{"another kind of keyboard", args{"text": "x", "reply_markup": `{"force_reply":true}`}, "Bad Request: inline keyboard expected"},
		{"nothing to edit", args{"text": "x", "message_id": nil, "chat_id": ""}, "Bad Request: message identifier is not specified"},
		{"another chat", args{"text": "x", "chat_id": s.grp}, "Bad Request: message to edit not found"},
	} {
		a := args{"chat_id": s.chat, "message_id": id}
		for k, v := range c.args {
			a[k] = v
		}
		got := s.do("editMessageText", a)
		t.Run(c.why, func(t *testing.T) {
			if c.refused != "" {
				wantRefusal(t, got, 400, c.refused)
				return
			}
			wantOK(t, got)
			edited := decode[struct {
				ID   int64 `json:"message_id"`
				Date int64 `json:"edit_date"`
			}](t, got.Result)
			if edited.ID != id || edited.Date == 0 {
				t.Errorf("answered %s", got.Result)
			}
		})
	}
	if m := s.FromBot(s.chat)[0]; m.Edits != 4 || m.Text != "two" || len(m.Buttons) != 0 || len(m.Entities) != 1 {
		t.Errorf("shown %+v", m)
	}
}

func TestDeleteMessage(t *testing.T) {
	clock := newClock()
	s := start(t, tg.Config{Now: clock.Now})
	theirs := s.Say(s.grp, s.user.ID, "hi").ID
	ours := s.sent(s.grp, "hello")
	stale := s.sent(s.chat, "old")
	said := s.Say(s.chat, s.user.ID, "mine").ID
	del := func(chat, id int64) answer { return s.do("deleteMessage", args{"chat_id": chat, "message_id": id}) }

	wantRefusal(t, del(s.grp, theirs), 400, "Bad Request: message can't be deleted")
	wantOK(t, del(s.grp, ours))
	wantRefusal(t, del(s.grp, ours), 400, "Bad Request: message to delete not found")
	wantOK(t, del(s.chat, said)) // in a private chat the bot may delete what the user says
	s.Promote(s.grp, s.user.ID)
	wantOK(t, del(s.grp, theirs))
	clock.advance(49 * time.Hour)
	wantRefusal(t, del(s.chat, stale), 400, "Bad Request: message can't be deleted")
	wantRefusal(t, s.do("deleteMessage", args{"message_id": 1}), 400, "Bad Request: chat identifier is not specified")
	wantRefusal(t, s.do("deleteMessage", args{"chat_id": s.chat}), 400, "Bad Request: message identifier is not specified")
	for _, m := range s.Messages(s.grp) {
		if !m.Deleted {
			t.Errorf("still there: %+v", m)
		}
	}
}

func TestSendDocument(t *testing.T) {
	s := start(t, tg.Config{})
	upload := func(field, document, caption string) answer {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		_ = w.WriteField("chat_id", itoa(s.chat))
		_ = w.WriteField("caption", caption)
		if document != "" {
			_ = w.WriteField("document", document)
		}
		if field != "" {
			part, _ := w.CreateFormFile(field, "habits.csv")
			_, _ = part.Write([]byte("day,done\n"))
		}
		_ = w.Close()
		got, err := s.post(bounded(t), "sendDocument", w.FormDataContentType(), body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	type message struct {
		ID       int64  `json:"message_id"`
		Caption  string `json:"caption"`
		Document struct {
			ID   string `json:"file_id"`
			Name string `json:"file_name"`
			Size int    `json:"file_size"`
		} `json:"document"`
	}
	first := upload("document", "", "your data")
	wantOK(t, first)
	m := decode[message](t, first.Result)
	if m.Document.Name != "habits.csv" || m.Document.Size != 9 || m.Caption != "your data" {
		t.Errorf("answered %s", first.Result)
	}
	wantOK(t, upload("att", "attach://att", ""))
	wantOK(t, upload("", m.Document.ID, "again"))
	wantRefusal(t, upload("", "", ""), 400, "Bad Request: there is no document in the request")
	wantRefusal(t, upload("", "attach://none", ""), 400, "Bad Request: there is no document in the request")
	wantRefusal(t, upload("", "nonsense", ""), 400, "Bad Request: wrong file identifier/HTTP URL specified")
	wantRefusal(t, upload("", "https://e.org/x", ""), 400, "Bad Request: failed to get HTTP URL content")
	wantRefusal(t, upload("document", "", repeat("x", 1025)), 400, "Bad Request: message caption is too long")
	wantRefusal(t, s.do("editMessageText", args{"chat_id": s.chat, "message_id": m.ID, "text": "x"}), 400,
		"Bad Request: there is no text in the message to edit")

	file := decode[struct {
		Path string `json:"file_path"`
	}](t, s.do("getFile", args{"file_id": m.Document.ID}).Result)
	resp, err := http.Get(s.url + "/file/bot" + s.Token() + "/" + file.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if data, err := io.ReadAll(resp.Body); err != nil || string(data) != "day,done\n" {
		t.Errorf("downloaded %q %v", data, err)
	}
	wantRefusal(t, s.do("getFile", args{"file_id": "x"}), 400, "Bad Request: wrong file_id or the file is temporarily unavailable")
	wantRefusal(t, s.do("getFile", nil), 400, "Bad Request: file_id not specified")
	big := s.Post(tg.Post{Chat: s.chat, User: s.user.ID, File: &tg.File{Kind: tg.Document, Name: "big", Data: make([]byte, 20<<20+1)}})
	wantRefusal(t, s.do("getFile", args{"file_id": big.File.ID}), 400, "Bad Request: file is too big")
	if shown := s.FromBot(s.chat); len(shown) != 3 || string(shown[0].File.Data) != "day,done\n" || shown[0].Text != "your data" {
		t.Errorf("shown %+v", shown)
	}
}

func TestChatActionAndReaction(t *testing.T) {
	s := start(t, tg.Config{})
	wantOK(t, s.do("sendChatAction", args{"chat_id": s.chat, "action": "typing"}))
	wantRefusal(t, s.do("sendChatAction", args{"chat_id": s.chat, "action": "dancing"}), 400, "Bad Request: wrong parameter action in request")
	wantRefusal(t, s.do("sendChatAction", args{"chat_id": 5, "action": "typing"}), 400, "Bad Request: chat not found")

	id := s.Say(s.chat, s.user.ID, "done!").ID
	react := func(message int64, reaction string) answer {
		return s.do("setMessageReaction", args{"chat_id": s.chat, "message_id": message, "reaction": json.RawMessage(reaction)})
	}
	wantOK(t, react(id, `[{"type":"emoji","emoji":"👀"}]`))
	if m := s.Messages(s.chat)[0]; m.Reaction != "👀" {
		t.Errorf("shown %q", m.Reaction)
	}
	wantRefusal(t, react(id, `[{"type":"emoji","emoji":"✅"}]`), 400, "Bad Request: REACTION_INVALID")
	wantRefusal(t, react(id, `[{"type":"paid"}]`), 400, "Bad Request: REACTION_INVALID")
	wantRefusal(t, react(id, `[{"type":"emoji","emoji":"👀"},{"type":"emoji","emoji":"👍"}]`), 400, "Bad Request: REACTIONS_TOO_MANY")
	wantRefusal(t, react(id, `{}`), 400, "Bad Request: can't parse reaction types JSON object")
	wantRefusal(t, react(999, `[]`), 400, "Bad Request: message to react not found")
	wantOK(t, react(id, `[]`))
	if m := s.Messages(s.chat)[0]; m.Reaction != "" {
		t.Errorf("still %q", m.Reaction)
	}
}

// TestLimits: the rates are off unless asked for, are counted per chat, and edits count.
func TestLimits(t *testing.T) {
	clock := newClock()
	s := start(t, tg.Config{Now: clock.Now, Limits: tg.Limits{Private: tg.Limit{N: 1, Per: time.Second}, Group: tg.Limit{N: 2, Per: time.Minute}}})
	id := s.sent(s.chat, "one")
	got := s.do("editMessageText", args{"chat_id": s.chat, "message_id": id, "text": "two"})
	wantRefusal(t, got, 429, "Too Many Requests: retry after 1")
	if got.Parameters.RetryAfter != 1 || got.header.Get("Retry-After") != "1" {
		t.Errorf("parameters %+v, header %q", got.Parameters, got.header.Get("Retry-After"))
	}
	s.sent(s.grp, "another chat")
	clock.advance(time.Second)
	wantOK(t, s.do("editMessageText", args{"chat_id": s.chat, "message_id": id, "text": "two"}))
	clock.advance(14 * time.Second)
	s.sent(s.grp, "second")
	wantRefusal(t, s.do("sendMessage", args{"chat_id": s.grp, "text": "third"}), 429, "Too Many Requests: retry after 45")
}
