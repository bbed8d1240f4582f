package channels

// A Document is Markdown as a chat can show it. It is never changed after [Parse] made it, so it may be read from anywhere.
type Document struct {
	Blocks []Block
}

// A Block is a [Paragraph], [Heading], [List], [Blockquote], [CodeBlock], [Table] or [Rule].
type Block interface{ margin() Margin }

// A Margin tells what stood above a block in the source, so that a chat keeps the writer's own spacing.
type Margin struct {
	Blank bool // a blank line
}

func (m Margin) margin() Margin { return m }

// A Paragraph is running text. A line break in the source is one in a chat.
type Paragraph struct {
	Margin
	Runs []Run
}

// A Heading is the title of what follows.
type Heading struct {
	Margin
	Level int // 1 to 6
	Runs  []Run
}

// A List has bullets, or numbers that count up from Start.
type List struct {
	Margin
	Ordered bool
	Start   int
	Items   []Item
}

// An Item is one entry of a [List]. An empty one has no blocks.
type Item struct {
	Margin
	Task   Task
	Blocks []Block
}

// A Task tells whether an item has a box to tick, and whether it is ticked.
type Task uint8

// What an item can be.
const (
	TaskNone Task = iota
	TaskOpen
	TaskDone
)

// A Blockquote is what someone else said. It may hold others.
type Blockquote struct {
	Margin
	Blocks []Block
}

// A CodeBlock is text to be shown as it is. The text is never blank and neither begins nor ends with a line break.
type CodeBlock struct {
	Margin
	Language string // such as "go": ASCII letters, digits and "+-#._", or empty
	Text     string
}

// A Table has a header and rows; each row has as many cells as the header.
type Table struct {
	Margin
	Align  []Align // one for each column
	Header []Cell
	Rows   [][]Cell
}

// A Cell is the text of one cell of a [Table], in one line.
type Cell []Run

// An Align tells where the text of a column stands.
type Align uint8

// The alignments of a column.
const (
	AlignLeft Align = iota
	AlignCenter
	AlignRight
)

// A Rule separates what is above it from what is below.
type Rule struct{ Margin }

// A Run is text in one style. Neighbours differ in style or address.
type Run struct {
	Text  string
	Style Style  // a set of Bold, Italic, Strike, Spoiler, Link and Code
	URL   string // of a Link: absolute, its scheme http, https or mailto
}

// A Style is how text is shown. The values are bits: a [Run] has a set of them, a [Span] exactly one.
type Style uint16

// The styles. Those after Code are of blocks, so they are in spans only.
const (
	Bold Style = 1 << iota
	Italic
	Strike
	Spoiler
	Link
	Code
	Pre
	Quote
	ExpandableQuote
)

// A Rendered is a text and how to show it. It is a value: what made it keeps no hold on it.
type Rendered struct {
	Text string
	// Spans are sorted by offset, outer before inner; each lies inside another or beside it and is never empty. As Telegram
	// asks (Bot API, formatting options), Pre and Code hold no span and are held by none, and quotes do not nest.
	Spans []Span
}

// A Span styles a piece of a text.
type Span struct {
	Offset, Length int    // in UTF-16 code units
	Style          Style  // one style
	Language       string // of a Pre, or empty
	URL            string // of a Link
}

func (s Span) end() int { return s.Offset + s.Length }
