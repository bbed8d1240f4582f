package habit

import (
	"slices"
	"time"
)

// A Kind is what a catalog entry is about.
type Kind string

// The kinds.
const (
	Protocol    Kind = "protocol"
	Replacement Kind = "break"
	Diet        Kind = "diet"
)

// Type returns the type of a habit that begins with an entry of this kind.
func (k Kind) Type() Type {
	if k == Replacement {
		return Break
	}
	return Build
}

// A Type tells a habit that is built from one that replaces another (R8).
type Type string

// The types.
const (
	Build Type = "build"
	Break Type = "break"
)

// A FrameLevel is how a framed text speaks (R2).
type FrameLevel string

// The levels: a result, an action, who the person is.
const (
	Outcome  FrameLevel = "outcome"
	Process  FrameLevel = "process"
	Identity FrameLevel = "identity"
)

// A Status is where a habit stands in its life (habits.md §1.6).
type Status string

// The statuses.
const (
	Active   Status = "active"
	Paused   Status = "paused"
	Archived Status = "archived"
)

// A Habit is one habit of one person (habits.md §1.4).
type Habit struct {
	ID         int // from 1, per person, never used again
	Type       Type
	Protocol   string // the catalog entry that it began with (R1)
	Title      string
	FrameLevel FrameLevel
	FramedText string
	// AnchorWhen and AnchorAfter are its cue (R4), "" where there is none.
	AnchorWhen  string
	AnchorAfter string
	Dose        string
	Minimum     string // never empty (R9)
	Schedule    Schedule
	Start       Date
	PhaseStart  Date // moved only by resuming with a new phase
	Status      Status
	ArchivedOn  Date // set if and only if Status is Archived
	Pauses      []Span
	First       Date // the earliest date with an entry, 0 without one
	Created     time.Time
	Updated     time.Time
}

// A Span is a pause, both ends included; without an Until it is still open.
type Span struct {
	From, Until Date
}

// Has tells whether d is within the span.
func (s Span) Has(d Date) bool { return d >= s.From && (s.Until == 0 || d <= s.Until) }

// A Schedule says on which weekdays a habit is due. A change holds from its day on, earlier days keep theirs (habits.md §3.9
// P10). The first phase has no From.
type Schedule []SchedulePhase

// A SchedulePhase is a set of weekdays that holds from a day on.
type SchedulePhase struct {
	From Date
	Days Days
}

// At returns the weekdays that hold on d.
func (s Schedule) At(d Date) Days {
	days := EveryDay
	for _, p := range s {
		if p.From <= d {
			days = p.Days
		}
	}
	return days
}

// PausedOn tells whether d lies in a pause.
func (h *Habit) PausedOn(d Date) bool {
	return slices.ContainsFunc(h.Pauses, func(s Span) bool { return s.Has(d) })
}

// DueOn tells whether the habit is scheduled on d and not paused.
func (h *Habit) DueOn(d Date) bool { return h.Schedule.At(d).Has(d) && !h.PausedOn(d) }
