package offline

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Values of a day and variants of a done one (habits.md §1.1).
const (
	valueDone  = "done"
	valueBlank = "blank"
	valueSkip  = "skip"
)

// variant returns the variant of a report: by its word, else by an amount in the unit of the entry's doses.
func (m *Model) variant(r *reading, entry int) string {
	switch {
	case r.has(minimum):
		return "minimum"
	case r.has(stretch):
		return "stretch"
	case r.has(standard):
		return "standard"
	}
	if entry < 0 {
		return ""
	}
	e := m.catalog[entry]
	for _, a := range r.amounts {
		if v := e.dose(m.words.unitNames[a.unit], a.n, r.says(m.words.ahead...)); v != "" {
			return v
		}
	}
	return ""
}

// dose returns what an amount is of an entry's doses, "" if it is in another unit or not enough. Where the doses are hours or
// minutes before bed the amount must be one ahead of something.
func (e *Entry) dose(unit string, n int, ahead bool) string {
	want, timed := strings.CutSuffix(e.Unit, beforeBed)
	if timed && !ahead {
		return ""
	}
	amount := float64(n)
	switch {
	case unit == "hours" && want == "minutes":
		amount *= 60
	case unit != want:
		return ""
	}
	reaches := func(d Dose) bool {
		if e.Direction == atMost {
			return amount <= d.Amount
		}
		return amount >= d.Amount
	}
	switch {
	case reaches(e.Stretch):
		return "stretch"
	case reaches(e.Standard):
		return "standard"
	case reaches(e.Minimum):
		return "minimum"
	}
	return ""
}

