package offline

import (
	"slices"
	"time"
	"unicode"
)

// dateLayout is how dates are written for tools.
const dateLayout = "2006-01-02"

// A day is a date that a text names, as days from today or as a date of the calendar.
type day struct {
	span
	kind     dayKind
	back     int // days back: of backDays
	month    int // of onDate; 0 is the month that fits
	date     int
	year     int
	weekday  int
	week     int  // of onWeekday: 0 the latest one, -1 in the week before, 1 in this week, 2 the latest one before today
	explicit bool // it consists of more than one phrase
}

type dayKind uint8

// Added to the number of a weekday, where one phrase says which week it is of.
const (
	ofLastWeek = 10
	ofThisWeek = 20
)

const (
	backDays dayKind = iota
	onDate
	onWeekday
	unclearDay
)

// findDays finds the dates of the text.
func (r *reading) findDays(v *vocabulary) {
	for i := 0; i < len(r.norm); i++ {
		if d, ok := r.calendarDay(v, i); ok {
			r.days = append(r.days, d)
			i = d.to - 1
		}
	}
	for i, h := range r.cues {
		if slices.ContainsFunc(r.days, func(d day) bool { return h.from < d.to && d.from < h.to }) {
			continue
		}
		if d, ok := r.relativeDay(v, i); ok {
			r.days = append(r.days, d)
		}
	}
}

// calendarDay reads a date of the calendar at i: 2026-03-09, 3/9, 9 March, March 9th, 3월 9일, 3月9号, "the 9th".
func (r *reading) calendarDay(v *vocabulary, i int) (day, bool) {
	if !edge(r.norm, i) && !unicode.IsDigit(r.norm[i]) || i > 0 && (unicode.IsDigit(r.norm[i-1]) || r.norm[i-1] == '.' || r.norm[i-1] == '/') {
		return day{}, false
	}
	if n, to, ok := digits(r.norm, i); ok {
		for _, read := range []func(v *vocabulary, from, to, n int) (day, bool){r.isoDay, r.slashDay, r.monthDay, r.dayMonth, r.ordinalDay} {
			if d, ok := read(v, i, to, n); ok {
				return d, true
			}
		}
		return day{}, false
	}
	h := v.cues.longest(r.norm, i)
	if h.to == i || !h.is(month) {
		if n, to, ok := v.number(r.norm, i); ok && han(r.norm[i]) {
			return r.monthDay(v, i, to, n)
		}
		return day{}, false
	}
	if n, to, ok := digits(r.norm, r.skip(h.to, " .")); ok && n <= 31 {
		return day{span: span{i, r.suffix(to)}, kind: onDate, month: h.value(month), date: n, explicit: true}, true
	}
	return day{}, false
}

func (r *reading) isoDay(_ *vocabulary, from, to, year int) (day, bool) {
	if year < 2000 || year > 2999 {
		return day{}, false
	}
	sep := r.at1(to)
	if sep != '-' && sep != '/' && sep != '.' && sep != '年' && sep != '년' {
		return day{}, false
	}
	m, to, ok := digits(r.norm, r.skip(to+1, " "))
	if !ok {
		return day{}, false
	}
	d, end, ok := digits(r.norm, r.skip(to+1, " "))
	if !ok {
		return day{}, false
	}
	if c := r.at1(end); c == '일' || c == '日' || c == '号' {
		end++
	}
	return day{span: span{from, end}, kind: onDate, year: year, month: m, date: d, explicit: true}, true
}

// slashDay reads 3/9: the month comes first, as in Korea, China and the United States; a first number above 12 is the day.
func (r *reading) slashDay(_ *vocabulary, from, to, n int) (day, bool) {
	if r.at1(to) != '/' {
		return day{}, false
	}
	d, end, ok := digits(r.norm, to+1)
	if !ok || r.at1(end) == '/' {
		return day{}, false
	}
	if n > 12 {
		n, d = d, n
	}
	return day{span: span{from, end}, kind: onDate, month: n, date: d, explicit: true}, n <= 12 && d <= 31 && n > 0 && d > 0
}

