package core

import "strings"

// Lang is a language that texts for people exist in.
type Lang string

// The languages.
const (
	En Lang = "en"
	Ko Lang = "ko"
	Zh Lang = "zh"
)

// ParseLang returns the language of a tag such as "ko-KR" or "zh-hans", or "" if there are no texts in it.
func ParseLang(tag string) Lang {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(tag, "_", "-")), "-")
	switch l := Lang(base); l {
	case En, Ko, Zh:
		return l
	}
	return ""
}

// LangOf guesses the language of a text by its script: Hangul is Korean, Han without Hangul is Chinese, Latin letters are
// English; "" if there are no letters.
func LangOf(text string) Lang {
	var han, latin bool
	for _, r := range text {
		switch {
		case r >= 0xAC00 && r <= 0xD7A3 || r >= 0x1100 && r <= 0x11FF || r >= 0x3130 && r <= 0x318F:
			return Ko
		case r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF:
			han = true
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			latin = true
		}
	}
	switch {
	case han:
		return Zh
	case latin:
		return En
	}
	return ""
}

// LocalText is one text in every language.
type LocalText struct {
	En string `json:"en"`
	Ko string `json:"ko"`
	Zh string `json:"zh"`
}

// In returns the text in l, in English where l has none.
func (t LocalText) In(l Lang) string {
	switch {
	case l == Ko && t.Ko != "":
		return t.Ko
	case l == Zh && t.Zh != "":
		return t.Zh
	}
	return t.En
}
