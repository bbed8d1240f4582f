package faketelegram

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Phase is a moment of a call at which Config.OnCall runs.
type Phase int

// The phases in order. A call that a fault stops early does not reach the later ones.
const (
	BeforeApply Phase = iota // decoded and logged, nothing done yet
	AfterApply               // done, or refused by the rules; not answered
	AfterAnswer              // the whole answer is written and flushed
)

func (p Phase) String() string {
	return [...]string{"before-apply", "after-apply", "after-answer"}[p]
}

// Call is one call of the bot as the platform saw it.
type Call struct {
	N       int       // counts from 1, in order of arrival
	Method  string    // as the bot wrote it
	Chat    int64     // the chat_id, 0 without one
	Params  Params    // everything but files
	Files   []Upload  // uploaded parts
	Time    time.Time // of arrival, by Config.Now
	ByHook  bool      // it came as the answer to a webhook delivery
	Outcome Outcome
}

// Outcome is how a call ended. It is set just before the answer is written.
type Outcome struct {
	Applied     bool   // the call took effect, be it answered or not
	Answered    bool   // an answer is written; false while the call runs, and for dropped and hanging ones
	Code        int    // HTTP status of the answer; without an answer what the method said, 0 if it did not run
	Description string // of the platform's own refusal
	Fault       Fault  // the fault that struck, nil without one
}

// Params are a call's parameters as the platform reads them: every value a string, objects and lists as JSON text.
type Params map[string]string

// Int reads a whole number; 0 for none and for anything else.
func (p Params) Int(name string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(p[name]), 10, 64)
	return n
}

// Bool reads a flag: true, yes and 1 are true.
func (p Params) Bool(name string) bool {
	switch strings.ToLower(strings.TrimSpace(p[name])) {
	case "true", "yes", "1":
		return true
	}
	return false
}

// Upload is one file of a multipart call.
type Upload struct {
	Field, Name, MIME string
	Data              []byte
}

// Calls returns the log so far, in order of arrival.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := make([]Call, 0, len(s.calls))
	for _, c := range s.calls {
		calls = append(calls, *c)
	}
	return calls
}

// CallsTo returns the calls of one method, whatever their case.
func (s *Server) CallsTo(method string) []Call {
	return slices.DeleteFunc(s.Calls(), func(c Call) bool { return !strings.EqualFold(c.Method, method) })
}

// reply is what a call is answered with.
type reply struct {
	status int
	mime   string
	retry  int // seconds, for the Retry-After header
	body   []byte
	drop   bool // no answer: the connection is closed
}

// ServeHTTP answers /bot<token>/<method> and /file/bot<token>/<path>.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.leave()
	if path, ok := strings.CutPrefix(r.URL.Path, "/file"); ok {
		s.serveFile(w, path)
		return
	}
	method, refusal := s.route(r.URL.Path)
	if refusal != nil {
		write(w, refusal.reply())
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		write(w, Refusal{Code: http.StatusMethodNotAllowed, Description: "Method Not Allowed: closing connection"}.reply())
		return
	}
	params, files, refusal := decodeRequest(w, r)
	if refusal != nil {
		write(w, refusal.reply())
		return
	}
	c := s.begin(Call{Method: method, Params: params, Files: files})
	s.finish(w, c, s.perform(r.Context(), c))
}

// route takes the method out of a path, after the token is found right.
func (s *Server) route(path string) (string, *Refusal) {
	rest, ok := strings.CutPrefix(path, "/bot")
	token, method, found := strings.Cut(rest, "/")
	switch {
	case !ok || !found:
		return "", &Refusal{Code: http.StatusNotFound, Description: "Not Found"}
	case token == s.cfg.Token:
		return method, nil
	case wellFormed(token):
		return "", &Refusal{Code: http.StatusUnauthorized, Description: "Unauthorized"}
	default:
		return "", &Refusal{Code: http.StatusNotFound, Description: "Not Found"}
	}
}

// wellFormed reports whether a token could be some bot's: those are 401, the others 404.
func wellFormed(token string) bool {
	id, secret, _ := strings.Cut(token, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	return err == nil && n > 0 && len(secret) >= 24 && isBase64URL(secret)
}

func isBase64URL(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-')
	}) < 0
}

