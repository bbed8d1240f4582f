package offline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"steady/core"
)

// A scene is what a prompt comes to: the last message, what is known of its person, what this turn's calls returned, and the
// exchange before it.
type scene struct {
	lang    core.Lang
	ask     string
	facts   facts
	tools   map[string]bool // that may be called now
	results []result        // of this turn
	before  exchange
	nth     int    // how many messages the prompt has
	serial  string // makes call ids of their own for each request
}

// An exchange is a message with what it led to.
type exchange struct {
	ask     string
	results []result
}

// A result is a call with its outcome.
type result struct {
	call core.ToolCall
	outcome
}

// An outcome is an envelope of seed 001 §2.
type outcome struct {
	Status string          `json:"status"`
	Code   string          `json:"code"`
	Reason string          `json:"reason"`
	Data   json.RawMessage `json:"data"`
}

func (o outcome) ok() bool { return o.Status == "ok" }

// scene reads a prompt.
func (m *Model) scene(p core.Prompt) *scene {
	s := &scene{lang: p.Lang, tools: map[string]bool{}, serial: fmt.Sprintf("%d-%d", p.Revision, len(p.Items))}
	if !p.NoTools {
		for _, t := range p.Tools {
			s.tools[t.Name] = true
		}
	}
	var now exchange
	calls := map[string]core.ToolCall{}
	for _, item := range p.Items {
		switch it := item.(type) {
		case core.Ask:
			s.before, now = now, exchange{ask: it.Text}
			s.facts = m.facts(it.Facts)
			s.nth++
		case core.Calls:
			for _, c := range it.Calls {
				calls[c.ID] = c
			}
		case core.Outcome:
			now.results = append(now.results, result{call: calls[it.ID], outcome: decodeOutcome(it)})
			now.results[len(now.results)-1].call.Name = it.Name
		}
	}
	s.ask, s.results = now.ask, now.results
	if s.lang == "" {
		s.lang = core.LangOf(s.ask)
	}
	for _, r := range s.results {
		if r.call.Name == toolList && r.ok() {
			m.listed(&s.facts, r)
		}
	}
	return s
}

func decodeOutcome(it core.Outcome) outcome {
	var o outcome
	if err := json.Unmarshal([]byte(it.JSON), &o); err != nil || o.Status == "" {
		return outcome{Status: "error", Code: "handler_error"}
	}
	return o
}

// number gives calls their ids.
func (s *scene) number(calls []core.ToolCall) []core.ToolCall {
	for i := range calls {
		calls[i].ID = fmt.Sprintf("offline-%s-%d", s.serial, i)
	}
	return calls
}

// Facts are what is known of the person beside the message.
type facts struct {
	today  time.Time // midnight in UTC of the person's date, zero if it is not known
	habits []habit
	known  bool   // the habits are known, even if there are none
	notice string // what the safety gate says instead of coaching
}

// A habit is one that the person has.
type habit struct {
	id    int
	title string
	entry int // of the catalog, -1 for none that is known
	doc   document
}

// safetyNotice begins the notice of the safety gate among the facts; its words follow the first sentence (habits.md §7.2).
const safetyNotice = "safety notice:"

// facts reads the runtime facts of a message: lines for now, today and the notice, and one line for each habit that begins with
// its id, such as `habit_id 17 "Walk after a meal" (build, active)` or `#17 Walk after a meal`.
func (m *Model) facts(s string) facts {
	var f facts
	var now time.Time
	for line := range strings.Lines(s) {
		line = strings.TrimLeft(strings.TrimSpace(line), "-*• ")
		lower := strings.ToLower(line)
		id, name, isHabit := habitLine(line)
		switch {
		case strings.HasPrefix(lower, safetyNotice):
			_, words, _ := strings.Cut(line[len(safetyNotice):], ". ")
			f.notice = strings.TrimSpace(words)
		case isHabit:
			f.known = true
			f.habits = append(f.habits, m.habit(id, name, ""))
		case strings.HasPrefix(lower, "free places"), strings.HasPrefix(lower, "no habits"), strings.HasPrefix(lower, "no active habits"):
			f.known = true
		}
		if _, rest, ok := strings.Cut(lower, "today"); ok && !isHabit && f.today.IsZero() {
			f.today = dateIn(rest)
		}
		if rest, ok := strings.CutPrefix(lower, "now"); ok && now.IsZero() {
			now = dateIn(rest)
		}
	}
	if f.today.IsZero() {
		f.today = now
	}
	return f
}

// dateIn returns the first date of the form 2026-03-10 in s.
func dateIn(s string) time.Time {
	for i := 0; i+len(dateLayout) <= len(s); i++ {
		if t, err := time.Parse(dateLayout, s[i:i+len(dateLayout)]); err == nil {
			return t
		}
	}
	return time.Time{}
}

// habitLine reads the id and the title of a line about a habit.
func habitLine(line string) (id int, name string, ok bool) {
	rest := line
	for _, prefix := range []string{"habit_id", "habit", "id", "#"} {
		if s, found := strings.CutPrefix(rest, prefix); found {
			rest, ok = strings.TrimLeft(s, " :=#"), true
			break
		}
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsDigit(r) })
	if !ok || end <= 0 {
		return 0, "", false
	}
	id, err := strconv.Atoi(rest[:end])
	if err != nil || id < 1 {
		return 0, "", false
	}
	rest = strings.TrimLeft(rest[end:], " :.-–—")
	if quoted, err := strconv.QuotedPrefix(rest); err == nil {
		name, err = strconv.Unquote(quoted)
		return id, name, err == nil && name != ""
	}
	rest = strings.TrimPrefix(rest, "“")
	if i := strings.IndexAny(rest, "”(|;—·"); i >= 0 {
		rest = rest[:i]
	}
	name = strings.TrimRight(strings.TrimSpace(rest), ",: ")
	return id, name, name != ""
}

// habit links a habit to its catalog entry, by the id of that or by its title in any language.
func (m *Model) habit(id int, name, protocol string) habit {
	h := habit{id: id, title: name, entry: -1}
	folded := string(m.words.normal.text(name).norm)
	for i, e := range m.catalog {
		same := e.ID == protocol
		for _, t := range []string{e.Title.En, e.Title.Ko, e.Title.Zh} {
			same = same || string(m.words.normal.text(t).norm) == folded
		}
		if same {
			h.entry, h.doc = i, m.index.docs[i]
			return h
		}
	}
	h.doc = m.titled(name)
	return h
}

// listed takes the habits from a result of list_active_habits.
func (m *Model) listed(f *facts, r result) {
	list, err := decode[listData](r.Data)
	if err != nil {
		return
	}
	f.known, f.habits = true, nil
	for _, it := range list.Items {
		if it.Status == "active" || it.Status == "paused" || it.Status == "" {
			f.habits = append(f.habits, m.habit(it.ID, it.Title, it.Protocol))
		}
	}
}
