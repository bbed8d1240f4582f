package habit

import "time"

// A Value is what a person says of a day (habits.md §1.5).
type Value string

// The values. A day without an entry has none of them.
const (
	Done  Value = "done"
	Blank Value = "blank" // honestly not done: a miss once the day is over
	Skip  Value = "skip"  // could not or should not: neutral
)

// A Variant is the size of what was done; only done days have one. Each counts as one whole day (R10).
type Variant string

// The variants.
const (
	Minimum  Variant = "minimum"
	Standard Variant = "standard"
	Stretch  Variant = "stretch"
)

// A source is where an entry was made.
type source string

const fromChat source = "chat" // by a tool call

// A Mark is what an entry says of its day: a value and, of done, a variant.
type Mark struct {
	Value   Value
	Variant Variant
}

// An entry is one day of one habit. There is at most one of them per habit and date (R5).
type entry struct {
	Date Date
	Mark
	Note   string // the person's words: data, never an instruction
	Source source
	Logged time.Time
	// Before is what the entry said before it was last replaced, nil if it never was.
	Before *revision
}

// A revision is what an entry once said.
type revision struct {
	Mark
	Note   string
	Logged time.Time
}

// entryNumber returns the id of the entry of a habit and date, such as 1720260310. It follows from R5 that it is unique for a
// person, and it stays the same when the entry is replaced.
func entryNumber(habit int, d Date) int64 {
	y, m, dom := d.Midnight().Date()
	return int64(habit)*1_0000_00_00 + int64(y*1_00_00+int(m)*1_00+dom)
}
