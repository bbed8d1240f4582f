package channels_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"steady/channels"
)

func texts(parts []channels.Rendered) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Text)
	}
	return all
}

func TestSplitPlain(t *testing.T) {
	for _, tt := range []struct {
		why   string
		in    string
		limit int
		want  []string
	}{
		{"nothing", "", 10, nil},
		{"nothing to see", " \n\u200b\n ", 10, nil},
		{"it fits", "one two", 7, []string{"one two"}},
		{"white space behind the text does not make it longer", "one two  \n", 7, []string{"one two"}},
		{"an indent in front stays", "  one", 10, []string{"  one"}},
		{"between words", "one two three", 9, []string{"one two", "three"}},
		{"exactly at the limit", "one two three", 7, []string{"one two", "three"}},
		{"behind a sentence rather than a word", "One. Two three four", 12, []string{"One.", "Two three", "four"}},
		{"with its quotes", "Say “yes!” and go on", 16, []string{"Say “yes!”", "and go on"}},
		{"between lines rather than behind a sentence", "one\ntwo. three", 11, []string{"one", "two. three"}},
		{"between paragraphs rather than lines", "one\n\ntwo\nthree", 11, []string{"one", "two\nthree"}},
		{"a blank line may hold spaces", "one\n  \ntwo\nthree", 14, []string{"one", "two\nthree"}},
		{"not if the part would be nearly empty", "a\n\nbbbb bbbb bbbb bbbb bbbb", 20, []string{"a\n\nbbbb bbbb bbbb", "bbbb bbbb"}},
		{"the indent of a line stays with it", "- one\n  - two three", 14, []string{"- one", "  - two three"}},
		{"Chinese sentences need no space", "今天走路。明天看书！", 6, []string{"今天走路。", "明天看书！"}},
		{"nor behind a quote", "他说：“好。”我说不", 7, []string{"他说：“好。”", "我说不"}},
		{"a number is no sentence", "It is 3. 5 of us", 9, []string{"It is 3.", "5 of us"}},
		{"a bullet stays with its text", "aaa\n• bbbbbbbb", 6, []string{"aaa", "• bbbb", "bbbb"}},
		{"a space that does not break", "aaa bb\u00a0bb", 6, []string{"aaa", "bb\u00a0bb"}},
		{"a word longer than the limit", "aaaaaaaaaa", 4, []string{"aaaa", "aaaa", "aa"}},
		{"not in a pair of surrogates", "a😀😀", 2, []string{"a", "😀", "😀"}},
		{"not in a cluster", "abc👩‍👩‍👧d", 8, []string{"abc", "👩‍👩‍👧", "d"}},
		{"nor in a flag", "a🇰🇷🇰🇷", 6, []string{"a🇰🇷", "🇰🇷"}},
		{"nor before an accent", "abe\u0301", 3, []string{"ab", "e\u0301"}},
		{"nor before an accent on a space", "aa \u0301bb", 4, []string{"aa \u0301", "bb"}},
		{"unless it alone is too long", "👩‍👩‍👧", 3, []string{"👩\u200d", "👩\u200d", "👧"}},
		{"a limit too low for a character counts as 2", "😀a", 0, []string{"😀", "a"}},
		{"a desert of white space", "a" + strings.Repeat("\n", 50) + "b", 10, []string{"a", "b"}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			whole := channels.Rendered{Text: tt.in}
			parts := channels.Split(whole, tt.limit)
			checkParts(t, whole, parts, max(tt.limit, 2))
			if got := texts(parts); strings.Join(got, "|") != strings.Join(tt.want, "|") || len(got) != len(tt.want) {
				t.Errorf("Split(%q, %d)\n got %q\nwant %q", tt.in, tt.limit, got, tt.want)
			}
		})
	}
}

