package openai

import (
	"net/http"
	"testing"
	"time"

	"steady/core"
)

// TestKinds holds what is made of the errors that servers give.
func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		status int // 0: inside of a stream
		body   string
		kind   core.Kind
		wait   time.Duration
		why    string
	}{
		{400, `{"error":{"message":"x","code":"context_length_exceeded"}}`, core.Overflow, 0, "OpenAI"},
		{400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, core.Overflow, 0, "vLLM"},
		{400, `[{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}]`, core.Overflow, 0, "Gemini"},
		{400, `{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","type":"invalid_request_error"}}`, core.Overflow, 0, "Anthropic"},
		{400, `{"error":{"message":"input length and ` + "`max_tokens`" + ` exceed context limit: 9 + 1 > 8"}}`, core.Overflow, 0, "Anthropic"},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, core.Overflow, 0, "llama.cpp"},
		{500, `{"error":{"code":500,"message":"x","type":"exceed_context_size_error"}}`, core.Overflow, 0, "a code is clear whatever the status"},
		{400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"maximum context length is 8\"}}"}}}`, core.Overflow, 0, "OpenRouter"},
		{422, `{"detail":[{"msg":"Input exceeds the context window"}]}`, core.Overflow, 0, ""},
		{413, `<html>413 Request Entity Too Large</html>`, core.Overflow, 0, "a shorter prompt is the cure"},
		{400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"}}`, core.Overflow, 0, "Qwen"},
		{429, `{"error":{"message":"Rate limit: too many tokens per minute","code":"rate_limit_exceeded"}}`, core.Throttled, 0, "tokens a minute are no context"},
		{429, `{"error":{"message":"Rate limit reached. Please try again in 1.5s."}}`, core.Throttled, 1500 * time.Millisecond, "OpenAI's text"},
		{429, `{"error":{"message":"Please try again in 6m0s."}}`, core.Throttled, 6 * time.Minute, ""},
		{429, `{"error":{"message":"try again in 20ms"}}`, core.Throttled, 20 * time.Millisecond, ""},
		{429, `[{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x","retryDelay": "34s"}]}}]`, core.Throttled, 34 * time.Second, "Gemini"},
		{429, ``, core.Throttled, 0, "no hint"},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, core.Unauthorized, 0, "time does not help, money does"},
		{402, `{"error":{"message":"Insufficient credits","code":402}}`, core.Unauthorized, 0, "OpenRouter"},
		{401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`, core.Unauthorized, 0, ""},
		{403, `{"detail":"Forbidden"}`, core.Unauthorized, 0, ""},
		{400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, core.Unauthorized, 0, "Gemini has no 401"},
		{400, `{"error":{"message":"Unknown parameter: 'x'","type":"invalid_request_error"}}`, core.Refused, 0, ""},
		{400, `{"object":"error","message":{"detail":[{"msg":"tool_call_id"}]},"type":"invalid_request_message_order","code":"3230"}`, core.Refused, 0, "Mistral"},
		{400, `{"error":{"code":"content_filter","message":"x"}}`, core.Refused, 0, "Azure"},
		{404, `{"error":"model 'x' not found, try pulling it first"}`, core.Refused, 0, "Ollama"},
		{405, ``, core.Refused, 0, ""},
		{302, ``, core.Refused, 0, "redirects are not followed"},
		{408, ``, core.Transient, 0, ""},
		{409, ``, core.Transient, 0, ""},
		{425, ``, core.Transient, 0, ""},
		{500, `{"error":{"message":{"x":1}}}`, core.Transient, 0, ""},
		{502, `<html>Bad Gateway</html>`, core.Transient, 0, ""},
		{503, `upstream connect error`, core.Transient, 0, ""},
		{504, ``, core.Transient, 0, ""},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, core.Transient, 0, "Anthropic"},
		{0, `{"error":{"message":"overloaded","type":"server_error","code":"503"}}`, core.Transient, 0, "a number in a string"},
		{0, `{"error":{"code":429,"message":"Rate limit exceeded"}}`, core.Throttled, 0, "OpenRouter"},
		{0, `{"error":{"message":"Rate limit: too many tokens per minute"}}`, core.Throttled, 0, "no status tells it from an overflow, the text does"},
		{0, `{"error":{"message":"Too many requests"}}`, core.Throttled, 0, ""},
		{0, `{"error":{"message":"x","type":"invalid_request_error"}}`, core.Refused, 0, ""},
		{0, `{"error":{"message":"x","type":"authentication_error"}}`, core.Unauthorized, 0, ""},
		{0, `{"error":"something"}`, core.Transient, 0, "unknown: once more does no harm"},
		{0, `boom`, core.Transient, 0, ""},
		{0, `{"error":{"message":"maximum context length"}}`, core.Overflow, 0, ""},
	} {
		f := parseFailure([]byte(tt.body))
		if tt.status != 0 {
			f.status = tt.status
		}
		if got := f.kind(); got != tt.kind || f.pause() != tt.wait {
			t.Errorf("%d %s: %v after %v, want %v after %v: %s", tt.status, tt.body, got, f.pause(), tt.kind, tt.wait, tt.why)
		}
	}
}

// TestErrorText holds that the log gets what the server said, whatever the form.
func TestErrorText(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"m","type":"t","code":"c"}}`: "c t: m",
		`{"error":"m"}`:                   "m",
		`"m"`:                             "m",
		`{"error":{"message":{"a":1}}}`:   `{"a":1}`,
		`{"error":{"message":["a","b"]}}`: `["a","b"]`,
		`{"object":"error","message":{"detail":["x"]},"code":500}`: `status 500: {"detail":["x"]}`,
		`[{"error":{"message":"m","status":"UNAVAILABLE"}}]`:       "unavailable: m",
		`{"detail":"d"}`: "d",
		`{"what":1}`:     `{"what":1}`,
		`plain`:          "plain",
		`{"error":{"message":"m","metadata":{"raw":"upstream"}}}`: "m upstream",
		``: "",
	} {
		f := parseFailure([]byte(body))
		if got := f.Error(); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}

