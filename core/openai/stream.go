package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

const (
	maxEvent  = 1 << 20  // bytes of one line, and of one event
	maxJSON   = 4 << 20  // bytes of a body that is no event stream
	maxStream = 64 << 20 // bytes of an event stream; most of it is envelope and keep-alive
	// maxLines is how many lines of data are tried as a whole JSON value; after that the event has to end properly, for
	// trying costs as much as there is.
	maxLines = 16
)

var errTooLong = errors.New("reply is longer than allowed")

// An event is one message of a stream. Its data are valid until the next one is read.
type event struct {
	name string
	data []byte
}

const (
	done      = "[DONE]" // the data of the event after which only the usage can come
	nameError = "error"  // the name of an event that is an error
)

// A stream cuts a body into events. It reads server-sent events as servers write them rather than as the standard has them:
// an event ends as soon as its data are a whole JSON value, because some servers leave out the blank line; the last line
// needs no end; a line that is JSON without a field name is an event, because that is how some report errors. A body that
// begins like JSON is read as JSON values, followed by a [DONE].
type stream struct {
	in    *bufio.Reader
	limit *io.LimitedReader
	json  *json.Decoder // set when the body is JSON
	begun bool
	ended error // what there was after the last event
	name  string
	data  []byte
	lines int    // of data
	long  []byte // a line that is longer than the buffer
}

func newStream(body io.Reader) *stream {
	limit := &io.LimitedReader{R: body, N: maxStream}
	return &stream{in: bufio.NewReaderSize(limit, 16<<10), limit: limit}
}

// next returns the next event, io.EOF at the end.
func (s *stream) next() (event, error) {
	if !s.begun {
		s.begun = true
		s.begin()
	}
	for s.ended == nil {
		if s.json != nil {
			return s.nextValue()
		}
		line, err := s.line()
		s.ended = err
		ev, ok := s.take(line)
		if !ok && err != nil && s.name == nameError {
			ev, ok = s.take(nil) // what there is of it
		}
		if ok {
			return ev, nil
		}
	}
	if s.limit.N <= 0 {
		return event{}, errTooLong
	}
	return event{}, s.ended
}

// begin skips a byte order mark and blank lines and finds out what the body is.
func (s *stream) begin() {
	if mark, _ := s.in.Peek(3); string(mark) == "\ufeff" {
		_, _ = s.in.Discard(3)
	}
	for {
		first, err := s.in.Peek(1)
		switch {
		case err != nil:
			s.ended = err
			return
		case first[0] == '{', first[0] == '[':
			s.limit.N = min(s.limit.N, maxJSON)
			s.json = json.NewDecoder(s.in)
			return
		case first[0] == '<':
			s.ended = &failure{code: "not_found", text: "the answer is a web page, not a model's reply; check the base URL"}
			return
		case !strings.ContainsRune(" \t\r\n", rune(first[0])):
			return
		}
		_, _ = s.in.Discard(1)
	}
}

func (s *stream) nextValue() (event, error) {
	var value json.RawMessage
	err := s.json.Decode(&value)
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return event{data: value}, nil
	case errors.As(err, &syntax):
		return event{}, errUnreadable
	case err == io.EOF && s.limit.N > 0:
		s.ended = err
		return event{data: []byte(done)}, nil
	}
	s.ended = err
	return s.next()
}

// line returns the next line without its end. With an error the line is what there was before it.
func (s *stream) line() ([]byte, error) {
	line, err := s.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		s.long = append(s.long[:0], line...)
		for err == bufio.ErrBufferFull {
			if len(s.long) > maxEvent {
				return nil, errTooLong
			}
			line, err = s.in.ReadSlice('\n')
			s.long = append(s.long, line...)
		}
		line = s.long
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// take adds a line and returns an event if it ends one.
func (s *stream) take(line []byte) (event, bool) {
	if len(line) == 0 {
		ev := event{s.name, s.data}
		s.name, s.data, s.lines = "", s.data[:0], 0
		return ev, len(ev.data) > 0
	}
	if line[0] == '{' {
		return event{s.name, line}, json.Valid(line)
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) { // a comment has an empty field
	case "event":
		s.name = string(value)
	case "data":
		if len(s.data) > 0 {
			s.data = append(s.data, '\n')
		}
		if len(s.data)+len(value) > maxEvent {
			s.ended = errTooLong
			return event{}, false
		}
		s.data = append(s.data, value...)
		if s.lines++; s.lines <= maxLines && whole(s.data) {
			ev := event{s.name, s.data}
			s.data, s.lines = s.data[:0], 0
			return ev, true
		}
	}
	return event{}, false
}

// whole says whether the data of an event cannot go on.
func whole(data []byte) bool {
	data = bytes.TrimSpace(data)
	if len(data) == 0 {
		return false
	}
	switch data[len(data)-1] {
	case '}':
		return data[0] == '{' && json.Valid(data)
	case ']':
		return data[0] == '[' && (string(data) == done || json.Valid(data))
	}
	return false
}
