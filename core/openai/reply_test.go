package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
	"steady/core/openai"
)

// TestRetry says when a failed request is made again, and what the person sees of it.
func TestRetry(t *testing.T) {
	ok := answer{body: events(delta("ok"), stop, usage, end)}
	status := func(code int, header ...string) answer {
		a := answer{status: code, header: http.Header{}, body: `{"error":{"message":"no"}}`}
		for i := 0; i+1 < len(header); i += 2 {
			a.header.Set(header[i], header[i+1])
		}
		return a
	}
	for _, tt := range []struct {
		name     string
		answers  []answer
		shown    string // with |restart| where the text before is void
		kind     core.Kind
		wait     time.Duration // of the error
		requests int
		min, max time.Duration // that it takes
		why      string
	}{
		{"first time", []answer{ok}, "ok", core.Other, 0, 1, 0, 0, ""},
		{"twice 503", []answer{status(503), status(500), ok}, "ok", core.Other, 0, 3, 750 * time.Millisecond, 1500 * time.Millisecond,
			"between half and all of 0.5 s, then of 1 s"},
		{"always 503", []answer{status(503)}, "", core.Transient, 0, 3, 750 * time.Millisecond, 1500 * time.Millisecond, ""},
		{"Retry-After", []answer{status(429, "Retry-After", "3"), ok}, "ok", core.Other, 0, 2, 3 * time.Second, 3375 * time.Millisecond,
			"never before, and a little after"},
		{"Retry-After of 503", []answer{status(503, "Retry-After", "3"), ok}, "ok", core.Other, 0, 2, 3 * time.Second, 3375 * time.Millisecond, ""},
		{"long Retry-After", []answer{status(429, "Retry-After", "60"), ok}, "", core.Throttled, time.Minute, 1, 0, 0,
			"the caller can tell the person"},
		{"429 without a hint", []answer{status(429)}, "", core.Throttled, 0, 3, 750 * time.Millisecond, 1500 * time.Millisecond, ""},
		{"bad request", []answer{status(400)}, "", core.Refused, 0, 1, 0, 0, "it stays bad"},
		{"no such model", []answer{status(404)}, "", core.Refused, 0, 1, 0, 0, ""},
		{"wrong key", []answer{status(401)}, "", core.Unauthorized, 0, 1, 0, 0, ""},
		{"redirect", []answer{status(301, "Location", "http://elsewhere.test/")}, "", core.Refused, 0, 1, 0, 0,
			"the key goes nowhere else"},
		{"cut before any text", []answer{{body: ": keep-alive\n\n"}, ok}, "ok", core.Other, 0, 2, 250 * time.Millisecond, 500 * time.Millisecond,
			"nobody saw it"},
		{"cut after text", []answer{{body: events(delta("half"))}, ok}, "half", core.Truncated, 0, 1, 0, 0,
			"what there is may be all that is worth having"},
		{"error after text", []answer{{body: events(delta("half"), `data: {"error":{"code":503,"message":"x"}}`)}, ok}, "half|restart|ok",
			core.Other, 0, 2, 250 * time.Millisecond, 500 * time.Millisecond, "the person sees that it begins again"},
		{"error after text, then silence", []answer{{body: events(delta("half"), `data: {"error":{"code":503,"message":"x"}}`)}, status(400)}, "half",
			core.Refused, 0, 2, 250 * time.Millisecond, 500 * time.Millisecond, "the old text stands until there is another one"},
		{"error after text, then only calls", []answer{{body: events(delta("half"), `data: {"error":{"code":503,"message":"x"}}`)},
			{body: events(`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]},"finish_reason":"stop"}]}`)}},
			"half|restart|", core.Other, 0, 2, 250 * time.Millisecond, 500 * time.Millisecond, "the new reply has no text"},
		{"length", []answer{{body: events(delta("long"), `data: {"choices":[{"delta":{},"finish_reason":"length"}]}`)}}, "long",
			core.Truncated, 0, 1, 0, 0, "it would be as long again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &canned{answers: tt.answers}
				cfg := config(server)
				cfg.Retries = 2
				var got heard
				begun := time.Now()
				reply, err := newModel(t, cfg).Reply(t.Context(), hello, got.sink)
				if took := time.Since(begun); took < tt.min || took > tt.max {
					t.Errorf("took %v, want %v to %v", took, tt.min, tt.max)
				}
				if core.KindOf(err) != tt.kind || (err != nil) != (tt.kind != core.Other) {
					t.Fatalf("error %v, want %v: %s", err, tt.kind, tt.why)
				}
				var e *core.Error
				if errors.As(err, &e) && e.Wait != tt.wait {
					t.Errorf("wait %v, want %v", e.Wait, tt.wait)
				}
				if got.all() != tt.shown {
					t.Errorf("shown %q, want %q: %s", got.all(), tt.shown, tt.why)
				}
				if err == nil && reply.Text != got.text() {
					t.Errorf("text %q, shown %q", reply.Text, got.text())
				}
				if len(server.requests) != tt.requests {
					t.Errorf("%d requests, want %d: %s", len(server.requests), tt.requests, tt.why)
				}
				if server.open != 0 {
					t.Errorf("%d bodies left open", server.open)
				}
			})
		})
	}
}

