package core

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Tool is something that a model can ask for. Its functions may be called concurrently and never write anything but through
// d or in Run. An error that is a [*ToolError] is told to the model as it is; any other one as handler_error, with the cause in
// the log alone.
type Tool struct {
	Name        string
	Label       LocalText // shown to people, seed 001 §11
	Description string    // for the model
	About       LocalText // the description for people, in the question; without one they read the model's
	Schema      json.RawMessage
	// Validate coerces and checks arguments and removes undeclared keys; it returns canonical JSON. Seed 001 §5 step 2.
	Validate func(o Origin, args json.RawMessage) (json.RawMessage, error)
	// Effect says what the call does. nil means Destroys.
	Effect func(o Origin, args json.RawMessage) Effect
	// Precheck applies the rules before anybody is asked and resolves relative arguments (today, last, an old value) to ids,
	// dates and revisions. What it returns is what is shown, digested and run; it must accept its own output, unchanged as long
	// as the world is. nil leaves the arguments as they are.
	Precheck func(ctx context.Context, d *Documents, o Origin, args json.RawMessage) (json.RawMessage, error)
	// Summary says in the person's language what the call will do. nil or "" shows the arguments instead.
	Summary func(ctx context.Context, d *Documents, o Origin, args json.RawMessage) (string, error)
	// Apply is the whole effect of a tool that only reads and writes documents. Such a tool is exact: its effect is committed
	// with its result, and it is applied again when a document changed meanwhile.
	Apply func(ctx context.Context, d *Documents, o Origin, args json.RawMessage) (any, error)
	// Run is the effect of any other tool. Exactly one of Apply and Run is set.
	Run func(ctx context.Context, o Origin, args json.RawMessage) (any, error)
}

// An Effect says how much a call can do.
type Effect uint8

// The effects. The zero value asks first, so that forgetting is safe.
const (
	Destroys Effect = iota // a person must say yes
	Writes                 // runs at once, and is logged as started first
	Reads                  // may be run again after a crash
)

// An Origin is who a call serves and where it came from.
type Origin struct {
	Person  PersonID
	Account AccountID
	Name    string // display name, not trusted
	Chat    ChatKey
	Direct  bool
	Lang    Lang
	Zone    *time.Location
	// DayStart is the hour (0–6) at which the person's day begins, habits.md §1.1.
	DayStart int
	Now      time.Time
}

// A ToolError is a refusal that the model shall know of: an error envelope of seed 001 §2. Reason is one sentence in the
// person's language that says what to do.
type ToolError struct {
	Code   string
	Reason string
}

func (e *ToolError) Error() string { return e.Code + ": " + e.Reason }

// A DocumentReader reads documents; every [Store] is one.
type DocumentReader interface {
	Documents(ctx context.Context, prefix, after string, max int) ([]Document, error)
}

// Documents is what one call sees of the documents: it remembers the revision of all that was read, so that the commit is
// refused if one of them changed, and what is to be written. It is used by one goroutine.
type Documents struct {
	from   DocumentReader
	read   map[string]Document
	writes map[string][]byte
}

// NewDocuments returns an empty view of r.
func NewDocuments(r DocumentReader) *Documents {
	return &Documents{from: r, read: map[string]Document{}, writes: map[string][]byte{}}
}

// Get returns a document, as this view would leave it; nil if there is none. The slice must not be changed.
func (d *Documents) Get(ctx context.Context, key string) ([]byte, error) {
	if body, ok := d.writes[key]; ok {
		return body, nil
	}
	if doc, ok := d.read[key]; ok {
		return doc.Body, nil
	}
	found, err := d.from.Documents(ctx, key, "", 1)
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	doc := Document{Key: key}
	if len(found) == 1 && found[0].Key == key {
		doc = found[0]
	}
	d.read[key] = doc
	return doc.Body, nil
}

// Put writes a document that was read through this view.
func (d *Documents) Put(key string, body []byte) {
	if _, ok := d.read[key]; !ok {
		panic("core: a document was put that was not read: " + key) // the dispatcher makes an error of it
	}
	d.writes[key] = body
}

// Writes returns what a commit must check and write: every document that was read, with its new body where there is one.
func (d *Documents) Writes() []DocumentWrite {
	var out []DocumentWrite
	for key, doc := range d.read {
		out = append(out, DocumentWrite{Key: key, Revision: doc.Revision, Body: d.writes[key]})
	}
	return out
}
