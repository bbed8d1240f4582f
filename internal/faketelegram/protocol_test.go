package faketelegram_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	tg "steady/internal/faketelegram"
)

// TestForms sends one message in each form that a client library uses: JSON (grammY), urlencoded with objects as JSON strings
// (node-telegram-bot-api), multipart (go-telegram/bot), and a GET with everything in the query.
func TestForms(t *testing.T) {
	s := start(t, tg.Config{})
	chat := s.chat
	markup := `{"inline_keyboard":[[{"text":"Yes","callback_data":"y"}]]}`
	form := url.Values{"chat_id": {itoa(chat)}, "text": {"hi"}, "reply_markup": {markup}}

	var parts bytes.Buffer
	w := multipart.NewWriter(&parts)
	for name := range form {
		_ = w.WriteField(name, form.Get(name))
	}
	_ = w.Close()

	for _, c := range []struct {
		why, mime string
		body      string
	}{
		{"typed JSON", "application/json", `{"chat_id":` + itoa(chat) + `,"text":"hi","reply_markup":` + markup + `}`},
		{"JSON with everything as strings", "application/json; charset=utf-8",
			`{"chat_id":"` + itoa(chat) + `","text":"hi","reply_markup":"{\"inline_keyboard\":[[{\"text\":\"Yes\",\"callback_data\":\"y\"}]]}"}`},
		{"urlencoded", "application/x-www-form-urlencoded", form.Encode()},
		{"multipart", w.FormDataContentType(), parts.String()},
	} {
		got, err := s.post(bounded(t), "sendMessage", c.mime, []byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		if wantOK(t, got); t.Failed() {
			t.Fatal(c.why)
		}
	}
	req, _ := http.NewRequestWithContext(bounded(t), http.MethodGet, s.url+"/bot"+s.Token()+"/SENDMESSAGE?"+form.Encode(), nil)
	got, err := fetch(req)
	if err != nil {
		t.Fatal(err)
	}
	wantOK(t, got) // method names have no case

	for _, m := range s.FromBot(chat) {
		if m.Text != "hi" || len(m.Buttons) != 1 || m.Buttons[0][0] != (tg.Button{Text: "Yes", Data: "y"}) {
			t.Errorf("shown %+v", m)
		}
	}
	if n := len(s.FromBot(chat)); n != 5 {
		t.Errorf("%d messages, want 5", n)
	}
	for _, c := range s.CallsTo("sendMessage") {
		if c.Params["text"] != "hi" || c.Chat != chat || !c.Outcome.Applied || !c.Outcome.Answered || c.Outcome.Code != 200 {
			t.Errorf("logged %+v", c)
		}
	}
}

func TestBadRequests(t *testing.T) {
	s := start(t, tg.Config{})
	for _, c := range []struct {
		why, mime, body, want string
	}{
		{"broken JSON", "application/json", `{"chat_id":`, "Bad Request: can't parse parameters: expected a JSON object"},
		{"not an object", "application/json", `[1]`, "Bad Request: can't parse parameters: expected a JSON object"},
		{"not UTF-8", "application/json", "{\"text\":\"\xff\"}", "Bad Request: can't parse parameters: strings must be encoded in UTF-8"},
		{"no boundary", "multipart/form-data", "x", "Bad Request: can't parse parameters: boundary not found"},
		{"cut multipart", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\nhalf",
			"Bad Request: can't parse parameters: unfinished part"},
		{"a part without a name", "multipart/form-data; boundary=b", "--b\r\n\r\nx\r\n--b--\r\n",
			"Bad Request: can't parse parameters: part without a name"},
		{"unknown form, so no parameters", "text/plain", "text=hi", "Bad Request: message text is empty"},
	} {
		got, err := s.post(bounded(t), "sendMessage", c.mime, []byte(c.body))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(c.why, func(t *testing.T) { wantRefusal(t, got, 400, c.want) })
	}
}

// TestUploadBound: a body above the platform's 50 MB is refused, not read.
func TestUploadBound(t *testing.T) {
	s := start(t, tg.Config{})
	r := httptest.NewRequest(http.MethodPost, "/bot"+s.Token()+"/sendDocument", io.LimitReader(zeros{}, 52<<20))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if got := decode[answer](t, w.Body.Bytes()); w.Code != 413 || got.Description != "Request Entity Too Large" {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestPublicNames: a group with a name can be addressed by it.
func TestPublicNames(t *testing.T) {
	s := start(t, tg.Config{})
	s.AddGroup(tg.Chat{Type: tg.Supergroup, Username: "runners"})
	wantOK(t, s.do("sendMessage", args{"chat_id": "@Runners", "text": "hi"}))
}

func TestAddresses(t *testing.T) {
	s := start(t, tg.Config{})
	for _, c := range []struct {
		why, path string
		code      int
		want      string
	}{
		{"another bot's token", "/bot42:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/getMe", 401, "Unauthorized"},
		{"a malformed token", "/botnonsense/getMe", 404, "Not Found"},
		{"too short a secret", "/bot42:short/getMe", 404, "Not Found"},
		{"no method", "/bot" + s.Token(), 404, "Not Found"},
		{"outside the API", "/favicon.ico", 404, "Not Found"},
		{"an unknown method, as a newer one is on an older server", "/bot" + s.Token() + "/sendRichMessage", 404, "Not Found: method not found"},
		{"an unknown file", "/file/bot" + s.Token() + "/documents/none", 404, "Not Found"},
		{"a file with a wrong token", "/file/bot42:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/documents/none", 401, "Unauthorized"},
	} {
		t.Run(c.why, func(t *testing.T) {
			req, _ := http.NewRequestWithContext(bounded(t), http.MethodPost, s.url+c.path, nil)
			got, err := fetch(req)
			if err != nil {
				t.Fatal(err)
			}
			wantRefusal(t, got, c.code, c.want)
		})
	}
	req, _ := http.NewRequestWithContext(bounded(t), http.MethodDelete, s.url+"/bot"+s.Token()+"/getMe", nil)
	if got, err := fetch(req); err != nil || got.status != http.StatusMethodNotAllowed {
		t.Errorf("DELETE: %v %v", got, err)
	}
}

func TestGetMe(t *testing.T) {
	s := start(t, tg.Config{Token: "77:x", Bot: tg.Bot{FirstName: "Coach", Username: "coach_bot", ReadsAll: true}})
	me := decode[struct {
		ID       int64  `json:"id"`
		IsBot    bool   `json:"is_bot"`
		Username string `json:"username"`
		ReadsAll bool   `json:"can_read_all_group_messages"`
	}](t, s.do("getMe", nil).Result)
	if me.ID != 77 || !me.IsBot || me.Username != "coach_bot" || !me.ReadsAll || s.Me().ID != 77 {
		t.Errorf("getMe: %+v", me)
	}
}
