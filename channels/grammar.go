package channels

import (
	"bytes"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newGrammar returns the Markdown that models write, as a chat wants it read: CommonMark with tables, tasks, ~~strike~~ and
// ||spoiler||, less what would hide words or change lines above while an answer streams:
//   - no HTML: a tag is shown as it stands;
//   - no reference definitions: "[Note]: text" would vanish, and a late one would change what is above it;
//   - no underlined headings: a list or a rule that begins under a paragraph would turn it into a heading for a moment.
//
// It is built for each document, which costs about a twentieth of parsing one.
func newGrammar() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(&delimiter{char: '*', single: Italic, double: Bold}, 500),
			util.Prioritized(&delimiter{char: '_', single: Italic, double: Bold}, 500),
			util.Prioritized(&delimiter{char: '~', double: Strike}, 500),
			util.Prioritized(&delimiter{char: '|', double: Spoiler}, 500),
		),
		parser.WithParagraphTransformers(util.Prioritized(tableTransformer{extension.NewTableParagraphTransformer()}, 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// A delimiter parses one character that styles what stands between two runs of it. Without a single style, exactly two
// characters are one delimiter: "3~5" is a range, as Korean writes it, and "a | b" is no secret.
type delimiter struct {
	char           byte
	single, double Style
}

func (d *delimiter) Trigger() []byte { return []byte{d.char} }

func (d *delimiter) IsDelimiter(b byte) bool { return b == d.char }

func (d *delimiter) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch keeps the style where goldmark keeps the strength of an emphasis.
func (d *delimiter) OnMatch(consumes int) ast.Node {
	if consumes == 1 {
		return ast.NewEmphasis(int(d.single))
	}
	return ast.NewEmphasis(int(d.double))
}

func (d *delimiter) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	n := 1
	for n < len(line) && line[n] == d.char {
		n++
	}
	if d.single == 0 && (n != 2 || before == rune(d.char)) {
		return nil
	}
	after := ' '
	if n < len(line) {
		after = util.ToRune(line, n)
	}
	opens, closes := d.flanks(before, after)
	node := parser.NewDelimiter(opens, closes, n, d.char, d)
	node.Segment = segment.WithStop(segment.Start + n)
	block.Advance(n)
	pc.PushDelimiter(node)
	return node
}

// flanks tells whether a run of delimiters may open and close a style, from the characters beside it. These are the rules of
// CommonMark 0.31 §6.2 with one addition: writing without spaces counts as a space there, since in "**“약속”**은" or
// "**重要：**请" the words beside the punctuation stand close by nature.
func (d *delimiter) flanks(before, after rune) (opens, closes bool) {
	spaceBefore, spaceAfter := util.IsSpaceRune(before), util.IsSpaceRune(after)
	punctBefore, punctAfter := util.IsPunctRune(before), util.IsPunctRune(after)
	closeBefore, closeAfter := spaceless(before), spaceless(after)
	left := !spaceAfter && (!punctAfter || closeAfter || spaceBefore || punctBefore || closeBefore)
	right := !spaceBefore && (!punctBefore || closeBefore || spaceAfter || punctAfter || closeAfter)
	switch d.char {
	case '_': // not inside a word, in any writing: 변수_이름_목록
		return left && (!right || punctBefore), right && (!left || punctAfter)
	case '|': // not inside a word: a||b
		return left && (!right || punctBefore || closeBefore), right && (!left || punctAfter || closeAfter)
	default:
		return left, right
	}
}

// spaceless tells whether r belongs to a writing that sets words or particles side by side without a space.
func spaceless(r rune) bool {
	return r >= 0x1100 && (unicode.In(r, unicode.Hangul, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFFEF)
}

// A tableTransformer lets goldmark find tables, and mends two things: what stands in a row behind the last column of the
// header is kept in the last cell, where goldmark drops it, and a table knows where it begins.
type tableTransformer struct{ parser.ParagraphTransformer }

func (t tableTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	parent, next := node.Parent(), node.NextSibling()
	lines := node.Lines().Sliced(0, node.Lines().Len())
	if n := columns(lines, reader.Source()); n == 0 || n*len(lines) > maxCells {
		return
	}
	t.ParagraphTransformer.Transform(node, reader, pc)

	last := parent.LastChild()
	if next != nil {
		last = next.PreviousSibling()
	}
	table, ok := last.(*tables.Table)
	if !ok {
		return
	}
	// it has the place of the paragraph, which may begin with other lines; the rows are the paragraph's last lines
	table.SetPos(table.FirstChild().Pos())
	line := len(lines) - (table.ChildCount() - 1)
	for row := table.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
		widen(row.LastChild(), lines[line], reader.Source())
		line++
	}
}

// maxCells bounds a table: each row has as many cells as the header, however few are written, so a short text could make
// millions. A larger table is shown as it is written.
const maxCells = 4096

// columns returns how many columns a table in these lines may have, 0 if there is none.
func columns(lines []text.Segment, source []byte) int {
	n := 0
	for _, line := range lines {
		if l := line.Value(source); len(bytes.Trim(l, "|-: \t\n")) == 0 {
			n = max(n, bytes.Count(l, []byte("|"))+1)
		}
	}
	return n
}

// widen lets the last cell of a row reach to the end of its line.
func widen(cell ast.Node, line text.Segment, source []byte) {
	if cell == nil || cell.Lines().Len() == 0 {
		return
	}
	line = line.TrimRightSpace(source)
	if line.Stop > line.Start && source[line.Stop-1] == '|' {
		line = line.WithStop(line.Stop - 1)
		line = line.TrimRightSpace(source)
	}
	if at := cell.Lines().At(0); at.Stop < line.Stop {
		cell.Lines().Set(0, at.WithStop(line.Stop))
	}
}
