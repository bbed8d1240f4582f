package core

import (
	"context"
	"time"
)

// A Channel joins the core to one platform. Send and Edit are called concurrently for different chats, never for one chat.
// Errors of both carry a [Kind]; one without is taken as Uncertain.
type Channel interface {
	// Run delivers inbound events until ctx ends, and acknowledges one upstream only after accept returned nil for it. It
	// returns nil when ctx ended, and an error only for what no waiting can mend.
	Run(ctx context.Context, accept Accept) error
	// Send posts a message and returns its id. A repeated once must not post twice where the platform can tell.
	Send(ctx context.Context, to ChannelContext, once string, b Body) (MessageID, error)
	// Edit replaces a message; repeating it is harmless. nil means that the platform shows exactly b.
	Edit(ctx context.Context, to ChannelContext, id MessageID, b Body) error
}

// Accept takes inbound events over. When it returns nil, they are durable. One receipt each, in order. It is
// [Engine.Accept] as channels see it.
type Accept func(ctx context.Context, in ...Inbound) ([]Receipt, error)

// What a channel may be able to do besides. Each is asked for in one place, abilities.go.
type (
	// A Roler may run only once among all processes of one bot; Run is called while the role is held.
	Roler interface{ Role() string }
	// A Streamer shows an answer while it grows: previews go out by Send and Edit, at most one per interval. Without it a
	// channel gets the finished messages only.
	Streamer interface {
		StreamInterval(to ChannelContext) time.Duration
	}
	// A Divider knows how many messages a body needs; [Body.Part] says which one to send. Without it a body is one message.
	Divider interface{ Parts(b Body) int }
	// A Typer shows for some seconds that the bot is at work.
	Typer interface {
		Typing(ctx context.Context, to ChannelContext) error
	}
	// A Deleter removes a message of the bot.
	Deleter interface {
		Delete(ctx context.Context, to ChannelContext, id MessageID) error
	}
	// A Deduper tells whether a repeated once of Send is recognized.
	Deduper interface{ Dedupes() bool }
	// A Prober tells whether the channel works now; nil if it does. The text is for operators.
	Prober interface{ Ready() error }
)
