package faketelegram_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	tg "steady/internal/faketelegram"
)

// FuzzRequest sends arbitrary bytes in each form: the platform answers every one, with JSON and a status that fits, and never
// shows a text that it should have refused.
func FuzzRequest(f *testing.F) {
	const multi = "multipart/form-data; boundary=b"
	for _, seed := range []struct{ query, mime, body string }{
		{"", "application/json", `{"chat_id":100001,"text":"hi","entities":[{"type":"bold","offset":0,"length":2}]}`},
		{"", "application/json", `{"chat_id":"100001","text":"😀","reply_markup":"{\"inline_keyboard\":[[{\"text\":\"a\",\"callback_data\":\"b\"}]]}"}`},
		{"", "application/json", `{"chat_id":100001,"text":"a\r\nb ","entities":[{"type":"code","offset":1,"length":4},{"type":"pre","offset":2,"length":1}]}`},
		{"", "application/json", `{"text":null,"reply_parameters":{"message_id":1}}`},
		{"chat_id=100001&text=%F0%9F%98%80", "", ""},
		{"", "application/x-www-form-urlencoded", "chat_id=100001&text=hi&parse_mode=HTML&text=<b>"},
		{"", "application/x-www-form-urlencoded", "chat_id=100001&parse_mode=MarkdownV2&text=*a*_b_`c`[d](e)\\."},
		{"a=%zz", "text/plain", "x"},
		{"", multi, "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhi\r\n--b\r\nContent-Disposition: form-data; name=\"document\"; filename=\"x\"\r\n\r\nz\r\n--b--\r\n"},
		{"", multi, "--b--\r\n"},
	} {
		f.Add(seed.query, seed.mime, []byte(seed.body))
	}
	f.Fuzz(func(t *testing.T, query, mime string, body []byte) {
		s := tg.New(tg.Config{})
		defer s.Close()
		chat := s.Open(s.AddUser(tg.User{}).ID).ID
		for _, method := range []string{"sendMessage", "sendDocument", "setMyCommands", "setMessageReaction"} {
			r := httptest.NewRequest(http.MethodPost, "/bot"+s.Token()+"/"+method, strings.NewReader(string(body)))
			r.URL.RawQuery = query
			r.Header.Set("Content-Type", mime)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			got := decode[answer](t, w.Body.Bytes())
			if got.OK != (w.Code == http.StatusOK) || !got.OK && (got.Code != w.Code || got.Description == "") {
				t.Fatalf("answered %d %s", w.Code, w.Body)
			}
		}
		for _, m := range s.FromBot(chat) {
			checkShown(t, m)
		}
	})
}

// FuzzEntities sends a text with entities made of three bytes each: type, offset, length. What is not refused must be shown
// well nested and inside the text.
func FuzzEntities(f *testing.F) {
	f.Add(" 😀 a\r\nb\t", []byte{0, 1, 3, 5, 0, 4, 1, 2, 4})
	f.Add("abcdefgh", []byte{0, 0, 4, 1, 2, 4, 5, 3, 2, 7, 1, 6, 8, 0, 8, 9, 2, 2})
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		kinds := []tg.EntityType{tg.Bold, tg.Italic, tg.Underline, tg.Strikethrough, tg.Spoiler, tg.Code, tg.Pre, tg.Blockquote,
			tg.ExpandableBlockquote, tg.TextLink}
		var es []args
		for ; len(raw) >= 3; raw = raw[3:] {
			es = append(es, args{"type": kinds[int(raw[0])%len(kinds)], "offset": raw[1], "length": raw[2], "url": "https://e.org/"})
		}
		s := tg.New(tg.Config{})
		defer s.Close()
		chat := s.Open(s.AddUser(tg.User{}).ID).ID
		body, err := json.Marshal(args{"chat_id": chat, "text": text, "entities": es})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/bot"+s.Token()+"/sendMessage", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(httptest.NewRecorder(), r)
		for _, m := range s.FromBot(chat) {
			checkShown(t, m)
		}
	})
}

// checkShown checks what must hold for everything that a chat shows.
func checkShown(t *testing.T, m tg.Message) {
	t.Helper()
	units := 0
	for _, r := range m.Text {
		units++
		if r > 0xffff {
			units++
		}
	}
	if !utf8.ValidString(m.Text) || units > 4096 || units == 0 && m.File == nil || strings.TrimRight(m.Text, " \n") != m.Text {
		t.Fatalf("shown %q", m.Text)
	}
	for i, e := range m.Entities {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > units {
			t.Fatalf("entity %+v of %q (%d units)", e, m.Text, units)
		}
		for _, o := range m.Entities[:i] {
			apart := e.Offset >= o.Offset+o.Length
			inside := e.Offset >= o.Offset && e.Offset+e.Length <= o.Offset+o.Length
			if !apart && !inside || inside && (o.Type == tg.Code || o.Type == tg.Pre) {
				t.Fatalf("entities %+v and %+v", o, e)
			}
		}
		if e.Type == tg.TextLink {
			if _, err := url.Parse(e.URL); err != nil {
				t.Fatal(err)
			}
		}
	}
}