func TestSplitMarkdown(t *testing.T) {
	for _, tt := range []struct {
		why   string
		in    string
		limit int
		want  []string
	}{
		{"a style goes on", "**aaa bbb**", 4, []string{"<b>aaa</b>", "<b>bbb</b>"}},
		{"nested ones too", "**aa *bb cc***", 5, []string{"<b>aa <i>bb</i></b>", "<b><i>cc</i></b>"}},
		{"a link has its address in both", "[aaa bbb](https://c.d)", 4, []string{`<a href="https://c.d">aaa</a>`, `<a href="https://c.d">bbb</a>`}},
		{"code keeps its language, and the indent of a line", "```go\naaa\n  bbb\n```", 5, []string{"<pre go>aaa</pre>", "<pre go>  bbb</pre>"}},
		{"blank lines in code are lines, not paragraphs", "```\na\n\nb\nc\n```", 5, []string{"<pre>a\n\nb</pre>", "<pre>c</pre>"}},
		{"nor are its dots sentences", "```\na. bb cc\n```", 6, []string{"<pre>a. bb</pre>", "<pre>cc</pre>"}},
		{"a code block stays whole if it can", "aaaaa\n\n```\nb\nc\n```", 8, []string{"aaaaa", "<pre>b\nc</pre>"}},
		{"a quote is folded if it is long in its part", "> " + strings.Repeat("a", 299) + " " + strings.Repeat("b", 300) + " c", 302,
			[]string{"<quote>" + strings.Repeat("a", 299) + "</quote>", "<fold>" + strings.Repeat("b", 300) + " c</fold>"}},
		{"so does the box of a task", "a\n1. [ ] bbbbbbbbbb", 9, []string{"a", "1. ☐ bbbb", "bbbbbb"}},
		{"numbers stay with their items", "1. aaaa\n2. bbbb", 9, []string{"1. aaaa", "2. bbbb"}},
	} {
		t.Run(tt.why, func(t *testing.T) {
			whole := channels.Parse(tt.in).Render()
			parts := channels.Split(whole, tt.limit)
			checkParts(t, whole, parts, tt.limit)
			var got []string
			for _, p := range parts {
				got = append(got, tagged(p))
			}
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("%q by %d\n got %q\nwant %q", tt.in, tt.limit, got, tt.want)
			}
		})
	}
}

// TestOverflow is the repro of pains S05: 10,000 characters with a paragraph break each 200 are three messages whose joined text
// is the source, and no message changes once the next one has begun.
func TestOverflow(t *testing.T) {
	paragraph := strings.Repeat("abcdefgh ", 21) + "ijklmnop." // 198 characters
	src := strings.TrimSuffix(strings.Repeat(paragraph+"\n\n", 50), "\n\n")
	var before []string
	for n := 61; ; n += 61 {
		whole := channels.Parse(src[:min(n, len(src))]).Render()
		parts := texts(channels.Split(whole, 4096))
		for i := range len(before) - 1 {
			if parts[i] != before[i] {
				t.Fatalf("part %d changed when %d characters were there", i, n)
			}
		}
		before = parts
		if n >= len(src) {
			break
		}
	}
	if len(before) != 3 || strings.Join(before, "\n\n") != src {
		t.Errorf("%d parts, or not the source", len(before))
	}
}

// TestStream shows an answer as it grows, character by character: each frame is well-formed (pains F03).
func TestStream(t *testing.T) {
	src := answer()[:1000]
	for i := range src {
		whole := channels.Parse(src[:i]).Render()
		checkRendered(t, whole)
		checkParts(t, whole, channels.Split(whole, 300), 300)
	}
}

// TestLongFence is the second repro of pains F03: a block of code over several messages is closed and opened again.
func TestLongFence(t *testing.T) {
	code := strings.TrimSpace(strings.Repeat("if a < b { c() }\n", 400))
	whole := channels.Parse("So:\n```go\n" + code).Render()
	parts := channels.Split(whole, 4096)
	checkParts(t, whole, parts, 4096)
	if len(parts) != 2 {
		t.Fatalf("%d parts, want 2", len(parts))
	}
	for i, p := range parts {
		if len(p.Spans) != 1 || p.Spans[0].Style != channels.Pre || p.Spans[0].Language != "go" {
			t.Errorf("part %d has spans %+v", i, p.Spans)
		}
	}
	if got := strings.Join(texts(parts), "\n"); got != "So:\n"+code {
		t.Error("the parts are not the code")
	}
}

