package web

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"steady/core"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestInbound(t *testing.T) {
	tests := []struct {
		why   string
		frame clientFrame
		want  core.Event // nil: nothing comes of it
	}{
		{"a message", say{"i", "s", "hi"}, core.Said{Text: "hi"}},
		{"white space around is no part of it, inside it is untouched (seed 003)", say{"i", "s", " \n hi \t there\n\n"}, core.Said{Text: "hi \t there"}},
		{"empty is silent", say{"i", "s", ""}, nil},
		{"white space is silent", say{"i", "s", " \t\r\n\u3000"}, nil},
		{"zero width is silent", say{"i", "s", "\u200b\u2060\ufeff"}, nil},
		{"a typed command", say{"i", "s", "/Stop"}, core.Commanded{Name: "stop"}},
		{"with arguments", say{"i", "s", "/approve  ab12 \n"}, core.Commanded{Name: "approve", Args: "ab12"}},
		{"arguments may have lines", say{"i", "s", "/note one\ntwo"}, core.Commanded{Name: "note", Args: "one\ntwo"}},
		{"a path is no command", say{"i", "s", "/etc/hosts is odd"}, core.Said{Text: "/etc/hosts is odd"}},
		{"nor is a lone slash", say{"i", "s", "/ stop"}, core.Said{Text: "/ stop"}},
		{"nor a number", say{"i", "s", "/2 of it"}, core.Said{Text: "/2 of it"}},
		{"nor letters of no command", say{"i", "s", "/중지"}, core.Said{Text: "/중지"}},
		{"nor one without end", say{"i", "s", "/" + strings.Repeat("a", maxCommand+1)}, core.Said{Text: "/" + strings.Repeat("a", maxCommand+1)}},
		{"a press", press{"i", "s", "tok"}, core.Pressed{Token: "tok"}},
		{"a command of a button", command{"i", "s", "NEW", " x "}, core.Commanded{Name: "new", Args: "x"}},
		{"hello only asks", hello{Session: "s"}, nil},
		{"open only asks", openFrame{Session: "s"}, nil},
		{"history only asks", historyWish{Session: "s"}, nil},
	}
	for _, test := range tests {
		in, ok := inbound(test.frame, core.Ko, noon)
		if ok != (test.want != nil) || !reflect.DeepEqual(in.Event, test.want) {
			t.Errorf("%s: %#v, %t", test.why, in.Event, ok)
		}
	}
}

