package fakemodel_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"steady/internal/fakemodel"
)

// FuzzRequest sends arbitrary bytes: the server answers each with JSON, and what it accepts is a history that holds together.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(hello))
	f.Add([]byte(with(`"tools":[` + tool + `],"tool_choice":"auto","temperature":0.5,"max_tokens":5`)))
	f.Add([]byte(history(`{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"x","tool_call_id":"a"}`)))
	f.Add([]byte(`{"model":null,"messages":[null]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := fakemodel.New(fakemodel.Config{Handler: func(fakemodel.Request) fakemodel.Reply { return fakemodel.Text("ok") }})
		defer s.Close()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/chat/completions", strings.NewReader(string(body))))
		if w.Code != http.StatusOK {
			var r refusal
			if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil || w.Code != http.StatusBadRequest || r.Error.Message == "" {
				t.Fatalf("%d %s: %v", w.Code, w.Body, err)
			}
			return
		}
		open := 0
		for _, m := range s.Requests()[0].Messages {
			if m.Role == fakemodel.ToolRole {
				open--
				continue
			}
			if open != 0 {
				t.Fatalf("accepted %s", body)
			}
			open = len(m.ToolCalls)
		}
		if open != 0 {
			t.Fatalf("accepted %s", body)
		}
	})
}
