package fakemodel_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"steady/internal/fakemodel"
)

func fixed() time.Time { return time.Unix(1796029200, 0) }

// TestStreamBytes fixes the stream: the role, the pieces, a call in fragments, the finish, the usage, the end.
func TestStreamBytes(t *testing.T) {
	d := start(t, fakemodel.Config{Now: fixed})
	d.Script(fakemodel.Answer{Usage: fakemodel.Usage{Prompt: 3, Completion: 2}, Steps: []fakemodel.Step{
		fakemodel.Think("hm"), fakemodel.Say("안"), fakemodel.Say("녕"), fakemodel.Raw(": keep-alive\n\n"),
		fakemodel.Call{ID: "c1", Name: "f", Arguments: `{"a":"é"}`, Pieces: 2}}})
	got := d.chat(`{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`)
	head := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1796029200,"model":"m","choices":[`
	one := func(delta, finish string) string {
		return head + `{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}],"usage":null}`
	}
	want := strings.Join([]string{
		one(`{"role":"assistant","content":""}`, `null`),
		one(`{"reasoning_content":"hm"}`, `null`),
		one(`{"content":"안"}`, `null`),
		one(`{"content":"녕"}`, `null`),
		`: keep-alive`,
		one(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}]}`, `null`),
		one(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`, `null`),
		one(`{"tool_calls":[{"index":0,"function":{"arguments":":\"é\"}"}}]}`, `null`),
		one(`{}`, `"tool_calls"`),
		head + `],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`,
		`data: [DONE]`, ``}, "\n\n")
	if got.body != want {
		t.Errorf("got\n%s\nwant\n%s", got.body, want)
	}
	if got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%d %v", got.status, got.header)
	}
	d.wait("the end", func() bool {
		e := d.Exchanges()[0]
		return e.End == fakemodel.Finished && e.Chunks == 11 && e.Status == 200
	})
}

// TestObject: the same answer to a request without stream.
func TestObject(t *testing.T) {
	d := start(t, fakemodel.Config{Now: fixed})
	d.Script(
		fakemodel.Answer{Finish: "length", Usage: fakemodel.Usage{Prompt: 3, Completion: 2}, Steps: []fakemodel.Step{
			fakemodel.Think("hm"), fakemodel.Say("a"), fakemodel.Say("b"), fakemodel.Call{ID: "c1", Name: "f", Arguments: `{}`}}},
		fakemodel.Calls(fakemodel.Call{Name: "f", Arguments: "{}"}, fakemodel.Call{ID: "x", Name: "g", Arguments: "{}"}),
	)
	if got, want := d.chat(hello), `{"id":"chatcmpl-1","object":"chat.completion","created":1796029200,"model":"m","choices":[{"index":0,"message":`+
		`{"role":"assistant","content":"ab","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},`+
		`"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`; compact(got.body) != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
	if got := d.chat(hello); !strings.Contains(got.body, `"id":"call_1"`) || !strings.Contains(got.body, `"id":"x"`) ||
		!strings.Contains(got.body, `"finish_reason":"tool_calls"`) {
		t.Errorf("calls: %s", got.body)
	}
}

func TestFailures(t *testing.T) {
	d := start(t, fakemodel.Config{})
	d.Script(
		fakemodel.Fail(429, 7), fakemodel.Fail(503, 0),
		fakemodel.Failure{Status: 400, Body: `{"error":"flat, as Ollama has it"}`},
		fakemodel.Failure{Status: 502, Body: "<html>", Header: http.Header{"content-type": {"text/html"}}},
	)
	got := d.chat(hello)
	wantRefusal(t, got, 429, "", "Too Many Requests")
	if got.header.Get("Retry-After") != "7" {
		t.Errorf("headers %v", got.header)
	}
	wantRefusal(t, d.chat(streamed), 503, "", "Service Unavailable")
	if got = d.chat(hello); got.status != 400 || got.body != `{"error":"flat, as Ollama has it"}` || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v", got)
	}
	if got = d.chat(hello); got.status != 502 || got.body != "<html>" || got.header.Get("Content-Type") != "text/html" {
		t.Errorf("%+v", got)
	}
}

func TestVerbatim(t *testing.T) {
	d := start(t, fakemodel.Config{})
	d.Script(fakemodel.Bytes("\xef\xbb\xbfdata: x\r\n"), fakemodel.Verbatim{Status: 201, ContentType: "text/plain", Steps: []fakemodel.Step{fakemodel.Raw("y")}})
	if got := d.chat(hello); got.body != "\xef\xbb\xbfdata: x\r\n" || got.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%+v", got)
	}
	if got := d.chat(streamed); got.status != 201 || got.body != "y" || got.header.Get("Content-Type") != "text/plain" {
		t.Errorf("%+v", got)
	}
}

// TestCut: the connection breaks off in the middle, for a stream, raw bytes and an object.
func TestCut(t *testing.T) {
	d := start(t, fakemodel.Config{})
	d.Script(
		fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say("half"), fakemodel.Cut{}}},
		fakemodel.Verbatim{Steps: []fakemodel.Step{fakemodel.Raw("data: half"), fakemodel.Cut{}}},
	)
	for range 2 {
		got := d.chat(streamed)
		if !strings.Contains(got.body, "half") || strings.Contains(got.body, "DONE") || !isCut(got.err) {
			t.Errorf("read %q, %v", got.body, got.err)
		}
	}
	d.Script(fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say("half"), fakemodel.Cut{}}})
	if _, err := d.try(bounded(t), "/chat/completions", "", hello); !isCut(err) {
		t.Errorf("an object: %v", err)
	}
	for _, e := range d.Exchanges() {
		if e.End != fakemodel.Broken || e.End.String() != "broken" {
			t.Errorf("ended %v", e.End)
		}
	}
}

