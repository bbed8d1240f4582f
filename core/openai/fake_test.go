package openai_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"steady/core"
	"steady/core/openai"
)

// config returns a configuration for carrier, with clocks that a test can tell apart.
func config(carrier http.RoundTripper) openai.Config {
	return openai.Config{
		BaseURL: "http://model.test/v1", Key: secret, Model: "test", Temperature: 0.3, MaxOutputTokens: 100,
		FirstTokenTimeout: 60 * time.Second, IdleTimeout: 30 * time.Second, HTTP: carrier,
	}
}

const secret = "sk-test-0123456789abcdef"

func newModel(t testing.TB, cfg openai.Config) *openai.Model {
	t.Helper()
	m, err := openai.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// An answer is what a fake server says to one request.
type answer struct {
	status int // 0: 200
	header http.Header
	body   string
}

// canned answers the requests one by one without a network; the last answer is repeated.
type canned struct {
	mu       sync.Mutex
	answers  []answer
	requests []string // bodies
	headers  []http.Header
	open     int // bodies that nobody closed
}

func (c *canned) RoundTrip(req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	a := c.answers[min(len(c.requests), len(c.answers)-1)]
	c.requests = append(c.requests, string(body))
	c.headers = append(c.headers, req.Header)
	if a.status == 0 {
		a.status = 200
	}
	if a.header == nil {
		a.header = http.Header{}
	}
	c.open++
	return &http.Response{
		StatusCode: a.status, Header: a.header, Request: req,
		Body: &counted{strings.NewReader(a.body), func() { c.open-- }},
	}, nil
}

type counted struct {
	io.Reader
	closed func()
}

func (c *counted) Close() error { c.closed(); return nil }

// heard is what a sink got.
type heard struct{ deltas []core.Delta }

func (h *heard) sink(d core.Delta) { h.deltas = append(h.deltas, d) }

// text is what stands on the screen in the end.
func (h *heard) text() string {
	var b strings.Builder
	for _, d := range h.deltas {
		if d.Restart {
			b.Reset()
		}
		b.WriteString(d.Text)
	}
	return b.String()
}

// all is everything that was ever shown.
func (h *heard) all() string {
	var b strings.Builder
	for _, d := range h.deltas {
		if d.Restart {
			b.WriteString("|restart|")
		}
		b.WriteString(d.Text)
	}
	return b.String()
}

// dialed serves h over net.Pipe and returns the real HTTP transport that leads to it, so that a test inside of a synctest
// bubble has both real HTTP and false time. When the test ends, everything is stopped; the bubble then proves that no
// goroutine is left.
func dialed(t *testing.T, h http.HandlerFunc) *http.Transport {
	t.Helper()
	ln := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // only then does a server notice that the client goes
		r.Body = io.NopCloser(bytes.NewReader(body))
		h(w, r)
	})}
	var wg sync.WaitGroup
	wg.Go(func() { _ = srv.Serve(ln) })
	carrier := &http.Transport{DialContext: ln.dial}
	t.Cleanup(func() {
		carrier.CloseIdleConnections()
		_ = srv.Close()
		wg.Wait()
	})
	return carrier
}

// pipes is a listener without a network.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// say writes lines of a stream and flushes them.
func say(w http.ResponseWriter, lines ...string) {
	for _, l := range lines {
		_, _ = io.WriteString(w, l+"\n\n")
	}
	w.(http.Flusher).Flush()
}

func delta(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}`
}

const (
	stop  = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	usage = `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`
	end   = `data: [DONE]`
)

// events joins the lines of a stream as a server would write them.
func events(lines ...string) string { return strings.Join(lines, "\n\n") + "\n\n" }

var hello = core.Prompt{System: "be kind", Items: []core.PromptItem{core.Ask{Text: "hi"}}}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// forever is a reader without end.
type forever string

func (f forever) Read(p []byte) (int, error) { return copy(p, f), nil }

func debugLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