// monthDay reads 3월 9일 and 3月9号.
func (r *reading) monthDay(v *vocabulary, from, to, n int) (day, bool) {
	if c := r.at1(to); c != '월' && c != '月' || n < 1 || n > 12 {
		return r.loneDay(from, to, n)
	}
	d, end, ok := v.number(r.norm, r.skip(to+1, " "))
	if !ok || d < 1 || d > 31 {
		return day{}, false
	}
	if c := r.at1(end); c == '일' || c == '日' || c == '号' {
		end++
	}
	return day{span: span{from, end}, kind: onDate, month: n, date: d, explicit: true}, true
}

// loneDay reads 9号 and 9일 with what says that it is a date and no number of days.
func (r *reading) loneDay(from, to, n int) (day, bool) {
	c, next := r.at1(to), r.at1(to+1)
	ok := n >= 1 && n <= 31 && unicode.IsDigit(r.norm[from]) && (c == '号' && next != '那' || c == '일' && next == '에' || c == '일' && next == '자')
	return day{span: span{from, to + 1}, kind: onDate, date: n, explicit: true}, ok
}

// dayMonth reads 9 March and 9th of March.
func (r *reading) dayMonth(v *vocabulary, from, to, n int) (day, bool) {
	i := r.skip(r.suffix(to), " ")
	if of := v.of(r.norm, i); of > i {
		i = of
	}
	h := v.cues.longest(r.norm, i)
	if n < 1 || n > 31 || h.to == i || !h.is(month) {
		return day{}, false
	}
	return day{span: span{from, h.to}, kind: onDate, month: h.value(month), date: n, explicit: true}, true
}

// ordinalDay reads "on the 9th".
func (r *reading) ordinalDay(_ *vocabulary, from, to, n int) (day, bool) {
	end := r.suffix(to)
	ok := end > to && n >= 1 && n <= 31 && r.seenBefore(from, []string{"on the", "for the"})
	return day{span: span{from, end}, kind: onDate, date: n, explicit: true}, ok
}

// suffix returns where the ending of an English ordinal ends.
func (r *reading) suffix(i int) int {
	if i+2 <= len(r.norm) && edge(r.norm, i+2) && slices.Contains([]string{"st", "nd", "rd", "th"}, string(r.norm[i:i+2])) {
		return i + 2
	}
	return i
}

// of returns where the word "of " at i ends.
func (v *vocabulary) of(norm []rune, i int) int {
	if i+3 <= len(norm) && string(norm[i:i+3]) == "of " {
		return i + 3
	}
	return i
}

// relativeDay reads the i-th cue as today, yesterday, three days ago, a weekday.
func (r *reading) relativeDay(v *vocabulary, i int) (day, bool) {
	h := r.cues[i]
	before := hit{}
	if i > 0 && r.skip(r.cues[i-1].to, " ") >= h.from {
		before = r.cues[i-1]
	}
	switch {
	case h.is(today):
		return day{span: span{h.from, h.to}, kind: backDays}, true
	case h.is(yesterday):
		return day{span: span{h.from, h.to}, kind: backDays, back: h.value(yesterday)}, true
	case h.is(ago):
		n, from, ok := r.numberBefore(v, h.from)
		if !ok {
			return day{span: span{h.from, h.to}, kind: unclearDay}, true
		}
		return day{span: span{from, h.to}, kind: backDays, back: n * h.value(ago), explicit: true}, true
	case h.is(weekday):
		d := day{span: span{h.from, h.to}, kind: onWeekday, weekday: h.value(weekday)}
		switch {
		case d.weekday > ofThisWeek:
			d.weekday, d.week = d.weekday-ofThisWeek, 1
			return d, true
		case d.weekday > ofLastWeek:
			d.weekday, d.week = d.weekday-ofLastWeek, -1
			return d, true
		case before.is(lastWeek):
			d.week = -1
		case before.is(lastDay):
			d.week = 2
		case before.is(thisWeek):
			d.week = 1
		}
		if d.week != 0 {
			d.from, d.explicit = before.from, true
		}
		return d, true
	}
	return day{}, false
}

