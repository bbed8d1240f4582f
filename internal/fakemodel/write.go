package fakemodel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// writer writes one reply.
type writer struct {
	s   *Server
	e   *Exchange
	w   http.ResponseWriter
	ctx context.Context // of the request: ends when the client goes away
}

type wireChunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Created int64           `json:"created"`
	Model   string          `json:"model"`
	Choices []wireChoice    `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"`
}

type wireChoice struct {
	Index   int        `json:"index"`
	Delta   *wireDelta `json:"delta,omitempty"`
	Message *wireDelta `json:"message,omitempty"`
	Finish  *string    `json:"finish_reason"`
}

type wireDelta struct {
	Role      string         `json:"role,omitempty"`
	Content   *string        `json:"content,omitempty"`
	Reasoning string         `json:"reasoning_content,omitempty"`
	ToolCalls []wireToolCall `json:"tool_calls,omitempty"`
}

type wireUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func (w *writer) reply(rep Reply) {
	switch rep := rep.(type) {
	case Failure:
		w.failure(rep)
	case Verbatim:
		w.verbatim(rep)
	case Answer:
		if w.e.Request.Stream {
			w.stream(rep)
		} else {
			w.object(rep)
		}
	default:
		panic("fakemodel: unknown reply")
	}
}

func (w *writer) end(end End) {
	w.s.update(w.e, func(e *Exchange) { e.End = end })
}

// head sends status and headers at once, so that a client sees them before the first byte of the body.
func (w *writer) head(status int, mime string) {
	w.w.Header().Set("Content-Type", mime)
	w.w.Header().Set("Cache-Control", "no-cache")
	w.w.WriteHeader(status)
	_ = http.NewResponseController(w.w).Flush()
	w.s.update(w.e, func(e *Exchange) { e.Status = status })
}

// put writes and flushes one piece.
func (w *writer) put(piece string) {
	_, _ = w.w.Write([]byte(piece)) // a client that went away is noticed by the context
	_ = http.NewResponseController(w.w).Flush()
	w.s.update(w.e, func(e *Exchange) { e.Chunks++ })
}

// pause does the steps that say nothing. Where the reply does not go on, the connection breaks off there.
func (w *writer) pause(step Step) {
	var until <-chan struct{}
	switch step := step.(type) {
	case Cut:
		w.abort(Broken)
	case Wait:
		until = step
	case Stall:
	default:
		if w.ctx.Err() != nil {
			w.abort(Left)
		}
		return
	}
	select {
	case <-until:
	case <-w.ctx.Done():
		w.abort(Left)
	case <-w.s.done:
		w.abort(Left)
	}
}

// abort ends a reply that is not whole: net/http closes the connection, so that the client can tell.
func (w *writer) abort(end End) {
	w.end(end)
	panic(http.ErrAbortHandler)
}

