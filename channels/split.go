package channels

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"steady/core"
)

// Split cuts a text into parts of at most limit UTF-16 code units each; a limit below 2 counts as 2. It is the one splitter:
// nothing else in the project divides a text over messages.
//
// What holds for every text:
//   - Each part is a piece of r.Text, in order. What lies between two pieces, or behind the last, is white space or cannot be
//     seen at all; so the parts together show every visible character once and in order.
//   - White space is left out at a cut only: of the run at the cut all of it, or what goes up to its last line break, so that
//     an indent stays with its line. A part that would show nothing is left out.
//   - A cut is, where there is a choice, above a blank line, else between lines, else behind a sentence, else between words,
//     else between grapheme clusters; only a cluster that alone is over the limit is cut, between its runes. The better
//     places count only if the part is at least a quarter full. In a [Pre] there are lines and words, no paragraphs.
//   - A span that is cut goes on in the next part as the same kind: code stays code of its language. A quote is folded if it
//     is long within its part.
//   - Where a part ends depends on nothing behind the first visible character after it, so that while a text grows, all
//     parts but the last stay as they are. Markdown that grows may take back a few characters of its text when a construct is
//     closed: then the last part may be gone for a moment, and who has sent it leaves it alone.
//
// The parts are copies as far as they can be changed: Spans are not shared with r.
func Split(r Rendered, limit int) []Rendered {
	s := splitter{text: strings.TrimRightFunc(r.Text, unicode.IsSpace), limit: max(limit, 2)}
	for _, span := range r.Spans {
		if span.Style == Pre {
			s.pres = append(s.pres, span)
		}
	}
	var parts []Rendered
	spans := r.Spans
	for at := (place{}); at.byte < len(s.text); {
		spans, s.pres = ahead(spans, at), ahead(s.pres, at)
		c := s.cut(at)
		if text := s.text[at.byte:c.end.byte]; !core.Blank(text) {
			parts = append(parts, Rendered{Text: text, Spans: clip(spans, at.unit, c.end.unit)})
		}
		at = c.next
	}
	return parts
}

// ahead leaves out the first spans as long as they end before a place.
func ahead(spans []Span, at place) []Span {
	for len(spans) > 0 && spans[0].end() <= at.unit {
		spans = spans[1:]
	}
	return spans
}

// clip returns what of the spans lies between two offsets, as seen from the first.
func clip(spans []Span, from, to int) []Span {
	var clipped []Span
	for _, s := range spans {
		if s.Offset >= to {
			break
		}
		start, end := max(s.Offset, from), min(s.end(), to)
		if start >= end {
			continue
		}
		s.Offset, s.Length = start-from, end-start
		if s.Style == Quote || s.Style == ExpandableQuote {
			s.Style = quoteStyle(s.Length)
		}
		clipped = append(clipped, s)
	}
	return clipped
}

// A place in a text, counted in bytes and in UTF-16 units.
type place struct{ byte, unit int }

func (p place) after(s string) place { return place{p.byte + len(s), p.unit + UTF16Len(s)} }

// A cut is where a part ends and where the next one begins.
type cut struct{ end, next place }

// A splitter holds what the search for a cut needs to know of the text.
type splitter struct {
	text  string
	pres  []Span // blocks of code that do not end before the part
	limit int
}

// cut returns where the part ends that begins at a place.
func (s *splitter) cut(at place) cut {
	sc := scan{splitter: s, at: at, p: at, line: at.byte, pres: s.pres}
	for sc.p.unit-at.unit <= s.limit {
		if sc.p.byte == len(s.text) {
			return cut{sc.p, sc.p}
		}
		if space := leadingSpace(s.text[sc.p.byte:]); space != "" {
			sc.space(space)
		} else {
			sc.rune()
		}
	}
	for kind := betweenParagraphs; kind > nowhere; kind-- {
		if c := sc.best[kind]; c.end.byte > 0 {
			return c
		}
	}
	rest := s.text[at.byte:]
	piece := Cut(rest, s.limit)
	if piece == "" {
		piece = rest[:offset(rest, s.limit)]
	}
	end := at.after(piece)
	return cut{end, end}
}

