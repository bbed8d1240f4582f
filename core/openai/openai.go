package openai

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	randv2 "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"steady/core"
)

const (
	firstPause   = 500 * time.Millisecond // before the second try, when the server does not say
	longestPause = 8 * time.Second        // between two tries, when the server does not say
	longestWait  = 20 * time.Second       // that a server may ask for; more is left to the caller
)

// Config says where a model is and how long it may take. It is checked in [New].
type Config struct {
	// BaseURL is the address before /chat/completions, such as https://api.openai.com/v1. It may have a query and, where the
	// key is empty, a user and password.
	BaseURL string
	// Key is sent as bearer token; empty sends none.
	Key   Key
	Model string
	// MaxOutputTokens bounds a reply; 0 leaves it to the server.
	MaxOutputTokens int
	// Temperature is sent as it is, also 0, except to models that take none (o1 and its successors).
	Temperature float32
	// ConnectTimeout bounds dialing and the TLS handshake, each; it is not used when HTTP is set. 0 means 10 s.
	ConnectTimeout time.Duration
	// FirstTokenTimeout is from the request to the first content, be it text, thought or call. 0 means 60 s.
	FirstTokenTimeout time.Duration
	// IdleTimeout is from content to content. 0 means 60 s.
	IdleTimeout time.Duration
	// Retries is how often a failed request is made again.
	Retries int
	// HTTP carries the requests; nil is a transport of the model's own.
	HTTP http.RoundTripper
	// Log is told of failures that were tried again; nil is silent.
	Log *slog.Logger
}

// A Model asks one model of one server. It may be used concurrently.
type Model struct {
	client  *http.Client
	url     string
	key     Key
	encoder encoder
	secrets redactor
	first   time.Duration
	idle    time.Duration
	retries int
	log     *slog.Logger
}

var _ core.Model = (*Model)(nil)

// New returns a model. The error names everything that is wrong with cfg, and no secret.
func New(cfg Config) (*Model, error) {
	base, err := cfg.check()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	carrier := cfg.HTTP
	if carrier == nil {
		carrier = transport(cmp.Or(cfg.ConnectTimeout, 10*time.Second))
	}
	log := cfg.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Model{
		client: &http.Client{
			Transport: carrier,
			// Followed, a redirect would turn the POST into a GET; shown, it tells what is wrong with the base URL.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url:     base.JoinPath("chat/completions").String(),
		key:     cfg.Key,
		encoder: newEncoder(cfg, base.Host),
		secrets: newRedactor(cfg.Key, base),
		first:   cmp.Or(cfg.FirstTokenTimeout, 60*time.Second),
		idle:    cmp.Or(cfg.IdleTimeout, 60*time.Second),
		retries: cfg.Retries,
		log:     log,
	}, nil
}

// check returns the parsed base URL, or all problems.
func (c Config) check() (*url.URL, error) {
	var problems []error
	complain := func(bad bool, problem string) {
		if bad {
			problems = append(problems, errors.New(problem))
		}
	}
	base, err := url.Parse(c.BaseURL)
	// The error of url.Parse would show the whole URL, and so a password in it.
	complain(err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "",
		"base URL must look like https://host/v1")
	complain(strings.ContainsFunc(string(c.Key), func(r rune) bool { return r <= ' ' || r == 0x7f }),
		"key must not contain white space")
	complain(strings.TrimSpace(c.Model) == "", "name of the model is missing")
	complain(c.MaxOutputTokens < 0, "limit of output tokens must not be negative")
	complain(!(c.Temperature >= 0 && c.Temperature <= 2), "temperature must be between 0 and 2")
	complain(c.ConnectTimeout < 0 || c.FirstTokenTimeout < 0 || c.IdleTimeout < 0, "timeouts must not be negative")
	complain(c.Retries < 0, "number of retries must not be negative")
	return base, errors.Join(problems...)
}

func transport(connect time.Duration) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = connect
	t.MaxIdleConnsPerHost = 32
	t.DisableCompression = true // proxies collect a compressed stream before they pass it on
	// A pooled connection whose other end is gone would swallow one request after the other until each one timed out.
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}
	return t
}

// Format writes the model's name, so that no verb of fmt reaches the key.
func (m Model) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "model "+m.encoder.model) }

