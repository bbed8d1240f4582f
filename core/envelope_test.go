package core

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

// Seed 001 §2: the three envelopes.
func TestEnvelopes(t *testing.T) {
	if got, _ := okResult(map[string]int{"n": 1}, 2048); got != `{"status":"ok","data":{"n":1}}` {
		t.Error(got)
	}
	if got := errorResult("duplicate", "already <logged> & done", 2048); got != `{"status":"error","code":"duplicate","reason":"already <logged> & done"}` {
		t.Error(got) // no HTML escaping: it would count six units for one
	}
	if cancelledResult != `{"status":"cancelled","reason":"user did not confirm"}` {
		t.Error(cancelledResult)
	}
}

// The cap of seed 001 §7 in UTF-16 units: 2048 pass, 2049 do not; letters outside of the basic plane count twice, Korean ones once.
func TestResultCapCountsUTF16(t *testing.T) {
	frame := len(`{"status":"ok","data":""}`)
	for _, c := range []struct {
		letter string
		units  int
	}{{"a", 1}, {"한", 1}, {"字", 1}, {"🙂", 2}} {
		n := (2048 - frame) / c.units
		rest := strings.Repeat("x", 2048-frame-n*c.units)
		exact, _ := okResult(strings.Repeat(c.letter, n)+rest, 2048)
		if len(utf16.Encode([]rune(exact))) != 2048 || strings.Contains(exact, "_truncated") {
			t.Errorf("%s: a result of exactly 2048 units was cut", c.letter)
		}
		over, _ := okResult(strings.Repeat(c.letter, n)+rest+"x", 2048)
		if !strings.Contains(over, `"_truncated":true`) || !strings.Contains(over, "query_protocol") {
			t.Errorf("%s: a result of 2049 units: %s", c.letter, over)
		}
	}
}

func TestLongListsAreShortenedItemByItem(t *testing.T) {
	list := func(n, summary int) map[string]any {
		var items []map[string]string
		for i := range n {
			items = append(items, map[string]string{"id": fmt.Sprint("e", i), "summary": strings.Repeat("요", summary)})
		}
		return map[string]any{"count": n, "items": items}
	}
	for _, c := range []struct {
		why       string
		n, runes  int
		items     int
		truncated bool
	}{
		{"short enough", 5, 100, 5, false},
		{"shorter summaries do", 10, 250, 10, true},
		{"items go from the end", 60, 250, 30, true},
	} {
		got, err := okResult(list(c.n, c.runes), 2048)
		if err != nil || utf16Len(got) > 2048 {
			t.Fatalf("%s: %d units, %v", c.why, utf16Len(got), err)
		}
		if n := strings.Count(got, `"id"`); n != c.items || strings.Contains(got, `"truncated":true`) != c.truncated {
			t.Errorf("%s: %d items: %s", c.why, n, got)
		}
		if !strings.Contains(got, fmt.Sprintf(`"count":%d`, c.items)) {
			t.Errorf("%s: count does not agree: %s", c.why, got)
		}
	}
}

func TestLongErrorLosesItsReasonOnly(t *testing.T) {
	for _, letter := range []string{"a", "🙂", `"`, "\n"} {
		got := errorResult("r3_quota", strings.Repeat(letter, 5000), 2048)
		if n := utf16Len(got); n > 2048 || n < 1900 || !strings.HasPrefix(got, `{"status":"error","code":"r3_quota","reason":"`) || !strings.HasSuffix(got, `"}`) {
			t.Errorf("%q: %d units: %.80s…", letter, utf16Len(got), got)
		}
	}
}

func TestResultOf(t *testing.T) {
	for _, c := range []struct {
		why  string
		data any
		err  error
		want string
	}{
		{"a refusal is told", nil, &ToolError{"duplicate", "logged"}, `{"status":"error","code":"duplicate","reason":"logged"}`},
		{"a wrapped one too", nil, fmt.Errorf("apply: %w", &ToolError{"duplicate", "logged"}), `{"status":"error","code":"duplicate","reason":"logged"}`},
		{"anything else says nothing of itself", nil, errors.New("disk /dev/sda1"), `{"status":"error","code":"handler_error","reason":"` + textHandlerError.En + `"}`},
		{"what cannot be encoded is an error", func() {}, nil, `{"status":"error","code":"handler_error","reason":"` + textHandlerError.En + `"}`},
	} {
		if got := resultOf(c.data, c.err, 2048, En); got != c.want {
			t.Errorf("%s: %s", c.why, got)
		}
	}
}