// begin logs a call.
func (s *Server) begin(c Call) *Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.N = len(s.calls) + 1
	c.Time = s.cfg.Now()
	c.Chat = c.Params.Int("chat_id")
	logged := &c
	s.calls = append(s.calls, logged)
	s.bump()
	return logged
}

// perform takes a call through its phases and what the rules do to it.
func (s *Server) perform(ctx context.Context, c *Call) reply {
	fault := s.strike(c)
	s.phase(c, BeforeApply)
	if rep, ok := s.disturb(ctx, fault, false); ok {
		return rep
	}
	rep := s.apply(ctx, c)
	s.phase(c, AfterApply)
	if spoilt, ok := s.disturb(ctx, fault, true); ok {
		return spoilt
	}
	return rep
}

// apply runs the method and records what came of it.
func (s *Server) apply(ctx context.Context, c *Call) reply {
	res, refusal := s.run(ctx, c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if refusal != nil {
		c.Outcome.Code, c.Outcome.Description = refusal.Code, refusal.Description
		s.bump()
		return refusal.reply()
	}
	c.Outcome.Applied, c.Outcome.Code = true, http.StatusOK
	s.bump()
	return reply{status: http.StatusOK, body: res.body()}
}

// finish records and writes the answer.
func (s *Server) finish(w http.ResponseWriter, c *Call, rep reply) {
	s.mu.Lock()
	c.Outcome.Answered = !rep.drop
	if !rep.drop {
		c.Outcome.Code = rep.status
	}
	s.bump()
	s.mu.Unlock()
	if rep.drop {
		panic(http.ErrAbortHandler) // net/http closes the connection without a byte
	}
	write(w, rep)
	s.phase(c, AfterAnswer)
}

func (s *Server) phase(c *Call, p Phase) {
	if s.cfg.OnCall == nil {
		return
	}
	s.mu.Lock()
	seen := *c
	s.mu.Unlock()
	s.cfg.OnCall(seen, p)
}

// write sends the whole answer and flushes it, so that it is on its way when write returns.
func write(w http.ResponseWriter, rep reply) {
	if rep.mime == "" {
		rep.mime = "application/json"
	}
	w.Header().Set("Content-Type", rep.mime)
	w.Header().Set("Content-Length", strconv.Itoa(len(rep.body)))
	if rep.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(rep.retry))
	}
	w.WriteHeader(rep.status)
	_, _ = w.Write(rep.body) // a client that went away is its own affair
	_ = http.NewResponseController(w).Flush()
}

// Refusal is an answer with ok false; as a Fault it is given before the call is looked at.
type Refusal struct {
	Code        int // HTTP status and error_code
	Description string
	RetryAfter  int   // seconds, in the parameters and as a header
	MigrateTo   int64 // parameters.migrate_to_chat_id
}

// TooMany is the platform's 429 with a wait in seconds.
func TooMany(seconds int) Refusal {
	return Refusal{
		Code:        http.StatusTooManyRequests,
		Description: fmt.Sprintf("Too Many Requests: retry after %d", seconds),
		RetryAfter:  seconds,
	}
}

func badRequest(format string, args ...any) *Refusal {
	return &Refusal{Code: http.StatusBadRequest, Description: "Bad Request: " + fmt.Sprintf(format, args...)}
}

func forbidden(text string) *Refusal {
	return &Refusal{Code: http.StatusForbidden, Description: "Forbidden: " + text}
}

func (r Refusal) reply() reply {
	answer := wireRefusal{ErrorCode: r.Code, Description: r.Description}
	if r.RetryAfter != 0 || r.MigrateTo != 0 {
		answer.Parameters = &wireParameters{RetryAfter: r.RetryAfter, MigrateTo: r.MigrateTo}
	}
	body, _ := json.Marshal(answer) // a struct of strings and numbers always encodes
	return reply{status: r.Code, retry: r.RetryAfter, body: body}
}

type wireRefusal struct {
	OK          bool            `json:"ok"`
	ErrorCode   int             `json:"error_code"`
	Description string          `json:"description"`
	Parameters  *wireParameters `json:"parameters,omitempty"`
}

type wireParameters struct {
	RetryAfter int   `json:"retry_after,omitempty"`
	MigrateTo  int64 `json:"migrate_to_chat_id,omitempty"`
}