// Close closes idle connections. It is called when no Reply is running any more.
func (m *Model) Close() { m.client.CloseIdleConnections() }

// Reply asks the model, see [core.Model]. A failed request is made again while that may help: at once invisible when sink got
// no text yet, else with a [core.Delta] that restarts, given together with the first text of the new try, so that the old text
// stands should there be none. The text of the reply is exactly what sink got since the last restart. On an error the reply is
// empty and what sink got is all there was. When ctx ends the error is that of ctx and has no kind.
func (m *Model) Reply(ctx context.Context, p core.Prompt, sink func(core.Delta)) (core.Reply, error) {
	body, err := m.encoder.encode(p)
	if err != nil {
		return core.Reply{}, &core.Error{Kind: core.Refused, Err: fmt.Errorf("encode request: %w", err)}
	}
	out := &screen{sink: sink}
	for tries := 0; ; tries++ {
		acc, err := m.attempt(ctx, body, out)
		if ctx.Err() != nil {
			return core.Reply{}, fmt.Errorf("ask model: %w", ctx.Err())
		}
		if err == nil {
			return acc.reply(m.encoder.origin, newIDs(p)), nil
		}
		pause, again := nextTry(err, tries, out.shown)
		if !again || tries >= m.retries || !fits(ctx, pause) {
			return core.Reply{}, err
		}
		m.log.Warn("model failed, trying again", "kind", err.Kind, "try", tries+1, "pause", pause)
		m.log.Debug("model failed", "err", err)
		if err := sleep(ctx, pause); err != nil {
			return core.Reply{}, fmt.Errorf("ask model: %w", err)
		}
	}
}

// nextTry says whether another try may help, and after which pause. shown says that the failed try gave text to the person.
func nextTry(err *core.Error, tries int, shown bool) (pause time.Duration, again bool) {
	switch {
	case err.Kind == core.Throttled && err.Wait > 0:
		// A little more than was asked for, so that not everybody comes back in the same moment.
		return err.Wait + randv2.N(err.Wait/8+1), err.Wait <= longestWait
	case err.Kind == core.Throttled, err.Kind == core.Transient, errors.Is(err, errCut) && !shown:
		longest := min(longestPause, firstPause<<min(tries, 10))
		return longest/2 + randv2.N(longest/2), true
	}
	return 0, false
}

// fits says whether ctx leaves time for a pause.
func fits(ctx context.Context, pause time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > pause
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A screen is what the person sees of a reply. It outlives the tries.
type screen struct {
	sink  func(core.Delta)
	shown bool // the try in hand gave text
	stale bool // a former try gave text that still stands
}

// begin starts a try.
func (s *screen) begin() {
	s.stale = s.stale || s.shown
	s.shown = false
}

// show passes a piece on.
func (s *screen) show(p piece) {
	if p.void {
		s.begin()
	}
	if p.text != "" {
		s.settle()
		s.shown = true
		s.sink(core.Delta{Text: p.text})
	}
}

// settle voids what a former try left.
func (s *screen) settle() {
	if s.stale {
		s.stale = false
		s.sink(core.Delta{Restart: true})
	}
}

// newIDs returns a function that returns id, if it is not empty and neither the prompt nor an earlier call of the function
// has it, else a new one. Some servers count their calls anew in every reply, or always give the same id; nine letters and
// digits are what Mistral demands of an id.
func newIDs(p core.Prompt) func(id string) string {
	used := map[string]bool{"": true}
	for _, item := range p.Items {
		if calls, ok := item.(core.Calls); ok {
			for _, c := range calls.Calls {
				used[c.ID] = true
			}
		}
	}
	return func(id string) string {
		for used[id] {
			id = rand.Text()[:9]
		}
		used[id] = true
		return id
	}
}

// bounded makes a duration of a number of units as a server may write it: negative ones are nothing, endless ones a day.
func bounded(n float64, unit time.Duration) time.Duration {
	const day = 24 * time.Hour
	switch d := n * float64(unit); {
	case !(d > 0): // NaN too
		return 0
	case math.IsInf(d, 0) || d > float64(day):
		return day
	default:
		return time.Duration(d)
	}
}
