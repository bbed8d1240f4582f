package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"steady/core"
)

var errUnreadable = errors.New("unreadable piece of a reply")

// A chunk is one event of a stream, or a whole reply. What servers disagree about is kept raw.
type chunk struct {
	Object  json.RawMessage
	Choices []choice
	Usage   json.RawMessage
	Error   json.RawMessage
	Message json.RawMessage // of an error without envelope, as is Detail
	Detail  json.RawMessage
}

type choice struct {
	Index        json.RawMessage
	Delta        *said
	Message      *said
	FinishReason json.RawMessage `json:"finish_reason"`
}

// said is a delta, or a whole message.
type said struct {
	Content          json.RawMessage
	Refusal          json.RawMessage
	ReasoningContent json.RawMessage       `json:"reasoning_content"`
	Reasoning        json.RawMessage       `json:"reasoning"`
	ReasoningDetails list[json.RawMessage] `json:"reasoning_details"`
	ToolCalls        list[fragment]        `json:"tool_calls"`
	FunctionCall     *function             `json:"function_call"`
}

// A list may come as its only element, and anything that is neither is an empty one.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '[':
		return json.Unmarshal(b, (*[]T)(l))
	case '{':
		var one T
		err := json.Unmarshal(b, &one)
		*l = list[T]{one}
		return err
	}
	return nil
}

// A fragment is a piece of a call.
type fragment struct {
	Index        json.RawMessage
	ID           json.RawMessage
	Function     function
	ExtraContent json.RawMessage `json:"extra_content"`
}

type function struct{ Name, Arguments json.RawMessage }

// parseChunk reads the data of an event, which are not empty. The error is a *failure that the server reports in it, or
// [errUnreadable].
func parseChunk(ev event) (chunk, error) {
	var c chunk
	if ev.name == nameError {
		f := parseFailure(ev.data)
		return c, &f
	}
	switch ev.data[0] {
	case '{':
		if json.Unmarshal(ev.data, &c) != nil {
			return c, errUnreadable
		}
	case '[': // Gemini reports errors in a list
		f := parseFailure(ev.data)
		return c, &f
	default: // a ping in words
		return c, nil
	}
	if c.failed() {
		f := parseFailure(ev.data)
		return c, &f
	}
	return c, nil
}

// failed says whether the chunk reports a failure, in any of the forms that are known.
func (c *chunk) failed() bool {
	switch string(c.Error) {
	case "", "null", "false", `""`, "{}":
	default:
		return true
	}
	return scalar(c.Object) == "error" || len(c.Choices) == 0 && (given(c.Message) || given(c.Detail))
}

// said returns what the choice says: a delta, or the whole message of a server that does not stream.
func (c *choice) said() *said {
	if c.Delta != nil {
		return c.Delta
	}
	return c.Message
}

// calls returns the pieces of calls, those in the form before tools among them.
func (s *said) calls() []fragment {
	if s.FunctionCall == nil {
		return s.ToolCalls
	}
	return append(s.ToolCalls, fragment{Function: *s.FunctionCall})
}

// text returns the text of a content: a string, or a list of parts, of which thoughts are left out.
func text(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '[' {
		return scalar(raw)
	}
	var parts []struct{ Type, Text json.RawMessage }
	if json.Unmarshal(raw, &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		switch scalar(p.Type) {
		case "", "text", "output_text":
			b.WriteString(scalar(p.Text))
		}
	}
	return b.String()
}

// arguments returns the arguments of a call as text; some servers send an object in place of its encoding.
func arguments(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' {
		return scalar(raw)
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}

// scalar returns a string as it is, a number or truth value as it is written, and "" for anything else. raw is valid JSON or
// empty.
func scalar(raw json.RawMessage) string {
	if !given(raw) {
		return ""
	}
	switch raw[0] {
	case '"':
		if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) { // as almost every piece of a text
			return string(raw[1 : len(raw)-1])
		}
		var s string
		_ = json.Unmarshal(raw, &s)
		return s
	case '{', '[':
		return ""
	}
	return string(raw)
}

// number returns a number, also one in a string.
func number(raw json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(scalar(raw), 64)
	if err != nil || !(f >= 0 && f <= 1e9) {
		return 0, false
	}
	return int(f), true
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// usage returns the count of tokens, if there is one.
func (c *chunk) usage() (core.Usage, bool) {
	var u struct {
		Prompt     json.RawMessage `json:"prompt_tokens"`
		Completion json.RawMessage `json:"completion_tokens"`
	}
	if !given(c.Usage) || json.Unmarshal(c.Usage, &u) != nil {
		return core.Usage{}, false
	}
	prompt, ok := number(u.Prompt)
	completion, ok2 := number(u.Completion)
	return core.Usage{Prompt: prompt, Completion: completion}, ok || ok2
}
