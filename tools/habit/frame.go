package habit

import "regexp"

// Warnings go with a result and refuse nothing.
const (
	warnFrame  = "r2_frame_shape" // level identity, but the text does not say who the person is
	warnAnchor = "r4_no_anchor"   // no cue; the coach asks once for one
)

// identityMarker is how a text says who somebody is, in one of the languages (R2).
var identityMarker = regexp.MustCompile(`\b(?:i am|i'm|as an?|the kind of person)\b|사람|(?:이다|입니다)$|답다|是.*的人|作为|我是`)

// warnings returns what the coach should work on with the person.
func (c *Coach) warnings(h *Habit) []string {
	var warn []string
	if h.FrameLevel == Identity && !identityMarker.MatchString(c.normal.normalize(h.FramedText)) {
		warn = append(warn, warnFrame)
	}
	if h.AnchorWhen == "" && h.AnchorAfter == "" {
		warn = append(warn, warnAnchor)
	}
	return warn
}
