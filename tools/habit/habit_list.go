package habit

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"steady/core"
)

// A field is one member of a JSON object whose members have an order.
type field struct {
	name  string
	value any
}

// A record is a JSON object in the order of its fields.
type record []field

// MarshalJSON implements [json.Marshaler].
func (r record) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i, f := range r {
		if i > 0 {
			buf.WriteByte(',')
		}
		value, err := encodePlain(f.value)
		if err != nil {
			return nil, err
		}
		buf.WriteString(`"` + f.name + `":`)
		buf.Write(value)
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// without returns r without the fields that drop names.
func (r record) without(drop func(field) bool) record {
	return slices.DeleteFunc(slices.Clone(r), drop)
}

type listResult struct {
	Count      int      `json:"count"`
	BuildCount int      `json:"build_count"`
	BreakCount int      `json:"break_count"`
	BuildLeft  int      `json:"build_quota_remaining"`
	BreakLeft  int      `json:"break_quota_remaining"`
	Items      []record `json:"items"`
	Truncated  bool     `json:"truncated,omitempty"`
}

func (c *Coach) listActiveHabits() core.Tool {
	return core.Tool{Name: "list_active_habits", Effect: reads, Apply: applier(c.list)}
}

func (c *Coach) list(ctx context.Context, b book, _ struct{}) (*listResult, error) {
	board, err := c.board(ctx, b)
	if err != nil {
		return nil, err
	}
	s := board.shelf
	r := &listResult{BuildCount: len(s.Active(Build)), BreakCount: len(s.Active(Break)), BuildLeft: s.Free(Build), BreakLeft: s.Free(Break), Items: []record{}}
	for _, row := range board.rows {
		r.Items = append(r.Items, row.record())
	}
	r.Count = len(r.Items)
	return r, r.shed()
}

// record is a habit as list_active_habits shows it.
func (r *boardRow) record() record {
	h := r.Habit
	dose, current := any(h.Dose), any(r.Current)
	if r.hidden {
		dose, current = nil, nil
	}
	return record{
		{"habit_id", h.ID}, {"title", h.Title}, {"type", h.Type}, {"status", h.Status}, {"protocol_id", h.Protocol},
		{"frame_level", h.FrameLevel}, {"framed_text", h.FramedText}, {"anchor_when", orNull(h.AnchorWhen)},
		{"anchor_after_what", orNull(h.AnchorAfter)}, {"dose_text", dose}, {"minimum_text", h.Minimum},
		{"days", r.days}, {"start_date", h.Start}, {"phase_day", orNull(r.Phase)}, {"today", r.Today},
		{"current_streak", current}, {"at_risk", r.AtRisk}, {"reminders", []struct{}{}},
	}
}

// orNull returns v, or nil for nothing.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// resultLimit is the size of an encoded result in UTF-16 units (seed 001 §7).
const resultLimit = 2048

// shed makes the result fit (habits.md §2.4): fields go from every item, in a fixed order. Active habits stay in any case; when
// all is shed, paused ones are dropped from the end.
func (r *listResult) shed() error {
	drop := func(names ...string) func(record) record {
		return func(it record) record {
			return it.without(func(f field) bool { return slices.Contains(names, f.name) })
		}
	}
	for _, step := range []func(record) record{
		func(it record) record { return it },
		func(it record) record {
			return it.without(func(f field) bool { return f.value == nil && f.name != "current_streak" })
		},
		func(it record) record { return it.without(func(f field) bool { return f.value == EveryDay }) },
		drop("reminders"), drop("start_date"), drop("protocol_id"), drop("anchor_when", "anchor_after_what"),
		drop("dose_text", "minimum_text"), shortFrame, drop("framed_text"), drop("frame_level", "phase_day"),
	} {
		for i := range r.Items {
			r.Items[i] = step(r.Items[i])
		}
		if fits, err := r.fits(); fits || err != nil {
			return err
		}
	}
	for i := len(r.Items) - 1; i >= 0; i-- {
		if !slices.Contains(r.Items[i], field{"status", Paused}) {
			continue
		}
		r.Items = slices.Delete(r.Items, i, i+1)
		r.Count, r.Truncated = len(r.Items), true
		if fits, err := r.fits(); fits || err != nil {
			return err
		}
	}
	return nil
}

func shortFrame(it record) record {
	const most = 60
	it = slices.Clone(it)
	for i, f := range it {
		if s, ok := f.value.(string); ok && f.name == "framed_text" && utf8.RuneCountInString(s) > most {
			it[i].value = string([]rune(s)[:most-1]) + "…"
		}
	}
	return it
}

// fits tells whether the envelope of r is within the limit.
func (r *listResult) fits() (bool, error) {
	whole, err := encodePlain(struct {
		Status string      `json:"status"`
		Data   *listResult `json:"data"`
	}{"ok", r})
	units := 0
	for _, c := range string(whole) {
		units += utf16.RuneLen(c)
	}
	return units <= resultLimit, err
}

var _ json.Marshaler = record(nil)