// A grade tells how good a place is for a cut; a higher one is better.
type grade uint8

const (
	nowhere grade = iota
	betweenWords
	afterSentence
	betweenLines
	betweenParagraphs
	grades
)

// A scan walks over one part and a bit farther, and keeps the last place of each grade.
type scan struct {
	*splitter
	at   place // where the part begins
	p    place // how far the scan is
	line int   // where the line begins, in bytes
	prev rune
	stop stop
	pres []Span // blocks of code that the scan has not passed
	best [grades]cut
}

// insidePre tells whether the scan has the same block of code on both sides.
func (sc *scan) insidePre() bool {
	sc.pres = ahead(sc.pres, sc.p)
	return len(sc.pres) > 0 && sc.pres[0].Offset < sc.p.unit
}

// space passes a run of white space.
func (sc *scan) space(space string) {
	next, breaksLine := sc.p.after(space), false
	if i := strings.LastIndexByte(space, '\n'); i >= 0 {
		next, breaksLine = sc.p.after(space[:i+1]), true
	}
	sc.offer(sc.grade(space), cut{sc.p, next})
	if breaksLine {
		sc.line = next.byte
	}
	sc.p, sc.prev, sc.stop = sc.p.after(space), ' ', noStop
}

func (sc *scan) grade(space string) grade {
	pre := sc.insidePre()
	switch lines := strings.Count(space, "\n"); {
	case lines > 1 && !pre:
		return betweenParagraphs
	case lines > 0:
		return betweenLines
	case sc.stop != noStop && !pre:
		return afterSentence
	case !strings.ContainsFunc(space, breaks) || isMarker(sc.text[sc.line:sc.p.byte]):
		return nowhere
	default:
		return betweenWords
	}
}

// rune passes a rune that is not white space.
func (sc *scan) rune() {
	r, size := utf8.DecodeRuneInString(sc.text[sc.p.byte:])
	stop := sc.stop.then(sc.prev, r)
	if sc.stop == fullStop && stop == noStop && !sc.insidePre() {
		sc.offer(afterSentence, cut{sc.p, sc.p})
	}
	sc.p, sc.prev, sc.stop = place{sc.p.byte + size, sc.p.unit + utf16.RuneLen(r)}, r, stop
}

// offer notes a place for a cut if the part would hold something and no cluster is cut.
func (sc *scan) offer(g grade, c cut) {
	if g == nowhere || c.end == sc.at || joined(sc.text, c.end.byte) || joined(sc.text, c.next.byte) {
		return
	}
	if c.end.unit-sc.at.unit < sc.limit/4 {
		g = betweenWords
	}
	sc.best[g] = c
}

func leadingSpace(s string) string {
	for i, r := range s {
		if !unicode.IsSpace(r) {
			return s[:i]
		}
	}
	return s
}

// isMarker tells whether the beginning of a line is nothing but the sign of a list item, which is not to be left behind.
func isMarker(line string) bool {
	for _, box := range []string{bullet, boxOpen, boxDone} {
		line = strings.TrimSuffix(line, box)
	}
	line = strings.TrimSpace(line)
	return line == "" || strings.TrimLeft(line, "0123456789") == "."
}

// A stop tells whether a sentence has just ended.
type stop uint8

const (
	noStop    stop = iota
	spaceStop      // it has if white space follows
	fullStop       // it has, as in writing without spaces
)

// then returns the state behind the next rune.
func (s stop) then(prev, r rune) stop {
	switch r {
	case '.':
		if prev >= '0' && prev <= '9' { // 3.5, and the number of an item
			return noStop
		}
		return max(s, spaceStop)
	case '!', '?', '…':
		return max(s, spaceStop)
	case '。', '！', '？', '｡', '．':
		return fullStop
	case '"', '\'', ')', ']', '}', '”', '’', '»', '」', '』', '）', '】', '》', '〉':
		return s
	default:
		return noStop
	}
}

// breaks tells whether a line may be broken at r, which is white space.
func breaks(r rune) bool {
	return unicode.IsSpace(r) && r != 0xA0 && r != 0x2007 && r != 0x202F
}
