package channels

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// UTF16Len returns the length of s in UTF-16 code units. A byte that is not UTF-8 counts as one.
func UTF16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// Cut returns the longest beginning of s that has at most limit UTF-16 code units and does not end inside a character as people
// see it (a grapheme cluster). It is empty if the first one alone is longer.
func Cut(s string, limit int) string {
	return s[:boundary(s, offset(s, limit))]
}

// offset returns where s is to be cut so that at most limit units stand before, at a rune.
func offset(s string, limit int) int {
	for i, r := range s {
		if limit -= utf16.RuneLen(r); limit < 0 {
			return i
		}
	}
	return len(s)
}

// boundary returns the last place in s, not after at, that is between two grapheme clusters.
func boundary(s string, at int) int {
	if at >= len(s) {
		return len(s)
	}
	from := settled(s, at)
	for from < at {
		cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s[from:], -1)
		if from+len(cluster) > at {
			break
		}
		from += len(cluster)
	}
	return from
}

// settled returns a place in s, not after at, that is between two grapheme clusters whatever stands around: two runes that
// never combine meet there, or s begins.
func settled(s string, at int) int {
	after, _ := utf8.DecodeRuneInString(s[at:])
	for at > 0 {
		before, size := utf8.DecodeLastRuneInString(s[:at])
		if solid(before) && solid(after) {
			return at
		}
		at, after = at-size, before
	}
	return 0
}

// solid tells whether r is one of the common characters that join no other solid one: printable ASCII, ideographs, syllables.
func solid(r rune) bool {
	return r >= ' ' && r <= '~' || r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 || r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA
}

// joined tells whether the runes that meet at a place in s belong to one grapheme cluster. It looks at no others, which is
// enough where one of the two is white space or a punctuation mark.
func joined(s string, at int) bool {
	before, size := utf8.DecodeLastRuneInString(s[:at])
	after, next := utf8.DecodeRuneInString(s[at:])
	if solid(before) && solid(after) {
		return false
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s[at-size:at+next], -1)
	return len(cluster) > size
}
