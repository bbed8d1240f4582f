package core

import (
	"errors"
	"time"
)

// A Kind is a class of failure that someone branches on. What nobody branches on is [Other].
type Kind uint8

// The kinds of channels, then those of models. Throttled, Refused and Unauthorized are of both.
const (
	Other        Kind = iota
	Throttled         // later; Error.Wait says when
	Unsent            // nothing was written: dial, DNS
	Uncertain         // it may have happened: timeout, reset, 5xx
	Markup            // the platform refuses the formatting, not the message
	Refused           // never for this message: not found, too old, deleted; a model: never for this request
	Relocated         // the chat has another address; Error.Chat and Error.Context say which
	Gone              // never for this chat: blocked, kicked
	Unauthorized      // never with these credentials

	Overflow  // the prompt is longer than the model's context
	Transient // a model: it may work the next time
	Truncated // a model: the answer was cut off
)

func (k Kind) String() string {
	names := [...]string{"other", "throttled", "unsent", "uncertain", "markup", "refused", "relocated", "gone", "unauthorized", "overflow", "transient", "truncated"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// An Error is a failure with a kind. Err is for the log and never shown to a person; [Public] is.
type Error struct {
	Kind    Kind
	Wait    time.Duration  // of Throttled: not before this has passed
	Chat    ChatKey        // of Relocated: the new key that the channel makes of the chat
	Context ChannelContext // of Relocated: the new address
	Err     error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Kind.String()
	}
	return e.Kind.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of err, [Other] for one that has none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Other
}

// Errors of the engine and of stores. Each is part of a contract: see where it is returned.
var (
	// ErrClosed says that the engine or the store was stopped; nothing was taken.
	ErrClosed = errors.New("closed")
	// ErrFenced says that the lease is no longer the chat's: nothing was written, and nothing may be done for the chat any more.
	ErrFenced = errors.New("lease lost")
	// ErrStale says that the batch was made without knowing something newer: an urgent row, or an acknowledgement that already
	// happened. Nothing was written; read the inbox and decide anew.
	ErrStale = errors.New("stale")
	// ErrConflict says that a document changed since it was read. Nothing was written; read it and decide anew.
	ErrConflict = errors.New("document changed")
)
