package habit

import (
	"regexp"
	"strings"
)

// A Framing is what R7 finds in the text of a habit.
type Framing string

// The framings.
const (
	Approach           Framing = "approach"             // it says what will happen
	LimitWithNumber    Framing = "limit_with_number"    // it says less, but also how much, or what instead
	AvoidanceFraming   Framing = "avoidance"            // it says what will not happen
	ReduceWithoutLimit Framing = "reduce_without_limit" // it says less and no more than that
)

// Accepted tells whether a habit may be worded so.
func (f Framing) Accepted() bool { return f == Approach || f == LimitWithNumber }

// A Verdict is R7's word on a text. Rule and Match say which pattern of habits.md §4.3 decided and the words that it matched in
// the normalized text.
type Verdict struct {
	Framing Framing
	Rule    string
	Match   string
}

// An Avoidance is R7, the detector of avoidance wording (habits.md §4). It asks no model, so that the verdict on a text is the
// same on every run. It is safe for concurrent use.
type Avoidance struct {
	normal       *normalizer
	masks        []rule
	hard         []rule
	soft         []rule
	quantities   []rule
	replacements []rule
}

type rule struct {
	id string
	re *regexp.Regexp
}

// NewAvoidance compiles the patterns of habits.md §4.3.
func NewAvoidance() *Avoidance {
	return &Avoidance{
		normal:       newNormalizer(),
		masks:        compile(masks()),
		hard:         compile(hard()),
		soft:         compile(soft()),
		quantities:   compile(quantities()),
		replacements: compile(replacements()),
	}
}

func compile(table []pattern) []rule {
	rules := make([]rule, 0, len(table))
	for _, p := range table {
		rules = append(rules, rule{p.id, regexp.MustCompile(p.re)})
	}
	return rules
}

// Judge returns the verdict on a text (habits.md §4.2).
func (a *Avoidance) Judge(text string) Verdict {
	text = a.normal.normalize(text)
	for _, m := range a.masks {
		text = m.re.ReplaceAllString(text, "▢")
	}
	if r, match := first(a.hard, text); r != nil {
		return Verdict{AvoidanceFraming, r.id, match}
	}
	r, match := first(a.soft, text)
	if r == nil {
		return Verdict{Framing: Approach}
	}
	quantity, _ := first(a.quantities, text)
	replacement, _ := first(a.replacements, text)
	if quantity != nil || replacement != nil {
		return Verdict{LimitWithNumber, r.id, match}
	}
	return Verdict{ReduceWithoutLimit, r.id, match}
}

// first returns the first rule that matches, with the words that it matched; nil if none does.
func first(rules []rule, text string) (*rule, string) {
	for i := range rules {
		if loc := rules[i].re.FindStringIndex(text); loc != nil {
			return &rules[i], strings.Trim(text[loc[0]:loc[1]], " ,.!?·/(▢")
		}
	}
	return nil, ""
}
