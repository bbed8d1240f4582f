package openai

import (
	"strings"
	"unicode"
)

const (
	openThought  = "<think>"
	closeThought = "</think>"
)

// A thoughtFilter takes <think>…</think> out of a text that comes in pieces, and white space from its beginning. The zero
// value is ready.
//
// A closing tag without an opening one ends a thought all the same: with some chat templates the opening tag is in the prompt.
// What was let through until then is void, but only when a text follows, for some models close their answer that way. A tag
// after a backtick is mentioned and not meant.
type thoughtFilter struct {
	held   string // what may be the beginning of a tag
	last   byte   // the last byte before held
	inside bool
	seen   bool // some text was let through
	doubt  bool // what was let through was a thought, if more comes
}

// add takes a piece and returns what of it may be shown, and whether all before it is void.
func (f *thoughtFilter) add(s string) (shown string, void bool) {
	var out strings.Builder
	f.held, s = "", f.held+s
	for s != "" {
		at := strings.IndexByte(s, '<')
		if at < 0 {
			at = len(s)
		}
		void = f.let(&out, s[:at]) || void
		if s = s[at:]; s == "" {
			break
		}
		n := f.tag(s)
		if n == 0 {
			f.held = s
			break
		}
		if n == 1 {
			void = f.let(&out, s[:1]) || void
		}
		s = s[n:]
	}
	return out.String(), void
}

// tag looks at a text that begins with '<' and returns how much of it to go on after: a tag, one byte that is none, or
// nothing as long as it may become a tag.
func (f *thoughtFilter) tag(s string) int {
	switch {
	case f.last == '`' && !f.inside:
		return 1
	case strings.HasPrefix(s, closeThought):
		f.doubt = f.doubt || !f.inside && f.seen
		f.inside, f.last = false, '>'
		return len(closeThought)
	case strings.HasPrefix(s, openThought):
		f.inside, f.last = true, '>'
		return len(openThought)
	case strings.HasPrefix(closeThought, s), strings.HasPrefix(openThought, s):
		return 0
	}
	return 1
}

// let lets text through, unless it is a thought, and says whether what is before it is void.
func (f *thoughtFilter) let(out *strings.Builder, s string) (void bool) {
	if s == "" {
		return false
	}
	f.last = s[len(s)-1]
	if f.inside {
		return false
	}
	if !f.seen || f.doubt {
		if s = strings.TrimLeftFunc(s, unicode.IsSpace); s == "" {
			return false
		}
	}
	if f.doubt {
		out.Reset()
		void = true
	}
	f.seen, f.doubt = true, false
	out.WriteString(s)
	return void
}

// end returns what was held back. With calls the text before a stray closing tag was a thought even if no other text follows.
func (f *thoughtFilter) end(calls bool) (shown string, void bool) {
	var out strings.Builder
	s := f.held
	f.held = ""
	void = f.let(&out, s)
	return out.String(), void || f.doubt && calls
}
