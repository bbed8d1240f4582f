package openai

import (
	"fmt"
	"io"
	"log/slog"
)

// A Key is a secret that can be used and not be printed: every verb of fmt, JSON and slog give ***.
type Key string

const masked = "***"

// Format writes *** for every verb.
func (Key) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, masked) }

// String returns ***.
func (Key) String() string { return masked }

// MarshalText returns ***, for JSON and other encodings.
func (Key) MarshalText() ([]byte, error) { return []byte(masked), nil }

// LogValue returns ***.
func (Key) LogValue() slog.Value { return slog.StringValue(masked) }
