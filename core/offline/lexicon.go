package offline

import "strings"

// A mark is what a phrase of a table means: a sense or a concept, with a number where that needs one, such as the weekday.
type mark struct {
	sense sense
	value int
}

// A row of a table: phrases, separated by commas, that all mean the same.
//
// Latin phrases are whole words. Others are found anywhere; "^" at the beginning asks for the beginning of a word, "$" at the
// end for its end. A space between other than Latin letters may be left out in the text.
type row struct {
	sense   sense
	value   int
	phrases string
}

// A hit is a phrase that was found in a text, at norm[from:to].
type hit struct {
	from, to int
	marks    []mark
}

func (h hit) is(s sense) bool {
	for _, m := range h.marks {
		if m.sense == s {
			return true
		}
	}
	return false
}

// value returns the number that goes with s.
func (h hit) value(s sense) int {
	for _, m := range h.marks {
		if m.sense == s {
			return m.value
		}
	}
	return 0
}

// A lexicon finds phrases in texts. It is built once and then only read.
type lexicon struct{ root *node }

type node struct {
	next map[rune]*node
	ends []end
}

// An end is where a phrase ends, with what it asks of the text around it.
type end struct {
	mark
	starts, stops bool // at the beginning of a word, at the end of one
}

func newLexicon() *lexicon { return &lexicon{root: &node{}} }

// add adds the phrases of a row. A phrase with an apostrophe is known without it too, unless that is another word.
func (l *lexicon) add(rows ...row) {
	for _, r := range rows {
		for phrase := range strings.SplitSeq(r.phrases, ",") {
			phrase = strings.TrimSpace(phrase)
			l.phrase(phrase, mark{r.sense, r.value})
			bare := strings.ReplaceAll(phrase, "'", "")
			if bare != phrase && !strings.Contains(" ill id well were hell shell wed its ", " "+bare+" ") {
				l.phrase(bare, mark{r.sense, r.value})
			}
		}
	}
}

func (l *lexicon) phrase(phrase string, m mark) {
	e := end{mark: m, starts: strings.HasPrefix(phrase, "^"), stops: strings.HasSuffix(phrase, "$")}
	runes := []rune(strings.TrimSuffix(strings.TrimPrefix(phrase, "^"), "$"))
	if len(runes) == 0 {
		return
	}
	e.starts = e.starts || latin(runes[0])
	e.stops = e.stops || latin(runes[len(runes)-1])
	n := l.root
	for _, r := range runes {
		if n.next == nil {
			n.next = map[rune]*node{}
		}
		if n.next[r] == nil {
			n.next[r] = &node{}
		}
		n = n.next[r]
	}
	for _, old := range n.ends {
		if old == e {
			return
		}
	}
	n.ends = append(n.ends, e)
}

// scan finds the longest phrases from left to right; they do not overlap.
func (l *lexicon) scan(norm []rune) []hit {
	var hits []hit
	for i := 0; i < len(norm); {
		if h := l.longest(norm, i); h.to > i {
			hits = append(hits, h)
			i = h.to
			continue
		}
		i++
	}
	return hits
}

// longest returns the longest phrase that begins at from.
func (l *lexicon) longest(norm []rune, from int) hit {
	best := hit{from: from, to: from}
	l.root.walk(norm, from, func(to int, ends []end) {
		if to <= best.to {
			return
		}
		var marks []mark
		for _, e := range ends {
			if (!e.starts || edge(norm, from)) && (!e.stops || edge(norm, to)) {
				marks = append(marks, e.mark)
			}
		}
		if len(marks) > 0 {
			best.to, best.marks = to, marks
		}
	})
	return best
}

// walk calls found for each phrase below n that the text has at i.
func (n *node) walk(norm []rune, i int, found func(to int, ends []end)) {
	if len(n.ends) > 0 {
		found(i, n.ends)
	}
	if gap := n.next[' ']; gap != nil && i > 0 {
		if i < len(norm) && norm[i] == ' ' {
			gap.walk(norm, i+1, found)
		} else if i < len(norm) && !(latin(norm[i-1]) && latin(norm[i])) {
			gap.walk(norm, i, found)
		}
	}
	if i < len(norm) {
		if next := n.next[norm[i]]; next != nil {
			next.walk(norm, i+1, found)
		}
	}
}

// edge tells whether a word begins or ends at i: at white space, punctuation, the ends of the text, or a change of script.
func edge(norm []rune, i int) bool {
	return i <= 0 || i >= len(norm) || script(norm[i-1]) != script(norm[i]) || script(norm[i]) == 0
}

// script tells words of different scripts apart; 0 is what is no word.
func script(r rune) int {
	switch {
	case hangul(r):
		return 1
	case han(r):
		return 2
	case latin(r):
		return 3
	}
	return 0
}
