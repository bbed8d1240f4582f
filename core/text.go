package core

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Blank tells whether s has nothing to see: it is empty, white space, or characters of no width. Blank input is silent
// everywhere (seed 003).
func Blank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !invisible(r) {
			return false
		}
	}
	return true
}

// Visible makes characters visible that could hide or reorder what a person is asked to allow: bidi controls and those of no
// width become ⟦U+202E⟧. A joiner between two emoji stays.
func Visible(s string) string {
	var b strings.Builder
	rs := []rune(s)
	for i, r := range rs {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == 0x200D && i > 0 && i+1 < len(rs) && pictographic(rs[i-1]) && pictographic(rs[i+1]):
			b.WriteRune(r)
		case r == 0xFE0F && i > 0 && pictographic(rs[i-1]):
			b.WriteRune(r)
		case invisible(r) || unicode.IsControl(r):
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible tells whether r is a format character, a variation selector, or a letter that draws nothing.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.IsControl(r) && !unicode.IsSpace(r) ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0 || r == 0x2800 || r == 0x034F || r == 0x17B4 || r == 0x17B5
}

func pictographic(r rune) bool {
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r >= 0x1F3FB || r == 0xFE0F || r >= 0x1F000 && r <= 0x1FAFF
}

// utf16Len counts s as the platforms and seed 001 §7 do.
func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// clip returns at most n runes of s, with an ellipsis in the last one's place where something was cut.
func clip(s string, n int) string {
	rs := []rune(s)
	if len(rs) <= n {
		return s
	}
	return string(rs[:n-1]) + "…"
}

// Escape makes Markdown show s as it is.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_{}[]<>()#+-.!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
