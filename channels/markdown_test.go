package channels_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"steady/channels"
)

// TestMarkdown shows what a chat makes of Markdown. The wanted text has its spans as tags: b i s spoiler a code pre quote, and
// fold for a quote that is folded.
func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ why, in, want string }{
		{"nothing", "", ""},
		{"white space is nothing", " \n\t\n", ""},
		{"plain text", "Good morning.", "Good morning."},
		{"a line break is one in a chat", "one\ntwo", "one\ntwo"},
		{"so is a hard one, without its marks", "one  \ntwo\\\nthree", "one\ntwo\nthree"},
		{"a blank line stays, more are one", "one\n\n\n\ntwo", "one\n\ntwo"},
		{"line breaks of other systems", "one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"},
		{"control characters have no look", "a\x00b\x1b[31mc", "a\uFFFDb\uFFFD[31mc"},
		{"bytes that are no text", "a\xffb", "a\uFFFDb"},

		{"emphasis", "*i* _i_ **b** __b__ ***bi***", "<i>i</i> <i>i</i> <b>b</b> <b>b</b> <b><i>bi</i></b>"},
		{"nested styles", "**b *bi* b**", "<b>b <i>bi</i> b</b>"},
		{"styles that touch do not overlap", "**b *bi***_i_", "<b>b <i>bi</i></b><i>i</i>"},
		{"strike takes two", "~~gone~~", "<s>gone</s>"},
		{"one tilde is a range, as Korean writes it", "3~5일, 7~10일", "3~5일, 7~10일"},
		{"spoiler", "it was ||him||!", "it was <spoiler>him</spoiler>!"},
		{"spoiler before a particle", "범인은 ||그||입니다", "범인은 <spoiler>그</spoiler>입니다"},
		{"an or is no spoiler", "a || b || c, x||y||z", "a || b || c, x||y||z"},
		{"a word with underscores", "snake_case_name 변수_이름_목록", "snake_case_name 변수_이름_목록"},
		{"bold that ends in punctuation before a particle", "**“약속”**은 **10분!**을", "<b>“약속”</b>은 <b>10분!</b>을"},
		{"the same in Chinese", "**重要：**请看", "<b>重要：</b>请看"},
		{"bold after an emoji", "**🔥 3일**째", "<b>🔥 3일</b>째"},
		{"half-open while it streams", "so **bol", "so **bol"},
		{"half-closed", "so **bold*", "so *<i>bold</i>"},
		{"stars that are none", "2 * 3 * 4", "2 * 3 * 4"},
		{"escapes", `\*no\* \# \\ C:\dir`, `*no* # \ C:\dir`},

		{"code", "run `go *test*`", "run <code>go *test*</code>"},
		{"code keeps backslash and entity", "`\\* &lt;`", `<code>\* &lt;</code>`},
		{"code over a line break", "`a\nb`", "<code>a b</code>"},
		{"code with a backtick", "`` a`b ``", "<code>a`b</code>"},
		{"half-open code", "run `go", "run `go"},
		{"everything that only looks gives way to code", "**bold `x` bold**", "<b>bold </b><code>x</code><b> bold</b>"},
		{"code gives way to a link", "[`x` y](https://a.b)", `<a href="https://a.b">x y</a>`},
		{"code gives way to a spoiler", "||a `b`||", "<spoiler>a b</spoiler>"},
		{"code gives way to a quote", "> a `b`", "<quote>a b</quote>"},

		{"link", "see [the **docs**](https://a.b/c?d=e \"title\")", `see <a href="https://a.b/c?d=e">the <b>docs</b></a>`},
		{"link in bold", "**see [docs](http://a.b) now**", `<b>see <a href="http://a.b">docs</a> now</b>`},
		{"mail link", "[mail](mailto:a@b.c)", `<a href="mailto:a@b.c">mail</a>`},
		{"address beyond ASCII", "[위키](https://a.b/위키)", `<a href="https://a.b/%EC%9C%84%ED%82%A4">위키</a>`},
		{"a scheme that runs code", "[x](javascript:alert(1))", "x"},
		{"in capitals", "[x](JavaScript:alert(1))", "x"},
		{"behind a reference", "[x](&#106;avascript:alert(1))", "x"},
		{"a scheme of the platform", "[x](tg://login?token=1)", "x"},
		{"data, file, relative, none", "[a](data:text/html,x) [b](file:///etc/passwd) [c](/d) [e]()", "a b c e"},
		{"no host", "[x](https:///y)", "x"},
		{"a link without a label shows its address", "[](https://a.b) [ ](http://c.d)", `<a href="https://a.b">https://a.b</a> <a href="http://c.d">http://c.d</a>`},
		{"nor does a bad one vanish", "[](javascript:x)", "javascript:x"},
		{"half-open link", "[docs](https://a", "[docs](https://a"},
		{"brackets", "a [note] and [x][1]", "a [note] and [x][1]"},
		{"a definition is text: it would vanish", "[Note]: done\n\n[1]: https://a.b", "[Note]: done\n\n[1]: https://a.b"},
		{"address in angle brackets", "<https://a.b>", `<a href="https://a.b">https://a.b</a>`},
		{"an address that is not to be opened", "<tg://x> <javascript:x>", "<tg://x> <javascript:x>"},
		{"image", "![a *cat*](https://a.b/c.png)", `<a href="https://a.b/c.png">a <i>cat</i></a>`},
		{"image without words", "![](https://a.b/c.png)", `<a href="https://a.b/c.png">https://a.b/c.png</a>`},
		{"image in a link", "[![cat](https://i.j/k.png)](https://a.b)", `<a href="https://a.b">cat</a>`},
		{"image that is not to be opened", "![cat](file:///x.png)", "cat"},

		{"F01: angle brackets and ampersand", "mail <a@b.c> & x < y", "mail <a@b.c> & x < y"},
		{"tags are text", "<b>x</b> <img onerror=alert(1) src=x>\n<!-- note -->", "<b>x</b> <img onerror=alert(1) src=x>\n<!-- note -->"},
		{"blocks of HTML too", "<div>\n*a*\n</div>\n\n<script>x</script>", "<div>\n<i>a</i>\n</div>\n\n<script>x</script>"},
		{"references", "&lt;b&gt; &amp;amp; &#8364; &copy; &nosuch; & &;", "<b> &amp; € © &nosuch; & &;"},
		{"references to what cannot be seen stay", "a&#x202E;b&zwj;c&#8203;d&#0;e&#10;f", "a&#x202E;b&zwj;c&#8203;d\uFFFDe&#10;f"},

		{"heading", "# Title\n## Part `x`\ntext", "<b>Title</b>\n<b>Part </b><code>x</code>\ntext"},
		{"a tag is no heading", "#habit", "#habit"},
		{"no underlined heading: it may become a list", "text\n-", "text\n-"},
		{"rule", "a\n\n---\n\nb", "a\n\n———\n\nb"},
		{"rule right under text", "a\n***\nb", "a\n———\nb"},

		{"list", "- a\n- b", "• a\n• b"},
		{"list under a line", "Do:\n* a\n* b\n\nthen", "Do:\n• a\n• b\n\nthen"},
		{"spaced list", "- a\n\n- b", "• a\n\n• b"},
		{"numbers count on", "3. a\n3. b", "3. a\n4. b"},
		{"nested list", "- a\n  - b\n    1. c\n- d", "• a\n  • b\n    1. c\n• d"},
		{"item of several blocks", "1. a\n   b\n\n   c\n2. d", "1. a\n  b\n\n  c\n2. d"},
		{"tasks", "- [ ] a\n- [x] b\n1. [X] c", "☐ a\n☑ b\n1. ☑ c"},
		{"an empty item", "- a\n-\n- b", "• a\n•\n• b"},
		{"code in an item is not indented", "- a\n\n  ```\n  x\n    y\n  ```\n- b", "• a\n\n<pre>x\n  y</pre>\n• b"},
		{"an item that begins with a list", "- - a", "•\n  • a"},
		{"an item that begins with a quote", "- > a", "•\n<quote>a</quote>"},

		{"code block", "```go\nx := 1\n\n\ty\n```", "<pre go>x := 1\n\n\ty</pre>"},
		{"language with more behind it", "```c++ title=x\ny\n```", "<pre c++>y</pre>"},
		{"no language at all", "```<b>\nx\n```", "<pre>x</pre>"},
		{"indented code", "text\n\n    x := 1\n      y", "text\n\n<pre>x := 1\n  y</pre>"},
		{"F03: a fence that is not closed yet", "so:\n```py\nif a < b:\n  `x`", "so:\n<pre py>if a < b:\n  `x`</pre>"},
		{"a fence that has just begun", "so:\n\n```py", "so:"},
		{"text right below", "```\nx\n```\nso", "<pre>x</pre>\nso"},
		{"Markdown in code is text", "~~~\n**a** | b\n# c\n~~~", "<pre>**a** | b\n# c</pre>"},
		{"lines around code are not code", "```\n\n\nx\n\n```", "<pre>x</pre>"},

		{"quote", "> a\nb\n> c\n\nd", "<quote>a\nb\nc</quote>\n\nd"},
		{"quote of several blocks", "> a\n>\n> - b\n> - c", "<quote>a\n\n• b\n• c</quote>"},
		{"two quotes", "> a\n\n> b", "<quote>a</quote>\n\n<quote>b</quote>"},
		{"quotes do not nest", "> a\n> > b\n> > c\n>\n> d", "<quote>a\n> b\n> c\n\nd</quote>"},
		{"the inner one may come first", "> > a", "<quote>> a</quote>"},
		{"code is in no quote", "> a\n> ```\n> x\n> ```\n> b", "<quote>a</quote>\n<pre>x</pre>\n<quote>b</quote>"},
		{"a quote of code alone", "> ```\n> x\n> ```", "<pre>x</pre>"},
		{"a long quote is folded", "> " + strings.Repeat("a", 301), "<fold>" + strings.Repeat("a", 301) + "</fold>"},
		{"bold in a quote", "> **a**", "<quote><b>a</b></quote>"},

		{"marks around nothing are text", "#", "#"},
		{"an empty fence", "```\n```", "```\n```"},
		{"an empty quote", ">", ">"},
		{"an empty bullet", "-", "-"},
		{"nothing but a space that does not break", "&nbsp;", "&nbsp;"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			r := channels.Parse(tt.in).Render()
			checkRendered(t, r)
			if got := tagged(r); got != tt.want {
				t.Errorf("Parse(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestTable(t *testing.T) {
	const narrow = "| Habit | Days | 習慣 |\n|:--|--:|:-:|\n| Walk | 12 | 散步 |\n| **Read** | 3 | 看書a |"
	for _, tt := range []struct{ why, in, want string }{
		{"F06: a narrow one is aligned, a character of Chinese takes two columns", narrow,
			"<pre>Habit | Days | 習慣\n------+------+------\nWalk  |   12 | 散步\nRead  |    3 | 看書a</pre>"},
		{"text above and below", "see\n" + narrow[:strings.LastIndex(narrow, "\n")] + "\n\nend",
			"see\n<pre>Habit | Days | 習慣\n------+------+-----\nWalk  |   12 | 散步</pre>\n\nend"},
		{"a blank line above is kept", "see\n\n|a|\n|-|\n|b|", "see\n\n<pre>a\n-\nb</pre>"},
		{"escaped bar", "|a|\n|-|\n|b \\| c|", "<pre>a\n-----\nb | c</pre>"},
		{"a row that is too short or too long loses nothing", "|a|b|\n|-|-|\n|1|\n|1|2|3|4|",
			"<pre>a | b\n--+------\n1 |\n1 | 2|3|4</pre>"},
		{"no names", "||\n|-|\n|x|", "<pre>x</pre>"},
		{"a wide one is a block of lines for each row",
			"|Name|What it is|\n|-|-|\n|Walk|" + strings.Repeat("far ", 10) + "|\n|Read|**much** `x`|",
			"<b>Name</b>: Walk\n<b>What it is</b>: " + strings.Repeat("far ", 9) + "far\n\n<b>Name</b>: Read\n<b>What it is</b>: <b>much</b> <code>x</code>"},
		{"a wide one with gaps", "|Name|" + strings.Repeat("k", 40) + "||\n|-|-|-|\n|a|||\n||b|c|",
			"<b>Name</b>: a\n<b>" + strings.Repeat("k", 40) + "</b>:\n\n<b>Name</b>:\n<b>" + strings.Repeat("k", 40) + "</b>: b\nc"},
		{"a wide one whose rows are still to come", "|" + strings.Repeat("k", 40) + "|x|\n|-|-|", strings.Repeat("k", 40) + " | x"},
		{"a link is not lost", "|a|\n|-|\n|[b](https://c.d)|", `<b>a</b>: <a href="https://c.d">b</a>`},
		{"a spoiler in a table is two empty cells", "|a|b|c|\n|-|-|-|\n|x||y|", "<pre>a | b | c\n--+---+--\nx |   | y</pre>"},
		{"in an item", "- a\n\n  |b|\n  |-|\n  |c|", "• a\n\n<pre>b\n-\nc</pre>"},
		{"not a table yet", "| a | b |", "| a | b |"},
		{"nor with a header of other length", "|a|b|\n|-|\n|c|", "|a|b|\n|-|\n|c|"},
		{"names much longer than what they name are not repeated",
			"|" + strings.Repeat("k", 3000) + "|\n|-|\n|a|\n|b|", strings.Repeat("k", 3000) + "\na\nb"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			r := channels.Parse(tt.in).Render()
			checkRendered(t, r)
			if got := tagged(r); got != tt.want {
				t.Errorf("Parse(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

// TestTableOfManyRows is the second repro of pains F06: 12 columns and 40 rows.
func TestTableOfManyRows(t *testing.T) {
	var b strings.Builder
	row := func(cell func(c int) string) {
		for c := range 12 {
			b.WriteString("| " + cell(c) + " ")
		}
		b.WriteString("|\n")
	}
	row(func(c int) string { return fmt.Sprintf("習慣%d", c) })
	row(func(int) string { return "---" })
	for r := range 40 {
		row(func(c int) string { return fmt.Sprintf("値%d-%d", r, c) })
	}
	whole := channels.Parse(b.String()).Render()
	checkRendered(t, whole)
	parts := channels.Split(whole, 4096)
	checkParts(t, whole, parts, 4096)
	rest := whole.Text
	for r := range 40 {
		for c := range 12 {
			line := fmt.Sprintf("習慣%d: 値%d-%d", c, r, c)
			_, after, found := strings.Cut(rest, line)
			if !found {
				t.Fatalf("no line %q in its place", line)
			}
			rest = after
		}
	}
	if want := 2; len(parts) != want {
		t.Errorf("%d parts, want %d", len(parts), want)
	}
}

// TestHugeTable shows that a short text cannot make millions of cells.
func TestHugeTable(t *testing.T) {
	src := strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("b\n", 2000)
	if got := channels.Parse(src).Render().Text; got != strings.TrimSpace(src) {
		t.Errorf("got %d bytes, want the source as it is", len(got))
	}
}

// TestDeepNesting shows that deep nesting does not make a short text long.
func TestDeepNesting(t *testing.T) {
	for _, mark := range []string{"- ", "> ", "> - "} {
		src := strings.Repeat(mark, 500) + "a\n" + strings.Repeat("b\n", 500)
		r := channels.Parse(src).Render()
		checkRendered(t, r)
		for line := range strings.Lines(r.Text) {
			if n := strings.IndexAny(line, "ab•"); n > 12 {
				t.Fatalf("%q: a line begins with %d units of indent", mark, n)
			}
		}
	}
}

// TestTree shows the tree that adapters with formatting of their own walk.
func TestTree(t *testing.T) {
	doc := channels.Parse("## H\n\n2. [x] *a* [l](https://b.c)\n\n---")
	blank := channels.Margin{Blank: true}
	want := []channels.Block{
		channels.Heading{Level: 2, Runs: []channels.Run{{Text: "H"}}},
		channels.List{Margin: blank, Ordered: true, Start: 2, Items: []channels.Item{{
			Margin: blank,
			Task:   channels.TaskDone,
			Blocks: []channels.Block{channels.Paragraph{Margin: blank, Runs: []channels.Run{
				{Text: "a", Style: channels.Italic},
				{Text: " "},
				{Text: "l", Style: channels.Link, URL: "https://b.c"},
			}}},
		}}},
		channels.Rule{Margin: blank},
	}
	if got := fmt.Sprintf("%+v", doc.Blocks); got != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %s\nwant %+v", got, want)
	}
}

// tagged writes a text with its spans as tags.
func tagged(r channels.Rendered) string {
	names := map[channels.Style]string{
		channels.Bold: "b", channels.Italic: "i", channels.Strike: "s", channels.Spoiler: "spoiler", channels.Link: "a",
		channels.Code: "code", channels.Pre: "pre", channels.Quote: "quote", channels.ExpandableQuote: "fold",
	}
	units := utf16.Encode([]rune(r.Text))
	var b strings.Builder
	var open []channels.Span
	next := 0
	for at := 0; at <= len(units); at++ {
		for len(open) > 0 && open[len(open)-1].Offset+open[len(open)-1].Length == at {
			fmt.Fprintf(&b, "</%s>", names[open[len(open)-1].Style])
			open = open[:len(open)-1]
		}
		for ; next < len(r.Spans) && r.Spans[next].Offset == at; next++ {
			s := r.Spans[next]
			open = append(open, s)
			switch {
			case s.URL != "":
				fmt.Fprintf(&b, "<%s href=%q>", names[s.Style], s.URL)
			case s.Language != "":
				fmt.Fprintf(&b, "<%s %s>", names[s.Style], s.Language)
			default:
				fmt.Fprintf(&b, "<%s>", names[s.Style])
			}
		}
		if at == len(units) {
			break
		}
		if n := at + 1; utf16.IsSurrogate(rune(units[at])) && n < len(units) {
			b.WriteRune(utf16.DecodeRune(rune(units[at]), rune(units[n])))
			at++
			continue
		}
		b.WriteRune(rune(units[at]))
	}
	return b.String()
}
