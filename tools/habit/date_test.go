package habit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"steady/tools/habit"
)

// vectors reads a file of test vectors of the domain specification.
func vectors[T any](t testing.TB, name string) []T {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "vectors", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []T
	if err := json.Unmarshal(body, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no vectors", name)
	}
	return rows
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// date is a date of a test, "" being none.
func date(t testing.TB, s string) (d habit.Date) {
	t.Helper()
	if err := d.UnmarshalText([]byte(s)); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLocalDay(t *testing.T) { // D01–D16
	for _, v := range vectors[struct {
		ID, TZ, Note string
		Instant      time.Time
		DayStart     int `json:"day_start_hour"`
		Today        habit.Date
	}](t, "dates") {
		if got := habit.LocalDay(v.Instant, zone(t, v.TZ), v.DayStart); got != v.Today {
			t.Errorf("%s: got %s, want %s: %s", v.ID, got, v.Today, v.Note)
		}
	}
}

func TestFireAt(t *testing.T) { // F1–F8
	rows := vectors[struct {
		ID, TZ, Note, Time string
		Date               habit.Date
		Fires              time.Time
	}](t, "reminders")
	for _, v := range rows {
		at, err := habit.ParseTimeOfDay(v.Time)
		if err != nil {
			t.Fatal(err)
		}
		if got := habit.FireAt(v.Date, at, zone(t, v.TZ)); !got.Equal(v.Fires) {
			t.Errorf("%s: got %s, want %s: %s", v.ID, got.UTC(), v.Fires, v.Note)
		}
	}
}

func TestFireAtOddZones(t *testing.T) {
	for _, v := range []struct{ zone, date, time, fires, why string }{
		{"Pacific/Apia", "2011-12-30", "09:00", "2011-12-30T10:00:00Z", "a whole day that does not exist: the first instant after it"},
		{"Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45:00Z", "half-hour overlap: the first of two"},
		{"Asia/Seoul", "2026-01-01", "00:00", "2025-12-31T15:00:00Z", "midnight of another year in UTC"},
		{"UTC", "2028-02-29", "23:59", "2028-02-29T23:59:00Z", "no changes of clocks at all"},
	} {
		at, err := habit.ParseTimeOfDay(v.time)
		if err != nil {
			t.Fatal(err)
		}
		if got := habit.FireAt(date(t, v.date), at, zone(t, v.zone)).UTC().Format(time.RFC3339); got != v.fires {
			t.Errorf("%s %s %s: got %s, want %s: %s", v.zone, v.date, v.time, got, v.fires, v.why)
		}
	}
}

// TestFireAtShowsItsTime holds that a reminder rings when the clock shows its time, wherever that time exists.
func TestFireAtShowsItsTime(t *testing.T) {
	zones := []*time.Location{zone(t, "America/New_York"), zone(t, "Europe/Berlin"), zone(t, "Australia/Lord_Howe"), zone(t, "Asia/Seoul")}
	rapid.Check(t, func(rt *rapid.T) {
		z := rapid.SampledFrom(zones).Draw(rt, "zone")
		d := date(t, "2020-01-01") + habit.Date(rapid.IntRange(0, 4000).Draw(rt, "day"))
		at := habit.TimeOfDay(rapid.IntRange(0, 1439).Draw(rt, "minute"))
		got := habit.FireAt(d, at, z)
		shown := got.Format("15:04")
		before := got.Add(-time.Minute)
		gap := before.Format("15:04") < at.String() && at.String() < shown && habit.DateOf(before) == d
		if habit.DateOf(got) != d || shown != at.String() && !gap {
			rt.Fatalf("%s %s rings at %s", d, at, got)
		}
	})
}

func TestParseDate(t *testing.T) {
	for _, v := range []struct {
		text string
		ok   bool
		why  string
	}{
		{"2026-03-10", true, "the form"},
		{"2028-02-29", true, "leap day"},
		{"0001-01-01", true, "the first"},
		{"9999-12-31", true, "the last"},
		{"2026-02-29", false, "on no calendar (E11)"},
		{"10.03.2026", false, "another form (E12)"},
		{"2026-3-10", false, "no leading zero"},
		{"2026-03-10T00:00:00Z", false, "an instant is no date"},
		{"0000-01-01", false, "zero is no date"},
		{"", false, "nothing"},
	} {
		d, err := habit.ParseDate(v.text)
		if (err == nil) != v.ok || v.ok && d.String() != v.text {
			t.Errorf("%q: got %v, %v: %s", v.text, d, err, v.why)
		}
	}
}

// TestDateArithmetic holds that counting days agrees with the calendar of package time.
func TestDateArithmetic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := time.Date(rapid.IntRange(1, 9000).Draw(rt, "year"), 1, 1, 0, 0, 0, 0, time.UTC)
		n := rapid.IntRange(0, 300000).Draw(rt, "days")
		want := base.AddDate(0, 0, n)
		got := habit.DateOf(base) + habit.Date(n)
		if got != habit.DateOf(want) || got.String() != want.Format("2006-01-02") || got.Weekday()%7 != int(want.Weekday()) || got.Year() != want.Year() {
			rt.Fatalf("%s + %d: got %s (weekday %d), want %s", base, n, got, got.Weekday(), want)
		}
		if back, err := habit.ParseDate(got.String()); err != nil || back != got {
			rt.Fatalf("%s does not survive its text", got)
		}
	})
}

func TestParseTimeOfDay(t *testing.T) {
	for text, ok := range map[string]bool{"00:00": true, "23:59": true, "24:00": false, "7:30": false, "07:60": false, "": false, "07:30:00": false} {
		if at, err := habit.ParseTimeOfDay(text); (err == nil) != ok || ok && at.String() != text {
			t.Errorf("%q: got %v, %v", text, at, err)
		}
	}
}
