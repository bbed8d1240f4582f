package channels

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"steady/core"
)

// Parse reads Markdown. It takes any text: what is half-open, as at the end of a stream, is closed or shown as it stands, and
// HTML is shown as it stands. No visible character is lost but the marks themselves, what stands behind the language of a
// fence, the title of a link, and a destination that no chat should open.
func Parse(markdown string) *Document {
	p := parsing{source: []byte(clean(markdown))}
	root := newGrammar().Parse(text.NewReader(p.source))
	doc := &Document{Blocks: p.blocks(root)}
	if !p.visible && !core.Blank(markdown) {
		// marks around nothing, such as "#" or an empty fence: better the source than an empty message
		doc.Blocks = []Block{Paragraph{Runs: []Run{{Text: strings.TrimSpace(string(p.source))}}}}
	}
	return doc
}

// clean makes s valid UTF-8 with "\n" as its only line break. Control characters become U+FFFD: they have no look, and
// platforms disagree on what to do with them.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\t':
			return r
		case '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
			return '\n'
		}
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// parsing makes our tree from goldmark's.
type parsing struct {
	source  []byte
	visible bool   // something to see was found
	text    []byte // to be written over by the next block
}

func (p *parsing) blocks(parent ast.Node) []Block {
	var bs []Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if b := p.block(n); b != nil {
			bs = append(bs, b)
		}
	}
	return bs
}

// block returns nil for a block with nothing in it.
func (p *parsing) block(n ast.Node) Block {
	margin := p.above(n)
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		if runs := p.runs(n); len(runs) > 0 {
			return Paragraph{Margin: margin, Runs: runs}
		}
	case *ast.Heading:
		if runs := p.runs(n); len(runs) > 0 {
			return Heading{Margin: margin, Level: n.Level, Runs: runs}
		}
	case *ast.List:
		return p.list(n, margin)
	case *ast.Blockquote:
		if bs := p.blocks(n); len(bs) > 0 {
			return Blockquote{Margin: margin, Blocks: bs}
		}
	case *ast.FencedCodeBlock:
		return p.code(n, margin, language(n.Language(p.source)))
	case *ast.CodeBlock:
		return p.code(n, margin, "")
	case *tables.Table:
		return p.table(n, margin)
	case *ast.ThematicBreak:
		p.visible = true
		return Rule{Margin: margin}
	default:
		panic(fmt.Sprintf("channels: the grammar has no block %s", n.Kind()))
	}
	return nil
}

// above tells what stands above a block: goldmark's own note of blank lines takes the end of a fence for one.
func (p *parsing) above(n ast.Node) Margin {
	end := bytes.LastIndexByte(p.source[:max(n.Pos(), 0)], '\n')
	if end < 0 {
		return Margin{}
	}
	line := p.source[bytes.LastIndexByte(p.source[:end], '\n')+1 : end]
	return Margin{Blank: len(bytes.Trim(line, "> \t")) == 0}
}

func (p *parsing) list(n *ast.List, margin Margin) Block {
	l := List{Margin: margin, Ordered: n.IsOrdered(), Start: n.Start}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		it := Item{Margin: p.above(item), Blocks: p.blocks(item)}
		if first := item.FirstChild(); first != nil {
			if box, ok := first.FirstChild().(*tables.TaskCheckBox); ok {
				it.Task = TaskOpen
				if box.IsChecked {
					it.Task = TaskDone
				}
			}
		}
		p.visible = p.visible || it.Task != TaskNone || l.Ordered
		l.Items = append(l.Items, it)
	}
	return l
}

func (p *parsing) code(n ast.Node, margin Margin, language string) Block {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(p.source))
	}
	code := strings.TrimRightFunc(strings.TrimLeft(b.String(), "\n"), unicode.IsSpace)
	if core.Blank(code) {
		return nil
	}
	p.visible = true
	return CodeBlock{Margin: margin, Language: language, Text: code}
}

// language returns the name of a language if the first word behind a fence can be one.
func language(word []byte) string {
	odd := func(r rune) bool {
		return r >= utf8.RuneSelf || !util.IsAlphaNumeric(byte(r)) && !strings.ContainsRune("+-#._", r)
	}
	if len(word) > 32 || bytes.ContainsFunc(word, odd) {
		return ""
	}
	return string(word)
}

func (p *parsing) table(n *tables.Table, margin Margin) Block {
	t := Table{Margin: margin}
	for _, a := range n.Alignments {
		t.Align = append(t.Align, alignment(a))
	}
	empty := true
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells := make([]Cell, 0, len(t.Align))
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, p.runs(cell))
			empty = empty && len(cells[len(cells)-1]) == 0
		}
		if row == n.FirstChild() {
			t.Header = cells
		} else {
			t.Rows = append(t.Rows, cells)
		}
	}
	if empty {
		return nil
	}
	return t
}

func alignment(a tables.Alignment) Align {
	switch a {
	case tables.AlignCenter:
		return AlignCenter
	case tables.AlignRight:
		return AlignRight
	default:
		return AlignLeft
	}
}

// runs returns the styled text of a block without white space at its ends, or nil if there is nothing to see.
func (p *parsing) runs(block ast.Node) []Run {
	g := gathering{text: p.text[:0]}
	p.inline(&g, block, Run{})
	runs := g.done()
	p.text = g.text
	if !visible(runs) {
		return nil
	}
	p.visible = true
	return trimmed(runs)
}

