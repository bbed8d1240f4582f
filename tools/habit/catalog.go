package habit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	_ "embed"

	"steady/core"
)

//go:embed catalog.json
var builtIn []byte

// A Catalog is what habits begin with (R1). It is read once and never changes.
type Catalog struct {
	categories []Category
	entries    []CatalogEntry // in the order of their ids
}

// A Category groups catalog entries.
type Category struct {
	ID      string         `json:"id"`
	Name    core.LocalText `json:"name"`
	Aliases []string       `json:"aliases"`
}

// A CatalogEntry is one proven small action (habits.md §1.3). Its texts are the catalog's own words in each language.
type CatalogEntry struct {
	ID        string         `json:"id"`
	Kind      Kind           `json:"kind"`
	Category  string         `json:"category"`
	Direction string         `json:"direction"` // at_least or at_most: which way the dose counts
	Unit      string         `json:"unit"`
	Title     core.LocalText `json:"title"`
	Summary   core.LocalText `json:"summary"`
	Doses     struct {
		Minimum  Dose `json:"minimum"`
		Standard Dose `json:"standard"`
		Stretch  Dose `json:"stretch"`
	} `json:"doses"`
	Anchor               core.LocalText  `json:"anchor"` // a suggestion, never filled in silently
	Frame                core.LocalText  `json:"frame"`  // an example of a framed text
	Replaces             *core.LocalText `json:"replaces"`
	Caution              core.LocalText  `json:"caution"`
	Evidence             []Evidence      `json:"evidence"`
	DefaultDays          Days            `json:"default_days"`
	RequiresProfessional bool            `json:"requires_professional"`
	Tags                 []string        `json:"tags"`
	Enabled              *bool           `json:"enabled"` // without it an entry is enabled
	words                searchWords
}

// A Dose is how much, as a number and in words.
type Dose struct {
	Amount float64        `json:"amount"`
	Text   core.LocalText `json:"text"`
}

// Evidence is what an entry rests on. Grades: A reviews and guidelines, B trials, C observational or very small.
type Evidence struct {
	Citation string `json:"citation"`
	Year     int    `json:"year"`
	Grade    string `json:"grade"`
	Note     string `json:"note"`
}

// Days returns the weekdays that a habit of this entry has unless the person says otherwise.
func (e *CatalogEntry) Days() Days {
	if e.DefaultDays == 0 {
		return EveryDay
	}
	return e.DefaultDays
}

func (e *CatalogEntry) enabled() bool { return e.Enabled == nil || *e.Enabled }

// BuiltIn returns the catalog that comes with the program.
func BuiltIn(a *Avoidance) (*Catalog, error) { return LoadCatalog(builtIn, a) }

// LoadCatalog reads a catalog file and checks every rule of habits.md §1.3, R7 by a. The error tells all that is wrong, each
// with the line that the entry begins on.
func LoadCatalog(file []byte, a *Avoidance) (*Catalog, error) {
	c, lines, err := decodeCatalog(file)
	if err != nil {
		return nil, fmt.Errorf("read catalog: %w", err)
	}
	check := checker{catalog: c, avoidance: a, seen: map[string]int{}}
	var bad []error
	for i := range c.entries {
		for _, problem := range check.entry(&c.entries[i], lines[i]) {
			bad = append(bad, fmt.Errorf("catalog line %d: %s: %s", lines[i], c.entries[i].ID, problem))
		}
	}
	if len(c.entries) == 0 {
		bad = append(bad, errors.New("catalog: no entries"))
	}
	if err := errors.Join(bad...); err != nil {
		return nil, err
	}
	for i := range c.entries {
		c.entries[i].words = c.entries[i].searchWords()
	}
	slices.SortFunc(c.entries, func(x, y CatalogEntry) int { return strings.Compare(x.ID, y.ID) })
	return c, nil
}

// decodeCatalog reads the file strictly and notes the line on which each entry begins.
func decodeCatalog(file []byte) (c *Catalog, lines []int, err error) {
	c = &Catalog{}
	dec := json.NewDecoder(bytes.NewReader(file))
	dec.DisallowUnknownFields()
	if err := expect(dec, '{'); err != nil {
		return nil, nil, err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, nil, err
		}
		switch key {
		case "version":
			var version int
			if err := dec.Decode(&version); err != nil || version != 1 {
				return nil, nil, fmt.Errorf("version %d is not known", version)
			}
		case "languages":
			var ignored []core.Lang
			err = dec.Decode(&ignored)
		case "categories":
			err = dec.Decode(&c.categories)
		case "entries":
			lines, err = c.decodeEntries(dec, file)
		default:
			err = fmt.Errorf("unknown field %q", key)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", lineAt(file, dec.InputOffset()), err)
		}
	}
	return c, lines, expect(dec, '}')
}

func (c *Catalog) decodeEntries(dec *json.Decoder, file []byte) (lines []int, err error) {
	if err := expect(dec, '['); err != nil {
		return nil, err
	}
	for dec.More() {
		begin := dec.InputOffset()
		begin += int64(len(file[begin:]) - len(bytes.TrimLeft(file[begin:], ", \t\r\n")))
		var e CatalogEntry
		if err := dec.Decode(&e); err != nil {
			return nil, err
		}
		c.entries = append(c.entries, e)
		lines = append(lines, lineAt(file, begin))
	}
	return lines, expect(dec, ']')
}

func expect(dec *json.Decoder, want json.Delim) error {
	if got, err := dec.Token(); err != nil || got != want {
		return fmt.Errorf("%s is missing", want)
	}
	return nil
}

func lineAt(file []byte, offset int64) int {
	return 1 + bytes.Count(file[:min(int(offset), len(file))], []byte("\n"))
}

// Get returns the enabled entry with an id.
func (c *Catalog) Get(id string) (*CatalogEntry, bool) {
	i, ok := slices.BinarySearchFunc(c.entries, id, func(e CatalogEntry, id string) int { return strings.Compare(e.ID, id) })
	if !ok || !c.entries[i].enabled() {
		return nil, false
	}
	return &c.entries[i], true
}

// Entries returns the enabled entries in the order of their ids. They must not be changed.
func (c *Catalog) Entries() []CatalogEntry {
	return slices.DeleteFunc(slices.Clone(c.entries), func(e CatalogEntry) bool { return !e.enabled() })
}

// Groups returns the categories. They must not be changed.
func (c *Catalog) Groups() []Category { return c.categories }
