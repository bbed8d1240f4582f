package telegram

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"
	"pgregory.net/rapid"

	"steady/core"
)

// steady is who the bot is in the recorded updates.
var steady = models.User{ID: 4242, IsBot: true, FirstName: "Steady", Username: "steady_bot"}

func recorded(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	data, err := os.ReadFile("testdata/updates.json")
	if err != nil {
		t.Fatal(err)
	}
	var updates map[string]json.RawMessage
	if err := json.Unmarshal(data, &updates); err != nil {
		t.Fatal(err)
	}
	return updates
}

// describe is an arrival in one line.
func describe(a arrival) string {
	in := a.in
	line := fmt.Sprintf("%s at %s, id %s", eventText(in.Event), in.Chat, in.ID)
	if in.Message != "" {
		line += ", message " + string(in.Message)
	}
	if q := in.ReplyTo; q != nil {
		line += fmt.Sprintf(", answers %s %q by %q ours=%t", q.ID, q.Text, q.Author, q.Ours)
	}
	for _, m := range in.Media {
		line += fmt.Sprintf(", with %s %q %q", m.Kind, m.Name, m.Ref)
	}
	return line
}

func eventText(e core.Event) string {
	switch e := e.(type) {
	case core.Said:
		return fmt.Sprintf("said %q", e.Text)
	case core.Edited:
		return fmt.Sprintf("edited %s to %q", e.Of, e.Text)
	case core.Commanded:
		return fmt.Sprintf("command %s %q", e.Name, e.Args)
	case core.Pressed:
		return fmt.Sprintf("pressed %q under %s", e.Token, e.Message)
	case core.Moved:
		return fmt.Sprintf("moved to %s at %s", e.Chat, e.Context)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e), "core."))
}