// TestRetryWithinDeadline holds that nobody is kept waiting for a try that cannot be made any more.
func TestRetryWithinDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &canned{answers: []answer{{status: 429, header: http.Header{"Retry-After": {"5"}}}}}
		cfg := config(server)
		cfg.Retries = 2
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		begun := time.Now()
		_, err := newModel(t, cfg).Reply(ctx, hello, new(heard).sink)
		var e *core.Error
		if !errors.As(err, &e) || e.Kind != core.Throttled || e.Wait != 5*time.Second || time.Since(begun) != 0 {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// TestCancelledPause holds that a pause ends with the context.
func TestCancelledPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &canned{answers: []answer{{status: 429, header: http.Header{"Retry-After": {"15"}}}}}
		cfg := config(server)
		cfg.Retries = 2
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		begun := time.Now()
		_, err := newModel(t, cfg).Reply(ctx, hello, new(heard).sink)
		if !errors.Is(err, context.Canceled) || core.KindOf(err) != core.Other || time.Since(begun) != time.Second {
			t.Errorf("after %v: %v", time.Since(begun), err)
		}
	})
}

// keepAlive writes comments until the client goes, which it reports to gone.
func keepAlive(w http.ResponseWriter, r *http.Request, gone chan<- time.Time) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			say(w, ": keep-alive")
		case <-r.Context().Done():
			gone <- time.Now()
			return
		}
	}
}

// TestSilence holds the clocks, each against a server that keeps the connection busy with comments and never closes it: pain
// T01. The time is the bubble's, the HTTP is real.
func TestSilence(t *testing.T) {
	call := `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}`
	for _, tt := range []struct {
		name  string
		lines []string
		took  time.Duration
		kind  core.Kind
		text  string
		why   string
	}{
		{"nothing at all", nil, 60 * time.Second, core.Transient, "", "keep-alives are no content"},
		{"only a role", []string{`data: {"choices":[{"delta":{"role":"assistant","content":""}}]}`}, 60 * time.Second, core.Transient, "",
			"nor is an empty piece"},
		{"text, then nothing", []string{delta("half")}, 30 * time.Second, core.Truncated, "half", "the turn ends with what there is"},
		{"a thought, then nothing", []string{`data: {"choices":[{"delta":{"reasoning":"hm"}}]}`}, 30 * time.Second, core.Transient, "",
			"thoughts are content, but not shown"},
		{"half a call, then nothing", []string{call}, 30 * time.Second, core.Transient, "", "nothing was shown"},
		{"all, never closed", []string{delta("a"), stop, usage, end}, 50 * time.Millisecond, core.Other, "a", ""},
		{"all but usage", []string{delta("a"), stop, end}, 500 * time.Millisecond, core.Other, "a", "usage may still come"},
		{"only the finish reason", []string{delta("a"), stop}, 500 * time.Millisecond, core.Other, "a", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := make(chan time.Time, 1)
				carrier := dialed(t, func(w http.ResponseWriter, r *http.Request) {
					say(w, tt.lines...)
					keepAlive(w, r, gone)
				})
				var got heard
				begun := time.Now()
				_, err := newModel(t, config(carrier)).Reply(t.Context(), hello, got.sink)
				if took := time.Since(begun); took != tt.took {
					t.Errorf("took %v, want %v: %s", took, tt.took, tt.why)
				}
				if core.KindOf(err) != tt.kind || (err != nil) != (tt.kind != core.Other) {
					t.Errorf("error %v, want %v: %s", err, tt.kind, tt.why)
				}
				if got.text() != tt.text {
					t.Errorf("shown %q, want %q", got.text(), tt.text)
				}
				if left := (<-gone).Sub(begun); left > tt.took+time.Second {
					t.Errorf("the server was let go after %v", left)
				}
			})
		})
	}
}

