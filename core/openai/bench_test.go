package openai

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"steady/core"
)

// BenchmarkAccumulate reads a stream of 1,000 pieces.
func BenchmarkAccumulate(b *testing.B) {
	var s strings.Builder
	for range 1000 {
		s.WriteString(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764500000,"model":"m","system_fingerprint":"fp_1",` +
			`"choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null}]}` + "\n\n")
	}
	s.WriteString("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	body := s.String()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := accumulate(strings.NewReader(body)); err != nil {
			b.Fatal(err)
		}
	}
}

// prompt is one of a usual size: 40 messages, 8 tools.
func prompt() core.Prompt {
	p := core.Prompt{System: strings.Repeat("Be kind and brief. ", 100)}
	for i := range 10 {
		id := fmt.Sprint("call_", i)
		p.Items = append(p.Items,
			core.Ask{Text: strings.Repeat("How am I doing? ", 5), Facts: "now: 9:00"},
			core.Calls{Calls: []core.ToolCall{{ID: id, Name: "get_streak", Args: `{"habit_id":"h1"}`}}},
			core.Outcome{ID: id, Name: "get_streak", JSON: `{"status":"ok","data":{"current_streak":5}}`},
			core.Answer{Text: strings.Repeat("Five days. ", 10)})
	}
	for i := range 8 {
		p.Tools = append(p.Tools, core.ToolSpec{Name: fmt.Sprint("tool_", i), Description: strings.Repeat("Does it. ", 10),
			Schema: []byte(`{"type":"object","properties":{"habit_id":{"type":"string","description":"which"},"limit":{"type":"integer","minimum":1,"maximum":10}},"required":["habit_id"]}`)})
	}
	return p
}

// BenchmarkRequest makes the body of a request.
func BenchmarkRequest(b *testing.B) {
	e, p := newEncoder(Config{Model: "m", Temperature: 0.3}, "api.test"), prompt()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.encode(p); err != nil {
			b.Fatal(err)
		}
	}
}

type instant string

func (s instant) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(string(s))), Request: req}, nil
}

// BenchmarkReply is all that a short reply costs besides the network.
func BenchmarkReply(b *testing.B) {
	m, err := New(Config{BaseURL: "http://h/v1", Key: "k", Model: "m", HTTP: instant(
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")})
	if err != nil {
		b.Fatal(err)
	}
	p := prompt()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Reply(b.Context(), p, func(core.Delta) {}); err != nil {
			b.Fatal(err)
		}
	}
}