func TestRead(t *testing.T) {
	tests := []struct {
		update string
		want   string // "" is nothing
		why    string
	}{
		{"private text", `said "I walked\n today" at telegram:1001, id m:1001/5, message 1001/5`, "the outside is trimmed, the inside stays"},
		{"private topic", `said "in a topic" at telegram:1001:44, id m:1001/6, message 1001/6`, "private chats can have topics"},
		{"blank", "", "nothing to see is silent"},
		{"ephemeral", "", "number 0 cannot be answered by a message"},
		{"other bot", "", "bots would talk to each other for ever"},
		{"channel post", "", "not a chat with people"},
		{"forwarded channel post", "", "a channel speaks, not a person"},
		{"unknown forward", `said "thought of this" at telegram:1001, id m:1001/11, message 1001/11`, "what is new to us hides nothing of what is not"},
		{"command", `command remind "me at 9\nand 10" at telegram:1001, id m:1001/12, message 1001/12`, "lower case; what follows is its arguments"},
		{"command in the middle", `said "what does /stop do" at telegram:1001, id m:1001/13, message 1001/13`, "only at the beginning"},
		{"slash without entity", `said "/사과 먹기" at telegram:1001, id m:1001/14, message 1001/14`, "the platform says what is a command"},
		{"group chatter", "", "not for the bot"},
		{"group mention", `said "👩\u200d👧 저기 오늘 어때?" at telegram:-77, id m:-77/16, message -77/16`, "offsets count UTF-16 units; case does not matter; one blank goes along"},
		{"group mention of another", "", "a longer name that begins with ours"},
		{"group mention without entity", "", "a mail address is no mention"},
		{"group mention alone", "", "nothing is left to answer"},
		{"group text mention", `said ", how far am I?" at telegram:-77, id m:-77/20, message -77/20`, "people can mention a bot by its name"},
		{"group mention out of bounds", "", "entities are not trusted"},
		{"group mention before command", `command stop "now" at telegram:-77, id m:-77/22, message -77/22`, "the mention only calls"},
		{"group command for us", `command stop "" at telegram:-77, id m:-77/23, message -77/23`, "the name is no argument"},
		{"group command for another", "", "even as an answer to us"},
		{"group bare command", `command status "" at telegram:-77, id m:-77/25, message -77/25`, "a command for nobody is for all"},
		{"group reply to us", `said "Monday" at telegram:-77, id m:-77/26, message -77/26, answers -77/3 "Which day?" by "Steady" ours=true`, "an answer to the bot"},
		{"group reply to another", "", "people talk to each other"},
		{"reply chain in a plain group", `said "nice" at telegram:-1003, id m:-1003/28, message -1003/28, answers -1003/3 "[image/jpeg]" by "Steady" ours=true`, "a thread that is no topic is not part of the key"},
		{"topic", `said "hi" at telegram:-1004:12, id m:-1004/29, message -1004/29`, "the topic's first message is not answered by all others"},
		{"topic chatter", "", "the bot opened the topic, which calls it no more"},
		{"selected quote", `said "why?" at telegram:1001, id m:1001/31, message 1001/31, answers 1001/3 "then do that" by "Ada" ours=false`, "the part that was selected"},
		{"quote of another chat", `said "true?" at telegram:1001, id m:1001/32, message 1001/32, answers  "elsewhere" by "" ours=false`, "there is a text and no message here"},
		{"photo", `said "my walk" at telegram:1001, id m:1001/33, message 1001/33, with image/jpeg "" "large"`, "the caption is the text, the largest size the picture"},
		{"voice", `said "" at telegram:1001, id m:1001/34, message 1001/34, with audio/ogg "" "v"`, "the core says in words that it cannot hear"},
		{"document", `said "" at telegram:1001, id m:1001/35, message 1001/35, with application/pdf "plan.pdf" "d"`, ""},
		{"sticker", `said "" at telegram:1001, id m:1001/36, message 1001/36, with sticker "👍" "k"`, "its emoji is the nearest to a name"},
		{"venue", `said "" at telegram:1001, id m:1001/37, message 1001/37, with venue "" ""`, "one thing, though two fields"},
		{"group photo with mention", `said "look" at telegram:-77, id m:-77/38, message -77/38, with image/jpeg "" "p"`, "captions mention too"},
		{"pinned", "", "service messages are silent"},
		{"edited", `edited m:1001/5 to "I ran today" at telegram:1001, id u:137, message 1001/5`, "names the inbound that it changes"},
		{"moving location", "", "an edit of no text"},
		{"press", `pressed "ytoken" under 1001/41 at telegram:1001, id p:88`, ""},
		{"press in a topic of an old message", `pressed "ytoken" under -1004/42 at telegram:-1004:12, id p:89`, "the topic is in the button when the message does not say it"},
		{"press without a message", "", "there is no chat to decide it in"},
		{"press without data", "", "a game's button"},
		{"blocked", `left at telegram:1001, id u:143`, "in a private chat kicked is blocked"},
		{"unblocked", `returned at telegram:1001, id u:144`, ""},
		{"promoted", "", "reachable before and after"},
		{"restricted out of a group", `left at telegram:-1003, id u:146`, "restricted ones can be members or not"},
		{"moved away", `moved to telegram:-1000000000999 at -1000000000999 at telegram:-77, id moved:-1000000000999`, ""},
		{"moved here", `moved to telegram:-1000000000999 at -1000000000999 at telegram:-77, id moved:-1000000000999`, "the same inbound, told by the other group"},
		{"kind of the future", "", "not asked for, not understood, not in the way"},
	}
	updates := recorded(t)
	now := time.Unix(1796000100, 0)
	r := reader{me: steady, mention: true}
	for _, test := range tests {
		u, err := decode(updates[test.update])
		if err != nil {
			t.Errorf("%s: %v", test.update, err)
			continue
		}
		got := ""
		a, ok := r.read(u, now)
		if ok {
			got = describe(a)
		}
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s\n(%s)", test.update, got, test.want, test.why)
		}
		if ok && (a.in.Channel != Name || !a.in.Received.Equal(now) || a.in.Context == "") {
			t.Errorf("%s: incomplete: %+v", test.update, a.in)
		}
	}
	if len(tests) != len(updates)-1 {
		t.Errorf("%d of %d recorded updates are tested", len(tests)+1, len(updates))
	}
	if _, err := decode(updates["text of another form"]); err == nil || strings.Contains(err.Error(), "1001") {
		t.Errorf("an update of another form gives %v, want an error that quotes nothing", err)
	}
}

// Without the mention rule a group's every message is for the bot, but not another bot's command.
func TestReadWithoutMentionRule(t *testing.T) {
	updates := recorded(t)
	r := reader{me: steady}
	for name, want := range map[string]bool{
		"group chatter": true, "group reply to another": true, "topic chatter": true, "group command for another": false, "other bot": false,
	} {
		u, err := decode(updates[name])
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.read(u, time.Now()); ok != want {
			t.Errorf("%s: taken %t, want %t", name, ok, want)
		}
	}
}

