package telegram

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"steady/core"
)

// What is stored must be read again for as long as the data lives, so the forms themselves are pinned.
func TestForms(t *testing.T) {
	for _, test := range []struct {
		at      place
		key     core.ChatKey
		context core.ChannelContext
	}{
		{place{chat: 1001}, "telegram:1001", "1001"},
		{place{chat: -1000000000999}, "telegram:-1000000000999", "-1000000000999"},
		{place{chat: -1004, topic: 12}, "telegram:-1004:12", "-1004:12"},
	} {
		if test.at.key() != test.key || test.at.context() != test.context {
			t.Errorf("%v is %q at %q", test.at, test.at.key(), test.at.context())
		}
	}
	if p := (post{-77, 5}); p.messageID() != "-77/5" || p.inbound() != "m:-77/5" || account(1001) != "telegram:1001" {
		t.Errorf("message %q, inbound %q, account %q", p.messageID(), p.inbound(), account(1001))
	}
}

func TestFormsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := place{rapid.Int64().Filter(func(n int64) bool { return n != 0 }).Draw(t, "chat"), rapid.IntRange(0, 1<<40).Draw(t, "topic")}
		if got, err := parsePlace(at.context()); err != nil || got != at {
			t.Fatalf("%v becomes %v, %v", at, got, err)
		}
		p := post{at.chat, rapid.IntRange(1, 1<<40).Draw(t, "message")}
		if got, err := parsePost(p.messageID()); err != nil || got != p {
			t.Fatalf("%v becomes %v, %v", p, got, err)
		}
		token := rapid.StringN(1, 40, 40).Draw(t, "token")
		data := buttonData(token, at.topic)
		if gotToken, gotTopic := parseButton(data); gotToken != token || gotTopic != at.topic || len(data) > maxButtonData {
			t.Fatalf("%q in %d becomes %q in %d, %d bytes", token, at.topic, gotToken, gotTopic, len(data))
		}
	})
}

func TestForeignForms(t *testing.T) {
	for _, c := range []core.ChannelContext{"", "0", "x", "1:", "1:0", "1:-2", "1:x", "1:2:3", "oc_5f3a"} {
		if at, err := parsePlace(c); err == nil {
			t.Errorf("address %q is read as %v", c, at)
		}
	}
	for _, id := range []core.MessageID{"", "5", "1/", "1/0", "1/-5", "x/5", "om_77"} {
		if p, err := parsePost(id); err == nil {
			t.Errorf("message id %q is read as %v", id, p)
		}
	}
	// A client may send any data with a press; it stays a token that nobody gave out.
	for _, data := range []string{"", ":", "a:b", "a:-1", "a:99999999999999999999", strings.Repeat(":", 64)} {
		if _, topic := parseButton(data); topic != 0 {
			t.Errorf("button %q is of topic %d", data, topic)
		}
	}
}
