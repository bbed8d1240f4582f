package faketelegram

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxRawText  = 1 << 15 // bytes before parsing
	maxText     = 4096    // UTF-16 units after parsing
	maxCaption  = 1024
	maxEntities = 100 // of those that a bot asks for; the rest is dropped without a word
)

// EntityType says what an entity makes of its stretch of text.
type EntityType string

// The types that a bot may send, and those that the platform finds by itself.
const (
	Bold                 EntityType = "bold"
	Italic               EntityType = "italic"
	Underline            EntityType = "underline"
	Strikethrough        EntityType = "strikethrough"
	Spoiler              EntityType = "spoiler"
	Code                 EntityType = "code"
	Pre                  EntityType = "pre"
	Blockquote           EntityType = "blockquote"
	ExpandableBlockquote EntityType = "expandable_blockquote"
	TextLink             EntityType = "text_link"
	TextMention          EntityType = "text_mention"
	CustomEmoji          EntityType = "custom_emoji"

	Mention    EntityType = "mention"
	BotCommand EntityType = "bot_command"
	URLEntity  EntityType = "url"
)

// Entity is a formatted stretch of a text; Offset and Length count UTF-16 code units.
type Entity struct {
	Type           EntityType
	Offset, Length int
	URL            string // of a text_link
	Language       string // of a pre
	UserID         int64  // of a text_mention
	EmojiID        string // of a custom_emoji
}

func (e Entity) end() int { return e.Offset + e.Length }

// formatted is a text with its entities.
type formatted struct {
	text     string
	entities []Entity
	mended   bool // fixNesting had to change something
}

// parseText reads a call's text, parse mode and entities, which a parse mode overrides.
func parseText(text, mode, entities string) (formatted, *Refusal) {
	if len(text) > maxRawText {
		return formatted{}, badRequest("text is too long")
	}
	if mode = strings.ToLower(mode); text != "" && mode != "" && mode != "none" {
		return parseMode(text, mode)
	}
	es, no := parseEntities(entities)
	return formatted{text: text, entities: es}, no
}

// parseEntities reads an entities parameter. What is not a JSON list at all is ignored, as the server does it.
func parseEntities(text string) ([]Entity, *Refusal) {
	var raws []json.RawMessage
	if text == "" || json.Unmarshal([]byte(text), &raws) != nil {
		return nil, nil
	}
	var es []Entity
	for _, raw := range raws {
		e, problem := parseEntity(raw)
		if problem != "" {
			return nil, badRequest("can't parse MessageEntity: %s", problem)
		}
		if e.Type != "" {
			es = append(es, e)
		}
	}
	return es, nil
}

type inEntity struct {
	Type     *string `json:"type"`
	Offset   *int    `json:"offset"`
	Length   *int    `json:"length"`
	URL      string  `json:"url"`
	Language string  `json:"language"`
	User     *User   `json:"user"`
	EmojiID  string  `json:"custom_emoji_id"`
}

// parseEntity reads one entity. Those that the platform finds by itself come back without a type: they are ignored.
func parseEntity(raw json.RawMessage) (e Entity, problem string) {
	var in inEntity
	if json.Unmarshal(raw, &in) != nil {
		return e, "expected an Object with fields of the documented types"
	}
	switch {
	case in.Offset == nil:
		return e, `Can't find field "offset"`
	case in.Length == nil:
		return e, `Can't find field "length"`
	case in.Type == nil:
		return e, `Can't find field "type"`
	case *in.Type == "":
		return e, "Type is not specified"
	}
	e = Entity{Type: EntityType(*in.Type), Offset: *in.Offset, Length: *in.Length}
	switch e.Type {
	case Bold, Italic, Underline, Strikethrough, Spoiler, Code, Blockquote, ExpandableBlockquote:
	case Pre:
		e.Language = in.Language
	case TextLink:
		e.URL = in.URL
		return e, missing(in.URL == "", "url")
	case TextMention:
		if in.User != nil {
			e.UserID = in.User.ID
		}
		return e, missing(in.User == nil, "user")
	case CustomEmoji:
		e.EmojiID = in.EmojiID
		return e, missing(in.EmojiID == "", "custom_emoji_id")
	case "mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number", "bank_card_number":
		return Entity{}, ""
	default:
		return e, "Unsupported type specified"
	}
	return e, ""
}

func missing(is bool, field string) string {
	if is {
		return `Can't find field "` + field + `"`
	}
	return ""
}

// settle makes of a parsed text what the platform stores: entities nested as they may be and inside the text, control
// characters and white space at the ends gone. An empty rest is for the caller to judge.
func (f formatted) settle() (formatted, *Refusal) {
	if !utf8.ValidString(f.text) {
		return f, badRequest("strings must be encoded in UTF-8")
	}
	for _, e := range f.entities {
		switch {
		case e.Offset < 0 || e.Offset > 1000000:
			return f, badRequest("receive an entity with incorrect offset %d", e.Offset)
		case e.Length < 0 || e.Length > 1000000:
			return f, badRequest("receive an entity with incorrect length %d", e.Length)
		case e.Type == TextLink && !isLink(e.URL):
			return f, badRequest("entity URL '%s' is invalid", e.URL)
		}
	}
	f.entities = slices.DeleteFunc(slices.Clone(f.entities), func(e Entity) bool { return e.Length == 0 })
	f.entities, f.mended = fixNesting(f.entities)
	clean, no := f.clean()
	if no != nil {
		return f, no
	}
	clean.shave()
	var mended bool
	clean.entities, mended = fixNesting(clean.entities) // dropped characters can bring neighbours together
	clean.mended = clean.mended || mended
	clean.shave()
	clean.trim()
	if len(clean.entities) > maxEntities {
		clean.entities, clean.mended = clean.entities[:maxEntities], true
	}
	return clean, nil
}