// TestRetryAfter holds the forms of the header.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		header map[string]string
		want   time.Duration
		why    string
	}{
		{map[string]string{"Retry-After": "2"}, 2 * time.Second, ""},
		{map[string]string{"Retry-After": " 0.5 "}, 500 * time.Millisecond, "not by the standard, but seen"},
		{map[string]string{"Retry-After": "1500ms"}, 1500 * time.Millisecond, ""},
		{map[string]string{"Retry-After-Ms": "250", "Retry-After": "1"}, 250 * time.Millisecond, "the finer one"},
		{map[string]string{"Retry-After": "Mon, 30 Nov 2026 12:00:05 GMT"}, 5 * time.Second, ""},
		{map[string]string{"Retry-After": "Mon, 30 Nov 2026 13:00:05 GMT", "Date": "Mon, 30 Nov 2026 13:00:00 GMT"}, 5 * time.Second, "the server's clock is an hour ahead"},
		{map[string]string{"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0, "past"},
		{map[string]string{"Retry-After": "-3"}, 0, ""},
		{map[string]string{"Retry-After": "1e300"}, 24 * time.Hour, ""},
		{map[string]string{"Retry-After": "inf"}, 24 * time.Hour, ""},
		{map[string]string{"Retry-After": "nan"}, 0, ""},
		{map[string]string{"Retry-After": "soon"}, 0, ""},
		{nil, 0, ""},
	} {
		h := http.Header{}
		for k, v := range tt.header {
			h.Set(k, v)
		}
		if got := retryAfter(h, now); got != tt.want {
			t.Errorf("%v: %v, want %v: %s", tt.header, got, tt.want, tt.why)
		}
	}
}
