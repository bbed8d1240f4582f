package core

import (
	"encoding/json"
	"time"
)

// A Role is who wrote a message. Labels, classes and alignment derive from it, never the other way round (seed 003).
type Role uint8

// The roles; there are no others.
const (
	User Role = iota + 1
	Agent
)

func (r Role) String() string {
	if r == User {
		return "user"
	}
	return "agent"
}

// An Entry is one immutable piece of a chat's history: a [Message], [Call], [Result] or [Notice].
type Entry interface{ isEntry() }

// A Message is a role and a body (seed 003). A user's text is the input without leading and trailing white space, the inside
// untouched.
type Message struct {
	Role Role
	Text string
	// Partial says that the text is what there was when the turn was stopped or failed.
	Partial bool
	// Source is set on a user's message only.
	Source *Source
}

// A Source is where a user's message came from (seed 002 §10.2). Clients and models see the name, never the account.
type Source struct {
	Kind     SourceKind
	Channel  string
	Account  AccountID
	Name     string
	Received time.Time
	ReplyTo  *Quote
	Inbound  string // the inbound's id
}

// SourceKind says what made a user's message.
type SourceKind uint8

// The kinds of sources.
const (
	UserInput SourceKind = iota + 1
)

// A Call is one tool call of a reply.
type Call struct {
	ID    string
	Tool  string
	Args  string // as the model wrote it
	Reply int    // the number of the reply within its turn, from 1; calls with the same number belong together
	// Text came with the reply; it is on its first call only, as is ReplyOpaque.
	Text        string
	ReplyOpaque json.RawMessage
	Opaque      json.RawMessage
}

// A Result is the outcome of the call with the same ID: an envelope of seed 001 §2, already cut to its limit.
type Result struct {
	ID   string
	Tool string
	JSON string
}

// A Notice is a text by code: a hint, the answer to a command, word of a failure. It is no part of a turn's exchange.
type Notice struct {
	Kind NoticeKind
	Text string
}

// NoticeKind says what a notice is about.
type NoticeKind uint8

// The kinds of notices.
const (
	Told    NoticeKind = iota + 1 // the answer to a command
	Hint                          // an offer, such as to start anew
	Stopped                       // a turn was stopped
	Failed                        // a turn failed
	Missed                        // something could not be taken or delivered
)

func (Message) isEntry() {}
func (Call) isEntry()    {}
func (Result) isEntry()  {}
func (Notice) isEntry()  {}

// A Recorded is an entry with its revision, which is its id within the chat, and the turn that it belongs to.
type Recorded struct {
	Revision uint64
	Turn     uint64 // 0 for notices outside of turns
	At       time.Time
	Entry    Entry
}
