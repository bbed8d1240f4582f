package fakemodel_test

import (
	"strings"
	"testing"

	"steady/internal/fakemodel"
)

// with is a request with further fields; messages and model are given unless the fields bring their own.
func with(fields string) string {
	body := `{`
	if !strings.Contains(fields, `"model"`) {
		body += `"model":"m",`
	}
	if !strings.Contains(fields, `"messages"`) {
		body += `"messages":[{"role":"user","content":"hi"}],`
	}
	return body + fields + `}`
}

func history(messages string) string { return with(`"messages":[` + messages + `]`) }

const tool = `{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}`

// TestRefusals is a row for each request that a strict server does not take.
func TestRefusals(t *testing.T) {
	d := start(t, fakemodel.Config{Extra: []string{"thinking"}})
	d.Script(fakemodel.Text("never said"))
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	calls := func(c string) string {
		return history(`{"role":"user","content":"x"},{"role":"assistant","content":"","tool_calls":[` + c + `]}`)
	}
	result := func(id string) string { return `{"role":"tool","content":"ok","tool_call_id":"` + id + `"}` }
	const unanswered = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
	const noCall = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
	for _, c := range []struct{ why, body, param, want string }{
		{"no JSON", `{`, "", "We could not parse the JSON body of your request."},
		{"no object", `[]`, "", "We could not parse the JSON body of your request."},
		{"no model", `{"messages":[{"role":"user","content":"x"}]}`, "", "you must provide a model parameter"},
		{"an unknown parameter", with(`"enable_thinking":true`), "", "Unrecognized request argument supplied: enable_thinking"},
		{"null", with(`"temperature":null`), "temperature", "Invalid type for 'temperature': expected a value, but got null instead."},
		{"a wrong type", with(`"max_tokens":"5"`), "max_tokens", "Invalid type for 'max_tokens': expected an integer, but got a string instead."},
		{"half a token", with(`"max_tokens":1.5`), "max_tokens", "Invalid type for 'max_tokens': expected an integer, but got a number instead."},
		{"a wrong type inside", with(`"stream":true,"stream_options":{"include_usage":1}`), "stream_options.include_usage",
			"Invalid type for 'stream_options.include_usage': expected a boolean, but got a number instead."},
		{"a list that is none", with(`"tools":{}`), "tools", "Invalid type for 'tools': expected an array, but got an object instead."},
		{"a name that is none", with(`"model":true`), "model", "Invalid type for 'model': expected a string, but got a boolean instead."},

		{"no messages", with(`"messages":[]`), "messages",
			"Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."},
		{"a message that is none", history(`"hi"`), "messages[0]", "Invalid type for 'messages[0]': expected an object with fields of the documented types."},
		{"no role", history(`{"content":"x"}`), "messages[0].role", "Missing required parameter: 'messages[0].role'."},
		{"an unknown role", history(`{"role":"bot","content":"x"}`), "messages[0].role",
			"Invalid value: 'bot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."},
		{"no content", history(`{"role":"system"}`), "messages[0].content", "Missing required parameter: 'messages[0].content'."},
		{"no content of a result", history(`{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`),
			"messages[1].content", "Missing required parameter: 'messages[1].content'."},
		{"null content", history(`{"role":"user","content":null}`), "messages[0].content", "Invalid value for 'content': expected a string, got null."},
		{"null content of an assistant without calls", history(`{"role":"assistant","content":null}`), "messages[0].content",
			"Invalid value for 'content': expected a string, got null."},
		{"content of a wrong type", history(`{"role":"user","content":{}}`), "messages[0].content",
			"Invalid type for 'messages[0].content': expected one of a string or array of objects."},
		{"no parts", history(`{"role":"user","content":[]}`), "messages[0].content",
			"Invalid 'messages[0].content': empty array. Expected an array with minimum length 1, but got an empty array instead."},
		{"a part without its text", history(`{"role":"user","content":[{"type":"text"}]}`), "messages[0].content[0].text",
			"Missing required parameter: 'messages[0].content[0].text'."},
		{"an unknown part", history(`{"role":"user","content":[{"type":"smell"}]}`), "messages[0].content[0].type",
			"Invalid value: 'smell'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', and 'file'."},

		{"a call without a result", history(call + `,` + result("a")), "messages.[2].role", unanswered + "b"},
		{"calls without any", history(call + `,{"role":"user","content":"x"}`), "messages.[1].role", unanswered + "a, b"},
		{"something between call and result", history(call + `,` + result("a") + `,{"role":"user","content":"x"},` + result("b")), "messages.[2].role", unanswered + "b"},
		{"a result of nothing", history(result("a")), "messages.[0].role", noCall},
		{"a result after a plain answer", history(`{"role":"assistant","content":"x"},` + result("a")), "messages.[1].role", noCall},
		{"a result of another call", history(call + `,` + result("c")), "messages.[1].tool_call_id",
			"Invalid parameter: 'tool_call_id' of 'c' not found in 'tool_calls' of previous message."},
		{"two results of one call", history(call + `,` + result("a") + `,` + result("a")), "messages.[2].tool_call_id",
			"Invalid parameter: 'tool_call_id' of 'a' not found in 'tool_calls' of previous message."},
		{"a result without an id", history(`{"role":"tool","content":"x"}`), "messages[0].tool_call_id",
			"Missing required parameter: 'messages[0].tool_call_id'."},
		{"a user who calls", history(`{"role":"user","content":"x","tool_calls":[]}`), "messages[0].tool_calls",
			"'tool_calls' is only allowed for messages of role 'assistant'."},
		{"an empty list of calls", calls(``), "messages[1].tool_calls",
			"Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead."},
		{"a call that is none", calls(`5`), "messages[1].tool_calls[0]",
			"Invalid type for 'messages[1].tool_calls[0]': expected an object with fields of the documented types."},
		{"a call without an id", calls(`{"type":"function","function":{"name":"f","arguments":"{}"}}`), "messages[1].tool_calls[0].id",
			"Missing required parameter: 'messages[1].tool_calls[0].id'."},
		{"a call without a name", calls(`{"id":"a","type":"function","function":{"arguments":"{}"}}`), "messages[1].tool_calls[0].function.name",
			"Missing required parameter: 'messages[1].tool_calls[0].function.name'."},
		{"a call without arguments", calls(`{"id":"a","type":"function","function":{"name":"f"}}`), "messages[1].tool_calls[0].function.arguments",
			"Missing required parameter: 'messages[1].tool_calls[0].function.arguments'."},
		{"a call without a type", calls(`{"id":"a","function":{"name":"f","arguments":"{}"}}`), "messages[1].tool_calls[0].type",
			"Invalid value: ''. Supported values are: 'function' and 'custom'."},
		{"arguments as an object", calls(`{"id":"a","type":"function","function":{"name":"f","arguments":{}}}`), "messages[1].tool_calls[0].function.arguments",
			"Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string."},
		{"arguments that were cut off", calls(`{"id":"a","type":"function","function":{"name":"f","arguments":"{\"a"}}`), "messages[1].tool_calls[0].function.arguments",
			"Invalid value for 'messages[1].tool_calls[0].function.arguments': expected a JSON object."},
		{"one id twice", calls(`{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}`),
			"messages[1].tool_calls", "Duplicate value for 'tool_call_id' of 'a'."},

		{"an empty list of tools", with(`"tools":[]`), "tools",
			"Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead."},
		{"a tool that is none", with(`"tools":[1]`), "tools[0]", "Invalid type for 'tools[0]': expected an object with fields of the documented types."},
		{"a tool of an unknown type", with(`"tools":[{"type":"hammer"}]`), "tools[0].type", "Invalid value: 'hammer'. Supported values are: 'function' and 'custom'."},
		{"a function without a name", with(`"tools":[{"type":"function"}]`), "tools[0].function.name", "Missing required parameter: 'tools[0].function.name'."},
		{"a name with a dot", with(`"tools":[{"type":"function","function":{"name":"a.b","parameters":{"type":"object"}}}]`), "tools[0].function.name",
			"Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."},
		{"no parameters", with(`"tools":[{"type":"function","function":{"name":"f"}}]`), "tools[0].function.parameters",
			"Missing required parameter: 'tools[0].function.parameters'."},
		{"parameters null, as go-openai sends nil", with(`"tools":[{"type":"function","function":{"name":"f","parameters":null}}]`), "tools[0].function.parameters",
			"Invalid type for 'tools[0].function.parameters': expected an object, but got null instead."},
		{"a schema without a type", with(`"tools":[{"type":"function","function":{"name":"f","parameters":{}}}]`), "tools[0].function.parameters",
			`Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`},
		{"a schema of a string", with(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"string"}}}]`), "tools[0].function.parameters",
			`Invalid schema for function 'f': schema must be a JSON Schema of 'type: "object"', got 'type: "string"'.`},
		{"one name twice", with(`"tools":[` + tool + `,` + tool + `]`), "tools", "Function names must be unique: 'f'."},
		{"an unknown choice", with(`"tools":[` + tool + `],"tool_choice":"maybe"`), "tool_choice",
			"Invalid value: 'maybe'. Supported values are: 'none', 'auto', and 'required'."},
		{"the choice of an unknown function", with(`"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"g"}}`), "tool_choice",
			"Invalid value for 'tool_choice': no function named 'g' was specified in the 'tools' parameter."},
		{"a choice that is none", with(`"tools":[` + tool + `],"tool_choice":5`), "tool_choice",
			"Invalid type for 'tool_choice': expected one of 'none', 'auto', 'required' or an object of type 'function'."},
		{"a choice without tools", with(`"tool_choice":"none"`), "tool_choice",
			"Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."},
		{"parallel without tools", with(`"parallel_tool_calls":false`), "parallel_tool_calls",
			"Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified."},

		{"max_tokens of a reasoning model", with(`"model":"gpt-5-mini","max_tokens":5`), "max_tokens",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
		{"temperature of a reasoning model", with(`"model":"o3","temperature":0.3`), "temperature",
			"Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported."},
		{"both lengths", with(`"max_tokens":5,"max_completion_tokens":5`), "max_tokens",
			"Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."},
		{"no length", with(`"max_tokens":0`), "max_tokens", "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead."},
		{"too hot", with(`"temperature":2.1`), "temperature", "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.1 instead."},
		{"too cold", with(`"top_p":-1`), "top_p", "Invalid 'top_p': decimal below minimum value. Expected a value >= 0, but got -1 instead."},
		{"stream options without a stream", with(`"stream_options":{"include_usage":true}`), "stream_options",
			"The 'stream_options' parameter is only allowed when 'stream' is enabled."},
	} {
		t.Run(c.why, func(t *testing.T) { wantRefusal(t, d.chat(c.body), 400, c.param, c.want) })
	}
	if d.Left() != 1 || len(d.Requests()) != 0 {
		t.Error("a refused request took a reply from the script")
	}
	for _, e := range d.Exchanges() {
		if e.End != fakemodel.Refused || e.Status != 400 || len(e.Request.Raw) == 0 {
			t.Errorf("logged %+v", e)
		}
	}
}

