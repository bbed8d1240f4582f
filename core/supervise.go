package core

import (
	"context"
	"fmt"
	"log/slog"
	"sort"
	"strings"
	"sync"
)

// A supervisor owns every goroutine of an engine: each has a name, a panic in one is logged and ends only it, and wait tells which
// are still there (seed 002 §2.10).
type supervisor struct {
	log *slog.Logger
	wg  sync.WaitGroup

	mu      sync.Mutex
	running map[string]int // guarded by mu
}

func newSupervisor(log *slog.Logger) *supervisor {
	return &supervisor{log: log, running: map[string]int{}}
}

// start runs f in a goroutine of the given name.
func (s *supervisor) start(name string, f func()) {
	s.count(name, 1)
	s.wg.Go(func() {
		defer s.count(name, -1)
		if err := caught(func() error { f(); return nil }); err != nil {
			s.log.Error("goroutine ended by a panic", "name", name, "err", err)
		}
	})
}

func (s *supervisor) count(name string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[name] += n
}

// wait returns nil when all goroutines have ended, or an error that names those that had not when ctx ended.
func (s *supervisor) wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() { // ends with the goroutines that it waits for
		s.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []string
	for name, n := range s.running {
		if n > 0 {
			left = append(left, fmt.Sprintf("%d %s", n, name))
		}
	}
	sort.Strings(left)
	return fmt.Errorf("still running: %s", strings.Join(left, ", "))
}