// TestSlowServer holds that a slow server is no silent one.
func TestSlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := dialed(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(59 * time.Second)
			for range 20 {
				say(w, delta("a"))
				time.Sleep(29 * time.Second)
			}
			say(w, stop, usage, end)
		})
		reply, err := newModel(t, config(carrier)).Reply(t.Context(), hello, new(heard).sink)
		if err != nil || reply.Text != strings.Repeat("a", 20) {
			t.Errorf("%q, %v", reply.Text, err)
		}
	})
}

// TestSlowListener holds that the time that a sink takes is not taken for the server's silence.
func TestSlowListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := dialed(t, func(w http.ResponseWriter, r *http.Request) {
			say(w, delta("a"))
			time.Sleep(time.Second)
			say(w, delta("b"), stop, usage, end)
		})
		reply, err := newModel(t, config(carrier)).Reply(t.Context(), hello, func(core.Delta) { time.Sleep(2 * time.Minute) })
		if err != nil || reply.Text != "ab" {
			t.Errorf("%q, %v", reply.Text, err)
		}
	})
}

// TestCancel holds that Reply returns at once when its context ends, before the headers as well as inside of the stream, and
// lets go of the connection.
func TestCancel(t *testing.T) {
	for name, begin := range map[string]func(http.ResponseWriter){
		"before the headers": func(http.ResponseWriter) {},
		"inside the stream":  func(w http.ResponseWriter) { say(w, delta("a")) },
		"after the reply":    func(w http.ResponseWriter) { say(w, delta("a"), stop) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				gone := make(chan struct{})
				carrier := dialed(t, func(w http.ResponseWriter, r *http.Request) {
					begin(w)
					<-r.Context().Done()
					close(gone)
				})
				cfg := config(carrier)
				cfg.Retries = 2
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(100*time.Millisecond, cancel)
				begun := time.Now()
				_, err := newModel(t, cfg).Reply(ctx, hello, new(heard).sink)
				if !errors.Is(err, context.Canceled) || core.KindOf(err) != core.Other {
					t.Errorf("error %v", err)
				}
				if took := time.Since(begun); took != 100*time.Millisecond {
					t.Errorf("took %v", took)
				}
				<-gone
			})
		})
	}
}

// TestConnectionIsUsedAgain holds that a stream is read to its end, without which every turn would pay for a new handshake.
func TestConnectionIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := dialed(t, func(w http.ResponseWriter, r *http.Request) { say(w, delta("a"), stop, usage, end) })
		dial, dials := carrier.DialContext, 0
		carrier.DialContext = func(ctx context.Context, network, addr string) (c2 net.Conn, err error) {
			dials++
			return dial(ctx, network, addr)
		}
		m := newModel(t, config(carrier))
		for range 5 {
			if _, err := m.Reply(t.Context(), hello, new(heard).sink); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if dials != 1 {
			t.Errorf("%d connections for 5 replies", dials)
		}
	})
}

