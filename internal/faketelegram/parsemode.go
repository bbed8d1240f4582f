package faketelegram

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// parseMode reads a text with markup. HTML and MarkdownV2 are known; the old Markdown and everything else is refused.
func parseMode(text, mode string) (formatted, *Refusal) {
	p := &markupParser{in: text}
	var no *Refusal
	switch mode {
	case "html":
		no = p.html()
	case "markdownv2":
		no = p.markdown()
	default:
		return formatted{}, badRequest("unsupported parse_mode")
	}
	if no != nil {
		return formatted{}, no
	}
	return formatted{text: p.out.String(), entities: p.done}, nil
}

func cantParse(format string, args ...any) *Refusal {
	return badRequest("can't parse entities: "+format, args...)
}

// markupParser reads in from i on and builds the plain text with its entities.
type markupParser struct {
	in    string
	i     int
	out   strings.Builder
	units int // of out
	open  []openEntity
	done  []Entity
}

// openEntity is an entity whose end was not met yet.
type openEntity struct {
	mark string // the tag or the delimiter that began it
	at   int    // byte offset of the mark
	Entity
}

func (p *markupParser) rest() string { return p.in[p.i:] }

func (p *markupParser) put(text string) {
	p.out.WriteString(text)
	p.units += len(utf16.Encode([]rune(text)))
}

func (p *markupParser) begin(mark string, at int, e Entity) {
	e.Offset = p.units
	p.open = append(p.open, openEntity{mark, at, e})
}

// end closes the innermost entity and gives it back for what only its end tells; empty ones vanish.
func (p *markupParser) end(finish func(*Entity)) {
	last := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	last.Length = p.units - last.Offset
	if finish != nil {
		finish(&last.Entity)
	}
	if last.Length > 0 && last.Type != "" {
		p.done = append(p.done, last.Entity)
	}
}

// html reads the documented tags.
func (p *markupParser) html() *Refusal {
	for p.i < len(p.in) {
		stop := strings.IndexAny(p.rest(), "<&")
		if stop < 0 {
			p.put(p.rest())
			break
		}
		p.put(p.rest()[:stop])
		p.i += stop
		if p.in[p.i] == '&' {
			p.reference()
			continue
		}
		if no := p.tag(); no != nil {
			return no
		}
	}
	if len(p.open) > 0 {
		return cantParse("Can't find end tag corresponding to start tag %s", p.open[len(p.open)-1].mark)
	}
	return nil
}

// reference reads a named or numeric character; anything else stays as it stands.
func (p *markupParser) reference() {
	end := strings.IndexByte(p.rest(), ';')
	name := ""
	if end > 0 && end <= 10 {
		name = p.rest()[1:end]
	}
	switch {
	case slices.Contains([]string{"lt", "gt", "amp", "quot"}, name), strings.HasPrefix(name, "#"):
		p.put(html.UnescapeString("&" + name + ";"))
		p.i += end + 1
	default:
		p.put("&")
		p.i++
	}
}

func (p *markupParser) tag() *Refusal {
	at := p.i
	end := strings.IndexByte(p.rest(), '>')
	if end < 0 {
		return cantParse("Unclosed start tag at byte offset %d", at)
	}
	body := p.rest()[1:end]
	p.i += end + 1
	if name, ok := strings.CutPrefix(body, "/"); ok {
		return p.endTag(strings.ToLower(strings.TrimSpace(name)), at)
	}
	name, attrs, _ := strings.Cut(body, " ")
	name = strings.ToLower(name)
	e, ok := tagEntity(name, attribute(attrs))
	if !ok {
		return cantParse(`Unsupported start tag "%s" at byte offset %d`, name, at)
	}
	p.begin(name, at, e)
	return nil
}

func (p *markupParser) endTag(name string, at int) *Refusal {
	if len(p.open) == 0 {
		return cantParse("Unexpected end tag at byte offset %d", at)
	}
	if want := p.open[len(p.open)-1].mark; name != want {
		return cantParse(`Unmatched end tag at byte offset %d, expected "</%s>", found "</%s>"`, at, want, name)
	}
	p.end(p.mergePre)
	return nil
}

// mergePre makes one entity of <pre><code class="language-x">.
func (p *markupParser) mergePre(e *Entity) {
	if e.Type != Pre || len(p.done) == 0 {
		return
	}
	inner := p.done[len(p.done)-1]
	if inner.Type == Code && inner.Offset == e.Offset && inner.Length == e.Length {
		e.Language = inner.Language
		p.done = p.done[:len(p.done)-1]
	}
}

// attribute is the value of a tag's one attribute: href, class or emoji-id.
func attribute(attrs string) string {
	_, value, _ := strings.Cut(attrs, "=")
	return html.UnescapeString(strings.Trim(strings.TrimSpace(value), `"'`))
}