// TestNothingGrows is the repro of pains F05: what a markup language would escape counts once.
func TestNothingGrows(t *testing.T) {
	for _, src := range []string{strings.Repeat(".", 4096), strings.Repeat("<", 4096), strings.Repeat("&lt;", 4096)} {
		parts := channels.Split(channels.Parse(src).Render(), 4096)
		if len(parts) != 1 || channels.UTF16Len(parts[0].Text) != 4096 {
			t.Errorf("%q… makes %d parts", src[:4], len(parts))
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"한국어", 2, "한국"},
		{"a😀b", 2, "a"},              // a pair of surrogates
		{"a👍🏽b", 4, "a"},             // a skin tone
		{"a👍🏽b", 5, "a👍🏽"},           // counts two each
		{"🇰🇷🇯🇵", 4, "🇰🇷"},            // flags are pairs from the left
		{"e\u0301x", 1, ""},          // the first cluster is longer
		{"\u1100\u1161x", 1, ""},     // a syllable in pieces
		{"a\r\nb", 2, "a"},           // a line break in two
		{"ก\u0e33ข", 1, ""},          // a vowel that takes room
		{"\xff\xfea", 2, "\xff\xfe"}, // bytes that are no text count one each
	} {
		if got := channels.Cut(tt.in, tt.limit); got != tt.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}

func TestUTF16Len(t *testing.T) {
	for s, want := range map[string]int{"": 0, "abc": 3, "한": 1, "😀": 2, "👩‍👩‍👧": 8, "\xff": 1} {
		if got := channels.UTF16Len(s); got != want {
			t.Errorf("UTF16Len(%q) = %d, want %d", s, got, want)
		}
	}
}

// markdown draws Markdown in which constructs meet each other in every way.
func markdown() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{
		"a", "word", "Go. ", "한국어", "漢字。", "😀", "👩‍👩‍👧", "🇰🇷", "e\u0301", "\u0301", "\u200d", "\u0600", " ", " ", "  ", "\n", "\n", "\n\n", "\t",
		"\u00a0", "\u3000", "*", "**", "_", "~~", "||", "`", "```", "```go\n", "~~~\n", "# ", "> ", "> ", "- ", "- [ ] ", "1. ", "    ", "|", "|-|-|\n", "| a | b |\n",
		"[", "](", ")", "![", "https://a.b", "<", ">", "&lt;", "&#x202e;", "\\", "---\n", "\x00", "\xff", "\r\n", "!", "…",
	})
	return rapid.Map(rapid.SliceOfN(pieces, 0, 60), func(ps []string) string { return strings.Join(ps, "") })
}

func TestAnyMarkdown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := channels.Parse(markdown().Draw(t, "markdown")).Render()
		limit := rapid.IntRange(2, 60).Draw(t, "limit")
		checkRendered(t, whole)
		checkParts(t, whole, channels.Split(whole, limit), limit)
	})
}

func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := channels.Rendered{Text: rapid.OneOf(markdown(), rapid.String()).Draw(t, "text")}
		limit := rapid.IntRange(2, 60).Draw(t, "limit")
		checkParts(t, whole, channels.Split(whole, limit), limit)
	})
}

// TestGrowth shows that all parts but the last stay as they are while a text grows.
func TestGrowth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(markdown().Draw(t, "text"), "")
		limit := rapid.IntRange(2, 30).Draw(t, "limit")
		var before []string
		for i := range text + "\n" {
			parts := texts(channels.Split(channels.Rendered{Text: text[:i]}, limit))
			for k := range len(before) - 1 {
				if k >= len(parts) || parts[k] != before[k] {
					t.Fatalf("part %d of %q is gone from %q when %q came", k, before, parts, text[:i])
				}
			}
			before = parts
		}
	})
}