func TestReadSender(t *testing.T) {
	updates := recorded(t)
	for name, want := range map[string]core.Sender{
		"private text":       {Account: "telegram:1001", Name: "Ada Byron", Lang: core.En},
		"command":            {Account: "telegram:1001", Name: "Ada", Lang: core.Ko},
		"press":              {Account: "telegram:1001", Name: "Ada", Lang: core.Zh},
		"group bare command": {Account: "telegram:1001", Name: "Ada"},
	} {
		u, _ := decode(updates[name])
		a, _ := reader{me: steady, mention: true}.read(u, time.Now())
		if a.in.Sender != want {
			t.Errorf("%s: sender %+v, want %+v", name, a.in.Sender, want)
		}
	}
	u, _ := decode(updates["edited"])
	if a, _ := (reader{me: steady}).read(u, time.Now()); !a.in.Sent.Equal(time.Unix(1796000060, 0)) {
		t.Errorf("an edit was sent at %v, want the time of the edit", a.in.Sent)
	}
}

// However long the quoted message is, the quote is short.
func TestQuoteIsBounded(t *testing.T) {
	m := message{Chat: models.Chat{ID: 1}, ReplyTo: &message{ID: 2, Text: strings.Repeat("긴 글 ", 4000)}}
	if q := (reader{}).quote(m); len([]rune(q.Text)) > maxQuote+1 || !strings.HasSuffix(q.Text, "…") {
		t.Errorf("quote of %d characters", len([]rune(q.Text)))
	}
}

// Cutting a mention out of a text leaves the other words and what the other marks mark.
func TestWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b body
		var kept []string
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"@us", "hello", "🙂", "걷기", "/stop"}), 1, 8).Draw(t, "words")
		for _, w := range words {
			if len(b.units) > 0 {
				b.units = append(b.units, ' ')
			}
			e := models.MessageEntity{Type: models.MessageEntityTypeBold, Offset: len(b.units)}
			if w == "@us" {
				e.Type = models.MessageEntityTypeMention
			} else {
				kept = append(kept, w)
			}
			b.units = append(b.units, utf16.Encode([]rune(w))...)
			e.Length = len(b.units) - e.Offset
			b.marks = append(b.marks, e)
		}
		got := b.without(func(e models.MessageEntity) bool { return e.Type == models.MessageEntityTypeMention })
		if text := strings.TrimRight(got.String(), " "); text != strings.Join(kept, " ") {
			t.Fatalf("%v becomes %q", words, text)
		}
		for i, e := range got.marks {
			if got.at(e) != kept[i] {
				t.Fatalf("%v: mark %d is on %q, want %q", words, i, got.at(e), kept[i])
			}
		}
	})
}

// FuzzRead feeds whatever may come from outside: nothing panics, no object is an error that stops the loop, and what arrives
// is complete.
func FuzzRead(f *testing.F) {
	for _, u := range recorded(f) {
		f.Add([]byte(u))
	}
	f.Add([]byte(`{"update_id":1e99}`))
	f.Add([]byte(`{"update_id":7,"message":null,"edited_message":[],"callback_query":"x"}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"update_id":8,"message":{"message_id":1,"message_thread_id":-3,"is_topic_message":true,"from":{"id":1},"chat":{"id":1,"type":"private"},"text":"x"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := newChannel(t, nil, func(c *Config) { c.Allow = []string{"*"} })
		p := poller{Channel: c, accept: (&engine{}).accept, answers: make(chan answer, 1), reader: reader{me: steady, mention: true}}
		if _, err := p.take(t.Context(), []json.RawMessage{raw}); err != nil {
			t.Fatalf("the loop stops at it: %v", err)
		}
		u, err := decode(raw)
		if err != nil {
			return // left out
		}
		for _, mention := range []bool{false, true} {
			a, ok := reader{me: steady, mention: mention}.read(u, time.Now())
			if !ok {
				continue
			}
			in := a.in
			if in.ID == "" || in.Event == nil || !strings.HasPrefix(string(in.Chat), "telegram:") || a.user < 0 {
				t.Fatalf("incomplete: %+v", in)
			}
			if at, err := parsePlace(in.Context); err != nil || at != a.at || at.key() != in.Chat {
				t.Fatalf("address %q of %q: %v", in.Context, in.Chat, err)
			}
			if s, ok := in.Event.(core.Said); ok && (!utf8.ValidString(s.Text) || core.Blank(s.Text) && len(in.Media) == 0) {
				t.Fatalf("said %q", s.Text)
			}
		}
	})
}
