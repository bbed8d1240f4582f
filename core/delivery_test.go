package core

import (
	"testing"
	"time"
)

// The delivery table of architecture.md, hop 8, row by row.
func TestDeliveryTable(t *testing.T) {
	sec := time.Second
	for _, c := range []struct {
		why   string
		tried tried
		want  deliveryMove
		wait  time.Duration
	}{
		{"it is shown", tried{edit: true}, settle, 0},
		{"wait as told", tried{edit: true, failed: true, kind: Throttled, wait: 30 * sec}, repeat, 30 * sec},
		{"wait as told", tried{failed: true, kind: Throttled, wait: 30 * sec}, repeat, 30 * sec},
		{"nothing was written", tried{edit: true, failed: true, kind: Unsent, tries: 1}, repeat, sec},
		{"nothing was written, however often", tried{failed: true, kind: Unsent, tries: 9}, repeat, 256 * sec},
		{"the same edit is idempotent", tried{edit: true, failed: true, kind: Uncertain, tries: 5}, repeat, 16 * sec},
		{"an error without a kind is uncertain", tried{edit: true, failed: true, kind: Other, tries: 1}, repeat, sec},
		{"a send may be there already", tried{failed: true, kind: Uncertain, tries: 2}, repeat, 2 * sec},
		{"at most three times where nobody can tell", tried{failed: true, kind: Uncertain, tries: 3}, doubt, 0},
		{"on and on where the platform can tell", tried{failed: true, kind: Uncertain, tries: 30, dedupes: true}, repeat, 300 * sec},
		{"the same without markup", tried{edit: true, failed: true, kind: Markup}, strip, 0},
		{"the same without markup", tried{failed: true, kind: Markup}, strip, 0},
		{"plain and still refused", tried{edit: true, failed: true, kind: Markup, plain: true}, fallBack, 0},
		{"a refused edit falls back once", tried{edit: true, failed: true, kind: Refused}, fallBack, 0},
		{"the fallback has no fallback", tried{failed: true, kind: Refused, fallback: true}, drop, 0},
		{"a cancelled turn has none", tried{edit: true, failed: true, kind: Refused, noPlain: true}, drop, 0},
		{"a refused send is dropped", tried{failed: true, kind: Refused}, drop, 0},
		{"the chat has moved", tried{edit: true, failed: true, kind: Relocated}, relocate, 0},
		{"the chat has moved", tried{failed: true, kind: Relocated}, relocate, 0},
		{"blocked", tried{edit: true, failed: true, kind: Gone}, markGone, 0},
		{"blocked", tried{failed: true, kind: Gone}, markGone, 0},
		{"the channel is not ready", tried{failed: true, kind: Unauthorized, age: 48 * time.Hour}, keepWaiting, notReadyWait},
		{"a day is enough", tried{failed: true, kind: Unsent, tries: 200, age: 24 * time.Hour}, drop, 0},
		{"back-off ends at five minutes", tried{edit: true, failed: true, kind: Uncertain, tries: 99}, repeat, longestBackoff},
	} {
		if got, wait := decide(c.tried); got != c.want || wait != c.wait {
			t.Errorf("%s: %+v: move %d after %v, want %d after %v", c.why, c.tried, got, wait, c.want, c.wait)
		}
	}
}
