package fakemodel

import (
	"net/http"
	"strconv"
)

// A Reply is what a request gets: an [Answer], a [Failure] or a [Verbatim]. The same value may be used for several requests.
type Reply interface{ isReply() }

// Answer is a regular answer, given as a stream or as one JSON object, as the request asks.
type Answer struct {
	Steps  []Step
	Finish string // finish_reason; "" is tool_calls after calls, else stop
	Usage  Usage  // the zero value is made up from the lengths
}

// Usage counts tokens.
type Usage struct {
	Prompt, Completion int
}

// Failure is an answer with a status of its own.
type Failure struct {
	Status int
	Body   string      // "" is an OpenAI error object with the status's name
	Header http.Header // such as Retry-After; Content-Type is application/json unless given
}

// Verbatim is a body byte for byte, whatever the request asked for.
type Verbatim struct {
	Status      int    // 0 is 200
	ContentType string // "" is text/event-stream
	Steps       []Step // Raw, Wait, Stall and Cut
}

func (Answer) isReply()   {}
func (Failure) isReply()  {}
func (Verbatim) isReply() {}

// A Step is a piece of a reply: [Say], [Think], [Call], [Raw], [Wait], [Stall] or [Cut].
type Step interface{ isStep() }

// Say is a piece of the text.
type Say string

// Think is a piece of reasoning (reasoning_content).
type Think string

// Call is a call of a tool. Its arguments are streamed in so many Pieces as there are, or as one.
type Call struct {
	ID, Name, Arguments string
	Pieces              int
}

// Raw are bytes that go out as they are, between the regular pieces of an answer.
type Raw string

// Wait holds the reply until its channel is closed or gives a value.
type Wait <-chan struct{}

// Stall is silence for ever: until the client goes away or the Server is closed.
type Stall struct{}

// Cut breaks the connection off.
type Cut struct{}

func (Say) isStep()   {}
func (Think) isStep() {}
func (Call) isStep()  {}
func (Raw) isStep()   {}
func (Wait) isStep()  {}
func (Stall) isStep() {}
func (Cut) isStep()   {}

// Text is an answer of these pieces of text.
func Text(pieces ...string) Answer {
	var a Answer
	for _, p := range pieces {
		a.Steps = append(a.Steps, Say(p))
	}
	return a
}

// Calls is an answer that calls tools, in order. Calls without an ID are named call_1, call_2 and so on.
func Calls(calls ...Call) Answer {
	var a Answer
	for i, c := range calls {
		if c.ID == "" {
			c.ID = "call_" + strconv.Itoa(i+1)
		}
		a.Steps = append(a.Steps, c)
	}
	return a
}

// Bytes is a stream of exactly these bytes.
func Bytes(body string) Verbatim { return Verbatim{Steps: []Step{Raw(body)}} }

// Fail is a failure with the status's usual error object, and with Retry-After when seconds is above 0.
func Fail(status, seconds int) Failure {
	f := Failure{Status: status}
	if seconds > 0 {
		f.Header = http.Header{"Retry-After": {strconv.Itoa(seconds)}}
	}
	return f
}
