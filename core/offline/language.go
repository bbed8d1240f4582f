package offline

import (
	"slices"
	"strings"
)

// A language is all that is known of one: what its phrases mean and what its words are. The tables of each language are in one
// or two files of its own; only how dates and times are written is in dates.go and amounts.go.
type language struct {
	rows     []row
	concepts []namedRow // things and deeds of habits, under one name in all languages
	groups   []namedRow // words for a category beside its names and aliases, by its id
	units    []unitRow  // by the unit of a catalog entry's dose
	numbers  []row      // number words
	// stop are words that say nothing by themselves; of Chinese, characters. ordinary are words that are no misspelling of one in
	// the tables, though they look like it.
	stop, ordinary string
	between        string // words that may stand between "not" and the deed
	particles      string // what Korean hangs on nouns
	subjects       string // the particles of those that do something
	objects        string // the particles of those that something is done with or to
	ahead          string // words of an amount that is one before something
	idBefore       string // what stands before the number of a habit
	idAfter        string // what stands behind it
	avoid          string // what makes a sentence no good frame (R7); the tool has the last word on it
	slips          string // letters of Korean that are mistaken for each other, in groups
	sounds         string // characters of Chinese that are mistaken for each other, in groups
}

// A namedRow is phrases that stand for the concept or the category with a name.
type namedRow struct{ name, phrases string }

// A unitRow is how a unit of the catalog is called.
type unitRow struct{ unit, phrases string }

// A vocabulary is the tables of all languages, made ready. Texts mix languages, so that all are looked at together.
type vocabulary struct {
	normal    *normalizer
	cues      *lexicon // everything but concepts, groups, units and numbers
	titles    *lexicon // names of catalog entries and parts of them
	overlaps  *lexicon // of these, what is found too where it overlaps with another phrase
	ideas     *lexicon // concepts
	groups    *lexicon // categories
	anchors   *lexicon // what a cue of a habit is told by; it may be part of a name
	things    *lexicon // the word habit, as part of other phrases too
	units     *lexicon
	numbers   *lexicon
	concepts  []string         // names, by the value of a concept's mark
	phrases   map[int][]string // of a concept, in all languages
	unitNames []string         // by the value of a unit's mark
	stop      map[string]bool
	ordinary  map[string]bool
	particles []string
	links     map[string]bool // words between "not" and the deed
	avoid     []string
	subjects  []string
	objects   []string
	ahead     []string
	idBefore  []string
	idAfter   []string
	slips     []string      // letters of Korean that are mistaken for each other
	sounds    map[rune]rune // a character to the first of its group
	repairs   *repairs
}

func newVocabulary(groups map[string]int) *vocabulary {
	v := &vocabulary{
		normal: newNormalizer(),
		cues:   newLexicon(), titles: newLexicon(), overlaps: newLexicon(), anchors: newLexicon(), things: newLexicon(),
		ideas: newLexicon(), groups: newLexicon(), units: newLexicon(), numbers: newLexicon(),
		phrases: map[int][]string{}, stop: map[string]bool{}, ordinary: map[string]bool{}, links: map[string]bool{}, sounds: map[rune]rune{},
	}
	concepts, units := map[string]int{}, map[string]int{}
	marks := strings.NewReplacer("^", "", "$", "") // of the edges of words, see [row]
	for _, l := range []language{english(), korean(), chinese()} {
		v.cues.add(l.rows...)
		for _, r := range l.rows {
			v.sort(r)
		}
		v.numbers.add(l.numbers...)
		for _, c := range l.concepts {
			i := numbered(concepts, &v.concepts, c.name)
			v.ideas.add(row{concept, i, c.phrases})
			v.phrases[i] = append(v.phrases[i], listOf(marks.Replace(c.phrases))...)
		}
		for _, u := range l.units {
			v.units.add(row{concept, numbered(units, &v.unitNames, u.unit), u.phrases})
		}
		for _, g := range l.groups {
			if i, ok := groups[g.name]; ok {
				v.groups.add(row{group, i, g.phrases})
			}
		}
		v.words(l)
	}
	return v
}

