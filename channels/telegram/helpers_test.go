package telegram

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"testing"

	"steady/core"
	"steady/internal/faketelegram"
)

// A wire brings requests to a handler without a network, so that tests can run on a clock of their own.
type wire struct{ to http.Handler }

func (w wire) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	rec := httptest.NewRecorder()
	aborted := make(chan bool, 1)
	go func() {
		defer func() { aborted <- recover() != nil }()
		w.to.ServeHTTP(rec, req)
	}()
	select {
	case lost := <-aborted:
		if lost {
			return nil, io.ErrUnexpectedEOF
		}
		return rec.Result(), nil
	case <-req.Context().Done():
		<-aborted // the server notices that its client is gone
		return nil, req.Context().Err()
	}
}

// newServer is a platform with Ada, Bob and a stranger.
func newServer(c faketelegram.Config) *faketelegram.Server {
	s := faketelegram.New(c)
	for id, name := range map[int64]string{ada: "Ada", bob: "Bob", stranger: "Eve"} {
		s.AddUser(faketelegram.User{ID: id, FirstName: name})
		s.Open(id)
	}
	return s
}

// The accounts of the tests; Ada and Bob are let in.
const (
	ada      = 1001
	bob      = 1002
	stranger = 1003
)

// newChannel is a channel on a handler. change may set what the test is about.
func newChannel(t *testing.T, to http.Handler, change func(*Config)) *Channel {
	t.Helper()
	cfg := Config{
		Token: faketelegram.DefaultToken, Allow: []string{"1001", "1002"}, Groups: Groups{Allow: []string{"*"}, RequireMention: true},
		HTTP: &http.Client{Transport: wire{to}},
	}
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// An engine is what accept leads to in tests.
type engine struct {
	mu      sync.Mutex
	taken   []core.Inbound // guarded by mu
	verdict func(core.Inbound) (core.Receipt, error)
}

func (e *engine) accept(_ context.Context, ins ...core.Inbound) ([]core.Receipt, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	receipts := make([]core.Receipt, len(ins))
	for i, in := range ins {
		if e.verdict == nil {
			continue
		}
		var err error
		if receipts[i], err = e.verdict(in); err != nil {
			return nil, err
		}
	}
	e.taken = append(e.taken, ins...)
	return receipts, nil
}

// texts are what was taken so far, in words.
func (e *engine) texts() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, in := range e.taken {
		switch ev := in.Event.(type) {
		case core.Said:
			all = append(all, ev.Text)
		default:
			all = append(all, eventText(ev))
		}
	}
	return all
}

// run runs c in the test's bubble or until the test ends; stop ends it and fails the test if Run did not end well.
func run(t *testing.T, c *Channel, e *engine) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx, e.accept) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

// A logbook keeps what is logged at Info and above.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logbook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// pairings is a [Paired] in memory.
type pairings struct {
	accounts map[core.AccountID]bool
	broken   atomic.Bool
}

func newPairings() *pairings { return &pairings{accounts: map[core.AccountID]bool{}} }

func (p *pairings) IsPaired(_ context.Context, a core.AccountID) (bool, error) {
	if p.broken.Load() {
		return false, errors.New("store is closed")
	}
	return p.accounts[a], nil
}

func (p *pairings) Pair(_ context.Context, a core.AccountID) error {
	if p.broken.Load() {
		return errors.New("store is closed")
	}
	p.accounts[a] = true
	return nil
}