// TestConcurrent holds that one model serves many turns at once without mixing them up.
func TestConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := dialed(t, func(w http.ResponseWriter, r *http.Request) {
			var req struct{ Messages []struct{ Content string } }
			if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
				t.Error(err)
			}
			for _, c := range req.Messages[len(req.Messages)-1].Content {
				say(w, delta(string(c)))
			}
			say(w, stop, usage, end)
		})
		m := newModel(t, config(carrier))
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				want := fmt.Sprint("turn ", i)
				var got heard
				reply, err := m.Reply(t.Context(), core.Prompt{Items: []core.PromptItem{core.Ask{Text: want}}}, got.sink)
				if err != nil || reply.Text != want || got.all() != want {
					t.Errorf("%q, %q, %v", reply.Text, got.all(), err)
				}
			})
		}
		wg.Wait()
	})
}

// TestCutConnection holds that a connection that breaks is a stream without an end, and that Close leaves no goroutine behind:
// the bubble could not end.
func TestCutConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := dialed(t, func(w http.ResponseWriter, r *http.Request) {
			say(w, delta("a"))
			panic(http.ErrAbortHandler)
		})
		m := newModel(t, config(carrier))
		if _, err := m.Reply(t.Context(), hello, new(heard).sink); core.KindOf(err) != core.Truncated {
			t.Errorf("error %v", err)
		}
		m.Close()
	})
}

// TestUnreachable holds that a server that cannot be reached is a passing failure, and that its URL stays out of the error.
func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		carrier := dialed(t, func(http.ResponseWriter, *http.Request) {})
		carrier.DialContext = func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("dial tcp: connection refused")
		}
		cfg := config(carrier)
		cfg.BaseURL = "http://user:open-sesame@model.test/v1?token=hidden-value"
		cfg.Retries = 1
		_, err := newModel(t, cfg).Reply(t.Context(), hello, new(heard).sink)
		if core.KindOf(err) != core.Transient || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("error %v", err)
		}
		for _, s := range []string{"open-sesame", "hidden-value", "http://"} {
			if strings.Contains(err.Error(), s) {
				t.Errorf("error shows %q: %v", s, err)
			}
		}
	})
}

// TestSecrets holds that no error has the key, however a server repeats it: pain T09.
func TestSecrets(t *testing.T) {
	for _, a := range []answer{
		{status: 401, body: `{"error":{"message":"Incorrect API key provided: ` + secret + `. See https://x.test","code":"invalid_api_key"}}`},
		{status: 401, body: `{"error":{"message":"Incorrect API key provided: sk-test-****cdef."}}`},
		{status: 401, body: `{"error":"bad header: Bearer ` + secret + `"}`},
		{status: 500, body: "<html>" + secret + "</html>"},
		{status: 400, body: strings.Repeat("x", 490) + secret},
		{status: 400, body: strings.Repeat(secret+" ", 5000)},
		{body: events(`data: {"error":{"message":"key ` + secret + `","type":"` + secret + `"}}`)},
		{body: events("event: error\ndata: " + secret)},
		{body: `[{"error":{"code":400,"message":"` + secret + `"}}]`},
	} {
		var log strings.Builder
		cfg := config(&canned{answers: []answer{a}})
		cfg.Log = debugLogger(&log)
		m := newModel(t, cfg)
		_, err := m.Reply(t.Context(), hello, new(heard).sink)
		if err == nil {
			t.Fatalf("no error: %.80q", a.body)
		}
		for _, s := range []string{err.Error(), fmt.Sprintf("%+v %#v", err, err), log.String(), fmt.Sprintf("%v %+v %#v", m, *m, m)} {
			if strings.Contains(s, "0123456789abc") || strings.Contains(s, "cdef") {
				t.Errorf("key shown: %s", s)
			}
		}
		if len(err.Error()) > 700 {
			t.Errorf("error of %d bytes", len(err.Error()))
		}
	}
}