func TestInboundSaysWhoAndWhere(t *testing.T) {
	got, _ := inbound(say{"id-1", "morning", "hi"}, core.Zh, noon)
	want := core.Inbound{
		ID: "id-1", Channel: "web", Chat: "web:morning", Direct: true,
		Sender:   core.Sender{Account: "web:owner", Lang: core.Zh},
		Received: noon, Message: "id-1", Context: "web:morning", Event: core.Said{Text: "hi"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if in, _ := inbound(press{"id-2", "morning", "t"}, "", noon); in.Message != "" {
		t.Errorf("a press is no message to reply to, got %q", in.Message)
	}
}

func TestParseFrame(t *testing.T) {
	long := strings.Repeat("x", maxName+1)
	tests := []struct {
		why, raw string
		ok       bool
	}{
		{"hello", `{"v":1,"type":"hello","lang":"ko"}`, true},
		{"hello that opens", `{"v":1,"type":"hello","session":"s","revision":3}`, true},
		{"hello that opens nothing sensible", `{"v":1,"type":"hello","session":"a b"}`, false},
		{"open", `{"v":1,"type":"open","session":"s"}`, true},
		{"open without session", `{"v":1,"type":"open"}`, false},
		{"say", `{"v":1,"type":"say","id":"i","session":"s","text":"t"}`, true},
		{"say without id could not be sent again", `{"v":1,"type":"say","session":"s","text":"t"}`, false},
		{"an id may not be long", `{"v":1,"type":"say","id":"` + long + `","session":"s"}`, false},
		{"a session may not be long", `{"v":1,"type":"open","session":"` + long + `"}`, false},
		{"a session is part of a key", `{"v":1,"type":"open","session":"a/b"}`, false},
		{"press", `{"v":1,"type":"press","id":"i","session":"s","token":"t"}`, true},
		{"press without token", `{"v":1,"type":"press","id":"i","session":"s"}`, false},
		{"press with a novel", `{"v":1,"type":"press","id":"i","session":"s","token":"` + long + long + `"}`, false},
		{"command", `{"v":1,"type":"command","id":"i","session":"s","name":"stop"}`, true},
		{"command without name", `{"v":1,"type":"command","id":"i","session":"s"}`, false},
		{"command with a slash", `{"v":1,"type":"command","id":"i","session":"s","name":"/stop"}`, false},
		{"history", `{"v":1,"type":"history","session":"s","before":9}`, true},
		{"fields are only added", `{"v":1,"type":"open","session":"s","later":{"a":[]}}`, true},
		{"another version", `{"v":2,"type":"open","session":"s"}`, false},
		{"no version", `{"type":"open","session":"s"}`, false},
		{"unknown type", `{"v":1,"type":"shout"}`, false},
		{"wrong type of a field", `{"v":1,"type":"open","session":7}`, false},
		{"a revision is not negative", `{"v":1,"type":"open","session":"s","revision":-1}`, false},
		{"no object", `[1]`, false},
		{"no JSON", `hello`, false},
		{"nothing", ``, false},
	}
	for _, test := range tests {
		if _, err := parseFrame([]byte(test.raw)); (err == nil) != test.ok {
			t.Errorf("%s: %v", test.why, err)
		}
	}
}

func TestSessionOf(t *testing.T) {
	tests := []struct {
		where   core.ChatKey
		session string
		ok      bool
		why     string
	}{
		{"web:main", "main", true, "what chatKey makes"},
		{chatKey("a-B_9"), "a-B_9", true, "all of the alphabet"},
		{"web:", "", false, "no session"},
		{"main", "", false, "no prefix"},
		{"tg:1", "", false, "another channel"},
		{"web:a b", "", false, "not a name"},
	}
	for _, test := range tests {
		session, ok := sessionOf(test.where)
		if ok != test.ok || ok && session != test.session {
			t.Errorf("%s: %q, %t", test.why, session, ok)
		}
	}
}

func TestReceiptNames(t *testing.T) {
	seen := map[string]bool{}
	for k := core.Nothing; k <= core.Unknown; k++ {
		name := receiptName(k)
		if seen[name] {
			t.Errorf("two kinds are named %q", name)
		}
		seen[name] = true
	}
}

func TestResultStatus(t *testing.T) {
	for _, test := range []struct{ envelope, want, why string }{
		{`{"status":"ok","data":{}}`, "ok", "seed 001 §2"},
		{`{"status":"cancelled","reason":"user did not confirm"}`, "cancelled", "seed 001 §2"},
		{`{"status":"error","code":"r3_quota","reason":"…"}`, "error", "seed 001 §2"},
		{`{"status":"strange"}`, "error", "unknown is not good"},
		{`{"status":`, "error", "cut off"},
	} {
		if got := resultStatus(test.envelope); got != test.want {
			t.Errorf("%s: %s", test.why, got)
		}
	}
}

// FuzzClientFrame: whatever a client sends, what comes through is bounded, belongs to this channel, and says something.
func FuzzClientFrame(f *testing.F) {
	for _, seed := range []string{
		`{"v":1,"type":"hello","lang":"ko-KR","boot":"x","session":"main","revision":4}`,
		`{"v":1,"type":"open","session":"main","revision":18446744073709551615}`,
		`{"v":1,"type":"say","id":"a","session":"main","text":"/stop now\u0000"}`,
		`{"v":1,"type":"say","id":"a","session":"main","text":" \u200b "}`,
		`{"v":1,"type":"press","id":"a","session":"main","token":"t"}`,
		`{"v":1,"type":"command","id":"a","session":"main","name":"New","args":" x "}`,
		`{"v":1,"type":"history","session":"main","before":0}`,
		`{"v":1,"v":2,"type":"say","Type":"open"}`, "\xff\xfe", `{"v":1e0,"type":"open","session":"s"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		frame, err := parseFrame(raw)
		if err != nil {
			return
		}
		in, ok := inbound(frame, core.En, noon)
		if !ok {
			return
		}
		if session, ok := sessionOf(in.Chat); !ok || addressOf(session) != in.Context {
			t.Errorf("chat %q, context %q", in.Chat, in.Context)
		}
		if !isName(in.ID) || in.Channel != Name || in.Sender.Account != owner {
			t.Errorf("%+v", in)
		}
		switch e := in.Event.(type) {
		case core.Said:
			if core.Blank(e.Text) || strings.TrimSpace(e.Text) != e.Text || len(e.Text) > len(raw)*3 {
				t.Errorf("said %q", e.Text)
			}
		case core.Commanded:
			if !isCommand(e.Name) || strings.ToLower(e.Name) != e.Name {
				t.Errorf("command %q", e.Name)
			}
		case core.Pressed:
			if e.Token == "" || len(e.Token) > 2*maxName {
				t.Errorf("token %q", e.Token)
			}
		default:
			t.Errorf("event %T", e)
		}
		if _, err := json.Marshal(in.Event); err != nil {
			t.Error(err)
		}
	})
}
