package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"steady/core"
)

// Send wakes the pages that show the chat. What they show is the history, where the core has committed the text already, so
// there is nothing to deliver: it succeeds whether or not a page is open. The id derives from once.
func (c *Channel) Send(_ context.Context, to core.ChannelContext, once string, _ core.Body) (core.MessageID, error) {
	if err := c.wake(to); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(once))
	return core.MessageID(hex.EncodeToString(sum[:12])), nil
}

// Edit wakes the pages that show the chat; see [Channel.Send].
func (c *Channel) Edit(_ context.Context, to core.ChannelContext, _ core.MessageID, _ core.Body) error {
	return c.wake(to)
}

// Dedupes reports that a repeated once is harmless: it makes no second message.
func (c *Channel) Dedupes() bool { return true }

func (c *Channel) wake(to core.ChannelContext) error {
	session, ok := sessionOf(to)
	if !ok {
		return &core.Error{Kind: core.Refused, Err: errors.New("context of another channel")}
	}
	c.bells.ring(session)
	return nil
}

// bells wakes who follows a session. The zero value is ready, and safe to use from any goroutine.
type bells struct {
	mu   sync.Mutex // guards hung
	hung map[string]map[chan struct{}]bool
}

// hang returns a channel of capacity one that hears the rings of a session. unhang must be called.
func (b *bells) hang(session string) (bell <-chan struct{}, unhang func()) {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hung == nil {
		b.hung = map[string]map[chan struct{}]bool{}
	}
	if b.hung[session] == nil {
		b.hung[session] = map[chan struct{}]bool{}
	}
	b.hung[session][c] = true
	return c, func() { b.unhang(session, c) }
}

func (b *bells) unhang(session string, c chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.hung[session], c)
	if len(b.hung[session]) == 0 {
		delete(b.hung, session)
	}
}

func (b *bells) ring(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.hung[session] {
		select {
		case c <- struct{}{}:
		default: // it rings already
		}
	}
}