// TestBounds holds that no server can make a reply grow without end.
func TestBounds(t *testing.T) {
	call := func(i int) string {
		return fmt.Sprintf(`data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f"}}]}}]}`, i, i)
	}
	var calls []string
	for i := range 65 {
		calls = append(calls, call(i))
	}
	big := strings.Repeat("x", 512<<10)
	for name, body := range map[string]string{
		"a line":       "data: " + strings.Repeat("x", 2<<20),
		"an event":     strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", 2000),
		"many lines":   `data: {"a":[{}` + "\n" + strings.Repeat("data: ,{}\n", 300_000), // each of which could be the last
		"a text":       strings.Repeat(delta(big)+"\n\n", 5) + stop,
		"a thought":    strings.Repeat(`data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","text":"`+big+`"}]}}]}`+"\n\n", 5) + stop,
		"a JSON value": `{"choices":[{"message":{"content":"` + strings.Repeat("x", 5<<20) + `"},"finish_reason":"stop"}]}`,
		"calls":        events(append(calls, stop)...),
	} {
		cfg := config(&canned{answers: []answer{{body: body}}})
		cfg.Retries = 1
		_, err := newModel(t, cfg).Reply(t.Context(), hello, new(heard).sink)
		if core.KindOf(err) != core.Truncated || !strings.Contains(err.Error(), "longer than allowed") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	endless := config(roundTrip(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(forever(strings.Repeat(": keep-alive\n", 2000)))}, nil
	}))
	if _, err := newModel(t, endless).Reply(t.Context(), hello, new(heard).sink); core.KindOf(err) != core.Truncated {
		t.Errorf("endless comments: error %v", err)
	}
}

// TestRoundTrip holds that what a server wants to see again comes back to it, and to no other.
func TestRoundTrip(t *testing.T) {
	stream := events(
		`data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"I sh","format":"f"}]}}]}`,
		`data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"all","signature":"sig"}]}}]}`,
		`data: {"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.encrypted","index":1,"data":"AAAA"}]}}]}`,
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","extra_content":{"g":1},"function":{"name":"f"}}]},"finish_reason":"tool_calls"}]}`)
	server := &canned{answers: []answer{{body: stream}, {body: events(stop)}}}
	m := newModel(t, config(server))
	reply, err := m.Reply(t.Context(), hello, new(heard).sink)
	if err != nil {
		t.Fatal(err)
	}
	next := core.Prompt{Items: []core.PromptItem{
		core.Ask{Text: "hi"},
		core.Calls{Text: reply.Text, Calls: reply.Calls, Opaque: reply.Opaque},
		core.Outcome{ID: "c", Name: "f", JSON: `{"status":"ok"}`},
	}}
	if _, err := m.Reply(t.Context(), next, new(heard).sink); err != nil {
		t.Fatal(err)
	}
	want := `"reasoning_details":[{"format":"f","index":0,"signature":"sig","text":"I shall","type":"reasoning.text"},` +
		`{"data":"AAAA","index":1,"type":"reasoning.encrypted"}]`
	if got := server.requests[1]; !strings.Contains(got, want) || !strings.Contains(got, `"extra_content":{"g":1}`) {
		t.Errorf("second request lacks thoughts or signature:\n%s", got)
	}
	other := config(server)
	other.Model = "other"
	if _, err := newModel(t, other).Reply(t.Context(), next, new(heard).sink); err != nil {
		t.Fatal(err)
	}
	if got := server.requests[2]; strings.Contains(got, "reasoning") || strings.Contains(got, "extra_content") {
		t.Errorf("another model got to see them:\n%s", got)
	}
}

// TestKeptThoughts holds which form of its thoughts a server gets back: one, the richest that it gave.
func TestKeptThoughts(t *testing.T) {
	for _, tt := range []struct{ delta, want, why string }{
		{`"reasoning_content":"hm"`, `{"from":"model.test test","reasoning_content":"hm"}`, "DeepSeek, Qwen"},
		{`"reasoning_content":""`, `{"from":"model.test test","reasoning_content":""}`, "DeepSeek misses an empty one, too"},
		{`"reasoning_content":null`, ``, ""},
		{`"reasoning":"hm"`, `{"from":"model.test test","reasoning":"hm"}`, "vLLM"},
		{`"reasoning":"hm","reasoning_content":"hm"`, `{"from":"model.test test","reasoning_content":"hm"}`, "the same under two names"},
		{`"reasoning":"hm","reasoning_details":[{"type":"reasoning.summary","summary":"s"}]`,
			`{"from":"model.test test","reasoning_details":[{"summary":"s","type":"reasoning.summary"}]}`, "OpenRouter"},
	} {
		for _, call := range []string{`,"tool_calls":[{"id":"c","function":{"name":"f"}}]`, ""} {
			server := &canned{answers: []answer{{body: events(`data: {"choices":[{"delta":{` + tt.delta + call + `},"finish_reason":"stop"}]}`)}}}
			reply, err := newModel(t, config(server)).Reply(t.Context(), hello, new(heard).sink)
			want := tt.want
			if call == "" {
				want = "" // thoughts are wanted again with calls only
			}
			if err != nil || string(reply.Opaque) != want || reply.Text != "" {
				t.Errorf("%s: %s, %v, want %s: %s", tt.delta, reply.Opaque, err, want, tt.why)
			}
		}
	}
}

// TestIDIsNew holds that a call gets another id when the prompt has the server's already: some begin to count anew in every
// reply.
func TestIDIsNew(t *testing.T) {
	server := &canned{answers: []answer{{body: events(
		`data: {"choices":[{"delta":{"tool_calls":[{"id":"call_0","function":{"name":"f"}}]},"finish_reason":"stop"}]}`)}}}
	p := core.Prompt{Items: []core.PromptItem{
		core.Ask{Text: "hi"}, core.Calls{Calls: []core.ToolCall{{ID: "call_0", Name: "f"}}}, core.Outcome{ID: "call_0", Name: "f"}}}
	reply, err := newModel(t, config(server)).Reply(t.Context(), p, new(heard).sink)
	if err != nil || len(reply.Calls) != 1 || reply.Calls[0].ID == "call_0" {
		t.Errorf("%+v, %v", reply.Calls, err)
	}
}

// TestWire holds the request as a server gets it, over a real socket and the model's own transport.
func TestWire(t *testing.T) {
	var got http.Header
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, path = r.Header, r.URL.String()
		say(w, delta("a"), stop, usage, end)
	}))
	defer server.Close()
	cfg := config(nil)
	cfg.BaseURL = server.URL + "/v1/?api-version=2"
	m := newModel(t, cfg)
	defer m.Close()
	if reply, err := m.Reply(t.Context(), hello, new(heard).sink); err != nil || reply.Text != "a" {
		t.Fatalf("%q, %v", reply.Text, err)
	}
	if path != "/v1/chat/completions?api-version=2" {
		t.Errorf("path %s", path)
	}
	if got.Get("Authorization") != "Bearer "+secret || got.Get("Content-Type") != "application/json" || got.Get("Accept-Encoding") != "" {
		t.Errorf("headers %v", got)
	}
}

