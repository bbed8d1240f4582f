package faketelegram

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// DefaultToken is the bot's token when Config names none.
const DefaultToken = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"

// Config is fixed when a Server is made. Its zero value works.
type Config struct {
	Token string // the only token that is let in; "" is DefaultToken
	Bot   Bot    // what getMe says; the id comes from the token

	// FirstUpdateID is the id of the first update; 0 is 700000001.
	FirstUpdateID int64
	// Limits are per-chat rates of sends and edits; zero is no limit. The platform's own are about one message a second, and
	// twenty a minute in a group.
	Limits Limits

	// Now tells the time for dates, retention, rates and windows; nil is time.Now. It may be called by several goroutines. While
	// it stands still a repeated getUpdates is a hasty one: it waits 3 seconds for updates and gets one at a time.
	Now func() time.Time
	// After makes the timers of long polls, delayed conflicts and webhook retries; nil is time.After.
	After func(time.Duration) <-chan time.Time

	// OnCall, if not nil, runs at each Phase of each call, in the goroutine that serves it and with no lock held: while it
	// runs the call stands still. It may use the Server.
	OnCall func(Call, Phase)
}

// Bot is what the platform says of the bot itself.
type Bot struct {
	FirstName string // "" is "Steady"
	Username  string // "" is "steady_bot"
	ReadsAll  bool   // privacy mode is off: it sees all messages of its groups
	HasTopics bool   // topics in private chats
}

// Limits are the rates that are answered with 429. The zero value allows everything.
type Limits struct {
	Private Limit
	Group   Limit // groups and supergroups
}

// Limit allows N sends and edits within each stretch of Per in one chat; N 0 is no limit.
type Limit struct {
	N   int
	Per time.Duration
}

// Server is the platform. All methods may be called by any goroutine. What they return belongs to the caller, except the
// bytes of files and the maps of parameters, which nobody may change.
type Server struct {
	cfg  Config
	me   User
	done chan struct{} // closed by Close
	http *http.Server
	wg   sync.WaitGroup // the listener and the webhook's workers

	mu      sync.Mutex    // guards all below
	changed chan struct{} // closed and replaced at every change
	closed  bool
	active  int // calls being served
	world
	calls []*Call
	rules []*rule

	queue        queue
	allowed      map[string]bool // kinds of updates that are kept; nil is the default set
	poll         *poll           // the long poll that is waiting
	lastPoll     pollMark
	nextConflict time.Time // conflicts before it are answered late
	hook         *webhook
	nextHook     time.Time // setWebhook is refused before it
	menus        map[menuKey][]Command
	presses      map[string]*Press
	nextID       int64 // of files, presses, albums
	files        map[string]*File
}

// New makes a platform with a bot and nobody else.
func New(c Config) *Server {
	if c.Token == "" {
		c.Token = DefaultToken
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.After == nil {
		c.After = time.After
	}
	if c.FirstUpdateID == 0 {
		c.FirstUpdateID = 700000001
	}
	if c.Bot.FirstName == "" {
		c.Bot.FirstName = "Steady"
	}
	if c.Bot.Username == "" {
		c.Bot.Username = "steady_bot"
	}
	prefix, _, _ := strings.Cut(c.Token, ":")
	id, _ := strconv.ParseInt(prefix, 10, 64)
	s := &Server{
		cfg:     c,
		me:      User{ID: id, IsBot: true, FirstName: c.Bot.FirstName, Username: c.Bot.Username},
		changed: make(chan struct{}),
		world:   newWorld(),
		queue:   queue{tail: c.FirstUpdateID},
		menus:   make(map[menuKey][]Command),
		presses: make(map[string]*Press),
		files:   make(map[string]*File),
		done:    make(chan struct{}),
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	return s
}

// Start serves on a free loopback port and returns the address for the bot's api_url, without a trailing slash. Call it once;
// a test that has a listener of its own uses the Server as an http.Handler instead. It panics when it cannot listen, as
// httptest.NewServer does.
func (s *Server) Start() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprintf("faketelegram: listen: %v", err))
	}
	s.wg.Go(func() { _ = s.http.Serve(l) }) // Close waits for it
	return "http://" + l.Addr().String()
}

// Close drops every connection, lets go of held and hanging calls, stops the webhook and waits until nothing runs. It may
// not be called from OnCall.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
		s.unhook()
	}
	s.mu.Unlock()
	_ = s.http.Close()
	for s.serving() {
	}
	s.wg.Wait()
}

// serving reports whether calls are being served, after waiting for a change if so.
func (s *Server) serving() bool {
	s.mu.Lock()
	active, changed := s.active, s.changed
	s.mu.Unlock()
	if active == 0 {
		return false
	}
	<-changed
	return true
}

// Token is the one that the bot must use.
func (s *Server) Token() string { return s.cfg.Token }

// Me is the bot's own account.
func (s *Server) Me() User { return s.me }

// WaitFor waits until ok is true. It asks at once and then after every change on the platform: an update queued or confirmed,
// a call begun or ended, anything said. ok may use the Server and must not block. The error, on ctx's end, says how far the
// bot came.
func (s *Server) WaitFor(ctx context.Context, ok func() bool) error {
	for {
		s.mu.Lock()
		changed := s.changed // taken before the question, so that no change is missed
		s.mu.Unlock()
		if ok() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the platform: %w (%s)", ctx.Err(), s.progress())
		}
	}
}

// progress is one line for a test that waited in vain.
func (s *Server) progress() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		return fmt.Sprintf("no calls, %d updates pending", len(s.queue.events))
	}
	last := s.calls[len(s.calls)-1]
	return fmt.Sprintf("%d calls, the last %s, %d updates pending", len(s.calls), last.Method, len(s.queue.events))
}

// bump tells everybody who waits that something changed. The caller holds mu.
func (s *Server) bump() {
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.active++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.bump()
}

func (s *Server) newID() int64 {
	s.nextID++
	return s.nextID
}
