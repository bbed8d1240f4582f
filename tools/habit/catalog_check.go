package habit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"steady/core"
)

// A checker finds what is wrong with the entries of a catalog.
type checker struct {
	catalog   *Catalog
	avoidance *Avoidance
	seen      map[string]int // id to the line that it was first seen on
}

var entryID = regexp.MustCompile(`^[a-z0-9_]{3,64}$`)

// entry returns the broken invariants of habits.md §1.3, one sentence each.
func (c *checker) entry(e *CatalogEntry, line int) (problems []string) {
	must := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Sprintf(format, args...))
		}
	}
	must(entryID.MatchString(e.ID), "the id must match %s", entryID)
	first, twice := c.seen[e.ID]
	must(!twice, "the id is already used on line %d; an entry has one kind", first)
	if !twice {
		c.seen[e.ID] = line
	}
	must(slices.Contains([]Kind{Protocol, Replacement, Diet}, e.Kind), "unknown kind %q", e.Kind)
	must(slices.ContainsFunc(c.catalog.categories, func(g Category) bool { return g.ID == e.Category }), "unknown category %q", e.Category)
	must((e.Replaces != nil) == (e.Kind == Replacement), "replaces belongs to kind break, and to it alone")
	must(e.Unit != "", "the unit is missing")
	must(e.ordered(), "doses must be above 0 and the minimum easier than the standard, the stretch at least as hard (R9)")
	must(len(e.Evidence) > 0, "evidence is missing")
	for _, v := range e.Evidence {
		must(v.Citation != "" && v.Year > 1900 && len(v.Grade) == 1 && strings.Contains("ABC", v.Grade), "evidence needs a citation, a year and a grade A, B or C")
	}
	for _, t := range e.texts() {
		for _, l := range []core.Lang{core.En, core.Ko, core.Zh} {
			text := t.text.In(l)
			must(strings.TrimSpace(text) != "", "%s is missing", t.name)
			must(t.max == 0 || utf8.RuneCountInString(text) <= t.max, "%s (%s) has more than %d characters", t.name, l, t.max)
			if t.framed {
				v := c.avoidance.Judge(text)
				must(v.Framing.Accepted(), "%s (%s) is worded as avoidance: %q (R7)", t.name, l, v.Match)
			}
		}
	}
	return slices.Compact(problems)
}

// ordered tells whether the doses get harder from the minimum to the stretch (R9). For at_most less is harder.
func (e *CatalogEntry) ordered() bool {
	low, mid, high := e.Doses.Minimum.Amount, e.Doses.Standard.Amount, e.Doses.Stretch.Amount
	switch e.Direction {
	case "at_least":
		return 0 < low && low < mid && mid <= high
	case "at_most":
		return low > mid && mid >= high && high > 0
	}
	return false
}

// A checkedText is a text of an entry with what is asked of it.
type checkedText struct {
	name   string
	text   core.LocalText
	max    int  // in runes, 0 for any
	framed bool // R7 reads it
}

func (e *CatalogEntry) texts() []checkedText {
	texts := []checkedText{
		{"title", e.Title, 60, true},
		{"summary", e.Summary, 160, false},
		{"frame", e.Frame, 200, true},
		{"minimum dose", e.Doses.Minimum.Text, 120, true},
		{"standard dose", e.Doses.Standard.Text, 120, true},
		{"stretch dose", e.Doses.Stretch.Text, 120, true},
		{"anchor", e.Anchor, 120, false},
		{"caution", e.Caution, 0, false},
	}
	if e.Replaces != nil {
		texts = append(texts, checkedText{"replaces", *e.Replaces, 120, false})
	}
	return texts
}
