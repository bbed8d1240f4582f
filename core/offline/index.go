package offline

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"steady/core"
)

// How much a term counts, by where an entry has it.
const (
	inTitle    = 1.0
	inTags     = 0.9
	inReplaces = 0.8
	inFrame    = 0.5
	inDoses    = 0.35
	inAnchor   = 0.3
	inSummary  = 0.25
)

// A document is what an entry, or a habit with a title of its own, is found by.
type document struct {
	weights map[string]float64
	titles  [][]string      // terms of the title in each language
	main    map[string]bool // what it is about: the things and deeds of the title
}

// An index finds the entry that a text speaks of. It is read-only.
type index struct {
	docs  []document // by the number of the entry
	idf   map[string]float64
	known map[string]bool // Latin words of the catalog
}

// A match is how well a document fits a text.
type match struct {
	doc    int
	score  float64
	strong int  // terms of the title or of the tags that the text has
	ideas  int  // concepts of the title that it has
	fair   int  // terms that are at least of the example frame
	full   bool // the whole title, or the id
	cover  float64
}

func (m *Model) newIndex() *index {
	x := &index{idf: map[string]float64{}, known: map[string]bool{}}
	for i := range m.catalog {
		x.docs = append(x.docs, m.document(&m.catalog[i]))
	}
	in := map[string]int{}
	for _, d := range x.docs {
		for k := range d.weights {
			in[k]++
		}
	}
	for k, n := range in {
		x.idf[k] = math.Log(float64(len(x.docs)+1) / float64(n))
		if !strings.HasPrefix(k, "#") {
			x.known[k] = true
		}
	}
	return x
}

func (m *Model) document(e *Entry) document {
	d := document{weights: map[string]float64{}, main: map[string]bool{}}
	put := func(weight float64, texts ...core.LocalText) {
		for _, t := range texts {
			for _, s := range []string{t.En, t.Ko, t.Zh} {
				keys := m.keys(s)
				for _, k := range keys {
					d.weights[k] = max(d.weights[k], weight)
				}
				if weight == inTitle && len(keys) > 0 {
					d.titles = append(d.titles, keys)
				}
			}
		}
	}
	put(inTitle, e.Title)
	put(inReplaces, e.Replaces)
	put(inFrame, e.Frame)
	put(inDoses, e.Minimum.Text, e.Standard.Text, e.Stretch.Text)
	put(inAnchor, e.Anchor)
	put(inSummary, e.Summary)
	for _, tag := range e.Tags {
		put(inTags, core.LocalText{En: tag})
	}
	for _, title := range d.titles {
		for _, k := range title {
			if strings.HasPrefix(k, "#") && !m.circumstances[k] {
				d.main[k] = true
			}
		}
	}
	return d
}

// circumstances are the concepts that say only when, where or how something is done, so that they name no habit by themselves.
func circumstances() map[string]bool {
	out := map[string]bool{}
	for name := range strings.FieldsSeq(`meal block early last slow first steady morning outdoors bed bedroom living brush list write handful
		colour snack alarm sleep budget swap`) {
		out["#"+name] = true
	}
	return out
}

// titled is the document of a habit that has a title of its own.
func (m *Model) titled(name string) document {
	keys := m.keys(name)
	d := document{weights: map[string]float64{}, titles: [][]string{keys}}
	for _, k := range keys {
		d.weights[k] = inTitle
	}
	return d
}

