package faketelegram

import (
	"context"
	"net/http"
	"slices"
	"strings"
)

// Rule picks calls and says what goes wrong with them. Of several rules that match a call the one added first strikes; all of
// them count it.
type Rule struct {
	Method string            // "" is every method; case does not matter
	Chat   int64             // 0 is every chat
	When   func(Params) bool // nil is always; it runs under the Server's lock and must not use it
	Nth    int               // only the nth call that matches, counted from 1 since the rule was added; 0 is each of them
	Do     Fault
}

// A Fault is what a Rule does to a call: a [Refusal], [Drop], [BadGateway], [Garbage], [Hang] or [Hold]. Applied tells whether
// it strikes after the call took effect (or was refused by the platform's own rules) instead of before.
type Fault interface{ isFault() }

// Drop closes the connection without an answer: the request was lost, or, with Applied, its response.
type Drop struct{ Applied bool }

// BadGateway answers 502 with an HTML page.
type BadGateway struct{ Applied bool }

// Garbage answers 200 with something that is not JSON.
type Garbage struct {
	Body    string // "" is half an answer
	Applied bool
}

// Hang never answers. The call ends when the client gives up or the Server is closed.
type Hang struct{ Applied bool }

// Hold lets the call go on only when Until is closed (or gives a value). A client that gives up meanwhile is not served.
type Hold struct {
	Until   <-chan struct{}
	Applied bool
}

func (Refusal) isFault()    {}
func (Drop) isFault()       {}
func (BadGateway) isFault() {}
func (Garbage) isFault()    {}
func (Hang) isFault()       {}
func (Hold) isFault()       {}

type rule struct {
	Rule
	matched int
}

// Break adds a rule and returns what takes it away again.
func (s *Server) Break(r Rule) (mend func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added := &rule{Rule: r}
	s.rules = append(s.rules, added)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rules = slices.DeleteFunc(s.rules, func(r *rule) bool { return r == added })
	}
}

// strike finds the fault for a call, counts it and logs it.
func (s *Server) strike(c *Call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if r.matches(c) && c.Outcome.Fault == nil {
			c.Outcome.Fault = r.Do
		}
	}
	return c.Outcome.Fault
}

// matches counts the call if it is of the rule's kind and reports whether it is its turn.
func (r *rule) matches(c *Call) bool {
	if r.Method != "" && !strings.EqualFold(r.Method, c.Method) || r.Chat != 0 && r.Chat != c.Chat {
		return false
	}
	if r.When != nil && !r.When(c.Params) {
		return false
	}
	r.matched++
	return r.Nth == 0 || r.Nth == r.matched
}

// disturb lets a fault strike at its moment. ok false: the call goes on.
func (s *Server) disturb(ctx context.Context, f Fault, applied bool) (rep reply, ok bool) {
	dropped := reply{drop: true}
	switch f := f.(type) {
	case nil:
		return reply{}, false
	case Refusal:
		return f.reply(), !applied
	case Drop:
		return dropped, f.Applied == applied
	case BadGateway:
		page := "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"
		return reply{status: http.StatusBadGateway, mime: "text/html", body: []byte(page)}, f.Applied == applied
	case Garbage:
		return f.reply(), f.Applied == applied
	case Hang:
		if f.Applied == applied {
			s.hold(ctx, nil)
		}
		return dropped, f.Applied == applied
	case Hold:
		return dropped, f.Applied == applied && !s.hold(ctx, f.Until)
	default:
		panic("faketelegram: unknown fault")
	}
}

func (g Garbage) reply() reply {
	if g.Body == "" {
		g.Body = `{"ok":true,"result":{"message_id":`
	}
	return reply{status: http.StatusOK, body: []byte(g.Body)}
}

// hold waits for a release and reports whether it came before the client or the Server gave up.
func (s *Server) hold(ctx context.Context, until <-chan struct{}) bool {
	select {
	case <-until:
		return true
	case <-ctx.Done():
	case <-s.done:
	}
	return false
}
