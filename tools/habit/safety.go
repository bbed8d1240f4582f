package habit

import (
	"regexp"
	"strings"
	"time"

	"steady/core"
)

// A Class is what the safety gate sees in a text (habits.md §7.3). Safe is none of them.
type Class string

// The classes, in the order of their priority.
const (
	Safe       Class = ""
	Crisis     Class = "crisis"
	Emergency  Class = "medical_emergency"
	Abuse      Class = "abuse"
	Eating     Class = "eating_disorder"
	Substance  Class = "substance"
	Medication Class = "medication"
	Minor      Class = "minor"
)

// A Gate is the floor under the model's judgement: patterns that must not be answered with a habit. It is safe for concurrent
// use.
type Gate struct {
	normal *normalizer
	alarms []alarm
}

type alarm struct {
	class Class
	re    *regexp.Regexp
}

// NewGate compiles the patterns of habits.md §7.3.
func NewGate() *Gate {
	g := &Gate{normal: newNormalizer()}
	for _, p := range alarms() {
		g.alarms = append(g.alarms, alarm{p.class, regexp.MustCompile(p.re)})
	}
	return g
}

// Classify returns the class of a text; the first one that matches, in the order of their priority.
func (g *Gate) Classify(text string) Class {
	text = g.normal.normalize(text)
	for _, a := range g.alarms {
		if a.re.MatchString(text) {
			return a.class
		}
	}
	return Safe
}

// Notice classifies a text and returns what is then said, as it stands, in the person's language and with the numbers of the
// person's region (habits.md §7.4). Of a safe text the notice is "".
func (g *Gate) Notice(text string, l core.Lang, zone *time.Location) (Class, string) {
	class := g.Classify(text)
	return class, noticeOf(class, l, zone)
}

func noticeOf(class Class, l core.Lang, zone *time.Location) string {
	help := helpIn(regionOf(zone, l))
	return strings.NewReplacer("{line}", help.line.In(l), "{emergency}", help.emergency.In(l)).Replace(safetyText(class).In(l))
}
