package offline

import (
	"slices"
	"strings"
)

// A report is what a message says of a day of a habit.
type report struct {
	*reading // without the note
	habit    habit
	deed     deed
	value    string
}

// planLog asks for an entry in the log, if the message reports a day of a habit.
func (m *Model) planLog(s *scene, r *reading, _ []match) (move, bool) {
	value, d, ok := m.deedOf(r, habit{})
	if !ok || r.has(streak, left, about, find, catalog, show) {
		return move{}, false
	}
	rough := report{r, habit{entry: -1}, d, value}
	if !s.facts.known && !s.listed() {
		return calls(call(toolList, struct{}{})), len(r.ideas) > 0 && m.allows(rough.claim())
	}
	body := r
	if note, end := r.note(); note != "" {
		body = m.readText(r.cut(0, end)) // a note may speak of other habits
	}
	h, known := m.habitOf(s, body, m.rank(body))
	if !known {
		return m.whichHabit(s, report{body, habit{}, d, value})
	}
	out, note := m.mainPart(r, h)
	date, dated := s.dateOf(out.reading)
	if out.value == "" || !dated || m.quoting(body, out.deed) || !m.allows(out.claim()) || !m.certain(out) {
		return move{}, false
	}
	args := logArgs{HabitID: h.id, Value: out.value, Date: date, Note: note, Replace: out.has(replace)}
	if out.value == valueDone {
		args.Variant = m.variant(out.reading, h.entry)
	}
	return calls(call(toolLog, args)), true
}

// deedOf returns what a report says of a day, and how plainly. An amount in the unit of the habit's doses is as plain as a word
// for done.
func (m *Model) deedOf(r *reading, h habit) (value string, d deed, ok bool) {
	switch {
	case r.has(record):
		d = ordered
	case r.has(done, skip, blank, not, no, minimum, stretch) || m.amountOf(r, h):
		d = told
	case r.has(past):
		d = narrated
	default:
		return "", 0, false
	}
	switch {
	case r.has(skip):
		return valueSkip, d, true
	case r.has(blank, not), r.has(no) && !r.has(done):
		return valueBlank, d, true
	}
	return valueDone, d, true
}

// amountOf tells whether an amount is in the unit of a habit's doses; without a habit, of any.
func (m *Model) amountOf(r *reading, h habit) bool {
	if h.id == 0 {
		return len(r.amounts) > 0
	}
	return h.entry >= 0 && slices.ContainsFunc(r.amounts, func(a amount) bool {
		unit, own := m.words.unitNames[a.unit], strings.TrimSuffix(m.catalog[h.entry].Unit, beforeBed)
		return unit == own || unit == "hours" && own == "minutes"
	})
}

// claim is what the guard judges of a report.
func (r report) claim() claim {
	from := r.first(record, done, past, not, no, blank, skip)
	for _, i := range r.ideas {
		from = min(from, i.from)
	}
	return claim{reading: r.reading, deed: r.deed, from: from, skip: r.value == valueSkip}
}

// dateOf returns the date of a report as the tool wants it, "" for today.
func (s *scene) dateOf(r *reading) (string, bool) {
	w := r.when(s.facts.today)
	switch {
	case w.unclear, w.future:
		return "", false
	case !w.said, w.back == 0:
		return "", true
	case w.back == 1:
		return "yesterday", true
	}
	return w.date.Format(dateLayout), true
}

// mainPart parts a report from its note. Who could not, because of an illness or a journey, is excused: that is a skip, and no
// blank (habits.md §1.5).
func (m *Model) mainPart(r *reading, h habit) (report, string) {
	main, note := m.partNote(r, h)
	value, d, _ := m.deedOf(main, h)
	if value == valueBlank && !main.has(blank) && r.has(excuse) {
		value = valueSkip
	}
	return report{main, h, d, value}, note
}

// partNote parts a message from its note: from what the person calls one, and from clauses at the end that say nothing of the deed.
// A question mark or a word that takes all back counts for the report wherever it stands.
func (m *Model) partNote(r *reading, h habit) (*reading, string) {
	if note, end := r.note(); note != "" {
		if m.readText(r.cut(end, len(r.norm))).has(takeBack) {
			return r, ""
		}
		return m.readText(r.cut(0, end)), note
	}
	clauses := r.clauses()
	last := len(clauses)
	for last > 1 && m.besides(m.readText(r.cut(clauses[last-1].from, clauses[last-1].to)), h) {
		last--
	}
	if last == len(clauses) || slices.Contains(r.norm[clauses[last].from:], '?') {
		return r, ""
	}
	main := m.readText(r.cut(0, clauses[last-1].to))
	from, to := clauses[last].from, clauses[len(clauses)-1].to
	tail := m.readText(r.cut(from, to))
	if tail.has(thanks, please, hello, unlogged, yes) || len(tail.loose) == 0 && len(tail.terms) == 0 && len(tail.cues) == 0 {
		return main, ""
	}
	return main, trimNote(r.original(from, to))
}

// besides tells whether a clause at the end says nothing of the deed, so that it can only be a note or a courtesy.
func (m *Model) besides(r *reading, h habit) bool {
	switch {
	case r.has(record, done, minimum, stretch, standard, blank, skip, replace, yesterday, weekday), len(r.days) > 0, m.amountOf(r, h):
		return false
	case r.has(ask, unless, takeBack, maybe, said, forbid, later, pending):
		return false
	case r.has(help, about, streak, mine, left, find, catalog, add):
		return false
	case r.generic(), r.has(not) && len(r.loose) == 0 && len(r.terms) == 0:
		return false
	}
	return !slices.ContainsFunc(r.terms, func(t term) bool { return h.doc.weights[t.key] >= inTags })
}

// whichHabit asks which habit a report is about.
func (m *Model) whichHabit(s *scene, r report) (move, bool) {
	date, dated := s.dateOf(r.reading)
	if r.deed == narrated || !dated || !r.has(record, done, skip, blank) || len(s.facts.habits) == 0 || !m.allows(r.claim()) {
		return move{}, false
	}
	habits := m.named(s, r.reading)
	if len(habits) < 2 {
		habits = s.facts.habits
	}
	out := move{understood: true}
	var names []string
	for _, h := range habits {
		args := logArgs{HabitID: h.id, Value: r.value, Date: date}
		if r.value == valueDone {
			args.Variant = m.variant(r.reading, h.entry)
		}
		out.choices = append(out.choices, choice{label: h.title, then: calls(call(toolLog, args))})
		names = append(names, h.title)
	}
	out.text = fill(m.say.which.In(s.lang), "list", numberedList(names))
	return out, true
}
