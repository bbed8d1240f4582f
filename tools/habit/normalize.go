package habit

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A normalizer brings texts into the one form that the patterns of R7 and of the safety gate are written for (habits.md §4.2
// step 1). It is safe for concurrent use.
type normalizer struct {
	fold *strings.Replacer
	most *regexp.Regexp
}

func newNormalizer() *normalizer {
	const traditional, simplified = "別絕遠離減斷擺脫煙無沒買發點賴遲罵換為準許頂飲機", "别绝远离减断摆脱烟无没买发点赖迟骂换为准许顶饮机"
	pairs := []string{"‘", "'", "’", "'", "‛", "'", "ʼ", "'", "，", ",", "；", ";"}
	to := []rune(simplified)
	for i, r := range []rune(traditional) {
		pairs = append(pairs, string(r), string(to[i]))
	}
	return &normalizer{fold: strings.NewReplacer(pairs...), most: regexp.MustCompile(`\bno more than\b`)}
}

// normalize returns s in NFKC and lower case, with straight apostrophes, without characters of no width, with the folded
// traditional characters, and with single spaces.
func (n *normalizer) normalize(s string) string {
	s = strings.Map(visible, s)
	s = strings.ToLower(norm.NFKC.String(s))
	s = n.fold.Replace(s)
	s = strings.Join(strings.Fields(s), " ")
	return n.most.ReplaceAllString(s, "at most")
}

// visible drops the characters of no width with which a word could hide from a pattern.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
		return -1
	}
	return r
}

// loose returns s as names, ids and search words are compared: NFKC, lower case, trimmed (habits.md §2.4).
func loose(s string) string {
	return strings.ToLower(strings.TrimSpace(norm.NFKC.String(strings.Map(visible, s))))
}

// oneLine returns s as a habit keeps its texts: composed, without white space around it and with single spaces in the place of
// line breaks and runs of spaces (C11).
func oneLine(s string) string { return strings.Join(strings.Fields(norm.NFC.String(s)), " ") }
