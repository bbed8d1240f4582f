package offline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"steady/core"
)

// report says what the calls of this turn came to. All numbers are from the results.
func (m *Model) report(s *scene, want move) string {
	last := s.results[len(s.results)-1]
	if i := slices.IndexFunc(s.results, func(r result) bool { return r.call.Name == toolLog }); i >= 0 {
		return m.logged(s, s.results[i])
	}
	if !last.ok() {
		return m.refused(s, last)
	}
	if cut, err := decode[cutData](last.Data); err == nil && cut.Cut {
		return m.say.tooLong.In(s.lang)
	}
	var words string
	var err error
	switch last.call.Name {
	case toolSearch:
		words, err = m.found(s, last)
	case toolQuery:
		words, err = m.described(s, last)
	case toolList:
		words, err = m.listing(s.lang, last)
	case toolStreak:
		words, err = m.streakWords(s, last)
	case toolAdd:
		words, err = m.added(s, last)
	default:
		return m.say.done.In(s.lang)
	}
	if err != nil {
		return m.say.broken.In(s.lang)
	}
	return words
}

// fill puts values in the place of their names in braces.
func fill(text string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		pairs[i] = "{" + pairs[i] + "}"
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func numberedList(lines []string) string {
	var out strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&out, "\n%d. %s", i+1, l)
	}
	return out.String()
}

func (m *Model) found(s *scene, r result) (string, error) {
	data, err := decode[searchData](r.Data)
	if err != nil {
		return "", err
	}
	if len(data.Items) == 0 {
		var names []string
		for _, c := range m.categories {
			names = append(names, c.Name.In(s.lang))
		}
		return fill(m.say.nothing.In(s.lang), "list", strings.Join(names, ", ")), nil
	}
	var lines []string
	for _, it := range data.Items {
		lines = append(lines, it.Title+" – "+it.Summary)
	}
	return fill(m.say.found.In(s.lang), "list", numberedList(lines)), nil
}

func (m *Model) described(s *scene, r result) (string, error) {
	data, err := decode[queryData](r.Data)
	if err != nil {
		return "", err
	}
	out := fill(m.say.entry.In(s.lang), "title", data.Title, "summary", data.Summary, "minimum", data.Doses.Minimum, "standard", data.Doses.Standard,
		"stretch", data.Doses.Stretch, "anchor", data.Anchor)
	if len(data.Cautions) > 0 {
		out += fill(m.say.caution.In(s.lang), "caution", strings.Join(data.Cautions, " "))
	}
	if len(data.Evidence) > 0 {
		v := data.Evidence[0]
		out += fill(m.say.evidence.In(s.lang), "citation", v.Citation, "year", strconv.Itoa(v.Year), "grade", v.Grade)
	}
	if data.Active != nil {
		return out + m.say.haveIt.In(s.lang), nil
	}
	return out + m.say.addIt.In(s.lang), nil
}

func (m *Model) listing(l core.Lang, r result) (string, error) {
	data, err := decode[listData](r.Data)
	if err != nil {
		return "", err
	}
	places := fill(m.say.places.In(l), "build", strconv.Itoa(data.BuildLeft), "break", strconv.Itoa(data.BreakLeft))
	if len(data.Items) == 0 {
		return m.say.noHabits.In(l) + "\n" + places, nil
	}
	var out strings.Builder
	out.WriteString(m.say.yourHabits.In(l))
	for _, it := range data.Items {
		fmt.Fprintf(&out, "\n• %s · %s", it.Title, wordOf(todayWords(), it.Today, l))
		if it.Current != nil && *it.Current > 0 {
			out.WriteString(" · " + fill(m.say.row.In(l), "n", strconv.Itoa(*it.Current)))
		}
	}
	return out.String() + "\n" + places, nil
}

// wordOf returns the word for a value, the value itself if there is none.
func wordOf(words map[string]core.LocalText, value string, l core.Lang) string {
	if w, ok := words[value]; ok {
		return w.In(l)
	}
	return value
}