// keys returns the terms of a text of the catalog, each once.
func (m *Model) keys(s string) []string {
	t := m.words.normal.text(s)
	ideas := m.words.ideas.scan(t.norm)
	skip := make([]bool, len(t.norm))
	var out []string
	for _, h := range ideas {
		out = append(out, m.ideaKeys(h)...)
		for i := h.from; i < h.to; i++ {
			skip[i] = true
		}
	}
	for _, w := range m.leftover(t.norm, skip) {
		out = append(out, m.wordKeys(string(t.norm[w.from:w.to]))...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (m *Model) ideaKeys(h hit) []string {
	var out []string
	for _, k := range h.marks {
		out = append(out, "#"+m.words.concepts[k.value])
	}
	return out
}

// terms returns the terms of a reading, and the words among them that nothing knows.
func (m *Model) terms(r *reading) (terms, loose []term) {
	for _, h := range r.ideas {
		for _, k := range m.ideaKeys(h) {
			terms = append(terms, term{span{h.from, h.to}, k})
		}
	}
	for _, w := range m.leftover(r.norm, r.covered()) {
		s := string(r.norm[w.from:w.to])
		known := r.cued(w.from, w.to, func(h hit) bool { return h.is(title) })
		for _, k := range m.wordKeys(s) {
			terms = append(terms, term{w, k})
			known = known || m.index.known[k]
		}
		if _, to, digit := digits(r.norm, w.from); digit && to == w.to {
			continue
		}
		if !known && !m.words.stop[s] && !m.words.stop[m.bare(s)] {
			loose = append(loose, term{w, s})
		}
	}
	return terms, loose
}

// leftover returns the words outside of what is skipped: of Latin and Hangul letters as they stand, of Han the runs without
// characters that say nothing.
func (m *Model) leftover(norm []rune, skip []bool) []span {
	var out []span
	for i := 0; i < len(norm); {
		kind := script(norm[i])
		if kind == 0 || skip[i] || kind == 2 && m.words.stop[string(norm[i])] {
			i++
			continue
		}
		to := i + 1
		for to < len(norm) && script(norm[to]) == kind && !skip[to] && !(kind == 2 && m.words.stop[string(norm[to])]) {
			to++
		}
		out = append(out, span{i, to})
		i = to
	}
	return out
}

// wordKeys returns the keys of a word: its stem in English, pairs of syllables or characters else.
func (m *Model) wordKeys(w string) []string {
	if m.words.stop[w] {
		return nil
	}
	runes := []rune(w)
	if latin(runes[0]) {
		if s := stem(w); len(s) > 1 {
			return []string{s}
		}
		return nil
	}
	if hangul(runes[0]) {
		runes = []rune(m.bare(w))
	}
	if m.words.stop[string(runes)] || len(runes) == 0 {
		return nil
	}
	var out []string
	for i := range len(runes) - 1 {
		out = append(out, string(runes[i:i+2]))
	}
	return out
}

// bare returns a Korean word without the longest particle at its end.
func (m *Model) bare(w string) string {
	best := w
	for _, p := range m.words.particles {
		if s, ok := strings.CutSuffix(w, p); ok && s != "" && len(s) < len(best) {
			best = s
		}
	}
	return best
}

// stem takes the commonest English endings off.
func stem(w string) string {
	for _, end := range []string{"'s", "ing", "ly", "ed", "es", "s"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 {
			if n := len(s); end != "s" && n > 3 && s[n-1] == s[n-2] && !strings.ContainsRune("lsz", rune(s[n-1])) {
				s = s[:n-1]
			}
			return strings.TrimSuffix(s, "e")
		}
	}
	if len(w) > 3 {
		return strings.TrimSuffix(w, "e")
	}
	return w
}

// score tells how well a document fits the terms of a text.
func (x *index) score(d document, terms []term) match {
	var out match
	keys := map[string]bool{}
	for _, t := range terms {
		keys[t.key] = true
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		w := d.weights[k]
		out.score += w * x.rarity(k)
		if w >= inTags {
			out.strong++
		}
		if w == inTitle && strings.HasPrefix(k, "#") {
			out.ideas++
		}
		if w >= inFrame {
			out.fair++
		}
	}
	for _, title := range d.titles {
		all, found := 0.0, 0.0
		for _, k := range title {
			all += x.rarity(k)
			if keys[k] {
				found += x.rarity(k)
			}
		}
		out.cover = max(out.cover, found/all)
	}
	return out
}

// rarity is the inverse document frequency of a key; a word that the catalog does not have is rare.
func (x *index) rarity(k string) float64 {
	if v, ok := x.idf[k]; ok {
		return v
	}
	return math.Log(float64(len(x.docs) + 1))
}

// rank returns the entries that fit a reading, best first.
func (m *Model) rank(r *reading) []match { return m.rankOf(r.terms, r) }

// rankOf does so by some of its terms.
func (m *Model) rankOf(terms []term, r *reading) []match {
	var out []match
	for i, d := range m.index.docs {
		f := m.index.score(d, terms)
		f.doc, f.full = i, f.cover > 0.99 && len(d.titles) > 0 && f.strong > 1
		for _, h := range r.cues {
			for _, k := range h.marks {
				if k.sense == title && k.value == i {
					f.full, f.score = true, f.score+5
				}
			}
		}
		if f.score > 0 {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return out
}
