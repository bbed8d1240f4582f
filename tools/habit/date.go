package habit

import (
	"fmt"
	"time"
)

// A Date is a civil date, without a time and without a zone (habits.md §1.1). It counts days, so d+1 is the day after d, b-a is
// the days from a to b, and < compares. Zero is no date; 1 is 0001-01-01. As text it is YYYY-MM-DD, or "" for no date.
type Date int32

const (
	day     = 24 * 60 * 60
	dayZero = -62135596800 - day // the Unix time of the day that Date counts from
	lastDay = 3652059            // 9999-12-31, the last date that has four digits of year
	layout  = "2006-01-02"
)

// DateOf returns the date that t shows on its own clock and calendar.
func DateOf(t time.Time) Date {
	y, m, d := t.Date()
	return Date((time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() - dayZero) / day)
}

// ParseDate reads YYYY-MM-DD. A date that is on no calendar, such as 2026-02-29, is an error.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(layout, s)
	if err != nil || t.Year() == 0 {
		return 0, fmt.Errorf("%q is no date of the form YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// Midnight returns the start of d in UTC; it serves calendar questions, never the question of when d begins for a person.
func (d Date) Midnight() time.Time { return time.Unix(dayZero+int64(d)*day, 0).UTC() }

// Year returns the year of d.
func (d Date) Year() int { return d.Midnight().Year() }

// Weekday returns the ISO weekday: 1 is Monday, 7 is Sunday.
func (d Date) Weekday() int { return int(d+6)%7 + 1 }

func (d Date) String() string {
	if d <= 0 || d > lastDay {
		return ""
	}
	return d.Midnight().Format(layout)
}

// MarshalText implements [encoding.TextMarshaler].
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d = 0
	if len(text) > 0 {
		*d, err = ParseDate(string(text))
	}
	return err
}

// LocalDay returns the date that an instant belongs to for a person in zone whose day begins at dayStart o'clock (0–6). Only the
// wall clock counts: on the days of a change of clocks, subtracting hours from the instant would be wrong (habits.md §1.1, D08).
func LocalDay(instant time.Time, zone *time.Location, dayStart int) Date {
	local := instant.In(zone)
	d := DateOf(local)
	if local.Hour() < dayStart {
		d--
	}
	return d
}

// A TimeOfDay is a time on the wall clock, in minutes since midnight (0–1439). As text it is HH:MM.
type TimeOfDay int16

// ParseTimeOfDay reads HH:MM, with 24 hours.
func ParseTimeOfDay(s string) (TimeOfDay, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, fmt.Errorf("%q is no time of the form HH:MM", s)
	}
	return TimeOfDay(t.Hour()*60 + t.Minute()), nil
}

func (t TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", t/60, t%60) }

// FireAt returns when a reminder set to at fires on the calendar date d in zone (habits.md §6.2). A time that occurs twice is
// the first one; one that does not exist, because clocks are put forward, is the first instant after the gap.
func FireAt(d Date, at TimeOfDay, zone *time.Location) time.Time {
	wall := d.Midnight().Add(time.Duration(at) * time.Minute)
	y, m, dom := wall.Date()
	t := time.Date(y, m, dom, wall.Hour(), wall.Minute(), 0, 0, zone)
	start, end := t.ZoneBounds()
	switch shown := clock(t); {
	case shown.After(wall): // in the gap, taken with the offset before it
		return start
	case shown.Before(wall): // in the gap, taken with the offset after it
		return end
	case start.IsZero():
		return t
	}
	_, before := start.Add(-time.Second).Zone()
	if first := time.Unix(wall.Unix()-int64(before), 0).In(zone); first.Before(start) {
		return first
	}
	return t
}

// clock returns what t shows on its wall clock, as if that were UTC.
func clock(t time.Time) time.Time {
	_, offset := t.Zone()
	return time.Unix(t.Unix()+int64(offset), 0).UTC()
}

// newYear returns the first day of a year.
func newYear(year int) Date { return DateOf(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)) }