// sort adds a row to the lexicons of its own kind beside that of all cues.
func (v *vocabulary) sort(r row) {
	switch r.sense {
	case thing:
		v.things.add(r)
		v.overlaps.add(r)
	case anchorAfter, anchorBefore, anchorWhen:
		v.anchors.add(r)
	case streak, mine, left, about, find, catalog, show, ask, please,
		unless, will, later, other, said, maybe, forbid, pending, usual, longAgo, takeBack:
		v.overlaps.add(r)
	}
}

// scan finds the cues of a text, in their order. What asks for something counts even where it overlaps with another phrase, as
// "which habits" does with "habits do I have".
func (v *vocabulary) scan(norm []rune) []hit {
	hits := v.titles.scan(norm)
	titles := hits
	for i := 0; i < len(norm); {
		h := v.cues.longest(norm, i)
		if h.to == i || slices.ContainsFunc(titles, func(t hit) bool { return hides(norm, t, h) }) {
			i++
			continue
		}
		hits = append(hits, h)
		i = h.to
	}
	end := 0
	for i := range norm {
		h := v.overlaps.longest(norm, i)
		within := slices.ContainsFunc(hits, func(o hit) bool { return o.from <= h.from && h.to <= o.to || o.is(title) && hides(norm, o, h) })
		if h.to > i && h.to > end && !within {
			hits, end = append(hits, h), h.to
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.from - b.from })
	return hits
}

// hides tells whether a name leaves nothing of a cue: it is within the name, or shares words with it. Where there are no spaces a
// name may begin within another word.
func hides(norm []rune, name, h hit) bool {
	if name.from <= h.from && h.to <= name.to {
		return true
	}
	overlap := h.from < name.to && name.from < h.to
	return overlap && !(h.from <= name.from && name.to <= h.to) && latin(norm[h.from])
}

func (v *vocabulary) words(l language) {
	for _, w := range strings.Fields(l.stop) {
		v.stop[w] = true
		if han([]rune(w)[0]) {
			for _, r := range w {
				v.stop[string(r)] = true
			}
		}
	}
	for _, w := range strings.Fields(l.ordinary) {
		v.ordinary[w] = true
	}
	for _, w := range strings.Fields(l.between) {
		v.links[w] = true
	}
	v.slips = append(v.slips, strings.Fields(l.slips)...)
	v.subjects = append(v.subjects, strings.Fields(l.subjects)...)
	v.objects = append(v.objects, strings.Fields(l.objects)...)
	v.ahead = append(v.ahead, strings.Fields(l.ahead)...)
	v.idBefore = append(v.idBefore, strings.Fields(l.idBefore)...)
	v.idAfter = append(v.idAfter, strings.Fields(l.idAfter)...)
	v.particles = append(v.particles, strings.Fields(l.particles)...)
	v.avoid = append(v.avoid, listOf(l.avoid)...)
	for _, g := range strings.Fields(l.sounds) {
		first := []rune(g)[0]
		for _, r := range g {
			if _, ok := v.sounds[r]; !ok {
				v.sounds[r] = first
			}
		}
	}
}

// between tells whether a text is made of words that may stand between "not" and the deed.
func (v *vocabulary) between(s string) bool {
	for w := range strings.FieldsSeq(s) {
		if !v.links[w] {
			return false
		}
	}
	return true
}

// numbered returns the number of a name, and gives it the next one when it is new.
func numbered(known map[string]int, names *[]string, name string) int {
	i, ok := known[name]
	if !ok {
		i = len(*names)
		known[name] = i
		*names = append(*names, name)
	}
	return i
}

// listOf splits phrases at their commas.
func listOf(s string) []string {
	words := strings.Split(s, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}