func (m *Model) streakWords(s *scene, r result) (string, error) {
	data, err := decode[streakData](r.Data)
	if err != nil {
		return "", err
	}
	args, _ := decode[streakArgs]([]byte(r.call.Args)) // without them the habit is not named
	out := fill(m.say.streak.In(s.lang), "title", m.titleOf(s, args.HabitID), "n", strconv.Itoa(data.Current), "longest", strconv.Itoa(data.Longest),
		"month", strconv.Itoa(data.Done30), "phase", strconv.Itoa(data.Done42), "tier", wordOf(tierWords(), data.Tier, s.lang))
	if data.Broken {
		out += "\n" + m.say.wayBack.In(s.lang)
	}
	return out, nil
}

// titleOf names a habit for its person.
func (m *Model) titleOf(s *scene, id int) string {
	for _, h := range s.facts.habits {
		if h.id == id {
			return h.title
		}
	}
	return m.say.thisHabit.In(s.lang)
}

func (m *Model) added(s *scene, r result) (string, error) {
	data, err := decode[addData](r.Data)
	if err != nil {
		return "", err
	}
	return fill(m.say.added.In(s.lang), "title", data.Title), nil
}

// logged is one line: what was logged, and the streak if it is known (habits.md §2.4).
func (m *Model) logged(s *scene, r result) string {
	if !r.ok() {
		return m.refused(s, r)
	}
	data, err := decode[logData](r.Data)
	if err != nil {
		return m.say.broken.In(s.lang)
	}
	value := wordOf(valueWords(), data.Value, s.lang)
	if v, ok := variantWords()[data.Variant]; ok {
		value += " (" + v.In(s.lang) + ")"
	}
	out := fill(m.say.logged.In(s.lang), "title", m.titleOf(s, data.HabitID), "date", m.spokenDate(s, data.Date), "value", value)
	if i := slices.IndexFunc(s.results, func(r result) bool { return r.call.Name == toolStreak && r.ok() }); i >= 0 {
		if streak, err := decode[streakData](s.results[i].Data); err == nil {
			out += " " + fill(m.say.streakShort.In(s.lang), "n", strconv.Itoa(streak.Current))
		}
	}
	if data.Value == valueBlank {
		out += " " + m.say.honest.In(s.lang)
	}
	return out
}

// spokenDate names a date of a result: today, yesterday, or by its month and day.
func (m *Model) spokenDate(s *scene, date string) string {
	t := dateIn(date)
	if t.IsZero() {
		return date
	}
	if !s.facts.today.IsZero() {
		switch s.facts.today.Sub(t) {
		case 0:
			return m.say.today.In(s.lang)
		case 24 * time.Hour:
			return m.say.yesterday.In(s.lang)
		}
	}
	switch s.lang {
	case core.Ko:
		return fmt.Sprintf("%d월 %d일", t.Month(), t.Day())
	case core.Zh:
		return fmt.Sprintf("%d月%d日", t.Month(), t.Day())
	}
	return t.Format("2 January")
}

// Codes of refusals that more than words follow (habits.md §2.2).
const (
	codeDuplicate = "duplicate"
	codeAvoidance = "r7_avoidance"
	codeSafety    = "safety_gate"
)

// refused says why a call came to nothing, and what can be done. The reason of a refusal is a sentence for the person, so that
// it is told where it says more than the code does.
func (m *Model) refused(s *scene, r result) string {
	if r.Status == "cancelled" {
		return m.say.cancelled.In(s.lang)
	}
	reason := strings.TrimSpace(r.Reason)
	switch r.Code {
	case codeSafety:
		if reason != "" {
			return reason
		}
	case codeAvoidance:
		if two := m.rewordings(s.lang, r); len(two) > 0 {
			return fill(m.say.avoidance.In(s.lang), "list", numberedList([]string{two[0].label, two[1].label}))
		}
	}
	e, ok := m.say.errors()[r.Code]
	if !ok {
		e = errorText{text: m.say.refused, reason: true}
	}
	if e.reason && reason != "" {
		return strings.TrimSpace(reason + " " + e.text.In(s.lang))
	}
	if e.alone.En != "" {
		return e.alone.In(s.lang)
	}
	return e.text.In(s.lang)
}