// TestWait: a piece arrives only when its gate opens, and everything before it has arrived by then.
func TestWait(t *testing.T) {
	d := start(t, fakemodel.Config{})
	gate := make(chan struct{})
	d.Script(fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say("one"), fakemodel.Wait(gate), fakemodel.Say("two")}})
	lines, end := d.read(bounded(t))
	for l := range lines {
		if strings.Contains(l, "one") {
			break
		}
	}
	select {
	case l := <-lines:
		if l != "" {
			t.Errorf("before the gate opened came %q", l)
		}
	default:
	}
	close(gate)
	rest := ""
	for l := range lines {
		rest += l
	}
	if err := <-end; err != nil || !strings.Contains(rest, "two") || !strings.Contains(rest, "[DONE]") {
		t.Errorf("then %q, %v", rest, err)
	}
}

// read makes a streamed request and hands out its lines as they come.
func (d *desk) read(ctx context.Context) (lines chan string, end chan error) {
	lines, end = make(chan string), make(chan error, 1)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/v1/chat/completions", strings.NewReader(streamed))
	if err != nil {
		d.t.Fatal(err)
	}
	go func() {
		defer close(lines)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			end <- err
			return
		}
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			lines <- sc.Text()
		}
		end <- sc.Err()
	}()
	return lines, end
}

// TestStall: one delta, then silence, until the client gives up; the log says that it left.
func TestStall(t *testing.T) {
	d := start(t, fakemodel.Config{})
	d.Script(fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say("one"), fakemodel.Stall{}, fakemodel.Say("never")}})
	ctx, cancel := context.WithCancel(bounded(t))
	lines, end := d.read(ctx)
	for l := range lines {
		if strings.Contains(l, "one") {
			break
		}
	}
	d.wait("two pieces", func() bool { return d.Exchanges()[0].Chunks == 2 })
	if e := d.Exchanges()[0]; e.End != fakemodel.Running {
		t.Errorf("ended %v", e.End)
	}
	cancel()
	for range lines {
	}
	if err := <-end; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	d.wait("left", func() bool { return d.Exchanges()[0].End == fakemodel.Left })
}

// TestStallBeforeAnything: with a wait in front not even a status arrives for a whole object; of a stream the headers do.
func TestStallBeforeAnything(t *testing.T) {
	d := start(t, fakemodel.Config{})
	stall := fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Stall{}}}
	d.Script(stall)
	ctx, cancel := context.WithCancel(bounded(t))
	ended := make(chan error)
	go func() {
		_, err := d.try(ctx, "/chat/completions", "", hello)
		ended <- err
	}()
	d.wait("asked", func() bool { return len(d.Requests()) == 1 })
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	d.wait("left", func() bool { return d.Exchanges()[0].End == fakemodel.Left })
}

// TestHandler: what the script does not answer, the function does; it sees the request.
func TestHandler(t *testing.T) {
	d := start(t, fakemodel.Config{Handler: func(r fakemodel.Request) fakemodel.Reply {
		if r.LastUser() != "hi" {
			return nil
		}
		return fakemodel.Text("you said " + r.LastUser())
	}})
	d.Script(fakemodel.Text("scripted"))
	for _, want := range []string{"scripted", "you said hi"} {
		if got := d.chat(hello); !strings.Contains(got.body, want) {
			t.Errorf("got %s, want %q", got.body, want)
		}
	}
	wantRefusal(t, d.chat(strings.Replace(hello, "hi", "bye", 1)), 501, "", "fakemodel: the script has no reply for this request")
	if e := d.Exchanges()[2]; e.Reply != nil || e.End != fakemodel.Refused {
		t.Errorf("logged %+v", e)
	}
}

func TestWaitForGivesUp(t *testing.T) {
	d := start(t, fakemodel.Config{})
	d.Script(fakemodel.Text("x"))
	ctx, cancel := context.WithCancel(bounded(t))
	cancel()
	err := d.WaitFor(ctx, func() bool { return false })
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "0 requests, 1 replies left") {
		t.Errorf("error %v", err)
	}
}

func TestClosed(t *testing.T) {
	d := start(t, fakemodel.Config{})
	d.Close()
	d.Close() // twice is harmless
	if _, err := d.try(bounded(t), "/models", "", ""); err == nil {
		t.Error("answered after Close")
	}
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("as a handler it must abort, too")
		}
	}()
	d.ServeHTTP(nil, nil)
}

// TestBodyThatNeverCame: a client that dies while it writes its request is no exchange.
func TestBodyThatNeverCame(t *testing.T) {
	d := start(t, fakemodel.Config{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = io.WriteString(conn, "POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"model\":"); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	d.Close() // waits until the request is over
	if all := d.Exchanges(); len(all) != 0 {
		t.Errorf("logged %+v", all)
	}
}
