package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"steady/core"
)

const (
	maxErrorBody = 16 << 10 // bytes of an error that are looked at
	maxErrorText = 500      // bytes of it that are kept for the log
)

var (
	overflowCode = regexp.MustCompile(`context_length_exceeded|exceed_context_size|prompt_tokens_exceeded|prompt_too_long`)
	overflowText = regexp.MustCompile(`(?i)maximum context length|context window|too many tokens|exceeds the (available )?context|` +
		`prompt is too long|input token count|context limit|reduce the length|model token limit|range of input length`)
	paidCode    = regexp.MustCompile(`insufficient_quota|billing|payment_required`)
	keyText     = regexp.MustCompile(`(?i)(incorrect|invalid) api[ _]?key|api[ _]?key not valid|authentication|permission_denied`)
	rateText    = regexp.MustCompile(`(?i)rate.?limit|too many requests|throttl|resource_exhausted`)
	refusedCode = regexp.MustCompile(`invalid_request|invalid_argument|content_filter|content_policy|not_found|unsupported`)
	hintText    = regexp.MustCompile(`(?i)(?:again in|retry in|retrydelay\W+)\s*((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)`)
)

// A failure is what a server or the network says went wrong.
type failure struct {
	status int    // of HTTP, or a number in its place inside of a stream; 0: none
	code   string // words for programs: code, type and status, in lower case
	text   string // words for people, with all that a server tells beside them
	wait   time.Duration
}

// Error returns one line. It is not yet fit for a log: see [redactor].
func (f *failure) Error() string {
	var parts []string
	if f.status != 0 {
		parts = append(parts, "status "+strconv.Itoa(f.status))
	}
	if f.code != "" {
		parts = append(parts, f.code)
	}
	if f.text != "" {
		parts = append(parts, f.text)
	}
	return strings.Join(parts, ": ")
}

// kind says what can be done about the failure.
func (f *failure) kind() core.Kind {
	switch {
	case f.overflow():
		return core.Overflow
	case paidCode.MatchString(f.code), f.status == 401, f.status == 402, f.status == 403,
		(f.status == 0 || f.status == 400) && keyText.MatchString(f.code+" "+f.text):
		return core.Unauthorized
	case f.status == 429, f.status == 0 && rateText.MatchString(f.code+" "+f.text), f.again() && f.wait > 0:
		return core.Throttled
	case f.again():
		return core.Transient
	case f.status != 0, refusedCode.MatchString(f.code):
		return core.Refused
	}
	return core.Transient // the network, or an error inside of a stream that the server does not class
}

// again says whether the status is one of those that pass by themselves.
func (f *failure) again() bool {
	return f.status == 408 || f.status == 409 || f.status == 425 || f.status >= 500
}

// overflow says whether the prompt was too long. A rate limit may speak of tokens too, but has its own status.
func (f *failure) overflow() bool {
	switch f.status {
	case 413:
		return true
	case 0, 400, 422:
		return overflowCode.MatchString(f.code) || overflowText.MatchString(f.text) && !rateText.MatchString(f.text)
	}
	return f.status != 429 && overflowCode.MatchString(f.code)
}

// pause returns how long to wait, of a failure that is a matter of time: as the header says, else as the text does.
func (f *failure) pause() time.Duration {
	if f.kind() != core.Throttled || f.wait > 0 {
		return f.wait
	}
	m := hintText.FindStringSubmatch(f.text)
	if m == nil {
		return 0
	}
	d, err := time.ParseDuration(strings.ToLower(m[1]))
	if err != nil {
		return 0
	}
	return bounded(float64(d), 1)
}

// parseFailure reads an error in any of the forms that servers give it: an object or a text under "error", that in a list, an
// object without envelope, or no JSON at all. It fills in a status only if the error has a number that looks like one.
func parseFailure(body []byte) failure {
	body = bytes.TrimSpace(body[:min(len(body), maxErrorBody)])
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var outer struct{ Error json.RawMessage }
	if json.Unmarshal(body, &outer) == nil && given(outer.Error) {
		body = outer.Error
	}
	var e struct {
		Code, Type, Status       json.RawMessage
		Message, Detail, Details json.RawMessage
		Metadata                 struct{ Raw json.RawMessage } // OpenRouter: what the provider behind it said
	}
	if json.Unmarshal(body, &e) != nil {
		if json.Valid(body) && scalar(body) != "" {
			return failure{text: scalar(body)}
		}
		return failure{text: string(body)}
	}
	f := failure{text: words(e.Message, e.Detail, e.Details, e.Metadata.Raw)}
	f.status, f.code = codes(e.Code, e.Type, e.Status)
	if f.text == "" && f.code == "" {
		f.text = string(body)
	}
	return f
}

// codes sorts what an error has for programs into a status and words.
func codes(fields ...json.RawMessage) (status int, code string) {
	var words []string
	for _, raw := range fields {
		if n, ok := number(raw); ok {
			if status == 0 && n >= 400 && n < 600 {
				status = n
			}
		} else if s := strings.ToLower(scalar(raw)); s != "" && s != nameError {
			words = append(words, s)
		}
	}
	return status, strings.Join(words, " ")
}

// words joins what an error has for people.
func words(fields ...json.RawMessage) string {
	var out []string
	for _, raw := range fields {
		if s := scalar(raw); s != "" {
			out = append(out, s)
		} else if given(raw) && string(raw) != `""` {
			out = append(out, string(raw))
		}
	}
	return strings.Join(out, " ")
}

// retryAfter returns how long the headers of a response ask to wait: in milliseconds (OpenAI, Azure), in seconds, as a duration
// with a unit, or until a date, by the server's own clock where it tells it. 0: they do not ask.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return bounded(ms, time.Millisecond)
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return bounded(s, time.Second)
	}
	if d, err := time.ParseDuration(value); err == nil {
		return bounded(float64(d), 1)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return bounded(float64(until.Sub(now)), 1)
}

// A redactor makes a text of the outside fit for a log.
type redactor struct {
	whole *strings.Replacer
	parts *regexp.Regexp
}

// newRedactor returns a redactor of what must never be seen: the key, and what the base URL has in its user info and query.
func newRedactor(key Key, base *url.URL) redactor {
	password, _ := base.User.Password()
	secrets := []string{string(key), base.User.Username(), password}
	for _, values := range base.Query() {
		secrets = append(secrets, values...)
	}
	var pairs []string
	parts := []string{`\bsk-[\w.*-]+`, `(?i:bearer)\s+\S+`}
	for _, s := range secrets {
		if s == "" {
			continue
		}
		pairs = append(pairs, s, masked, url.QueryEscape(s), masked, strings.ReplaceAll(s, "/", `\/`), masked)
		// Servers like to show the beginning of a wrong key, and a text that was cut may end within it.
		if len(s) >= 12 {
			parts = append(parts, regexp.QuoteMeta(s[:8])+`[^\s"'<>]*`)
		}
	}
	return redactor{strings.NewReplacer(pairs...), regexp.MustCompile(strings.Join(parts, "|"))}
}

// clean returns the beginning of s in one line, without secrets.
func (r redactor) clean(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), 8*maxErrorText)], "\uFFFD")
	s = r.parts.ReplaceAllString(r.whole.Replace(s), masked)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxErrorText {
		s = strings.ToValidUTF8(s[:maxErrorText], "") + "…"
	}
	return s
}