func isLink(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Host != "" || u.Scheme == "tg" || strings.Contains(u.Path, "."))
}

// clean checks that entities begin and end at characters of the text, and takes out what the platform does not store.
func (f formatted) clean() (formatted, *Refusal) {
	var out []rune
	at := []spot{}
	units := 0 // of out
	for i, r := range f.text {
		keep, drop := cleanRune(r)
		at = append(at, spot{i, units})
		if n := utf16.RuneLen(r); n == 2 {
			at = append(at, spot{i + utf8.RuneLen(r), inside})
		}
		if !drop {
			out = append(out, keep)
			units += utf16.RuneLen(keep)
		}
	}
	at = append(at, spot{len(f.text), units})
	for i, e := range f.entities {
		if no := e.check(at); no != nil {
			return f, no
		}
		begin, end := at[e.Offset].unit, at[e.end()].unit
		f.entities[i].Offset, f.entities[i].Length = begin, end-begin
	}
	f.text = string(out)
	return f, nil
}

// spot is a UTF-16 offset of a text: the byte where its character begins (of the middle of a pair: where it ends), and the
// offset in the cleaned text.
type spot struct{ byte, unit int }

// inside marks an offset between the two halves of a surrogate pair.
const inside = -1

func (e Entity) check(at []spot) *Refusal {
	length := len(at) - 1
	switch {
	case e.Offset > length:
		return badRequest("entity begins after the end of the text at UTF-16 offset %d", e.Offset)
	case at[e.Offset].unit == inside:
		return badRequest("entity begins in a middle of a UTF-16 symbol at byte offset %d", at[e.Offset].byte)
	case e.end() > length:
		return badRequest("entity beginning at UTF-16 offset %d ends after the end of the text at UTF-16 offset %d", e.Offset, e.end())
	case at[e.end()].unit == inside:
		return badRequest("entity beginning at UTF-16 offset %d ends in a middle of a UTF-16 symbol at byte offset %d",
			e.Offset, at[e.end()].byte)
	}
	return nil
}

// cleanRune is what the platform stores for a character: control characters become spaces, others vanish.
func cleanRune(r rune) (keep rune, drop bool) {
	switch {
	case r == '\r' || 0x2028 <= r && r <= 0x202e || r == 0x033f || r == 0x0333 || r == 0x030a:
		return 0, true
	case r < ' ' && r != '\n':
		return ' ', false
	}
	return r, false
}

// shave takes white space off the beginnings of entities, and drops those of nothing else. Where an entity with hidden data
// begins, those around it keep their white space, too.
func (f *formatted) shave() {
	units := utf16.Encode([]rune(f.text))
	for i := range f.entities {
		for e := &f.entities[i]; e.Length > 0 && blank(units[e.Offset]) && !f.hides(*e); {
			e.Offset, e.Length = e.Offset+1, e.Length-1
		}
	}
	f.entities = slices.DeleteFunc(f.entities, func(e Entity) bool { return e.Length == 0 })
	sortEntities(f.entities)
}

func blank(unit uint16) bool { return unit == ' ' || unit == '\n' }

// hides reports whether e or an entity in it that begins with it has hidden data.
func (f *formatted) hides(e Entity) bool {
	return slices.ContainsFunc(f.entities, func(o Entity) bool {
		return o.hidden() && o.Length > 0 && o.Offset == e.Offset && o.within(e)
	})
}

// trim cuts white space off the ends of the text; at the beginning it stays where an entity begins in it.
func (f *formatted) trim() {
	units := utf16.Encode([]rune(f.text))
	end := len(units)
	for end > 0 && blank(units[end-1]) {
		end--
	}
	first := end
	if len(f.entities) > 0 {
		first = min(first, f.entities[0].Offset)
	}
	begin := 0
	for begin < first && blank(units[begin]) {
		begin++
	}
	f.cut(units, begin, end)
}

func (f *formatted) cut(units []uint16, begin, end int) {
	f.text = string(utf16.Decode(units[begin:end]))
	for i := range f.entities {
		e := &f.entities[i]
		e.Length = min(e.end(), end) - e.Offset
		e.Offset -= begin
	}
	f.entities = slices.DeleteFunc(f.entities, func(e Entity) bool { return e.Length <= 0 })
}

// hidden: the entity carries something that its text does not show, so it may stand on white space.
func (e Entity) hidden() bool { return e.Type == TextLink || e.Type == TextMention }

// empty reports whether a text shows nothing: only white space and characters without width.
func (f formatted) empty() bool {
	return strings.IndexFunc(f.text, func(r rune) bool {
		switch {
		case unicode.IsSpace(r), 0x200b <= r && r <= 0x200f, 0x2060 <= r && r <= 0x2064, r == 0xfeff, r == 0x2800, r == 0x3164, r == 0xad:
			return false
		}
		return true
	}) < 0
}

// units is the length that the platform counts.
func (f formatted) units() int { return len(utf16.Encode([]rune(f.text))) }
