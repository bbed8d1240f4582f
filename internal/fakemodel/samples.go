package fakemodel

import "strings"

// Sample is a stream as some real server sends it.
type Sample struct {
	Name  string // S1 to S26
	Quirk string // whose it is and what is odd about it
	Must  string // what a client has to make of it
	Verbatim
}

// Samples are 26 streams with the quirks of the servers that call themselves compatible.
func Samples() []Sample {
	return append(toolSamples(), append(errorSamples(), textSamples()...)...)
}

// SampleNamed is the sample of that name; it panics without one, as that is a mistake in the test.
func SampleNamed(name string) Sample {
	for _, s := range Samples() {
		if s.Name == name {
			return s
		}
	}
	panic("fakemodel: no sample " + name)
}

// events makes a stream of lines, each an event of its own. A line that is JSON becomes data, others stay as they are.
func events(lines ...string) Verbatim {
	var b strings.Builder
	for _, l := range lines {
		if strings.HasPrefix(l, "{") || l == "[DONE]" {
			l = "data: " + l
		}
		b.WriteString(l + "\n\n")
	}
	return Bytes(b.String())
}

func toolSamples() []Sample {
	return []Sample{
		{"S1", "OpenAI: parallel calls, arguments interleaved", "merge by index", events(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"get_time","arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"tz\":"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"get_rate","arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"UTC\"}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
			`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`,
			`[DONE]`)},
		{"S2", "Gemini: no index, whole arguments, empty id, finish stop, thought signature",
			"no index and a name is a new call; make up its id; run the calls although finish is stop; send extra_content back", events(
				`{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"c2ln"}},"id":"function-call-1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]},"finish_reason":"stop"}]}`,
				`[DONE]`)},
		{"S3", "Ollama: a whole call, then finish stop", "calls decide, not finish_reason", events(
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_x","index":0,"type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}`)},
		{"S4", "arguments as an object", "take its JSON text", events(
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":{"a":1}}}]},"finish_reason":"tool_calls"}]}`)},
		{"S5", `arguments null, "" and "null"`, "all three mean {}", events(
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":null}},{"index":1,"id":"d","function":{"name":"g","arguments":""}},{"index":2,"id":"e","function":{"name":"h","arguments":"null"}}]},"finish_reason":"tool_calls"}]}`)},
		{"S22", "id and name in every fragment", "one call named lookup", events(
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"lookup","arguments":"{\"q\""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"lookup","arguments":":1}"}}]},"finish_reason":"tool_calls"}]}`)},
		{"S23", "two calls with one index", "another id is another call", events(
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"a","arguments":"{}"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_2","function":{"name":"b","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`)},
		{"S25", "finish length inside arguments", "never run it", events(
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":\"trunc"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`)},
	}
}

func errorSamples() []Sample {
	return []Sample{
		{"S7", "OpenRouter: an error inside a chunk of a 200 stream", "the error, not the text before it", events(
			`{"choices":[{"index":0,"delta":{"content":"par"}}]}`,
			`{"id":"gen-1","error":{"code":502,"message":"Provider returned error"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`)},
		{"S8", "an error as a line", "the error: overloaded", events(`{"error":{"message":"overloaded","type":"server_error","code":"503"}}`)},
		{"S9", "an error after a comment", "the error: overloaded", events(`: keep-alive`,
			`{"error":{"message":"overloaded","type":"server_error"}}`)},
		{"S10", "an error with spaces in its JSON", "the error: bad", events(`{ "error": {"message":"bad"} }`)},
		{"S11", "vLLM: a flat error", "the error: Engine dead", events(
			`{"object":"error","message":"Engine dead","type":"InternalServerError","code":500}`)},
		{"S12", "an event named error", "the error: boom", Bytes("event: error\ndata: {\"message\":\"boom\"}\n\n")},
		{"S13", "the end without finish_reason and [DONE]", "cut off, not complete", events(`{"choices":[{"index":0,"delta":{"content":"half"}}]}`)},
	}
}

func textSamples() []Sample {
	return []Sample{
		{"S6", "OpenRouter: a comment, reasoning, cost", "Hi there; the reasoning is not shown", events(`: OPENROUTER PROCESSING`,
			`{"provider":"P","choices":[{"index":0,"delta":{"content":"Hi","reasoning":"think"},"native_finish_reason":null}]}`,
			`{"choices":[{"index":0,"delta":{"content":" there"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cost":0.001}}`)},
		{"S14", "no newline after the last line", "B", Bytes(`data: {"choices":[{"index":0,"delta":{"content":"B"},"finish_reason":"stop"}]}`)},
		{"S15", "plain JSON although a stream was asked for", "hello", Verbatim{ContentType: "application/json", Steps: []Step{
			Raw(`{"choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`)}}},
		{"S16", "200 keep-alives before the first word", "late", events(strings.TrimSuffix(strings.Repeat(": keep-alive\n\n", 200), "\n\n"),
			`{"choices":[{"index":0,"delta":{"content":"late"},"finish_reason":"stop"}]}`, `[DONE]`)},
		{"S17", "DeepSeek: reasoning_content", "42", events(
			`{"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hmm"}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"42","reasoning_content":null}}]}`,
			`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`)},
		{"S18", "Mistral: content as a list", "ok; the thinking is not shown", events(
			`{"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`)},
		{"S19", "Azure: a first chunk without choices", "ok", events(
			`{"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}`,
			`{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`, `[DONE]`)},
		{"S20", "choices null beside the usage", "ok", events(
			`{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}],"usage":null}`,
			`{"choices":null,"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, `[DONE]`)},
		{"S21", `finish_reason "" and then an unknown one`, "ok; the empty one is none, the unknown one is stop", events(
			`{"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":""}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"end_turn"}]}`)},
		{"S24", "think tags in the content, cut up", "answer", events(
			`{"choices":[{"index":0,"delta":{"content":"<th"}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"ink>secret</think>answer"},"finish_reason":"stop"}]}`)},
		{"S26", "no space after data, CRLF, a message instead of a delta", "full", Bytes(
			"data:{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"full\"},\"finish_reason\":\"stop\"}]}\r\n\r\n")},
	}
}
