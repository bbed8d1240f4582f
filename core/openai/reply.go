package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"steady/core"
)

const (
	maxReply = 2 << 20 // bytes of text, thoughts and arguments
	maxCalls = 64
)

var errLength = errors.New("the model reached its limit of output tokens")

// An accumulator puts the pieces of one reply together. The zero value is ready; it is used by one goroutine.
type accumulator struct {
	text     strings.Builder
	filter   thoughtFilter
	thoughts thoughts
	slots    []*slot
	usage    core.Usage
	counted  bool // usage was given
	finish   string
	done     bool
	size     int
}

// A slot is a call in the making.
type slot struct {
	index    int // -1: the server gave none
	id, name string
	args     strings.Builder
	extra    json.RawMessage
}

// A piece is what an event added.
type piece struct {
	text string // for the person
	void bool   // the text before is void
	news bool   // there was content, or an end; not just a sign of life
}

// add takes the next event. The error is a *failure that the server reported, [errUnreadable] or [errTooLong].
func (a *accumulator) add(ev event) (piece, error) {
	ev.data = bytes.TrimSpace(ev.data)
	if len(ev.data) == 0 {
		return piece{}, nil
	}
	if string(ev.data) == done {
		a.done = true
		return piece{news: true}, nil
	}
	c, err := parseChunk(ev)
	if err != nil {
		return piece{}, err
	}
	var p piece
	if u, ok := c.usage(); ok {
		p.news = !a.counted && a.ended()
		a.usage, a.counted = u, true
	}
	if a.done {
		return p, nil
	}
	for i := range c.Choices {
		if n, _ := number(c.Choices[i].Index); n == 0 {
			a.choose(&c.Choices[i], &p)
		}
	}
	if a.size > maxReply || len(a.slots) > maxCalls {
		return p, errTooLong
	}
	return p, nil
}

func (a *accumulator) choose(c *choice, p *piece) {
	// A whole message at the end of a stream repeats what was streamed.
	if s := c.said(); s != nil && (c.Delta != nil || a.size == 0) {
		a.hear(s, p)
	}
	if reason := scalar(c.FinishReason); reason != "" {
		a.finish = strings.ToLower(reason)
		p.news = true
	}
}

func (a *accumulator) hear(s *said, p *piece) {
	before := a.size
	content := text(s.Content) + text(s.Refusal)
	shown, void := a.filter.add(content)
	if void {
		a.text.Reset()
		p.text, p.void = "", true
	}
	a.text.WriteString(shown)
	p.text += shown
	a.size += len(content) + a.thoughts.add(s)
	for _, f := range s.calls() {
		if len(a.slots) <= maxCalls { // one more than allowed is refused in add
			a.join(f)
		}
	}
	p.news = p.news || a.size > before
}

// join adds a piece of a call to the call that it belongs to.
func (a *accumulator) join(f fragment) {
	id, name, args := scalar(f.ID), scalar(f.Function.Name), arguments(f.Function.Arguments)
	index, ok := number(f.Index)
	if !ok {
		index = -1
	}
	s := a.find(index, id, name)
	if s == nil {
		s = &slot{index: index}
		a.slots = append(a.slots, s)
		a.size++
	}
	if s.id == "" {
		s.id = id
		a.size += len(id)
	}
	if s.args.Len() == 0 && name != s.name {
		s.name += name
		a.size += len(name)
	}
	s.args.WriteString(args)
	a.size += len(args)
	if given(f.ExtraContent) {
		s.extra = bytes.Clone(f.ExtraContent)
		a.size += len(s.extra)
	}
}

// find returns the call that a piece goes on with, nil if it begins one.
func (a *accumulator) find(index int, id, name string) *slot {
	if index < 0 {
		return a.findUncounted(id, name)
	}
	for i := len(a.slots) - 1; i >= 0; i-- {
		if s := a.slots[i]; s.index == index && s.takes(id, name) {
			return s
		}
	}
	return nil
}

// findUncounted is find for servers that do not count their calls: they begin each with a name.
func (a *accumulator) findUncounted(id, name string) *slot {
	for _, s := range a.slots {
		if id != "" && s.id == id {
			return s
		}
	}
	if name != "" || len(a.slots) == 0 {
		return nil
	}
	return a.slots[len(a.slots)-1]
}

// takes says whether a piece with the slot's index is of its call. Some servers use one index for all calls, which then differ
// in id or, where there is none, in name.
func (s *slot) takes(id, name string) bool {
	if id != "" && s.id != "" {
		return id == s.id
	}
	return name == "" || name == s.name || s.args.Len() == 0
}

// ended says whether the server said that the reply is complete.
func (a *accumulator) ended() bool { return a.finish != "" || a.done }

// verdict says what kind of end it was: nil for a reply that may be used.
func (a *accumulator) verdict() error {
	switch reason := a.finish; {
	case reason == "length", reason == "max_tokens", reason == "model_length":
		return errLength
	case strings.HasPrefix(reason, "content_filter"), reason == "safety", reason == "sensitive":
		return &failure{code: "content_filter", text: "the answer was withheld"}
	case reason == "error", reason == "insufficient_system_resource":
		return &failure{text: "the server gave up in the middle of the answer"}
	}
	return nil
}

// flush returns the last of the text. It is called once, when the reply is complete.
func (a *accumulator) flush() piece {
	shown, void := a.filter.end(len(a.slots) > 0)
	if void {
		a.text.Reset()
	}
	a.text.WriteString(shown)
	return piece{text: shown, void: void}
}

// reply returns the whole reply. fresh makes the id of a call unique, origin marks what only this server and model may see
// again.
func (a *accumulator) reply(origin string, fresh func(id string) string) core.Reply {
	r := core.Reply{Text: a.text.String(), Usage: a.usage}
	for _, s := range a.slots {
		args := strings.TrimSpace(s.args.String())
		if args == "" || args == "null" {
			args = "{}"
		}
		call := core.ToolCall{ID: fresh(s.id), Name: s.name, Args: args}
		if s.extra != nil {
			call.Opaque = keepsake{From: origin, ExtraContent: s.extra}.encode()
		}
		r.Calls = append(r.Calls, call)
	}
	if len(r.Calls) > 0 {
		r.Opaque = a.thoughts.keep(origin)
	}
	return r
}
