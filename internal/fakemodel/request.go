package fakemodel

import (
	"encoding/json"
	"net/http"
	"time"
)

// Request is a chat request as the server read it. It is shared with the log: nobody may change what it refers to.
type Request struct {
	N                   int // counts from 1, refused ones too
	Time                time.Time
	Header              http.Header
	Raw                 []byte // the body
	Model               string
	Messages            []Message
	Tools               []Tool
	ToolChoice          string // none, auto, required, or the name of the one function; "" when absent
	ParallelToolCalls   *bool
	Stream              bool
	IncludeUsage        bool // stream_options.include_usage
	MaxTokens           *int
	MaxCompletionTokens *int
	Temperature         *float64
}

// Role is who speaks.
type Role string

// The roles.
const (
	System    Role = "system"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool"
)

// Message is one message of a request.
type Message struct {
	Role       Role
	Content    string // parts of type text are joined; "" for null
	Parts      int    // how many parts content had, 0 when it was a string
	Name       string
	ToolCalls  []ToolCall
	ToolCallID string // what a tool message answers
	Reasoning  string // reasoning_content, which some servers want back
}

// ToolCall is a call of a function. Arguments is JSON text.
type ToolCall struct {
	ID, Name, Arguments string
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema
}

// LastUser is the content of the last user message, "" without one.
func (r Request) LastUser() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == User {
			return r.Messages[i].Content
		}
	}
	return ""
}

// Last is the last message, which says whose turn it is: the user's word, or the results of tools.
func (r Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// wireRequest is a request's JSON; what null means is checked before.
type wireRequest struct {
	Model               *string           `json:"model"`
	Messages            []json.RawMessage `json:"messages"`
	Tools               []json.RawMessage `json:"tools"`
	ToolChoice          json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls"`
	Stream              bool              `json:"stream"`
	StreamOptions       *wireStreamOption `json:"stream_options"`
	MaxTokens           *int              `json:"max_tokens"`
	MaxCompletionTokens *int              `json:"max_completion_tokens"`
	Temperature         *float64          `json:"temperature"`
	TopP                *float64          `json:"top_p"`
}

type wireStreamOption struct {
	IncludeUsage bool `json:"include_usage"`
}

type wireMessage struct {
	Role       string            `json:"role"`
	Content    json.RawMessage   `json:"content"`
	Name       string            `json:"name"`
	ToolCalls  []json.RawMessage `json:"tool_calls"`
	ToolCallID string            `json:"tool_call_id"`
	Reasoning  string            `json:"reasoning_content"`
}

type wireToolCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}
