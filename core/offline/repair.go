package offline

import (
	"slices"
	"strings"
)

// Repairs correct the spelling of words that nothing knows to words that the tables know: a Latin word by its letters, a Korean
// one by the parts of its syllables, Chinese characters by their sound. Guards, dates, words for done and other slots are never
// made up this way, only what is asked for and what it is asked of.
type repairs struct {
	latin  map[rune][]string // by the first letter
	hangul map[int][][]rune  // by the number of syllables
	han    map[string][]rune // by their sounds
	titles map[string][]rune // of Han, with one character left out
	known  map[string]bool   // Latin words that are correct
	normal map[string]bool   // and others that are, though the tables do not have them
	sounds map[rune]rune
	slips  []string
}

// repairable tells whether a phrase of this sense may be what a misspelling meant.
func repairable(s sense) bool {
	return slices.Contains([]sense{title, concept, group, streak, mine, about, find, catalog, thing, add, help, show, want, hello, thanks}, s)
}

func (m *Model) newRepairs() *repairs {
	p := &repairs{latin: map[rune][]string{}, hangul: map[int][][]rune{}, han: map[string][]rune{}, titles: map[string][]rune{},
		known: map[string]bool{}, sounds: m.words.sounds, slips: m.words.slips, normal: m.words.ordinary}
	for w := range m.words.stop {
		p.known[w] = true
	}
	for _, l := range []*lexicon{m.words.titles, m.words.cues, m.words.ideas, m.words.groups} {
		l.root.each(nil, func(phrase []rune, ends []end) {
			for w := range strings.FieldsSeq(string(phrase)) {
				p.add([]rune(w), ends)
			}
		})
	}
	for _, list := range p.latin {
		slices.Sort(list)
	}
	for n, list := range p.hangul {
		slices.SortFunc(list, slices.Compare)
		p.hangul[n] = slices.CompactFunc(list, slices.Equal)
	}
	return p
}

// each calls found for all phrases below a node.
func (n *node) each(phrase []rune, found func(phrase []rune, ends []end)) {
	if len(n.ends) > 0 {
		found(phrase, n.ends)
	}
	for r, next := range n.next {
		next.each(append(slices.Clip(phrase), r), found)
	}
}

// add makes a word of a phrase known; ends tell what the phrase means.
func (p *repairs) add(w []rune, ends []end) {
	ok := slices.ContainsFunc(ends, func(e end) bool { return repairable(e.sense) })
	is := func(senses ...sense) bool {
		return slices.ContainsFunc(ends, func(e end) bool { return slices.Contains(senses, e.sense) })
	}
	switch {
	case latin(w[0]):
		s := string(w)
		if ok && len(w) >= 4 {
			p.latin[w[0]] = append(p.latin[w[0]], s)
		}
		p.known[s] = true
	case ok && hangul(w[0]) && len(w) == 2 && !is(concept, group, title, thing, streak, add):
	case ok && hangul(w[0]) && len(w) >= 2:
		p.hangul[len(w)] = append(p.hangul[len(w)], w)
	case ok && han(w[0]) && len(w) >= 2:
		keepFirst(p.han, p.sound(w), w)
		const long = 4
		for i := 0; i < len(w) && len(w) >= long && is(title); i++ {
			keepFirst(p.titles, gap(w, i), w)
		}
	}
}

// keepFirst keeps the first in order of the words with a key, so that corrections do not depend on the order of a map.
func keepFirst(words map[string][]rune, key string, w []rune) {
	if old, ok := words[key]; !ok || slices.Compare(w, old) < 0 {
		words[key] = w
	}
}

// sound is a run of Han with each character replaced by the first of those that are mistaken for it.
func (p *repairs) sound(w []rune) string {
	out := make([]rune, len(w))
	for i, r := range w {
		out[i] = r
		if first, ok := p.sounds[r]; ok {
			out[i] = first
		}
	}
	return string(out)
}

// text corrects a text; ok is false if there is nothing to correct.
func (p *repairs) text(m *Model, r *reading) (text, bool) {
	norm := slices.Clone(r.norm)
	used, fixed := r.spelled(), r.said()
	out := text{raw: r.raw}
	changed := false
	put := func(w []rune, at int) {
		for range w {
			out.at = append(out.at, at)
		}
		out.norm = append(out.norm, w...)
	}
	for i := 0; i < len(norm); {
		w, to := p.word(norm, i, used, fixed)
		if to == i {
			put(norm[i:i+1], r.at[i])
			i++
			continue
		}
		changed = true
		put(w, r.at[i])
		i = to
	}
	out.at = append(out.at, r.at[len(r.norm)])
	return out, changed
}