// TestAccepted are requests at the edge, which a strict server still takes, and what the log makes of them.
func TestAccepted(t *testing.T) {
	d := start(t, fakemodel.Config{Extra: []string{"thinking"}, Handler: func(fakemodel.Request) fakemodel.Reply { return fakemodel.Text("ok") }})
	call := `{"role":"assistant","content":null,"reasoning_content":"hmm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	for _, c := range []struct {
		why, body string
		check     func(fakemodel.Request) bool
	}{
		{"an empty text", history(`{"role":"user","content":""}`), func(r fakemodel.Request) bool { return r.LastUser() == "" && r.Last().Role == fakemodel.User }},
		{"parts", history(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:"}},{"type":"text","text":"b"}]}`),
			func(r fakemodel.Request) bool { return r.LastUser() == "ab" && r.Last().Parts == 3 }},
		{"results in any order", history(`{"role":"user","content":"x"},` + call + `,{"role":"tool","content":"2","tool_call_id":"b"},{"role":"tool","content":"1","tool_call_id":"a"}`),
			func(r fakemodel.Request) bool {
				m := r.Messages[1]
				return m.Reasoning == "hmm" && m.ToolCalls[0] == (fakemodel.ToolCall{ID: "a", Name: "f", Arguments: `{"x":1}`}) &&
					r.Last().ToolCallID == "a" && r.LastUser() == "x"
			}},
		{"tool_choice none with tools", with(`"tools":[` + tool + `],"tool_choice":"none","parallel_tool_calls":false`),
			func(r fakemodel.Request) bool {
				return r.ToolChoice == "none" && len(r.Tools) == 1 && r.Tools[0].Name == "f" && !*r.ParallelToolCalls
			}},
		{"one function", with(`"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"f"}}`),
			func(r fakemodel.Request) bool { return r.ToolChoice == "f" }},
		{"a reasoning model", with(`"model":"gpt-5","max_completion_tokens":9,"temperature":1`),
			func(r fakemodel.Request) bool { return *r.MaxCompletionTokens == 9 && r.MaxTokens == nil }},
		{"a model that only looks like one", with(`"model":"openai/gpt-5","max_tokens":9,"temperature":0.5`),
			func(r fakemodel.Request) bool { return *r.MaxTokens == 9 && *r.Temperature == 0.5 }},
		{"a parameter of this server", with(`"thinking":{"type":"disabled"}`), func(r fakemodel.Request) bool { return strings.Contains(string(r.Raw), "disabled") }},
	} {
		if got := d.chat(c.body); got.status != 200 {
			t.Errorf("%s: %d %s", c.why, got.status, got.body)
			continue
		}
		all := d.Requests()
		if r := all[len(all)-1]; !c.check(r) || r.N != len(all) {
			t.Errorf("%s: logged %+v", c.why, r)
		}
	}
	if (fakemodel.Request{}).LastUser() != "" || (fakemodel.Request{}).Last().Role != "" {
		t.Error("the last of no messages")
	}
}

