package channels

import (
	"strings"

	"github.com/rivo/uniseg"
)

// narrowTable is how many columns of fixed width a phone shows before it breaks a line.
const narrowTable = 36

// table lays a table out: a narrow one as aligned text of fixed width, any other as a block of "key: value" lines for each row.
// A table with links or spoilers is never fixed-width text, which would lose them.
func (l *layout) table(t Table, above Margin) {
	if text, ok := aligned(t); ok {
		l.pre(text, "", above)
		return
	}
	if len(t.Rows) == 0 || !keyed(t) {
		for _, row := range append([][]Cell{t.Header}, t.Rows...) {
			above = l.row(row, above)
		}
		return
	}
	for _, row := range t.Rows {
		if shown := l.record(t.Header, row, above); shown {
			above = Margin{Blank: true}
		}
	}
}

// keyed tells whether the header's cells are to be repeated in each row: not if they are much longer than what they name, as
// then a short text would become hundreds of messages.
func keyed(t Table) bool {
	const most = 4096
	keys, values := 0, 0
	for _, row := range t.Rows {
		for i, cell := range row {
			keys += length(t.Header[i])
			values += length(cell)
		}
	}
	return keys <= 4*values+most
}

func length(c Cell) int {
	n := 0
	for _, r := range c {
		n += UTF16Len(r.Text)
	}
	return n
}

// record writes one row as lines of "key: value", and tells whether there was anything to write.
func (l *layout) record(header, row []Cell, above Margin) bool {
	shown := false
	for i, value := range row {
		key := header[i]
		if len(key) == 0 && len(value) == 0 {
			continue
		}
		l.begin(above, false)
		above, shown = Margin{}, true
		if len(key) > 0 {
			l.runs(key, Bold)
			l.write(":")
		}
		if len(key) > 0 && len(value) > 0 {
			l.write(" ")
		}
		l.runs(value, 0)
	}
	return shown
}

// row writes the cells of a row in one line, and returns the margin of the next one.
func (l *layout) row(row []Cell, above Margin) Margin {
	between := ""
	for _, cell := range row {
		if len(cell) == 0 {
			continue
		}
		if between == "" {
			l.begin(above, false)
			above = Margin{}
		}
		l.write(between)
		between = " | "
		l.runs(cell, 0)
	}
	return above
}

// aligned returns a table as lines with straight columns, and whether it is narrow and plain enough for that.
func aligned(t Table) (string, bool) {
	rows := make([][]string, 0, len(t.Rows)+1)
	widths := make([]int, len(t.Header))
	for _, row := range append([][]Cell{t.Header}, t.Rows...) {
		line := make([]string, len(row))
		for i, cell := range row {
			text, ok := plain(cell)
			if !ok {
				return "", false
			}
			line[i] = text
			widths[i] = max(widths[i], uniseg.StringWidth(text))
		}
		rows = append(rows, line)
	}
	total := 3 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if total > narrowTable {
		return "", false
	}
	return draw(t, rows, widths), true
}

// plain returns the text of a cell, and whether nothing is lost without its styles.
func plain(c Cell) (string, bool) {
	var b strings.Builder
	for _, r := range c {
		if r.Style&(Link|Spoiler) != 0 {
			return "", false
		}
		b.WriteString(strings.ReplaceAll(r.Text, "\t", " "))
	}
	return b.String(), true
}

// draw sets the rows, the first of which is the header, in columns of the given widths.
func draw(t Table, rows [][]string, widths []int) string {
	var b strings.Builder
	for i, row := range rows {
		if i == 0 && strings.Join(row, "") == "" {
			continue
		}
		cells := make([]string, len(row))
		for c, text := range row {
			cells[c] = pad(text, widths[c], t.Align[c])
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, " | "), " "))
		b.WriteByte('\n')
		if i == 0 {
			for c, w := range widths {
				cells[c] = strings.Repeat("-", w)
			}
			b.WriteString(strings.Join(cells, "-+-"))
			b.WriteByte('\n')
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// pad fills text up to a width in columns, where East Asian characters take two.
func pad(text string, width int, a Align) string {
	free := width - uniseg.StringWidth(text)
	switch a {
	case AlignRight:
		return strings.Repeat(" ", free) + text
	case AlignCenter:
		return strings.Repeat(" ", free/2) + text + strings.Repeat(" ", free-free/2)
	default:
		return text + strings.Repeat(" ", free)
	}
}
