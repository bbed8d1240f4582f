package core

import (
	"context"
	"time"
)

// An ability set is what a channel can do besides; this is the one place that asks.
type abilitySet struct {
	role     string
	interval func(ChannelContext) time.Duration // nil: no previews
	parts    func(Body) int
	typing   func(context.Context, ChannelContext) error            // nil: none
	remove   func(context.Context, ChannelContext, MessageID) error // nil: none
	dedupes  bool
}

func abilities(ch Channel) abilitySet {
	a := abilitySet{parts: func(Body) int { return 1 }}
	if c, ok := ch.(Roler); ok {
		a.role = c.Role()
	}
	if c, ok := ch.(Streamer); ok {
		a.interval = c.StreamInterval
	}
	if c, ok := ch.(Divider); ok {
		a.parts = c.Parts
	}
	if c, ok := ch.(Typer); ok {
		a.typing = c.Typing
	}
	if c, ok := ch.(Deleter); ok {
		a.remove = c.Delete
	}
	if c, ok := ch.(Deduper); ok {
		a.dedupes = c.Dedupes()
	}
	return a
}
