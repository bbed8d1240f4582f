package habit

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"steady/core"
)

// Rows are what the store keeps of habits. What may change here: fields are only added, with a zero value that means what their
// absence meant; a row with a newer version was written by a newer program and is an error.
const rowVersion = 1

// shelfRow is the document with all habits of a person.
type shelfRow struct {
	V      int        `json:"v"`
	Next   int        `json:"next"`
	Habits []habitRow `json:"habits"`
}

// habitRow is a [Habit]. Exactly one of the two protocol columns is set (R8).
type habitRow struct {
	ID          int        `json:"id"`
	Build       string     `json:"build_protocol_id,omitempty"`
	Break       string     `json:"break_protocol_id,omitempty"`
	Title       string     `json:"title"`
	FrameLevel  FrameLevel `json:"frame_level"`
	FramedText  string     `json:"framed_text"`
	AnchorWhen  string     `json:"anchor_when,omitempty"`
	AnchorAfter string     `json:"anchor_after_what,omitempty"`
	Dose        string     `json:"dose_text"`
	Minimum     string     `json:"minimum_text"`
	Schedule    []phaseRow `json:"schedule,omitempty"`
	Start       Date       `json:"start_date"`
	PhaseStart  Date       `json:"phase_start_date"`
	Status      Status     `json:"status"`
	ArchivedOn  Date       `json:"archived_on,omitzero"`
	Pauses      []spanRow  `json:"pauses,omitempty"`
	First       Date       `json:"first_entry,omitzero"`
	Created     time.Time  `json:"created_at"`
	Updated     time.Time  `json:"updated_at"`
}

type phaseRow struct {
	From Date `json:"valid_from,omitzero"`
	Days Days `json:"days"`
}

type spanRow struct {
	From  Date `json:"from"`
	Until Date `json:"until,omitzero"`
}

// yearRow is the document with the entries of one habit in one year, in the order of their dates.
type yearRow struct {
	V       int        `json:"v"`
	Entries []entryRow `json:"entries"`
}

type entryRow struct {
	Date Date `json:"date"`
	revisionRow
	Source source       `json:"source"`
	Before *revisionRow `json:"before,omitempty"`
}

type revisionRow struct {
	Value   Value     `json:"value"`
	Variant Variant   `json:"variant,omitempty"`
	Note    string    `json:"note,omitempty"`
	Logged  time.Time `json:"logged_at"`
}

// safetyRow is the document with the safety rules in force for a person (habits.md §7.3).
type safetyRow struct {
	V       int       `json:"v"`
	Minor   bool      `json:"minor,omitempty"`
	Eating  bool      `json:"ed_flag,omitempty"`
	Updated time.Time `json:"updated_at"`
}

func decode(body []byte, row any, version *int) error {
	if err := json.Unmarshal(body, row); err != nil {
		return fmt.Errorf("decode row: %w", err)
	}
	if *version > rowVersion {
		return fmt.Errorf("row of version %d was written by a newer program", *version)
	}
	return nil
}

// errXor refuses a row that is of both types or of none (R8, C21).
var errXor = &core.ToolError{Code: codeXor, Reason: "A habit either builds something or replaces something; choose one."}

func decodeShelf(body []byte) (*shelf, error) {
	var row shelfRow
	if err := decode(body, &row, &row.V); err != nil {
		return nil, err
	}
	s := &shelf{Next: row.Next}
	for _, r := range row.Habits {
		h, err := r.habit()
		if err != nil {
			return nil, fmt.Errorf("habit %d: %w", r.ID, err)
		}
		s.Habits = append(s.Habits, h)
	}
	slices.SortFunc(s.Habits, func(a, b Habit) int { return a.ID - b.ID })
	return s, nil
}

func (r habitRow) habit() (Habit, error) {
	h := Habit{ID: r.ID, Type: Build, Protocol: r.Build, Title: r.Title, FrameLevel: r.FrameLevel, FramedText: r.FramedText,
		AnchorWhen: r.AnchorWhen, AnchorAfter: r.AnchorAfter, Dose: r.Dose, Minimum: r.Minimum, Start: r.Start,
		PhaseStart: r.PhaseStart, Status: r.Status, ArchivedOn: r.ArchivedOn, First: r.First, Created: r.Created, Updated: r.Updated}
	if (r.Build == "") == (r.Break == "") {
		return h, errXor
	}
	if r.Break != "" {
		h.Type, h.Protocol = Break, r.Break
	}
	for _, p := range r.Schedule {
		h.Schedule = append(h.Schedule, SchedulePhase(p))
	}
	for _, s := range r.Pauses {
		h.Pauses = append(h.Pauses, Span(s))
	}
	return h, h.check()
}

// check holds what every stored habit must be, so that no formula meets a habit that it does not cover.
func (h *Habit) check() error {
	switch {
	case h.ID < 1 || h.Title == "" || h.Minimum == "":
		return fmt.Errorf("id, title and minimum are required")
	case h.Start == 0 || h.PhaseStart == 0:
		return fmt.Errorf("start dates are required")
	case (h.Status == Archived) != (h.ArchivedOn != 0):
		return fmt.Errorf("archived_on goes with status archived")
	case !slices.Contains([]Status{Active, Paused, Archived}, h.Status):
		return fmt.Errorf("unknown status %q", h.Status)
	}
	return nil
}

func (s *shelf) encode() ([]byte, error) {
	row := shelfRow{V: rowVersion, Next: s.Next, Habits: []habitRow{}}
	for i := range s.Habits {
		r := s.Habits[i].row()
		if _, err := r.habit(); err != nil {
			return nil, fmt.Errorf("habit %d: %w", r.ID, err)
		}
		row.Habits = append(row.Habits, r)
	}
	return json.Marshal(row)
}

func (h *Habit) row() habitRow {
	r := habitRow{ID: h.ID, Title: h.Title, FrameLevel: h.FrameLevel, FramedText: h.FramedText, AnchorWhen: h.AnchorWhen,
		AnchorAfter: h.AnchorAfter, Dose: h.Dose, Minimum: h.Minimum, Start: h.Start, PhaseStart: h.PhaseStart, Status: h.Status,
		ArchivedOn: h.ArchivedOn, First: h.First, Created: h.Created, Updated: h.Updated}
	switch h.Type {
	case Build:
		r.Build = h.Protocol
	case Break:
		r.Break = h.Protocol
	}
	for _, p := range h.Schedule {
		r.Schedule = append(r.Schedule, phaseRow(p))
	}
	for _, s := range h.Pauses {
		r.Pauses = append(r.Pauses, spanRow(s))
	}
	return r
}

func decodeYear(body []byte) ([]entry, error) {
	var row yearRow
	if err := decode(body, &row, &row.V); err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(row.Entries)+1)
	for _, r := range row.Entries {
		e := entry{Date: r.Date, Mark: r.mark(), Note: r.Note, Source: r.Source, Logged: r.Logged}
		if b := r.Before; b != nil {
			e.Before = &revision{Mark: b.mark(), Note: b.Note, Logged: b.Logged}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (r revisionRow) mark() Mark { return Mark{r.Value, r.Variant} }

func encodeYear(entries []entry) ([]byte, error) {
	row := yearRow{V: rowVersion}
	for _, e := range entries {
		r := entryRow{Date: e.Date, revisionRow: revisionRow{e.Value, e.Variant, e.Note, e.Logged}, Source: e.Source}
		if b := e.Before; b != nil {
			r.Before = &revisionRow{b.Value, b.Variant, b.Note, b.Logged}
		}
		row.Entries = append(row.Entries, r)
	}
	return json.Marshal(row)
}