func TestAddressesAndKeys(t *testing.T) {
	d := start(t, fakemodel.Config{Key: "sk-test", Models: []string{"m", "m2"}})
	d.Script(fakemodel.Text("1"), fakemodel.Text("2"))
	const key, denied = "Bearer sk-test", "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
	for _, path := range []string{"/v1/chat/completions", "/chat/completions"} {
		if got := d.post(path, key, hello); got.status != 200 {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	wantRefusal(t, d.chat(hello), 401, "", denied)
	wantRefusal(t, d.post("/v1/chat/completions", "Bearer wrong", hello), 401, "", "Incorrect API key provided.")
	wantRefusal(t, d.post("/v1/chat/completions", "sk-test", hello), 401, "", "Incorrect API key provided.")
	wantRefusal(t, d.post("/v1/completions", key, hello), 404, "", "Invalid URL (POST /v1/completions)")
	wantRefusal(t, d.post("/v1/models", key, hello), 405, "", "Not allowed to POST on /v1/models.")
	wantRefusal(t, d.post("/v1/chat/completions", key, strings.Replace(hello, `"m"`, `"x"`, 1)), 404, "",
		"The model 'x' does not exist or you do not have access to it.")
	wantRefusal(t, d.post("/v1/chat/completions", key, hello), 501, "", "fakemodel: the script has no reply for this request")
	for _, path := range []string{"/v1/models", "/models"} {
		if got := d.post(path, key, ""); !strings.Contains(got.body, `"object":"list","data":[{"id":"m","object":"model"`) {
			t.Errorf("models: %d %s", got.status, got.body)
		}
	}
	if got := d.post("/v1/chat/completions", key, `"`+strings.Repeat("x", 32<<20)+`"`); got.status != 413 {
		t.Errorf("33 MB: %d", got.status)
	}
}