// word corrects the word at i; to is i if there is nothing to correct.
func (p *repairs) word(norm []rune, i int, used, fixed []bool) (w []rune, to int) {
	switch {
	case latin(norm[i]) && edge(norm, i):
		for to = i; to < len(norm) && latin(norm[to]); to++ {
		}
		if best := p.nearest(string(norm[i:to])); best != "" {
			return []rune(best), to
		}
	case hangul(norm[i]) && !used[i] || hangul(norm[i]) && edge(norm, i):
		return p.syllables(norm, i, used, fixed)
	case han(norm[i]):
		return p.characters(norm, i, used, fixed)
	}
	return nil, i
}

// nearest returns the known word that a Latin word is a misspelling of, "" if there is none.
func (p *repairs) nearest(w string) string {
	n := len(w)
	if p.known[w] || p.normal[w] || strings.ContainsAny(w, "0123456789_") {
		return ""
	}
	for _, keep := range []int{1, 2} {
		if s := squeezed(w, keep); s != w && p.known[s] {
			return s
		}
	}
	if n < 4 {
		return ""
	}
	most := 1
	if n >= 7 {
		most = 2
	}
	best, least := "", most+1
	for _, v := range p.latin[rune(w[0])] {
		if d := len(v) - n; d > most || d < -most {
			continue
		}
		if d := distance([]rune(w), []rune(v)); d < least {
			best, least = v, d
		}
	}
	return best
}

// squeezed returns w with letters that are stretched, as in "heeelp", written so many times only.
func squeezed(w string, keep int) string {
	const stretched = 3
	runes := []rune(w)
	var out []rune
	for i := 0; i < len(runes); {
		to := i
		for to < len(runes) && runes[to] == runes[i] {
			to++
		}
		n := to - i
		if n >= stretched {
			n = keep
		}
		out = append(out, runes[i:i+n]...)
		i = to
	}
	return string(out)
}

// syllables corrects Korean at i to the longest phrase that differs in one part of one syllable.
func (p *repairs) syllables(norm []rune, i int, used, fixed []bool) ([]rune, int) {
	const longest = 6
	for n := longest; n >= 2; n-- {
		if i+n > len(norm) || n == 2 && !edge(norm, i) && !used[i-1] {
			continue
		}
		window := norm[i : i+n]
		if !slices.Contains(used[i:i+n], false) || slices.Contains(fixed[i:i+n], true) {
			continue
		}
		for _, v := range p.hangul[n] {
			if p.slip(window, v) {
				return v, i + n
			}
		}
	}
	return nil, i
}

// slip tells whether two words of the same length differ in one part of one syllable; of short words, in letters that are easily
// mistaken for each other.
func (p *repairs) slip(a, b []rune) bool {
	at := -1
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if at >= 0 || !hangul(a[i]) || !hangul(b[i]) {
			return false
		}
		at = i
	}
	if at < 0 {
		return false
	}
	const short = 2
	slips, close := 0, true
	x, y := letters(a[at]), letters(b[at])
	for k := range x {
		if x[k] != y[k] {
			slips++
			close = close && p.close(x[k], y[k])
		}
	}
	return slips == 1 && (close || len(a) > short)
}

// close tells whether two letters are easily mistaken for each other.
func (p *repairs) close(a, b rune) bool {
	return slices.ContainsFunc(p.slips, func(g string) bool { return strings.ContainsRune(g, a) && strings.ContainsRune(g, b) })
}

// characters corrects Chinese at i to a phrase that sounds the same.
func (p *repairs) characters(norm []rune, i int, used, fixed []bool) ([]rune, int) {
	const longest = 8
	for n := longest; n >= 2; n-- {
		if i+n > len(norm) || !slices.Contains(used[i:i+n], false) || slices.Contains(fixed[i:i+n], true) {
			continue
		}
		if v, ok := p.han[p.sound(norm[i:i+n])]; ok && !slices.Equal(v, norm[i:i+n]) {
			return v, i + n
		}
		for k := 0; k < n && n >= 4; k++ {
			if v, ok := p.titles[gap(norm[i:i+n], k)]; ok && !slices.Equal(v, norm[i:i+n]) && han(norm[i+k]) && !used[i+k] {
				return v, i + n
			}
		}
	}
	return nil, i
}

// gap is a run of characters with one left out.
func gap(w []rune, i int) string { return string(w[:i]) + "?" + string(w[i+1:]) }

// distance is the number of letters that are wrong, missing, too many, or swapped with their neighbour.
func distance(a, b []rune) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range a {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i + 1
		for j := range b {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