// TestNothingIsLost builds Markdown from words and looks for each of them, in order, in what the chat shows.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		word := func() string { n++; return "w" + strings.Repeat("x", n%3) + string(rune('가'+n)) }
		wraps := rapid.SampledFrom([][2]string{{"", ""}, {"**", "**"}, {"*", "*"}, {"~~", "~~"}, {"||", "||"}, {"`", "`"}, {"[", "](https://a.b)"}, {"![", "](x.png)"}, {"<i>", "</i>"}})
		starts := rapid.SampledFrom([]string{"", "# ", "- ", "1. ", "> ", "- [x] ", "- > ", "> > - ", "    ", "```\n", "|a|\n|-|\n|"})
		var src strings.Builder
		var words []string
		for range rapid.IntRange(1, 12).Draw(t, "blocks") {
			start := starts.Draw(t, "start")
			src.WriteString(start)
			for range rapid.IntRange(1, 4).Draw(t, "words") {
				w, wrap := word(), wraps.Draw(t, "wrap")
				words = append(words, w)
				src.WriteString(wrap[0] + w + wrap[1] + " ")
			}
			if strings.HasPrefix(start, "```") {
				src.WriteString("\n```")
			}
			src.WriteString("\n\n")
		}
		whole := channels.Parse(src.String()).Render()
		rest := strings.Join(texts(channels.Split(whole, 20)), "\n")
		for _, w := range words {
			_, after, found := strings.Cut(rest, w)
			if !found {
				t.Fatalf("%q is not in its place in %q, from %q", w, whole.Text, src.String())
			}
			rest = after
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"# a\n**b** `c` [d](https://e.f)", "> a\n> > b\n> ```\n> c", "- a\n  1. b\n\n  c\n- [ ] d", "|a|b|\n|-|:-:|\n|c|d|e|", "||a|| ~~b~~ <c@d.e> &lt;",
		"```go\na < b", "**“약속”**은 漢字。", "![a](b \"c\") [![d](e)](f)", "a\r\n\x00\xff\u2028b", "- > - ```\n", "&#x202e;&nbsp;&#10;",
	} {
		f.Add(s, 4096)
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, src string, limit int) {
		if len(src) > 4096 {
			return
		}
		limit = 2 + int(uint(limit)%4095)
		whole := channels.Parse(src).Render()
		checkRendered(t, whole)
		checkParts(t, whole, channels.Split(whole, limit), limit)
	})
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"one. two\n\nthree  four", "今天。明天！", "a😀👩‍👩‍👧🇰🇷e\u0301", " \u0301 \u200d\u0600 a", "a\xffb", strings.Repeat("\n ", 30) + "x"} {
		f.Add(s, 5)
		f.Add(s, 2)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if len(text) > 4096 {
			return
		}
		limit = 2 + int(uint(limit)%4095)
		whole := channels.Rendered{Text: text}
		parts := channels.Split(whole, limit)
		checkParts(t, whole, parts, limit)
		if cut := channels.Cut(text, limit); len(parts) > 0 && channels.UTF16Len(cut) > limit {
			t.Fatalf("Cut(%q, %d) = %q", text, limit, cut)
		}
	})
}

// answer is about 4 KB of what a coach writes.
func answer() string {
	section := "## 이번 주 계획\n\nYou did **three walks** this week, and _two_ of them before breakfast. Keep it small:\n\n" +
		"- [x] Put the shoes by the door\n- [ ] Walk for `10` minutes after lunch\n- 저녁에 [기록](https://example.com/log)하기\n\n" +
		"1. Pick one cue, e.g. the kettle.\n2. Say it out loud: *after* the kettle, I walk.\n\n" +
		"> The best plan is the one you can do on a bad day.\n\n" +
		"| Day | Minutes |\n|---|--:|\n| Mon | 10 |\n| Wed | 12 |\n\n" +
		"```text\ncue -> walk -> tea\n```\n\n"
	return strings.Repeat(section, 10)
}

func BenchmarkParseRender(b *testing.B) {
	src := answer()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		channels.Parse(src).Render()
	}
}

func BenchmarkSplit(b *testing.B) {
	whole := channels.Parse(strings.Repeat(answer(), 4)).Render()
	b.SetBytes(int64(len(whole.Text)))
	b.ReportAllocs()
	for b.Loop() {
		channels.Split(whole, 4096)
	}
}