func tagEntity(name, value string) (Entity, bool) {
	switch name {
	case "b", "strong":
		return Entity{Type: Bold}, true
	case "i", "em":
		return Entity{Type: Italic}, true
	case "u", "ins":
		return Entity{Type: Underline}, true
	case "s", "strike", "del":
		return Entity{Type: Strikethrough}, true
	case "tg-spoiler":
		return Entity{Type: Spoiler}, true
	case "span":
		return Entity{Type: Spoiler}, value == "tg-spoiler"
	case "code":
		return Entity{Type: Code, Language: strings.TrimPrefix(value, "language-")}, true
	case "pre":
		return Entity{Type: Pre}, true
	case "blockquote":
		return Entity{Type: Blockquote}, true
	case "a":
		return linkEntity(value), true
	case "tg-emoji":
		return Entity{Type: CustomEmoji, EmojiID: value}, true
	}
	return Entity{}, false
}

// linkEntity is a link or, for tg://user?id=N, a mention.
func linkEntity(address string) Entity {
	if id, ok := strings.CutPrefix(address, "tg://user?id="); ok {
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			return Entity{Type: TextMention, UserID: n}
		}
	}
	return Entity{Type: TextLink, URL: address}
}

// markdown reads MarkdownV2.
func (p *markupParser) markdown() *Refusal {
	for p.i < len(p.in) {
		c := p.in[p.i]
		switch {
		case c == '\\' && p.i+1 < len(p.in) && p.in[p.i+1] < 127:
			p.put(p.in[p.i+1 : p.i+2])
			p.i += 2
		case p.inCode() && c != '`', !strings.ContainsRune("_*[]()~`>#+-=|{}.!", rune(c)):
			p.plain()
		default:
			if no := p.delimiter(); no != nil {
				return no
			}
		}
	}
	if len(p.open) > 0 {
		last := p.open[len(p.open)-1]
		return cantParse("Can't find end of %s entity at byte offset %d", markName(last.Type), last.at)
	}
	return nil
}

// plain takes one character as it is.
func (p *markupParser) plain() {
	for _, r := range p.rest() {
		p.put(string(r))
		p.i += len(string(r))
		return
	}
}

func (p *markupParser) inCode() bool {
	return len(p.open) > 0 && p.open[len(p.open)-1].Type.code()
}

func (p *markupParser) delimiter() *Refusal {
	mark, kind := p.mark()
	switch {
	case len(p.open) > 0 && p.open[len(p.open)-1].mark == mark && mark != "[":
		p.i += len(mark)
		p.end(nil)
	case mark == "]" && len(p.open) > 0 && p.open[len(p.open)-1].mark == "[":
		return p.link()
	case kind == "":
		return cantParse(`Character '%c' is reserved and must be escaped with the preceding '\'`, p.in[p.i])
	default:
		p.begin(mark, p.i, Entity{Type: kind})
		p.i += len(mark)
		if kind == Pre {
			p.language()
		}
	}
	return nil
}

// mark is the delimiter at the current place. In code only its own end counts.
func (p *markupParser) mark() (string, EntityType) {
	if p.inCode() {
		if end := p.open[len(p.open)-1].mark; strings.HasPrefix(p.rest(), end) {
			return end, p.open[len(p.open)-1].Type
		}
		return p.rest()[:1], ""
	}
	for _, d := range []struct {
		mark string
		kind EntityType
	}{
		{"```", Pre}, {"`", Code}, {"__", Underline}, {"_", Italic}, {"*", Bold}, {"~", Strikethrough}, {"||", Spoiler}, {"[", TextLink},
	} {
		if strings.HasPrefix(p.rest(), d.mark) {
			return d.mark, d.kind
		}
	}
	return p.rest()[:1], ""
}

// language reads the word after ``` on a line of its own.
func (p *markupParser) language() {
	line, _, found := strings.Cut(p.rest(), "\n")
	if found && !strings.ContainsAny(line, " `\\") {
		p.open[len(p.open)-1].Language = line
		p.i += len(line) + 1
	}
}

// link reads the address after a link's text.
func (p *markupParser) link() *Refusal {
	last := p.open[len(p.open)-1]
	p.i++
	if !strings.HasPrefix(p.rest(), "(") {
		return cantParse("Can't find end of a URL at byte offset %d", last.at)
	}
	p.i++
	var address strings.Builder
	for ; p.i < len(p.in) && p.in[p.i] != ')'; p.i++ {
		if p.in[p.i] == '\\' && p.i+1 < len(p.in) {
			p.i++
		}
		address.WriteByte(p.in[p.i])
	}
	if p.i == len(p.in) {
		return cantParse("Can't find end of a URL at byte offset %d", last.at)
	}
	p.i++
	p.end(func(e *Entity) {
		length, offset := e.Length, e.Offset
		*e = linkEntity(address.String())
		e.Length, e.Offset = length, offset
	})
	return nil
}

func markName(t EntityType) string {
	switch t {
	case Pre:
		return "Pre"
	case TextLink:
		return "TextUrl"
	}
	s := string(t)
	return strings.ToUpper(s[:1]) + s[1:]
}
