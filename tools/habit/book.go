package habit

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"steady/core"
)

// A book is what one call sees of the speaker's documents: a shelf with all habits, one document per habit and year with its
// entries, so that a long history stays cheap, and the safety flags. In a group it is the speaker's, too.
type book struct {
	d *core.Documents
	o core.Origin
}

func (b book) today() Date { return LocalDay(b.o.Now, b.o.Zone, b.o.DayStart) }

func (b book) shelfKey() string { return core.PersonKey(b.o.Person, "habits") }

func (b book) yearKey(habit, year int) string {
	return core.PersonKey(b.o.Person, "habits/"+strconv.Itoa(habit)+"/"+strconv.Itoa(year))
}

func (b book) safetyKey() string { return core.PersonKey(b.o.Person, "safety") }

// shelf returns the person's habits, an empty shelf if there are none yet.
func (b book) shelf(ctx context.Context) (*shelf, error) {
	body, err := b.d.Get(ctx, b.shelfKey())
	if err != nil || body == nil {
		return &shelf{Next: 1}, err
	}
	s, err := decodeShelf(body)
	if err != nil {
		return nil, fmt.Errorf("read habits: %w", err)
	}
	return s, nil
}

func (b book) putShelf(s *shelf) error {
	body, err := s.encode()
	if err != nil {
		return fmt.Errorf("write habits: %w", err)
	}
	b.d.Put(b.shelfKey(), body)
	return nil
}

// year returns the entries of a habit in a year, in the order of their dates; the slice is the caller's.
func (b book) year(ctx context.Context, habit, year int) ([]entry, error) {
	body, err := b.d.Get(ctx, b.yearKey(habit, year))
	if err != nil || body == nil {
		return nil, err
	}
	entries, err := decodeYear(body)
	if err != nil {
		return nil, fmt.Errorf("read entries: %w", err)
	}
	return entries, nil
}

// entry returns the entry of a date, nil if there is none.
func (b book) entry(ctx context.Context, habit int, d Date) (*entry, error) {
	entries, err := b.year(ctx, habit, d.Year())
	if i, found := findEntry(entries, d); found {
		return &entries[i], nil
	}
	return nil, err
}

func findEntry(entries []entry, d Date) (int, bool) {
	return slices.BinarySearchFunc(entries, d, func(e entry, d Date) int { return int(e.Date - d) })
}

// putEntry writes an entry in the place of the one of its date, if there is one, and notes on the shelf which one is the first.
func (b book) putEntry(ctx context.Context, s *shelf, h *Habit, e entry) error {
	year := e.Date.Year()
	entries, err := b.year(ctx, h.ID, year)
	if err != nil {
		return err
	}
	i, found := findEntry(entries, e.Date)
	if found {
		entries[i] = e
	} else {
		entries = slices.Insert(entries, i, e)
	}
	body, err := encodeYear(entries)
	if err != nil {
		return fmt.Errorf("write entries: %w", err)
	}
	b.d.Put(b.yearKey(h.ID, year), body)
	if h.First != 0 && h.First <= e.Date {
		return nil
	}
	h.First = e.Date
	return b.putShelf(s)
}

// log returns what is recorded of a habit. It reads a year when it is first asked for.
func (b book) log(ctx context.Context, h *Habit) *years {
	return &years{load: func(year int) ([]entry, error) { return b.year(ctx, h.ID, year) }}
}

// years is a [Log] over the year documents, of which it holds one. After the first error it has no marks any more; who used it
// asks for err.
type years struct {
	load  func(year int) ([]entry, error)
	start Date // of the year that days holds
	days  []Mark
	err   error
}

// On implements [Log].
func (y *years) On(d Date) Mark {
	if i := int(d - y.start); i < 0 || i >= len(y.days) {
		y.fetch(d.Year())
	}
	return y.days[d-y.start]
}

// fetch spreads the entries of a year over its days.
func (y *years) fetch(year int) {
	y.start = newYear(year)
	y.days = make([]Mark, newYear(year+1)-y.start)
	if y.err != nil {
		return
	}
	var entries []entry
	entries, y.err = y.load(year)
	for _, e := range entries {
		if i := int(e.Date - y.start); i >= 0 && i < len(y.days) {
			y.days[i] = e.Mark
		}
	}
}
