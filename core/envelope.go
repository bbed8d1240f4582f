package core

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"sort"
	"strings"
)

// Codes of error envelopes that the dispatcher itself gives; tools have more of their own.
const (
	codeUnknownTool    = "unknown_tool"
	codeValidation     = "validation"
	codeHandlerError   = "handler_error"
	codeOutcomeUnknown = "outcome_unknown"
	codeChanged        = "changed"
)

// cancelledResult is what the model is told of every call that did not get its yes, to the letter (seed 001 §2).
const cancelledResult = `{"status":"cancelled","reason":"user did not confirm"}`

// truncationHint is seed 001 §7's way out for a result that stays too long.
const truncationHint = "The result was too long. Use a tool that returns a single item, such as query_protocol."

type okEnvelope struct {
	Status string `json:"status"`
	Data   any    `json:"data"`
}

type truncated struct {
	Truncated bool   `json:"_truncated"`
	Hint      string `json:"_hint"`
}

// okResult encodes data as an ok envelope of at most limit UTF-16 units (seed 001 §7, habits.md §2.1).
func okResult(data any, limit int) (string, error) {
	whole, err := encodeJSON(okEnvelope{"ok", data})
	if err != nil {
		return "", err
	}
	if utf16Len(whole) <= limit {
		return whole, nil
	}
	if s, ok := shorten(whole, limit); ok {
		return s, nil
	}
	return encodeJSON(okEnvelope{"ok", truncated{true, truncationHint}})
}

// shorten brings an ok envelope whose data has items under the limit: first their summaries get shorter, then items are dropped
// from the end.
func shorten(whole string, limit int) (string, bool) {
	var env struct {
		Data map[string]any `json:"data"`
	}
	dec := json.NewDecoder(strings.NewReader(whole))
	dec.UseNumber()
	if dec.Decode(&env) != nil {
		return "", false
	}
	items, ok := env.Data["items"].([]any)
	if !ok {
		return "", false
	}
	env.Data["truncated"] = true
	for _, runes := range []int{80, 40} {
		for _, it := range items {
			if m, ok := it.(map[string]any); ok {
				if s, ok := m["summary"].(string); ok {
					m["summary"] = clip(s, runes)
				}
			}
		}
		if s, ok := fits(env.Data, limit); ok {
			return s, true
		}
	}
	keep := func(n int) (string, bool) {
		env.Data["items"] = items[:n]
		if _, counted := env.Data["count"]; counted {
			env.Data["count"] = n
		}
		return fits(env.Data, limit)
	}
	most := sort.Search(len(items), func(n int) bool { // fewer items are never longer
		_, ok := keep(n + 1)
		return !ok
	})
	if most == 0 {
		return "", false
	}
	return keep(most)
}

func fits(data map[string]any, limit int) (string, bool) {
	s, err := encodeJSON(okEnvelope{"ok", data})
	return s, err == nil && utf16Len(s) <= limit
}

// errorResult encodes an error envelope of at most limit UTF-16 units; only the end of reason is ever lost.
func errorResult(code, reason string, limit int) string {
	for {
		s, err := encodeJSON(struct {
			Status string `json:"status"`
			Code   string `json:"code"`
			Reason string `json:"reason"`
		}{"error", code, reason})
		over := utf16Len(s) - limit
		if err != nil || over <= 0 || reason == "" {
			return s
		}
		rs := []rune(reason)
		reason = string(rs[:max(0, len(rs)-(over+1)/2-1)]) // a rune is at most two units; escapes only make the loop shorter
	}
}

// resultOf encodes the outcome of a tool's function.
func resultOf(data any, err error, limit int, lang Lang) string {
	var refused *ToolError
	switch {
	case errors.As(err, &refused):
		return errorResult(refused.Code, refused.Reason, limit)
	case err != nil:
		return errorResult(codeHandlerError, textHandlerError.In(lang), limit)
	}
	s, err := okResult(data, limit)
	if err != nil {
		return errorResult(codeHandlerError, textHandlerError.In(lang), limit)
	}
	return s
}

// encodeJSON encodes without HTML escaping, as the cap counts (seed 001 §7).
func encodeJSON(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// digest names its parts in 26 characters of base 32.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)))[:26]
}
