package core

import (
	"context"
	"encoding/json"
)

// A Model answers prompts. It is used by many turns at the same time.
type Model interface {
	// Reply streams deltas to sink and returns the whole reply. Errors carry a Kind: Overflow, Throttled, Transient, Refused,
	// Unauthorized or Truncated. When ctx ends it returns soon, with an error that wraps ctx's and needs no Kind. sink is called from one goroutine at a time,
	// never after Reply returned.
	Reply(ctx context.Context, p Prompt, sink func(Delta)) (Reply, error)
}

// A Delta is a piece of a reply on its way.
type Delta struct {
	Text string
	// Restart says that the text so far is void; what follows takes its place.
	Restart bool
}

// A Reply is what a model said: words, calls, or words with calls.
type Reply struct {
	Text  string
	Calls []ToolCall
	Usage Usage
	// Opaque is what the provider wants to see again with the calls of this reply, such as its reasoning.
	Opaque json.RawMessage
}

// A ToolCall asks for a tool. Args is the text as the model wrote it: perhaps no JSON at all.
type ToolCall struct {
	ID     string
	Name   string
	Args   string
	Opaque json.RawMessage // what the provider wants to see again with this call
}

// Usage counts tokens; zero where a provider does not say.
type Usage struct{ Prompt, Completion int }

// A Prompt is one request to a model. prompt.go makes it, in one place.
type Prompt struct {
	System string
	Items  []PromptItem
	Tools  []ToolSpec
	// NoTools asks for words: tools are named, because calls are in the history, but may not be called (tool_choice none).
	NoTools bool
	Lang    Lang
	// Revision is the revision of the chat that the prompt was built on, Tokens its estimated size.
	Revision uint64
	Tokens   int
}

// A PromptItem is one part of a prompt: [Ask], [Answer], [Calls] or [Outcome]. Calls are directly followed by the outcomes of
// all of them, in their order.
type PromptItem interface{ isPromptItem() }

// Ask is what a person said. Facts are the runtime facts, on the last Ask only; they are attached after the text and never
// stored.
type Ask struct{ Text, Facts string }

// Answer is what the bot said.
type Answer struct{ Text string }

// Calls are the calls of one reply with the words that came with them.
type Calls struct {
	Text   string
	Calls  []ToolCall
	Opaque json.RawMessage
}

// Outcome is the result of a call, as JSON.
type Outcome struct{ ID, Name, JSON string }

func (Ask) isPromptItem()     {}
func (Answer) isPromptItem()  {}
func (Calls) isPromptItem()   {}
func (Outcome) isPromptItem() {}

// A ToolSpec is what a model is told of a tool.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage // draft-07, an object
}
