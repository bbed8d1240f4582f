// Package offline is a [core.Model] without a network: a habit coach that works by tables, so that a fresh machine has a
// working bot. It reads plain requests in English, Korean and Chinese, asks for the same tools as any model, and says in words
// what they return. It never guesses: what it does not understand it answers with what it can do, from a fixed list (seed 003),
// and it asks for a write only where a sentence gives positive evidence for one.
//
// A message takes this way. [normalizer] folds its characters; the tables of en.go, ko.go and zh.go find what is said and what
// it is said of (reading.go); the index finds the catalog entry and the habit that are meant (index.go, names.go); slots are read
// (dates.go, amounts.go, slots.go). Then decide.go tries what it can be, in this order: a wish for a habit (wish.go), a report of
// a day (report.go), a question (ask.go, votes.go), talk. A write passes only if nothing in the sentence speaks against it
// (guard.go) and its words mean the habit for certain (certain.go). A second try on corrected spelling follows where the first
// one led to no write (repair.go). What the tools return becomes words in words.go and texts.go, and choices that were offered
// are found again in follow.go. Nothing is remembered between calls: what was offered before is worked out again from the prompt,
// so that the same prompt always has the same reply.
package offline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"steady/core"
)

// Config is what the coach knows of the world, as plain data. The slices must not be changed afterwards.
type Config struct {
	Catalog    []Entry
	Categories []Category
}

// An Entry is a catalog entry, with all that a person may call it by (habits.md §1.3).
type Entry struct {
	ID        string
	Kind      string // protocol, break or diet
	Category  string
	Direction string // at_least or at_most: which way the dose counts
	Unit      string // of the doses
	Title     core.LocalText
	Summary   core.LocalText
	Anchor    core.LocalText
	Frame     core.LocalText // an example of a framed text
	Replaces  core.LocalText // of kind break
	Caution   core.LocalText // said with the proposal to add the entry
	Minimum   Dose
	Standard  Dose
	Stretch   Dose
	Tags      []string
}

// A Dose is how much, as a number and in words.
type Dose struct {
	Amount float64
	Text   core.LocalText
}

// A Category groups catalog entries. Aliases are other names of it, in any language.
type Category struct {
	ID      string
	Name    core.LocalText
	Aliases []string
}

// A Model is the coach, used by many turns at the same time. What it knows is made with the first message, since it takes more
// memory than the whole rest of an idle bot, and never changes after that.
type Model struct {
	learned    sync.Once
	groups     map[string]int
	words      *vocabulary
	say        texts
	guards     []blocker
	rulings    []ruling
	catalog    []Entry
	categories []Category
	index      *index
	// circumstances are the keys of concepts that name nothing by themselves.
	circumstances map[string]bool
	haystack      string // all that a search of the catalog looks at
}

var _ core.Model = (*Model)(nil)

// New makes a coach. The error tells all that is wrong with the configuration.
func New(cfg Config) (*Model, error) {
	groups := map[string]int{}
	for i, c := range cfg.Categories {
		groups[c.ID] = i
	}
	if err := cfg.check(groups); err != nil {
		return nil, fmt.Errorf("offline model: %w", err)
	}
	return &Model{groups: groups, say: newTexts(), catalog: cfg.Catalog, categories: cfg.Categories}, nil
}

// learn makes what the coach knows.
func (m *Model) learn() {
	m.words, m.guards, m.rulings, m.circumstances = newVocabulary(m.groups), blockers(), rulings(), circumstances()
	m.addNames()
	m.index = m.newIndex()
	m.words.repairs = m.newRepairs()
}

func (cfg Config) check(groups map[string]int) error {
	var bad []error
	seen := map[string]bool{}
	for i, e := range cfg.Catalog {
		if e.ID == "" || e.Title.En == "" || e.Frame.En == "" {
			bad = append(bad, fmt.Errorf("catalog entry %d: an entry needs an id, a title and a frame", i))
		}
		if seen[e.ID] {
			bad = append(bad, fmt.Errorf("catalog entry %d: the id %q is used twice", i, e.ID))
		}
		seen[e.ID] = true
		if _, ok := groups[e.Category]; !ok {
			bad = append(bad, fmt.Errorf("catalog entry %d: unknown category %q", i, e.Category))
		}
	}
	return errors.Join(bad...)
}

// addNames makes the names of entries and categories known.
func (m *Model) addNames() {
	n := m.words.normal
	fold := func(s string) string { return string(n.text(s).norm) }
	for i, c := range m.categories {
		for _, name := range append([]string{c.ID, c.Name.En, c.Name.Ko, c.Name.Zh}, c.Aliases...) {
			if name = fold(name); name != "" {
				m.words.groups.phrase(name, mark{group, i})
			}
		}
	}
	for i, e := range m.catalog {
		searched := []string{e.ID, e.Title.En, e.Title.Ko, e.Title.Zh, e.Summary.En, e.Summary.Ko, e.Summary.Zh}
		m.haystack += strings.ToLower(strings.Join(append(searched, e.Tags...), "\n")) + "\n"
		m.words.titles.phrase(strings.ToLower(e.ID), mark{title, i})
		for _, s := range []string{e.Title.En, e.Title.Ko, e.Title.Zh} {
			m.words.titles.phrase(fold(s), mark{title, i})
			m.addParts(fold(s), mark{title, -1})
		}
		for _, s := range []string{e.Frame.En, e.Frame.Ko, e.Frame.Zh} {
			m.addParts(fold(s), mark{title, -1})
		}
	}
}

// addParts makes the parts of a name known, so that "tomorrow list" is no date: runs of words that neither begin nor end with a
// word that says nothing, and of Chinese runs of four characters or more.
func (m *Model) addParts(name string, k mark) {
	runes := []rune(name)
	if len(runes) > 0 && han(runes[0]) {
		const least = 4
		for from := range runes {
			for to := from + least; to <= len(runes); to++ {
				if part := string(runes[from:to]); !strings.ContainsAny(part, "我,. ") && to-from < len(runes) {
					m.words.titles.phrase(part, k)
				}
			}
		}
		return
	}
	words := strings.Fields(strings.NewReplacer(",", "", ".", "").Replace(name))
	for from := range words {
		for to := from + 2; to <= len(words); to++ {
			if !m.words.stop[words[from]] && !m.words.stop[words[to-1]] && to-from < len(words) {
				m.words.titles.phrase(strings.Join(words[from:to], " "), k)
			}
		}
	}
}

// Reply implements [core.Model]. It does not wait for anything; it fails only when ctx has ended.
func (m *Model) Reply(ctx context.Context, p core.Prompt, sink func(core.Delta)) (core.Reply, error) {
	m.learned.Do(m.learn)
	s := m.scene(p)
	out := m.act(s)
	for _, piece := range pieces(out.text) {
		if ctx.Err() != nil {
			break
		}
		sink(core.Delta{Text: piece})
	}
	if err := context.Cause(ctx); err != nil {
		return core.Reply{}, fmt.Errorf("offline model: %w", err)
	}
	return core.Reply{Text: out.text, Calls: s.number(out.calls)}, nil
}

// pieces cuts a text as a model would stream it, at white space or after so many characters.
func pieces(s string) []string {
	const size = 40
	var out []string
	from, n := 0, 0
	for i, r := range s {
		if n++; n >= size && (r == ' ' || r == '\n' || n >= 2*size) {
			out = append(out, s[from:i])
			from, n = i, 0
		}
	}
	if from < len(s) {
		out = append(out, s[from:])
	}
	return out
}
