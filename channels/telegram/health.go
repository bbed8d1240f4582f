package telegram

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"steady/core"
)

// deafAfter is how old the last good poll may be while the channel counts as ready.
const deafAfter = 2 * time.Minute

// A health is what the poll loop last met. It may be used concurrently.
type health struct {
	mu      sync.Mutex // guards all below
	last    time.Time  // the last good poll
	trouble error      // why there was none since
	logged  string     // the class of the trouble that was logged last
}

// heard notes that the platform answered a poll.
func (h *health) heard() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = time.Now()
}

// ill notes a failure, and logs it unless the same is known already.
func (h *health) ill(log *slog.Logger, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble = err
	class := core.KindOf(err).String()
	if conflicts(err) {
		class = "conflict"
	}
	if h.logged != class {
		h.logged = class
		log.Warn("polling telegram fails", "error", err)
	}
}

func (h *health) well(log *slog.Logger) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble = nil
	if h.logged != "" {
		h.logged = ""
		log.Info("polling telegram works again")
	}
}

func (h *health) ready() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	age := time.Since(h.last)
	switch {
	case h.trouble != nil && (h.last.IsZero() || age > deafAfter || conflicts(h.trouble) || core.KindOf(h.trouble) == core.Unauthorized):
		return h.trouble
	case h.last.IsZero():
		return errors.New("no poll yet")
	case age > deafAfter:
		return fmt.Errorf("no poll for %s", age.Round(time.Second))
	}
	return nil
}