// inline adds what is in a node, in the style and with the address of as, which has no text.
func (p *parsing) inline(out *gathering, parent ast.Node, as Run) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			p.words(out, n, as)
		case *ast.Emphasis:
			p.inline(out, n, Run{Style: as.Style | Style(n.Level), URL: as.URL})
		case *ast.CodeSpan:
			p.inline(out, n, Run{Style: as.Style | Code, URL: as.URL})
		case *ast.AutoLink:
			p.autoLink(out, n, as)
		case *ast.Link:
			p.link(out, n, n.Destination, as)
		case *ast.Image: // never fetched: a model that was led astray could carry data away in its address
			p.link(out, n, n.Destination, as)
		case *tables.TaskCheckBox: // list has seen it
		default:
			panic(fmt.Sprintf("channels: the grammar has no inline %s", n.Kind()))
		}
	}
}

func (p *parsing) words(out *gathering, n *ast.Text, as Run) {
	value := n.Segment.Value(p.source)
	if n.IsRaw() { // of a code span, where a line break is a space
		out.add(as, bytes.ReplaceAll(value, []byte("\n"), []byte(" ")))
		return
	}
	out.add(as, unescape(value))
	if n.SoftLineBreak() || n.HardLineBreak() {
		out.add(as, []byte("\n"))
	}
}

// link adds a link or an image with its label, or its address where it has none. Inside a link, the outer address holds.
func (p *parsing) link(out *gathering, n ast.Node, destination []byte, as Run) {
	address, ok := safe(destination)
	if ok && as.URL == "" {
		as.Style, as.URL = as.Style|Link, address
	}
	var label gathering
	p.inline(&label, n, as)
	runs := label.done()
	if !visible(runs) {
		out.add(as, util.UnescapePunctuations(destination))
		return
	}
	for _, r := range runs {
		out.add(Run{Style: r.Style, URL: r.URL}, []byte(r.Text))
	}
}

// autoLink adds an address in angle brackets as a link. One that is not to be opened, and an e-mail address, which people write
// like this, keep the brackets (pains F01).
func (p *parsing) autoLink(out *gathering, n *ast.AutoLink, as Run) {
	label := n.Label(p.source)
	address, ok := safe(label)
	if n.AutoLinkType == ast.AutoLinkEmail || !ok {
		out.add(as, slices.Concat([]byte("<"), label, []byte(">")))
		return
	}
	if as.URL == "" {
		as.Style, as.URL = as.Style|Link, address
	}
	out.add(as, label)
}

// safe returns the address of a link if a chat may open it. Everything else, such as javascript:, tg: or a relative path,
// leads nowhere or where a model must not lead.
func safe(destination []byte) (string, bool) {
	address := string(util.URLEscape(destination, true))
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	switch u.Scheme {
	case "http", "https":
		return address, u.Host != ""
	case "mailto":
		return address, u.Opaque != ""
	}
	return "", false
}

// A gathering joins pieces of text that follow each other in one style.
type gathering struct {
	runs []Run
	text []byte // of the last run, which gets it when it is complete
}

// add adds a piece in the style and with the address of as.
func (g *gathering) add(as Run, piece []byte) {
	if len(piece) == 0 {
		return
	}
	if last := len(g.runs) - 1; last < 0 || g.runs[last] != as {
		g.done()
		g.runs = append(g.runs, as)
	}
	g.text = append(g.text, piece...)
}

func (g *gathering) done() []Run {
	if last := len(g.runs) - 1; last >= 0 {
		g.runs[last].Text = string(g.text)
		g.text = g.text[:0]
	}
	return g.runs
}

func visible(runs []Run) bool {
	return slices.ContainsFunc(runs, func(r Run) bool { return !core.Blank(r.Text) })
}

// trimmed takes white space off both ends of runs, which are visible.
func trimmed(runs []Run) []Run {
	for {
		first := &runs[0]
		if first.Text = strings.TrimLeftFunc(first.Text, unicode.IsSpace); first.Text != "" {
			break
		}
		runs = runs[1:]
	}
	for {
		last := &runs[len(runs)-1]
		if last.Text = strings.TrimRightFunc(last.Text, unicode.IsSpace); last.Text != "" {
			return runs
		}
		runs = runs[:len(runs)-1]
	}
}

// unescape resolves backslashes and character references. A reference to a character that cannot be seen stays as it is
// written: "&#x202E;" must not turn the words around after someone looked for such characters in the source.
func unescape(src []byte) []byte {
	if !bytes.ContainsAny(src, "\\&") {
		return src
	}
	out := make([]byte, 0, len(src))
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src) && util.IsPunct(src[i+1]):
			out = append(out, src[i+1])
			i += 2
		case c == '&':
			s, n := reference(src[i:])
			out = append(out, s...)
			i += n
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// reference resolves the character reference that src begins with, and returns how long it is. What is none is its own first
// byte.
func reference(src []byte) (string, int) {
	const longest = 33 // &CounterClockwiseContourIntegral;
	end := bytes.IndexByte(src[:min(len(src), longest)], ';')
	if end < 2 {
		return "&", 1
	}
	whole := string(src[:end+1])
	s := string(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(whole))))
	unseen := core.Blank(s) && strings.TrimSpace(s) != ""
	if s != whole && s == clean(s) && !unseen && !strings.Contains(s, "\n") {
		return s, len(whole)
	}
	return "&", 1
}
