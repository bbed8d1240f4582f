package fakemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// refusal is an answer of the API's own.
type refusal struct {
	status int
	body   wireRefusal
}

type wireRefusal struct {
	Error wireError `json:"error"`
}

type wireError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// refuse makes a refusal; an empty param or code is null.
func refuse(status int, param, code, message string) *refusal {
	e := wireError{Message: message, Type: "invalid_request_error"}
	if status >= http.StatusInternalServerError {
		e.Type = "server_error"
	}
	if param != "" {
		e.Param = &param
	}
	if code != "" {
		e.Code = &code
	}
	return &refusal{status, wireRefusal{e}}
}

func bad(param, code, format string, args ...any) *refusal {
	return refuse(http.StatusBadRequest, param, code, fmt.Sprintf(format, args...))
}

func (r *refusal) write(w http.ResponseWriter) { writeJSON(w, r.status, r.body) }

// parse reads a request and checks everything that does not depend on the server's state. extra names further parameters.
func parse(body []byte, extra []string) (Request, *refusal) {
	req := Request{Raw: body}
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || fields == nil {
		return req, bad("", "", "We could not parse the JSON body of your request.")
	}
	if no := checkFields(fields, extra); no != nil {
		return req, no
	}
	var in wireRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return req, wrongType(err)
	}
	if in.Model == nil || *in.Model == "" {
		return req, bad("", "", "you must provide a model parameter")
	}
	req.take(in)
	if no := checkNumbers(in); no != nil {
		return req, no
	}
	if no := req.readTools(in); no != nil {
		return req, no
	}
	return req, req.readMessages(in.Messages)
}

func (req *Request) take(in wireRequest) {
	req.Model, req.Stream = *in.Model, in.Stream
	req.IncludeUsage = in.StreamOptions != nil && in.StreamOptions.IncludeUsage
	req.MaxTokens, req.MaxCompletionTokens, req.Temperature = in.MaxTokens, in.MaxCompletionTokens, in.Temperature
	req.ParallelToolCalls = in.ParallelToolCalls
}

// checkFields refuses parameters that do not exist, and null for those that do.
func checkFields(fields map[string]json.RawMessage, extra []string) *refusal {
	known := []string{
		"audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens",
		"messages", "metadata", "modalities", "model", "n", "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
		"reasoning_effort", "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream",
		"stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
	}
	for _, name := range sortedKeys(fields) {
		if !slices.Contains(known, name) && !slices.Contains(extra, name) {
			return bad("", "", "Unrecognized request argument supplied: %s", name)
		}
		if isNull(fields[name]) {
			return bad(name, "invalid_type", "Invalid type for '%s': expected a value, but got null instead.", name)
		}
	}
	return nil
}

// wrongType names the parameter whose value is of the wrong kind.
func wrongType(err error) *refusal {
	var e *json.UnmarshalTypeError
	if errors.As(err, &e) {
		return bad(e.Field, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", e.Field, article(e.Type.String()), article(e.Value))
	}
	return bad("", "", "We could not parse the JSON body of your request.")
}

// article puts an article before a Go or JSON type, in the API's words.
func article(kind string) string {
	switch {
	case strings.HasPrefix(kind, "[]"), kind == "array":
		return "an array"
	case kind == "object":
		return "an object"
	case strings.HasSuffix(kind, "int"):
		return "an integer"
	case strings.HasSuffix(kind, "float64"), strings.HasPrefix(kind, "number"):
		return "a number"
	case strings.HasSuffix(kind, "bool"):
		return "a boolean"
	case strings.HasSuffix(kind, "string"):
		return "a string"
	}
	return "an object"
}

// checkNumbers checks lengths and temperatures, which the reasoning models have rules of their own for.
func checkNumbers(in wireRequest) *refusal {
	thinks := reasoningModel(*in.Model)
	switch {
	case in.MaxTokens != nil && in.MaxCompletionTokens != nil:
		return bad("max_tokens", "invalid_parameter_combination",
			"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case in.MaxTokens != nil && thinks:
		return bad("max_tokens", "unsupported_parameter",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case in.StreamOptions != nil && !in.Stream:
		return bad("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	for name, n := range map[string]*int{"max_tokens": in.MaxTokens, "max_completion_tokens": in.MaxCompletionTokens} {
		if n != nil && *n < 1 {
			return bad(name, "integer_below_min_value",
				"Invalid '%s': integer below minimum value. Expected a value >= 1, but got %d instead.", name, *n)
		}
	}
	if no := checkDecimal("temperature", in.Temperature, 2, thinks); no != nil {
		return no
	}
	return checkDecimal("top_p", in.TopP, 1, thinks)
}

func checkDecimal(name string, v *float64, most float64, thinks bool) *refusal {
	switch {
	case v == nil:
		return nil
	case thinks && *v != 1:
		return bad(name, "unsupported_value",
			"Unsupported value: '%s' does not support %v with this model. Only the default (1) value is supported.", name, *v)
	case *v < 0:
		return bad(name, "decimal_below_min_value", "Invalid '%s': decimal below minimum value. Expected a value >= 0, but got %v instead.", name, *v)
	case *v > most:
		return bad(name, "decimal_above_max_value", "Invalid '%s': decimal above maximum value. Expected a value <= %v, but got %v instead.", name, most, *v)
	}
	return nil
}

// reasoningModel reports whether a name is one of the o-series or of the fifth generation.
func reasoningModel(name string) bool {
	return slices.ContainsFunc([]string{"o1", "o3", "o4", "gpt-5"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

func isObject(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) }
