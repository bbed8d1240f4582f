package fakemodel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request.
const maxBody = 32 << 20

// Config is fixed when a Server is made. Its zero value works.
type Config struct {
	Key    string   // the API key that requests must carry; "" lets everybody in
	Models []string // the models that exist; none means that every name does
	Extra  []string // names of parameters beside OpenAI's that this server knows
	// Handler answers requests for which the script has no reply. It runs in the goroutine of the request, may block and may use
	// the Server. nil, or a nil Reply, is answered with 501.
	Handler func(Request) Reply
	Now     func() time.Time // for the times of requests and answers; nil is time.Now
}

// Server is the model's server. All methods may be called by any goroutine.
type Server struct {
	cfg  Config
	http *http.Server
	wg   sync.WaitGroup // the listener
	done chan struct{}  // closed by Close

	mu        sync.Mutex    // guards all below
	changed   chan struct{} // closed and replaced at every change
	closed    bool
	active    int // requests being answered
	script    []Reply
	exchanges []*Exchange
}

// Exchange is one request and what became of it.
type Exchange struct {
	Request Request
	Reply   Reply // nil when the API refused the request
	Status  int   // 0 while it has none
	Chunks  int   // pieces of the reply that were written
	End     End
}

// End is how an exchange ended.
type End int

// The ends of an exchange.
const (
	Running  End = iota
	Refused      // by the API's rules or for want of a reply
	Finished     // the whole reply was written
	Broken       // the reply broke off by its own script
	Left         // the client went away, or the Server was closed, before the reply was whole
)

func (e End) String() string {
	return [...]string{"running", "refused", "finished", "broken", "left"}[e]
}

// New makes a server with an empty script.
func New(c Config) *Server {
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Server{cfg: c, done: make(chan struct{}), changed: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	return s
}

// Start serves on a free loopback port and returns its address; "/v1" may follow it or not. Call it once; a test that has a
// listener of its own uses the Server as an http.Handler instead. It panics when it cannot listen, as httptest.NewServer does.
func (s *Server) Start() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(fmt.Sprintf("fakemodel: listen: %v", err))
	}
	s.wg.Go(func() { _ = s.http.Serve(l) }) // Close waits for it
	return "http://" + l.Addr().String()
}

// Close drops every connection, lets go of replies that wait, and returns when nothing runs. A Handler that never returns keeps
// it waiting.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.done)
	}
	s.mu.Unlock()
	_ = s.http.Close()
	for s.answering() {
	}
	s.wg.Wait()
}

// answering reports whether requests are being answered, after waiting for a change if so.
func (s *Server) answering() bool {
	s.mu.Lock()
	active, changed := s.active, s.changed
	s.mu.Unlock()
	if active == 0 {
		return false
	}
	<-changed
	return true
}

// Script adds replies: the next valid request gets the first of them, and so on.
func (s *Server) Script(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
	s.bump()
}

// Left is how many replies of the script are not yet given.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script)
}

// Exchanges returns all chat requests so far, also refused ones, in order of arrival.
func (s *Server) Exchanges() []Exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Exchange, 0, len(s.exchanges))
	for _, e := range s.exchanges {
		all = append(all, *e)
	}
	return all
}

// Requests returns the chat requests that were accepted, in order of arrival.
func (s *Server) Requests() []Request {
	var accepted []Request
	for _, e := range s.Exchanges() {
		if e.End != Refused {
			accepted = append(accepted, e.Request)
		}
	}
	return accepted
}

// WaitFor waits until ok is true. It asks at once and then after every change: a request that came, a piece of a reply that was
// written, an end. ok may use the Server and must not block.
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
			return fmt.Errorf("wait for the model: %w (%d requests, %d replies left)", ctx.Err(), len(s.Exchanges()), s.Left())
		}
	}
}

// bump tells everybody who waits that something changed. The caller holds mu.
func (s *Server) bump() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// update changes an exchange.
func (s *Server) update(e *Exchange, f func(*Exchange)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(e)
	s.bump()
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

// ServeHTTP answers POST chat/completions and GET models, below /v1 or not.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.leave()
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	if no := s.authorize(r.Header.Get("Authorization")); no != nil {
		no.write(w)
		return
	}
	switch {
	case path == "/chat/completions" && r.Method == http.MethodPost:
		s.complete(w, r)
	case path == "/models" && r.Method == http.MethodGet:
		s.listModels(w)
	case path == "/chat/completions" || path == "/models":
		refuse(http.StatusMethodNotAllowed, "", "", "Not allowed to "+r.Method+" on "+r.URL.Path+".").write(w)
	default:
		refuse(http.StatusNotFound, "", "", "Invalid URL ("+r.Method+" "+r.URL.Path+")").write(w)
	}
}

func (s *Server) authorize(header string) *refusal {
	key, bearer := strings.CutPrefix(header, "Bearer ")
	switch {
	case s.cfg.Key == "" || bearer && key == s.cfg.Key:
		return nil
	case header == "":
		return refuse(http.StatusUnauthorized, "", "", "You didn't provide an API key. You need to provide your API key in an Authorization "+
			"header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).")
	}
	return refuse(http.StatusUnauthorized, "", "invalid_api_key", "Incorrect API key provided.")
}

type wireModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

type wireModels struct {
	Object string      `json:"object"`
	Data   []wireModel `json:"data"`
}

func (s *Server) listModels(w http.ResponseWriter) {
	list := wireModels{Object: "list", Data: []wireModel{}}
	for _, name := range s.cfg.Models {
		list.Data = append(list.Data, wireModel{ID: name, Object: "model", Created: s.cfg.Now().Unix(), OwnedBy: "fakemodel"})
	}
	writeJSON(w, http.StatusOK, list)
}

// complete checks a chat request, logs it, and lets its reply be written.
func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			refuse(http.StatusRequestEntityTooLarge, "", "", "Request body too large.").write(w)
		}
		return // the client went away while it was writing
	}
	req, no := parse(body, s.cfg.Extra)
	req.Header, req.Time = r.Header.Clone(), s.cfg.Now()
	if no == nil && len(s.cfg.Models) > 0 && !slices.Contains(s.cfg.Models, req.Model) {
		no = refuse(http.StatusNotFound, "", "model_not_found", fmt.Sprintf("The model '%s' does not exist or you do not have access to it.", req.Model))
	}
	e, rep := s.log(req, no)
	if no == nil && rep == nil {
		rep = s.ask(e)
	}
	if no == nil && rep == nil {
		no = refuse(http.StatusNotImplemented, "", "", "fakemodel: the script has no reply for this request")
	}
	if no != nil {
		s.update(e, func(e *Exchange) { e.Status, e.End = no.status, Refused })
		no.write(w)
		return
	}
	s.update(e, func(e *Exchange) { e.Reply = rep })
	(&writer{s: s, e: e, w: w, ctx: r.Context()}).reply(rep)
}

// log enters a request and takes its reply from the script. A refused one takes none.
func (s *Server) log(req Request, no *refusal) (*Exchange, Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.N = len(s.exchanges) + 1
	e := &Exchange{Request: req}
	if no != nil {
		e.End = Refused // settled here so that nobody takes it for an accepted one
	}
	s.exchanges = append(s.exchanges, e)
	var rep Reply
	if no == nil && len(s.script) > 0 {
		rep, s.script = s.script[0], s.script[1:]
	}
	s.bump()
	return e, rep
}

func (s *Server) ask(e *Exchange) Reply {
	if s.cfg.Handler == nil {
		return nil
	}
	return s.cfg.Handler(e.Request)
}
