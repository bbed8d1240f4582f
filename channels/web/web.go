// Package web is the channel of the bot's own page: it serves one embedded page and the WebSocket that the page talks through.
//
// What a page shows is the history of the core, followed through [core.Reader], and the snapshot of the running turn. So this
// channel has nothing to deliver and nothing to remember: a page can be closed and loaded again at any time, and two of them show
// the same. protocol.go describes the frames; any other client with a screen can speak them.
//
// There is one person, the owner. On a loopback address everybody who reaches it is; elsewhere who knows the token.
package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"steady/core"
)

// Config is what a channel is made of.
type Config struct {
	// Listen is the address of the page, such as 127.0.0.1:8080.
	Listen string
	// Token signs the owner in. Without one, Listen must be a loopback address; with one, it is asked for there as well, and the
	// page may then stand behind a proxy that gives it another name.
	Token string
	// Reader is where the chats are read: the engine.
	Reader core.Reader
	// Lang is the language of the page; "" is the browser's.
	Lang core.Lang
	// PairingHint returns a text for the page that says how to pair another channel, "" while there is nothing to say. It may be
	// called at any time from any goroutine. May be nil.
	PairingHint func() string
	// ToolLabel names a tool for people, for the calls in the history. Where it is nil or says nothing, the bare name is shown.
	ToolLabel func(tool string) core.LocalText
	// Extra answers what comes below /-/, with that prefix taken away: /-/healthz reaches it as /healthz. It is asked without a
	// sign-in. May be nil.
	Extra http.Handler
	// Listening is called once Run accepts connections. May be nil.
	Listening func(addr net.Addr)
	// Log is where what cannot be told to anybody goes; nil is nowhere.
	Log *slog.Logger
}

const (
	maxSockets   = 64              // pages at a time
	closingGrace = 2 * time.Second // for the answers under way when Run ends
)

// Channel is the page's [core.Channel]. Its methods may be called from any goroutine, Run once.
type Channel struct {
	cfg   Config
	boot  string // tells clients that revisions from before a restart may mean nothing: the data may have been restored
	door  *door
	page  page
	bells bells
	up    atomic.Bool
}

var (
	_ core.Channel = (*Channel)(nil)
	_ core.Deduper = (*Channel)(nil)
	_ core.Prober  = (*Channel)(nil)
)

// New makes a channel. It does not listen yet. The error is about the configuration and says what to do.
func New(cfg Config) (*Channel, error) {
	host, _, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", cfg.Listen, err)
	}
	if cfg.Token == "" && !isLoopback(host) {
		return nil, fmt.Errorf("listen address %q can be reached from other machines: set a token, or listen on 127.0.0.1", cfg.Listen)
	}
	if cfg.Reader == nil {
		return nil, errors.New("a reader is needed")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p, err := newPage(cfg.Lang)
	if err != nil {
		return nil, err
	}
	return &Channel{cfg: cfg, boot: rand.Text(), page: p, door: &door{token: cfg.Token, host: host}}, nil
}

// Run serves the page until ctx ends. It returns an error only if it cannot listen.
func (c *Channel) Run(ctx context.Context, accept core.Accept) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", c.cfg.Listen)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("open page: %w", err)
	}
	return c.serve(ctx, ln, accept)
}

// Ready reports whether the page can be reached.
func (c *Channel) Ready() error {
	if !c.up.Load() {
		return errors.New("not listening")
	}
	return nil
}

// A run is one run of a channel.
type run struct {
	ch     *Channel
	accept core.Accept
	stop   <-chan struct{} // closed when pages are to be told to go
	places chan struct{}   // one is taken by each open page
}

// serve serves the page on ln until ctx ends, and closes ln. Open pages are told to go, requests under way get closingGrace.
func (c *Channel) serve(ctx context.Context, ln net.Listener, accept core.Accept) error {
	// hard outlives ctx by the grace. Sockets live under it: a connection whose context ends is cut off without a word.
	hard, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	r := &run{ch: c, accept: accept, stop: ctx.Done(), places: make(chan struct{}, maxSockets)}
	srv := &http.Server{
		Handler:           r.handler(hard),
		ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(c.cfg.Log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	c.up.Store(true)
	defer c.up.Store(false)
	if c.cfg.Listening != nil {
		c.cfg.Listening(ln.Addr())
	}
	select {
	case err := <-ended:
		cut()
		srv.Close()
		r.fill()
		return fmt.Errorf("serve page: %w", err)
	case <-ctx.Done():
	}
	grace, done := context.WithTimeout(hard, closingGrace)
	defer done()
	stop := context.AfterFunc(grace, cut)
	defer stop()
	if srv.Shutdown(grace) != nil {
		srv.Close()
	}
	<-ended
	r.fill()
	return nil
}

// fill takes every place, which waits for all pages to leave and lets none in.
func (r *run) fill() {
	for range cap(r.places) {
		r.places <- struct{}{}
	}
}

// page serves a WebSocket, if there is a place for one more. ctx is what it may live for.
func (r *run) page(ctx context.Context, w http.ResponseWriter, req *http.Request) {
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
		r.socket(ctx, w, req)
	default:
		http.Error(w, "too many pages", http.StatusServiceUnavailable)
	}
}

// handler routes requests. ctx is for the WebSockets, which outlive their requests.
func (r *run) handler(ctx context.Context) http.Handler {
	c, mux := r.ch, http.NewServeMux()
	mux.Handle("/", c.page)
	mux.HandleFunc("/login", c.door.login)
	mux.HandleFunc("GET /ws", func(w http.ResponseWriter, req *http.Request) {
		switch {
		case !c.door.sameOrigin(req):
			http.Error(w, "forbidden", http.StatusForbidden)
		case !c.door.signedIn(req, time.Now()):
			answerSignedIn(w, false)
		default:
			r.page(ctx, w, req)
		}
	})
	if c.cfg.Extra != nil {
		mux.Handle("/-/", http.StripPrefix("/-", c.cfg.Extra))
	}
	return guarded(c.door, mux)
}
