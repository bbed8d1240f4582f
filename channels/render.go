package channels

import (
	"slices"
	"strconv"
	"strings"
)

// How blocks look where a chat has no formatting of its own for them.
const (
	bullet   = "•"
	boxOpen  = "☐"
	boxDone  = "☑"
	ruleLine = "———"

	listIndent  = "  "
	quoteIndent = "> " // of a quote in a quote
	maxIndent   = 12   // deeper nesting looks like this much

	longQuote = 300 // UTF-16 units above which a quote is folded: about eight lines of a phone
)

// Render lays the document out as a chat shows it: blocks on lines of their own, a blank line between two where the source had
// one, bullets, numbers and boxes before items, headings in bold. Text neither begins nor ends with white space, and is
// not blank unless the source was.
func (d *Document) Render() Rendered {
	l := layout{quote: -1}
	l.blocks(d.Blocks, Margin{})
	return Rendered{Text: l.text.String(), Spans: l.spans}
}

// A layout writes text and notes where its styles begin and end.
type layout struct {
	text  strings.Builder
	units int // length of text
	spans []Span

	indent  string // begins each line of the block at hand
	marked  bool   // the line at hand holds a list marker and nothing else yet
	quoting bool   // inside a quote
	quote   int    // index of the quote's span while one is open, else -1
}

func (l *layout) blocks(bs []Block, above Margin) {
	for i, b := range bs {
		if i > 0 {
			above = b.margin()
		}
		l.block(b, above)
	}
}

func (l *layout) block(b Block, above Margin) {
	switch b := b.(type) {
	case Paragraph:
		l.begin(above, true)
		l.runs(b.Runs, 0)
	case Heading:
		l.begin(above, true)
		l.runs(b.Runs, Bold)
	case List:
		l.list(b, above)
	case Blockquote:
		l.blockquote(b, above)
	case CodeBlock:
		l.pre(b.Text, b.Language, above)
	case Table:
		l.table(b, above)
	case Rule:
		l.begin(above, false)
		l.write(ruleLine)
	default:
		panic("channels: unknown block")
	}
}

// begin starts a block that a quote may hold. Running text goes on behind a list marker.
func (l *layout) begin(above Margin, running bool) {
	if l.marked && running {
		l.marked = false
		l.write(" ")
		return
	}
	l.line(above)
	if l.quoting && l.quote < 0 {
		l.quote = len(l.spans)
		l.spans = append(l.spans, Span{Offset: l.units})
	}
	l.write(l.indent)
}

// line starts a new line.
func (l *layout) line(above Margin) {
	l.marked = false
	switch {
	case l.units == 0:
	case above.Blank:
		l.write("\n\n")
	default:
		l.write("\n")
	}
}

func (l *layout) list(b List, above Margin) {
	outer := l.indent
	for i, item := range b.Items {
		if i > 0 {
			above = item.Margin
		}
		l.begin(above, false)
		l.write(marker(b, i))
		l.marked, l.indent = true, deeper(outer, listIndent)
		l.blocks(item.Blocks, Margin{})
		l.marked, l.indent = false, outer
	}
}

// marker returns what stands before the text of an item.
func marker(b List, i int) string {
	var box string
	switch b.Items[i].Task {
	case TaskOpen:
		box = boxOpen
	case TaskDone:
		box = boxDone
	}
	if !b.Ordered {
		if box == "" {
			return bullet
		}
		return box
	}
	number := strconv.Itoa(b.Start+i) + "."
	if box == "" {
		return number
	}
	return number + " " + box
}

func deeper(indent, more string) string {
	if len(indent)+len(more) > maxIndent {
		return indent
	}
	return indent + more
}

// blockquote lays out a quote: the outermost as a span over whole lines, those in it by a sign before each line.
func (l *layout) blockquote(b Blockquote, above Margin) {
	l.marked = false
	outer := l.indent
	if l.quoting {
		l.indent = deeper(outer, quoteIndent)
		l.blocks(b.Blocks, above)
		l.indent = outer
		return
	}
	l.quoting, l.indent = true, ""
	l.blocks(b.Blocks, above)
	l.closeQuote()
	l.quoting, l.indent = false, outer
}

func (l *layout) closeQuote() {
	if l.quote < 0 {
		return
	}
	s := &l.spans[l.quote]
	s.Length = l.units - s.Offset
	s.Style = quoteStyle(s.Length)
	l.quote = -1
}

// quoteStyle folds a quote that is long within its message.
func quoteStyle(length int) Style {
	if length > longQuote {
		return ExpandableQuote
	}
	return Quote
}

// pre writes a block of code. A quote ends before it and begins anew behind it; an indent would be copied with the code.
func (l *layout) pre(code, language string, above Margin) {
	l.closeQuote()
	l.line(above)
	start := l.units
	l.write(code)
	l.spans = append(l.spans, Span{Offset: start, Length: l.units - start, Style: Pre, Language: language})
}

// runs writes styled text. Spans that are open when a run begins go on in it as far as they nest; of several that begin
// together, the one that lasts longest is the outer one.
func (l *layout) runs(rs []Run, extra Style) {
	open := make([]int, 0, 6) // indexes into spans, outer first
	for i, r := range rs {
		styles, kept := l.styles(r, extra), 0
		for kept < len(open) && l.spans[open[kept]].covers(r, styles) {
			styles &^= l.spans[open[kept]].Style
			kept++
		}
		l.close(open[kept:])
		open = open[:kept]
		for _, style := range l.begun(styles, rs[i:], extra) {
			open = append(open, len(l.spans))
			l.spans = append(l.spans, Span{Offset: l.units, Style: style, URL: address(r, style)})
		}
		l.writeLines(r.Text)
	}
	l.close(open)
}

// covers tells whether a span may go on in a run of the given styles.
func (s Span) covers(r Run, styles Style) bool {
	return styles&s.Style != 0 && s.URL == address(r, s.Style)
}

func address(r Run, s Style) string {
	if s == Link {
		return r.URL
	}
	return ""
}

func (l *layout) close(open []int) {
	for _, i := range open {
		l.spans[i].Length = l.units - l.spans[i].Offset
	}
}

// styles returns the styles of a run that may stand together. Code holds nothing and is held by nothing: it gives way to what
// does more than look, and everything else gives way to it.
func (l *layout) styles(r Run, extra Style) Style {
	s := r.Style | extra
	switch {
	case s&Code == 0:
		return s
	case l.quoting || s&(Link|Spoiler) != 0:
		return s &^ Code
	default:
		return Code
	}
}

// begun lists the styles in a set, the one that lasts for most of the coming runs first.
func (l *layout) begun(set Style, rs []Run, extra Style) []Style {
	if set == 0 {
		return nil
	}
	list := make([]Style, 0, 6)
	for s := Bold; s <= Code; s <<= 1 {
		if set&s != 0 {
			list = append(list, s)
		}
	}
	if len(list) < 2 {
		return list
	}
	lasts := func(s Style) int {
		n := 0
		span := Span{Style: s, URL: address(rs[0], s)}
		for n < len(rs) && span.covers(rs[n], l.styles(rs[n], extra)) {
			n++
		}
		return n
	}
	slices.SortStableFunc(list, func(a, b Style) int { return lasts(b) - lasts(a) })
	return list
}

func (l *layout) writeLines(s string) {
	if l.indent != "" {
		s = strings.ReplaceAll(s, "\n", "\n"+l.indent)
	}
	l.write(s)
}

func (l *layout) write(s string) {
	l.text.WriteString(s)
	l.units += UTF16Len(s)
}
