package core

import (
	"strings"
	"sync"
)

// A stream is a reply on its way from the model's goroutine to the agent's.
type stream struct {
	ping chan struct{} // capacity one: there is more

	mu  sync.Mutex
	buf strings.Builder // guarded by mu
}

func newStream() *stream { return &stream{ping: make(chan struct{}, 1)} }

func (s *stream) add(d Delta) {
	s.mu.Lock()
	if d.Restart {
		s.buf.Reset()
	}
	s.buf.WriteString(d.Text)
	s.mu.Unlock()
	poke(s.ping)
}

func (s *stream) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}