func (w *writer) failure(f Failure) {
	for name, values := range f.Header {
		w.w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	if w.w.Header().Get("Content-Type") == "" {
		w.w.Header().Set("Content-Type", "application/json")
	}
	if f.Body == "" {
		body, _ := json.Marshal(refuse(f.Status, "", "", http.StatusText(f.Status)).body) // strings always encode
		f.Body = string(body)
	}
	w.w.WriteHeader(f.Status)
	w.s.update(w.e, func(e *Exchange) { e.Status = f.Status })
	w.put(f.Body)
	w.end(Finished)
}

func (w *writer) verbatim(v Verbatim) {
	status, mime := v.Status, v.ContentType
	if status == 0 {
		status = http.StatusOK
	}
	if mime == "" {
		mime = "text/event-stream"
	}
	w.head(status, mime)
	for _, step := range v.Steps {
		w.pause(step)
		if raw, ok := step.(Raw); ok {
			w.put(string(raw))
		}
	}
	w.end(Finished)
}

// stream writes an answer as server-sent events: one for the role, one for each piece, the finish, the usage when it was asked
// for, and [DONE].
func (w *writer) stream(a Answer) {
	w.head(http.StatusOK, "text/event-stream")
	empty := ""
	w.event(&wireDelta{Role: string(Assistant), Content: &empty}, nil)
	calls := 0
	for _, step := range a.Steps {
		w.pause(step)
		switch step := step.(type) {
		case Say:
			text := string(step)
			w.event(&wireDelta{Content: &text}, nil)
		case Think:
			w.event(&wireDelta{Reasoning: string(step)}, nil)
		case Raw:
			w.put(string(step))
		case Call:
			w.call(calls, step)
			calls++
		}
	}
	finish := a.finish()
	w.event(&wireDelta{}, &finish)
	if w.e.Request.IncludeUsage {
		c := w.chunk("chat.completion.chunk")
		c.Choices, c.Usage = []wireChoice{}, w.usage(a)
		w.send(c)
	}
	w.put("data: [DONE]\n\n")
	w.end(Finished)
}

// call streams a tool call: its name first, then its arguments in pieces.
func (w *writer) call(index int, c Call) {
	w.event(&wireDelta{ToolCalls: []wireToolCall{{Index: &index, ID: c.ID, Type: "function", Function: wireFunction{Name: c.Name}}}}, nil)
	for _, piece := range c.split() {
		w.event(&wireDelta{ToolCalls: []wireToolCall{{Index: &index, Function: wireFunction{Arguments: piece}}}}, nil)
	}
}

// split cuts the arguments between characters, never inside one.
func (c Call) split() []string {
	runes := []rune(c.Arguments)
	n := max(1, min(c.Pieces, len(runes)))
	var pieces []string
	for i := range n {
		pieces = append(pieces, string(runes[i*len(runes)/n:(i+1)*len(runes)/n]))
	}
	return pieces
}

// object writes an answer as one JSON object; what waits, waits before it.
func (w *writer) object(a Answer) {
	content, m := "", wireDelta{Role: string(Assistant)}
	for _, step := range a.Steps {
		w.pause(step)
		switch step := step.(type) {
		case Say:
			content += string(step)
		case Think:
			m.Reasoning += string(step)
		case Call:
			m.ToolCalls = append(m.ToolCalls, wireToolCall{ID: step.ID, Type: "function", Function: wireFunction{step.Name, step.Arguments}})
		}
	}
	m.Content = &content
	finish := a.finish()
	c := w.chunk("chat.completion")
	c.Choices = []wireChoice{{Message: &m, Finish: &finish}}
	c.Usage = w.usage(a)
	w.s.update(w.e, func(e *Exchange) { e.Status, e.Chunks = http.StatusOK, 1 })
	writeJSON(w.w, http.StatusOK, c)
	w.end(Finished)
}

func (a Answer) finish() string {
	if a.Finish != "" {
		return a.Finish
	}
	for _, step := range a.Steps {
		if _, ok := step.(Call); ok {
			return "tool_calls"
		}
	}
	return "stop"
}

func (w *writer) chunk(object string) wireChunk {
	r := w.e.Request
	return wireChunk{ID: fmt.Sprintf("chatcmpl-%d", r.N), Object: object, Created: r.Time.Unix(), Model: r.Model}
}

// event sends one chunk with one choice. With usage asked for, the chunks before the last carry null.
func (w *writer) event(d *wireDelta, finish *string) {
	c := w.chunk("chat.completion.chunk")
	c.Choices = []wireChoice{{Delta: d, Finish: finish}}
	if w.e.Request.IncludeUsage {
		c.Usage = json.RawMessage("null")
	}
	w.send(c)
}

func (w *writer) send(c wireChunk) {
	body, _ := json.Marshal(c) // strings and numbers always encode
	w.put("data: " + string(body) + "\n\n")
}

// usage is the answer's, or one that is made up: four bytes a token.
func (w *writer) usage(a Answer) json.RawMessage {
	u := a.Usage
	if u == (Usage{}) {
		u.Prompt = len(w.e.Request.Raw)/4 + 1
		u.Completion = len(a.text())/4 + 1
	}
	body, _ := json.Marshal(wireUsage{u.Prompt, u.Completion, u.Prompt + u.Completion}) // numbers always encode
	return body
}

// text is all that an answer says, thinks and calls.
func (a Answer) text() string {
	var b strings.Builder
	for _, step := range a.Steps {
		switch step := step.(type) {
		case Say:
			b.WriteString(string(step))
		case Think:
			b.WriteString(string(step))
		case Call:
			b.WriteString(step.Name + step.Arguments)
		}
	}
	return b.String()
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	body, _ := json.Marshal(v) // the structs of this package always encode
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
