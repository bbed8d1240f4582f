package channels_test

import (
	"math/bits"
	"strings"

	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"steady/channels"
	"steady/core"
)

// A fataler is a test of any kind.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkRendered holds r against what the doc comment of [channels.Rendered] promises.
func checkRendered(t fataler, r channels.Rendered) {
	t.Helper()
	if !utf8.ValidString(r.Text) {
		t.Fatalf("text is not UTF-8: %q", r.Text)
	}
	if strings.TrimRightFunc(r.Text, unicode.IsSpace) != r.Text {
		t.Fatalf("text ends in white space: %q", r.Text)
	}
	checkSpans(t, r)
}

func checkSpans(t fataler, r channels.Rendered) {
	t.Helper()
	units := utf16.Encode([]rune(r.Text))
	inPair := func(at int) bool {
		return at > 0 && at < len(units) && utf16.DecodeRune(rune(units[at-1]), rune(units[at])) != unicode.ReplacementChar
	}
	var open []channels.Span
	before := 0
	for _, s := range r.Spans {
		end := s.Offset + s.Length
		if s.Length <= 0 || s.Offset < before || end > len(units) || inPair(s.Offset) || inPair(end) {
			t.Fatalf("span %+v is empty, out of order, outside or cuts a character, in %q", s, r.Text)
		}
		before = s.Offset
		if bits.OnesCount16(uint16(s.Style)) != 1 || (s.URL != "") != (s.Style == channels.Link) || s.Language != "" && s.Style != channels.Pre {
			t.Fatalf("span %+v is not of one style", s)
		}
		for len(open) > 0 && open[len(open)-1].Offset+open[len(open)-1].Length <= s.Offset {
			open = open[:len(open)-1]
		}
		for _, outer := range open {
			checkNesting(t, outer, s)
		}
		open = append(open, s)
	}
}

func checkNesting(t fataler, outer, inner channels.Span) {
	t.Helper()
	const alone = channels.Pre | channels.Code
	const quotes = channels.Quote | channels.ExpandableQuote
	switch {
	case inner.Offset+inner.Length > outer.Offset+outer.Length:
		t.Fatalf("%+v and %+v overlap", outer, inner)
	case (outer.Style|inner.Style)&alone != 0:
		t.Fatalf("%+v in %+v: code stands alone", inner, outer)
	case outer.Style&quotes != 0 && inner.Style&quotes != 0:
		t.Fatalf("%+v in %+v: quotes do not nest", inner, outer)
	case outer.Style == inner.Style:
		t.Fatalf("%+v in %+v: the same twice", inner, outer)
	}
}

// checkParts holds parts against what the doc comment of [channels.Split] promises.
func checkParts(t fataler, whole channels.Rendered, parts []channels.Rendered, limit int) {
	t.Helper()
	styles := unitStyles(whole)
	clusters := clusterEnds(whole.Text)
	at := 0 // bytes of the text that were seen
	for i, p := range parts {
		if n := channels.UTF16Len(p.Text); n > limit {
			t.Fatalf("part %d has %d units, limit %d", i, n, limit)
		}
		if core.Blank(p.Text) {
			t.Fatalf("part %d shows nothing: %q", i, p.Text)
		}
		for !strings.HasPrefix(whole.Text[at:], p.Text) {
			_, size := utf8.DecodeRuneInString(whole.Text[at:])
			if size == 0 || !core.Blank(whole.Text[at:at+size]) {
				t.Fatalf("part %d is not the next piece of the text: %q in %q", i, p.Text, whole.Text)
			}
			at += size
		}
		checkSpans(t, p)
		from := channels.UTF16Len(whole.Text[:at])
		for k, got := range unitStyles(p) {
			if got != styles[from+k] {
				t.Fatalf("unit %d of %q has %+v, want %+v", k, p.Text, got, styles[from+k])
			}
		}
		at += len(p.Text)
		if length, ok := clusters[at]; !ok || i < len(parts)-1 && length > 0 && length <= limit {
			t.Fatalf("part %d, %q, ends in a character", i, p.Text)
		}
	}
	if !core.Blank(whole.Text[at:]) {
		t.Fatalf("no part shows %q", whole.Text[at:])
	}
}

// unitStyle is all that styles one unit of a text. Whether a quote is folded depends on the part, so it is left out.
type unitStyle struct {
	styles        channels.Style
	language, url string
}

func unitStyles(r channels.Rendered) []unitStyle {
	units := make([]unitStyle, channels.UTF16Len(r.Text))
	for _, s := range r.Spans {
		if s.Style == channels.ExpandableQuote {
			s.Style = channels.Quote
		}
		for i := s.Offset; i < s.Offset+s.Length; i++ {
			units[i].styles |= s.Style
			units[i].language += s.Language
			units[i].url += s.URL
		}
	}
	return units
}

// clusterEnds returns the places in bytes where a rune ends, with the length in units of the grapheme cluster that a cut there
// would cut, or 0.
func clusterEnds(s string) map[int]int {
	ends := map[int]int{}
	for g := uniseg.NewGraphemes(s); g.Next(); {
		from, to := g.Positions()
		for i := range s[from:to] {
			ends[from+i] = channels.UTF16Len(s[from:to])
		}
		ends[from] = 0
	}
	ends[len(s)] = 0
	return ends
}
