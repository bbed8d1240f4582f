package web_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// rendered returns what the page makes of Markdown texts, as HTML.
func rendered(p *tab, growing bool, sources ...string) []string {
	p.t.Helper()
	raw, err := json.Marshal(sources)
	if err != nil {
		p.t.Fatal(err)
	}
	return value[[]string](p, fmt.Sprintf(`import('/markdown.js').then(({ render, el }) => %s.map((s) => el('div', {}, render(s, %t)).innerHTML))`, raw, growing))
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	p := browse(t, start(t, newWorld(), nil), look{})
	const rel = ` rel="noopener noreferrer nofollow" target="_blank"`
	link := func(href, text string) string {
		return `<a href="` + href + `"` + rel + ` title="` + href + `">` + text + `</a>`
	}
	tests := []struct{ source, want, why string }{
		{"", "", "nothing"},
		{"one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>", "lines of a chat are lines"},
		{"# a\n###### b #", "<h3>a</h3><h6>b #</h6>", "headings stay below those of the page"},
		{"#tag", "<p>#tag</p>", "a tag is no heading"},
		{"**b** *i* __b__ _i_ ~~s~~ `c`", "<p><strong>b</strong> <em>i</em> <strong>b</strong> <em>i</em> <del>s</del> <code>c</code></p>", "inline"},
		{"**굵게**는 *기울임*도", "<p><strong>굵게</strong>는 <em>기울임</em>도</p>", "Korean particles follow without a space"},
		{"***both*** **a *b* c** *a **b***", "<p><strong><em>both</em></strong> <strong>a <em>b</em> c</strong> <em>a <strong>b</strong></em></p>", "nested"},
		{"2 * 3 * 4, a_b_c, ** x **, ****", "<p>2 * 3 * 4, a_b_c, ** x **, ****</p>", "no emphasis"},
		{"**open *and", "<p>**open *and</p>", "never closed"},
		{"`a ** b` ``c ` d`` `open", "<p><code>a ** b</code> <code>c ` d</code> `open</p>", "code is literal"},
		{`\*no\* \<b\> C:\dir`, `<p>*no* &lt;b&gt; C:\dir</p>`, "escapes"},
		{"- a\n- b\n  - c\n    - d\n- e", "<ul><li>a</li><li>b<ul><li>c<ul><li>d</li></ul></li></ul></li><li>e</li></ul>", "nested lists"},
		{"3. a\n4. b\n  - c", `<ol start="3"><li>a</li><li>b<ul><li>c</li></ul></li></ol>`, "numbers go on, children may be indented by two"},
		{"- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>", "loose"},
		{"- [ ] a\n- [x] b", "<ul><li>☐ a</li><li>☑ b</li></ul>", "tasks"},
		{"a\n- b\n\nc", "<p>a</p><ul><li>b</li></ul><p>c</p>", "a list ends a paragraph"},
		{"- a\n---\nb", "<ul><li>a</li></ul><hr><p>b</p>", "a rule is no item"},
		{"> a\n> - b\nc\n\nd", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote><p>c</p><p>d</p>", "quotes"},
		{"1. a\n2. b\nc", "<ol start=\"1\"><li>a</li><li>b</li></ol><p>c</p>", "a line of a chat that is not indented follows the list"},
		{"1. a\n   b\n\n   c", "<ol start=\"1\"><li><p>a<br>b</p><p>c</p></li></ol>", "an indented one is in it"},
		{"```go\nx := \"<b>\"\n\ny\n```\nz", `<pre tabindex="0"><code>x := "&lt;b&gt;"` + "\n\ny</code></pre><p>z</p>", "fences"},
		{"~~~\n```\n~~~", `<pre tabindex="0"><code>` + "```</code></pre>", "a fence ends with its own kind"},
		{"- a\n  ```\n  x\n  ```", `<ul><li>a<pre tabindex="0"><code>x</code></pre></li></ul>`, "a fence in a list"},
		{"| a | b\\|c |\n|:-:|--:|\n| 1 | **2** |\n| 3 |", `<div class="table" tabindex="0"><table><thead><tr><th class="center">a</th><th class="right">b|c</th></tr></thead>` +
			`<tbody><tr><td class="center">1</td><td class="right"><strong>2</strong></td></tr><tr><td class="center">3</td><td class="right"></td></tr></tbody></table></div>`, "tables"},
		{"a | b\nno table", "<p>a | b<br>no table</p>", "no table without a divider"},
		{"[x](https://a.example/p_q(1)?x=1&y=2)", "<p>" + link("https://a.example/p_q(1)?x=1&amp;y=2", "x") + "</p>", "links"},
		{"[**x**](https://a.example \"t\")", "<p>" + link("https://a.example/", "<strong>x</strong>") + "</p>", "a title is dropped"},
		{"see https://a.example/b_c_d, (https://a.example/x). https://a.example/가", "<p>see " + link("https://a.example/b_c_d", "https://a.example/b_c_d") + ", (" +
			link("https://a.example/x", "https://a.example/x") + "). " + link("https://a.example/", "https://a.example/") + "가</p>", "bare links end before punctuation and particles"},
		{"<https://a.example>", "<p>&lt;" + link("https://a.example/", "https://a.example") + "&gt;</p>", "brackets around a link are text"},
		{"[mail](mailto:a@b.example)", "<p>" + link("mailto:a@b.example", "mail") + "</p>", "mail"},
		{"[https://a.example](https://b.example)", "<p>" + link("https://b.example/", "https://a.example") + "</p>", "no link in a link"},
		{"![cat](https://a.example/cat.png)", "<p>" + link("https://a.example/cat.png", "cat") + "</p>", "an image is a link: nothing is fetched"},
		{"[x](javascript:alert(1)) [y](/login) [z](//a.example)", "<p><span>x (javascript:alert(1))</span> <span>y (/login)</span> <span>z (//a.example)</span></p>", "what is no safe link is text"},
		{"[x](https://user:pw@a.example)", "<p><span>x (https://user:pw@a.example)</span></p>", "an address that looks like another"},
		{"<img src=x onerror=alert(1)> <script>alert(1)</script>", "<p>&lt;img src=x onerror=alert(1)&gt; &lt;script&gt;alert(1)&lt;/script&gt;</p>", "HTML is text"},
		{"a & b < c > d &amp;", "<p>a &amp; b &lt; c &gt; d &amp;amp;</p>", "entities are text"},
		{"a\r\nb\tc", "<p>a<br>b\tc</p>", "line ends"},
	}
	var sources []string
	for _, test := range tests {
		sources = append(sources, test.source)
	}
	for i, got := range rendered(p, false, sources...) {
		if got != tests[i].want {
			t.Errorf("%s: %q\ngot  %s\nwant %s", tests[i].why, tests[i].source, got, tests[i].want)
		}
	}
	growing := []struct{ source, want, why string }{
		{"**bo", "<p><strong>bo</strong></p>", "bold that is on its way"},
		{"a **", "<p>a </p>", "a mark with nothing behind it yet"},
		{"`co", "<p><code>co</code></p>", "code that is on its way"},
		{"```\na", `<pre tabindex="0"><code>a</code></pre>`, "a fence that is on its way"},
		{"**closed** *x", "<p><strong>closed</strong> *x</p>", "a single star may be no mark"},
		{"**open\n\nnext", "<p>**open</p><p>next</p>", "only the last block grows"},
		{"- a\n- **b", "<ul><li>a</li><li><strong>b</strong></li></ul>", "in a list"},
	}
	sources = nil
	for _, test := range growing {
		sources = append(sources, test.source)
	}
	for i, got := range rendered(p, true, sources...) {
		if got != growing[i].want {
			t.Errorf("%s: %q\ngot  %s\nwant %s", growing[i].why, growing[i].source, got, growing[i].want)
		}
	}
}

// Whatever a model writes: only known elements with known attributes, links that lead out and nowhere else, no text lost to an
// element that hides it, and not slow.
func TestMarkdownIsSafe(t *testing.T) {
	t.Parallel()
	p := browse(t, start(t, newWorld(), nil), look{})
	sources := []string{
		`<img src=x onerror=alert(1)>`, `[a](javascript:alert(1))`, `[a](JaVaScRiPt:alert(1))`, "[a](java\tscript:alert(1))", `[a](data:text/html,<script>alert(1)</script>)`,
		`[a](vbscript:x)`, `[a](blob:https://a.example/x)`, `[a](file:///etc/passwd)`, `<javascript:alert(1)>`, `![x](javascript:alert(1))`, `[a](https://a.example" onclick="alert(1))`,
		`[a]( javascript:alert(1))`, "[a](\x01javascript:alert(1))", `<svg/onload=alert(1)>`, `<iframe srcdoc="<script>alert(1)</script>">`, `<a href="javascript:alert(1)">x</a>`,
		"```html\n<script>alert(1)</script>\n```", "| <script> |\n|---|\n| <img onerror=x> |", `<base href="//evil.example">`, `<meta http-equiv=refresh content=0>`, `<form action=//evil.example>`,
	}
	pieces := []string{"*", "**", "_", "`", "```\n", "~~", "[", "](", ")", "!", "<", ">", "\n", "\n\n", "# ", "- ", "1. ", "> ", "|", "\n|--|\n", "a", "가", " ", "  ", "\\", "&lt;",
		"javascript:x", "https://a.example/", "<script>", "<img src=x onerror=alert(1)>", "mailto:a@b.example", "\t", "😀", "\u202e"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		var b strings.Builder
		for range random.IntN(30) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		sources = append(sources, b.String())
	}
	raw, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	faults := value[[]string](p, fmt.Sprintf(`import('/markdown.js').then(({ render, el }) => {
		const tags = new Set('P BR H3 H4 H5 H6 STRONG EM DEL CODE PRE UL OL LI BLOCKQUOTE HR TABLE THEAD TBODY TR TH TD DIV SPAN A'.split(' '));
		const attributes = new Set(['href', 'rel', 'target', 'title', 'class', 'tabindex', 'start']);
		const faults = [];
		for (const s of %s) for (const growing of [false, true]) {
			const out = el('div', {}, render(s, growing));
			for (const e of out.querySelectorAll('*')) {
				if (!tags.has(e.tagName)) faults.push(e.tagName + ' of ' + s);
				for (const a of e.attributes) if (!attributes.has(a.name)) faults.push(a.name + ' of ' + s);
				if (e.tagName === 'A' && !/^(https?:|mailto:)/.test(e.href)) faults.push(e.href + ' of ' + s);
				if (e.tagName === 'A' && !e.rel.includes('noopener')) faults.push('rel of ' + s);
			}
			// Of a fence the language is not shown, of a link only when one points at it.
			const letters = (text) => [...text].filter((c) => c === 'a').length;
			const shown = out.textContent + [...out.querySelectorAll('a')].map((a) => a.title).join('');
			if (!/^.*(`+"```"+`|~~~)/m.test(s) && letters(s) > letters(shown)) faults.push('text lost of ' + s);
		}
		return faults })`, raw))
	for _, f := range faults {
		t.Error(f)
	}
	slow := value[[]string](p, `import('/markdown.js').then(({ render }) => [
			'**a ', '*a ', '_a ', '`+"`"+`', '[', '[a](', '![', '<', '> ', '- ', '- a\n ', '  - a\n', '|', '|a', '|-|\n', '\n', '# ', '#', '~~a', '\\', '(', 'https://', 'a*', '***', '1. '
		].filter((piece) => { const began = performance.now(); render(piece.repeat(16000 / piece.length), true); return performance.now() - began > 1500 }))`)
	for _, piece := range slow {
		t.Errorf("slow: %q again and again", piece)
	}
}

// What reaches the page through the history is as safe as the renderer.
func TestHostileHistory(t *testing.T) {
	t.Parallel()
	const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>[x](javascript:document.title='owned')`
	w := newWorld()
	w.commit("main", 1, said(evil), agent(evil))
	w.commit("main", 0, noticeOf(evil))
	s := running(evil)
	s.User, s.Question = evil, question(`"><img src=x onerror=alert(1)>`)
	s.Question.Body, s.Question.Approve.Label = evil, evil
	w.show("main", s)
	p := browse(t, start(t, w, nil), look{})
	p.wait(`!document.querySelector('#question').hidden && document.querySelectorAll('.message').length === 4`)
	if n := p.count("#column img, #column script, #question img, #question script, a[href^=javascript]"); n != 0 {
		t.Errorf("%d elements came of text", n)
	}
	if title := value[string](p, `document.title`); strings.HasPrefix(title, "owned") {
		t.Error("a script ran")
	}
}
