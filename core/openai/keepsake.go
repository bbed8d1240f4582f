package openai

import (
	"encoding/json"
	"strings"
)

// A keepsake is what a server wants to see again: as the Opaque of a reply its thoughts, as that of a call its signature. It
// is stored with the history, so fields are only added.
type keepsake struct {
	// From is the server and model that it came from. Others get to see none of it: they may refuse what they do not know.
	From string `json:"from"`

	// DeepSeek answers 400 when its reasoning_content does not come back, be it empty; OpenRouter wants its details unchanged.
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        *string           `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`

	// Gemini answers 400 when the thought signature of a call does not come back.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

// encode returns k as JSON, nil if it holds something that is none.
func (k keepsake) encode() json.RawMessage {
	b, err := json.Marshal(k)
	if err != nil {
		return nil
	}
	return b
}

// recall returns the keepsake in opaque, empty if it is of another origin.
func recall(opaque json.RawMessage, origin string) keepsake {
	var k keepsake
	if len(opaque) == 0 || json.Unmarshal(opaque, &k) != nil || k.From != origin {
		return keepsake{}
	}
	return k
}

// thoughts collects the reasoning of a reply. It is kept for the server and shown to nobody.
type thoughts struct {
	content, plain strings.Builder
	hasContent     bool // reasoning_content was there, perhaps empty
	details        []*detail
}

// A detail is one of OpenRouter's reasoning_details. A text or summary comes in pieces; anything else is whole.
type detail struct {
	key    string // kind and index, by which pieces belong together
	field  string // what comes in pieces, "" for nothing
	pieces strings.Builder
	fields map[string]json.RawMessage
}

// add takes what a delta has of them and returns its size.
func (t *thoughts) add(s *said) int {
	content, plain := scalar(s.ReasoningContent), scalar(s.Reasoning)
	t.hasContent = t.hasContent || given(s.ReasoningContent)
	t.content.WriteString(content)
	t.plain.WriteString(plain)
	size := len(content) + len(plain)
	for _, raw := range s.ReasoningDetails {
		size += t.addDetail(raw)
	}
	return size
}

func (t *thoughts) addDetail(raw json.RawMessage) int {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return 0
	}
	d := &detail{key: scalar(fields["type"]) + "/" + string(fields["index"]), fields: fields}
	switch scalar(fields["type"]) {
	case "reasoning.text":
		d.field = "text"
	case "reasoning.summary":
		d.field = "summary"
	}
	if n := len(t.details); d.field != "" && n > 0 && t.details[n-1].key == d.key {
		d = t.details[n-1]
		for name, value := range fields { // the signature comes with the last piece
			if given(value) {
				d.fields[name] = value
			}
		}
	} else {
		t.details = append(t.details, d)
	}
	d.pieces.WriteString(scalar(fields[d.field]))
	return len(raw)
}

// keep returns the richest form of the thoughts that the server gave, nil if there are none.
func (t *thoughts) keep(origin string) json.RawMessage {
	k := keepsake{From: origin}
	content, plain := t.content.String(), t.plain.String()
	switch {
	case len(t.details) > 0:
		for _, d := range t.details {
			k.ReasoningDetails = append(k.ReasoningDetails, d.encode())
		}
	case t.hasContent:
		k.ReasoningContent = &content
	case plain != "":
		k.Reasoning = &plain
	default:
		return nil
	}
	return k.encode()
}

func (d *detail) encode() json.RawMessage {
	if d.field != "" {
		d.fields[d.field], _ = json.Marshal(d.pieces.String()) // a string always can be
	}
	b, _ := json.Marshal(d.fields) // as can values that were decoded
	return b
}