// TestKey holds that a key cannot be printed by accident.
func TestKey(t *testing.T) {
	key := openai.Key(secret)
	cfg := openai.Config{Key: key}
	asJSON, err := json.Marshal(map[string]any{"key": key, "config": struct{ Key openai.Key }{key}})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	debugLogger(&log).Info("x", "key", key, "config", cfg.Key)
	for _, s := range []string{
		fmt.Sprintf("%v %+v %#v %s %q %x %d", key, key, key, key, key, key, key), fmt.Sprint(key), key.String(),
		fmt.Sprintf("%v %+v %#v", cfg, cfg, cfg), fmt.Sprintf("%v %+v %#v", &cfg, &cfg, []openai.Key{key}), string(asJSON), log.String(),
	} {
		if strings.Contains(s, "sk-") || strings.Contains(s, "736b2d") || !strings.Contains(s, "***") {
			t.Errorf("printed %s", s)
		}
	}
}

// TestNew holds that all problems are named at once, without secrets.
func TestNew(t *testing.T) {
	_, err := openai.New(openai.Config{BaseURL: "http://u:open-sesame@[bad", Key: "sk secret", MaxOutputTokens: -1, Temperature: 3, IdleTimeout: -1, Retries: -1})
	for _, want := range []string{"base URL", "key", "name", "tokens", "temperature", "timeouts", "retries"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q not named: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "open-sesame") || strings.Contains(err.Error(), "secret") {
		t.Errorf("secret shown: %v", err)
	}
}