// numberBefore reads the number that ends before i.
func (r *reading) numberBefore(v *vocabulary, i int) (n, from int, ok bool) {
	end := i
	for end > 0 && r.norm[end-1] == ' ' {
		end--
	}
	for from := max(0, end-8); from < end; from++ {
		if n, to, ok := v.number(r.norm, from); ok && to == end && (edge(r.norm, from) || !latin(r.norm[from])) {
			return n, from, true
		}
	}
	return 0, 0, false
}

// at1 returns the rune at i, 0 past the end.
func (r *reading) at1(i int) rune {
	if i < 0 || i >= len(r.norm) {
		return 0
	}
	return r.norm[i]
}

// skip returns the first position from i on that is none of the runes in set.
func (r *reading) skip(i int, set string) int {
	for i < len(r.norm) && slices.Contains([]rune(set), r.norm[i]) {
		i++
	}
	return i
}

// digits reads a number in digits at i.
func digits(norm []rune, i int) (n, to int, ok bool) {
	const most = 1_000_000
	for to = i; to < len(norm) && norm[to] >= '0' && norm[to] <= '9' && n < most; to++ {
		n = 10*n + int(norm[to]-'0')
	}
	return n, to, to > i && n < most
}

// number reads a number in digits or as a word at i.
func (v *vocabulary) number(norm []rune, i int) (n, to int, ok bool) {
	if n, to, ok = digits(norm, i); ok {
		if to+3 < len(norm) && norm[to] == ',' { // 1,000
			if rest, end, more := digits(norm, to+1); more && end == to+4 {
				return n*1000 + rest, end, true
			}
		}
		return n, to, true
	}
	if i >= len(norm) {
		return 0, i, false
	}
	h := v.numbers.longest(norm, i)
	return h.value(numeral), h.to, h.to > i
}

// A when is what the dates of a text come to.
type when struct {
	back    int       // days back from today
	date    time.Time // of the calendar, zero where today is not known
	future  bool
	unclear bool // no date, or more than one, or one that could be two
	said    bool
}

// when returns the day that a report is about; without a date it is today. current is the person's today, zero if it is not
// known.
func (r *reading) when(current time.Time) when {
	var out when
	for _, d := range r.days {
		w := d.resolve(current)
		switch {
		case !out.said || out.back == 0 && !out.unclear && !out.future && w.said: // "now" and "today" give way to another day
			out = w
		case w.back == 0 && !w.unclear && !w.future:
		case w != out:
			out.unclear = true
		}
	}
	return out
}

// resolve brings a day into days back from today.
func (d day) resolve(current time.Time) when {
	switch {
	case d.kind == unclearDay || current.IsZero() && d.kind != backDays:
		return when{unclear: true, said: true}
	case d.kind == backDays && current.IsZero():
		return when{back: d.back, unclear: d.back > 1, said: true}
	case d.kind == backDays:
		return when{back: d.back, date: current.AddDate(0, 0, -d.back), said: true}
	case d.kind == onWeekday:
		return d.onWeekday(current)
	}
	return d.onDate(current)
}

func (d day) onWeekday(current time.Time) when {
	now := (int(current.Weekday())+6)%7 + 1
	back := (now - d.weekday + 7) % 7
	w := when{said: true}
	switch {
	case d.week == -1:
		back = now - d.weekday + 7
	case d.week == 1:
		back = now - d.weekday
		w.future = back < 0
	case d.week == 2 && back == 0:
		back = 7
	case d.week == 0 && back == 0:
		w.unclear = true // today, or a week ago
	}
	w.back, w.date = back, current.AddDate(0, 0, -back)
	return w
}

// onDate takes the latest date that fits. One that is not on the calendar, or still to come this year, is not certain.
func (d day) onDate(current time.Time) when {
	year, m := d.year, time.Month(d.month)
	if year == 0 {
		year = current.Year()
	}
	if d.month == 0 {
		m = current.Month()
		if d.date > current.Day() {
			m--
		}
	}
	date := time.Date(year, m, d.date, 0, 0, 0, 0, time.UTC)
	if date.Day() != d.date {
		return when{unclear: true, said: true}
	}
	const half = 183
	if d.year == 0 && date.After(current.AddDate(0, 0, half)) {
		date = date.AddDate(-1, 0, 0)
	}
	back := int(current.Sub(date).Hours() / 24)
	return when{back: back, date: date, future: back < 0, said: true}
}