// says tells whether one of the words is in a text.
func (r *reading) says(words ...string) bool {
	s := string(r.norm)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// maxNote is the length of a note in characters (habits.md §1.5).
const maxNote = 500

// note returns what follows the word for it, and where the sentence ends that it belongs to.
func (r *reading) note() (text string, to int) {
	for i, h := range r.cues {
		if !h.is(noted) {
			continue
		}
		from := h.to
		if q := slices.IndexFunc(r.quotes, func(q span) bool { return q.from >= h.to }); q >= 0 && r.skip(h.to, " :") >= r.quotes[q].from-1 {
			return trimNote(r.original(r.quotes[q].from, r.quotes[q].to)), h.from
		}
		if i == 0 && r.skip1(0) == h.from && !strings.Contains(string(r.norm[h.from:min(len(r.norm), h.to+2)]), ":") {
			continue // "note that …" at the very beginning is no note
		}
		return trimNote(r.original(from, len(r.norm))), h.from
	}
	return "", len(r.norm)
}

func trimNote(s string) string {
	s = strings.Trim(strings.TrimSpace(s), `:：,，;"“”'‘’「」『』 `)
	if utf8.RuneCountInString(s) > maxNote {
		s = string([]rune(s)[:maxNote])
	}
	return strings.TrimSpace(s)
}

// weekdays returns the days of the week that a wish names, 1 for Monday; nil for every day or none.
func (r *reading) weekdays() []int {
	bits := 0
	for _, h := range r.cues {
		switch {
		case h.is(daily):
			bits |= h.value(daily)
		case h.is(weekday):
			bits |= 1 << (h.value(weekday) - 1)
		}
	}
	const everyDay = 127
	if bits == 0 || bits == everyDay {
		return nil
	}
	var days []int
	for d := 1; d <= 7; d++ {
		if bits&(1<<(d-1)) != 0 {
			days = append(days, d)
		}
	}
	return days
}

// anchor returns the cue of a wish (R4): a time, or what comes before the deed. Words of a title are none.
func (m *Model) anchor(r *reading) (when, after string) {
	if len(r.clocks) > 0 {
		c := r.clocks[0].minutes
		return fmt.Sprintf("%02d:%02d", c/60, c%60), ""
	}
	const most = 60
	h, at, ok := m.anchorSpan(r)
	switch text := clipped(r.original(at.from, at.to), most); {
	case !ok:
		return "", ""
	case h.is(anchorAfter):
		return "", text
	default:
		return text, ""
	}
}

// anchorSpan finds the word that makes a cue and what belongs to it: in English what follows the word, with the word itself unless
// that is "after"; in Korean and Chinese what stands before it, from the beginning of the clause.
func (m *Model) anchorSpan(r *reading) (hit, span, bool) {
	for _, h := range m.words.anchors.scan(r.norm) {
		if r.cued(h.from, h.to, func(c hit) bool { return c.is(title) }) {
			continue
		}
		c := r.clauseAt(h.from)
		if latin(r.norm[h.from]) {
			at := span{h.from, c.to}
			if h.is(anchorAfter) {
				at.from = h.to
			}
			for _, next := range r.cues {
				self := string(r.norm[next.from:next.to]) == "i" && next.from > r.skip1(h.to)
				if next.from > h.from && (self || next.is(add) || next.is(please) || next.is(title) || next.is(it)) {
					at.to = max(at.from, min(at.to, next.from))
				}
			}
			return h, at, true
		}
		at := span{c.from, h.to}
		for _, prev := range r.cues {
			if prev.to <= h.from && (prev.is(add) || prev.is(want) || prev.is(please) || prev.is(thing) || prev.is(title) || prev.is(daily)) {
				at.from = max(at.from, prev.to)
			}
		}
		return h, at, true
	}
	return hit{}, span{}, false
}

func clipped(s string, most int) string {
	if utf8.RuneCountInString(s) > most {
		return ""
	}
	return strings.Trim(s, " ,:")
}

func (r *reading) clauseAt(i int) span {
	for _, c := range r.clauses() {
		if c.from <= i && i < c.to {
			return c
		}
	}
	return span{0, len(r.norm)}
}

// The length of a framed text in characters (R2).
const (
	leastFrame = 4
	mostFrame  = 200
)

// frame returns the person's own sentence, if there is one that says in the first person what will be done (R2, R7): behind a
// colon or within quotation marks. An empty string leaves the catalog's example.
func (m *Model) frame(r *reading) string {
	var candidates []span
	candidates = append(candidates, r.quotes...)
	for i, c := range r.norm {
		if c == ':' && !(i+1 < len(r.norm) && r.norm[i+1] >= '0' && r.norm[i+1] <= '9') {
			candidates = append(candidates, span{i + 1, len(r.norm)})
		}
	}
	for _, c := range candidates {
		if s := strings.TrimRight(r.original(c.from, c.to), " .。!！\"”"); m.approach(r, c, s) {
			return s
		}
	}
	return ""
}

// approach tells whether a sentence can be a frame: somebody does something, and nothing is avoided.
func (m *Model) approach(r *reading, c span, s string) bool {
	if n := utf8.RuneCountInString(s); n < leastFrame || n > mostFrame {
		return false
	}
	folded := string(r.norm[c.from:c.to])
	if slices.ContainsFunc(m.words.avoid, func(w string) bool { return containsWord(folded, w) }) {
		return false
	}
	return firstPerson(folded)
}

// containsWord tells whether s has a word; one that is not Latin is found anywhere.
func containsWord(s, w string) bool {
	i := strings.Index(s, w)
	if i < 0 || !latin([]rune(w)[0]) {
		return i >= 0
	}
	return strings.Contains(" "+strings.NewReplacer(",", " ", ".", " ", "!", " ").Replace(s)+" ", " "+w+" ")
}

// firstPerson tells whether somebody says what they do: "I" in English, the plain ending of Korean, 我 in Chinese.
func firstPerson(s string) bool {
	words := strings.Fields(s)
	if slices.Contains(words, "i") || slices.Contains(words, "i'm") {
		return true
	}
	s = strings.TrimRight(s, " .!")
	if strings.Contains(s, "我") {
		return true
	}
	runes := []rune(s)
	n := len(runes)
	if n < 3 || runes[n-1] != '다' || !hangul(runes[n-2]) {
		return false
	}
	const nieun = 4
	return runes[n-2] == '는' || runes[n-2] == '이' || jamo(runes[n-2])[2] == nieun
}
