package habit

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// A Query asks for catalog entries. An empty category or keyword leaves that free; Allows may hide entries from a person.
type Query struct {
	Category string // an id, a name in any language, or an alias
	Keyword  string
	Allows   func(*CatalogEntry) bool
	Max      int
}

// Search returns the entries that a query finds, in the order of habits.md §2.4: those with all words, else those with any.
// known is false if there is no such category.
func (c *Catalog) Search(q Query) (found []*CatalogEntry, known bool) {
	id, known := c.category(q.Category)
	if !known {
		return nil, false
	}
	tokens := strings.Fields(loose(q.Keyword))
	for _, match := range []func(text string) bool{
		func(s string) bool { return containsAll(s, tokens) },
		func(s string) bool { return containsAny(s, tokens) },
	} {
		for e := range c.visible(q.Allows) {
			if (id == "" || id == e.Category) && match(e.words.all) {
				found = append(found, e)
			}
		}
		if len(found) > 0 {
			break
		}
	}
	phrase := strings.Join(tokens, " ")
	slices.SortStableFunc(found, func(x, y *CatalogEntry) int {
		return cmp.Or(x.words.rank(phrase, tokens)-y.words.rank(phrase, tokens), strings.Compare(x.ID, y.ID))
	})
	return found[:min(q.Max, len(found))], true
}

// visible yields the enabled entries that allows lets through, in the order of their ids.
func (c *Catalog) visible(allows func(*CatalogEntry) bool) iter.Seq[*CatalogEntry] {
	return func(yield func(*CatalogEntry) bool) {
		for i := range c.entries {
			if e := &c.entries[i]; e.enabled() && allows(e) && !yield(e) {
				return
			}
		}
	}
}

// Categories returns the ids of all categories, in the order of the file.
func (c *Catalog) Categories() []string {
	var ids []string
	for _, g := range c.categories {
		ids = append(ids, g.ID)
	}
	return ids
}

// category returns the id of the category that a person means: its id, its name in any language, or an alias. "" is any.
func (c *Catalog) category(word string) (id string, known bool) {
	word = loose(word)
	if word == "" {
		return "", true
	}
	for _, g := range c.categories {
		for _, name := range append([]string{g.ID, g.Name.En, g.Name.Ko, g.Name.Zh}, g.Aliases...) {
			if word == loose(name) {
				return g.ID, true
			}
		}
	}
	return "", false
}

func containsAll(s string, tokens []string) bool {
	return !slices.ContainsFunc(tokens, func(t string) bool { return !strings.Contains(s, t) })
}

func containsAny(s string, tokens []string) bool {
	return slices.ContainsFunc(tokens, func(t string) bool { return strings.Contains(s, t) })
}

// searchWords are the texts of an entry in the form that a keyword is compared in, of every language.
type searchWords struct {
	titles, tags, summaries []string
	all                     string // of these and the id
}

func (e *CatalogEntry) searchWords() searchWords {
	w := searchWords{
		titles:    []string{loose(e.Title.En), loose(e.Title.Ko), loose(e.Title.Zh)},
		summaries: []string{loose(e.Summary.En), loose(e.Summary.Ko), loose(e.Summary.Zh)},
	}
	for _, t := range e.Tags {
		w.tags = append(w.tags, loose(t))
	}
	w.all = strings.Join(slices.Concat([]string{e.ID}, w.titles, w.tags, w.summaries), "\n")
	return w
}

// rank says how well words fit: title equal, title starts, title contains, tag equal, tag contains, summary contains, none. Of
// several words the best one counts.
func (w searchWords) rank(phrase string, tokens []string) int {
	best := noRank
	for _, word := range append([]string{phrase}, tokens...) {
		for _, t := range w.titles {
			best = min(best, grade(t, word, [3]int{0, 1, 2}))
		}
		for _, t := range w.tags {
			best = min(best, grade(t, word, [3]int{3, 4, 4}))
		}
		for _, t := range w.summaries {
			best = min(best, grade(t, word, [3]int{5, 5, 5}))
		}
	}
	return best
}

// grade returns the first, second or third rank where text equals word, starts with it or contains it.
func grade(text, word string, ranks [3]int) int {
	switch {
	case text == word:
		return ranks[0]
	case strings.HasPrefix(text, word):
		return ranks[1]
	case strings.Contains(text, word):
		return ranks[2]
	}
	return noRank
}

const noRank = 6

// Nearest returns the id of an enabled and allowed entry that a mistyped one most likely meant, "" if none is near. Near is an edit distance of
// at most 2 to the id, or to the beginning of it where that has two words or more, so that sleep_cafeine finds
// sleep_caffeine_curfew (C02).
func (c *Catalog) Nearest(id string, allows func(*CatalogEntry) bool) string {
	const far = 3
	id = loose(id)
	best, nearest := far, ""
	for e := range c.visible(allows) {
		words := strings.Split(e.ID, "_")
		for n := min(2, len(words)); n <= len(words); n++ {
			if d := distance(id, strings.Join(words[:n], "_")); d < best {
				best, nearest = d, e.ID
			}
		}
	}
	return nearest
}

// distance is the edit distance of Levenshtein, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
