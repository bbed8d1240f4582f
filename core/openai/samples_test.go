package openai_test

import (
	"strings"
	"testing"

	"steady/core"
)

// TestSamples holds what servers were seen to send, one quirk a row.
func TestSamples(t *testing.T) {
	call := func(id, name, args string) core.ToolCall { return core.ToolCall{ID: id, Name: name, Args: args} }
	for _, tt := range []struct {
		name  string
		body  string
		text  string
		calls []core.ToolCall // an ID of "new" stands for one that the client made up
		usage core.Usage
		kind  core.Kind // of the error; Other for none
		why   string
	}{{
		name: "S1 OpenAI, parallel tools",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"get_time","arguments":""}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"tz\":"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"get_rate","arguments":"{}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"UTC\"}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
			`data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`,
			end),
		calls: []core.ToolCall{call("call_a", "get_time", `{"tz":"UTC"}`), call("call_b", "get_rate", "{}")},
		usage: core.Usage{Prompt: 10, Completion: 5},
		why:   "arguments of two calls interleave and are told apart by index",
	}, {
		name: "S2 Gemini",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"c2ln"}},"id":"function-call-1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"id":"","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]},"finish_reason":"stop"}]}`,
			end),
		calls: []core.ToolCall{
			{ID: "function-call-1", Name: "weather", Args: `{"city":"Oslo"}`,
				Opaque: []byte(`{"from":"model.test test","extra_content":{"google":{"thought_signature":"c2ln"}}}`)},
			call("new", "weather", `{"city":"Rome"}`)},
		why: "without an index a name begins a call; finish is stop all the same; the signature is kept",
	}, {
		name: "S3 Ollama",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_x","index":0,"type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}`),
		calls: []core.ToolCall{call("call_x", "f", `{"a":1}`)},
		why:   "calls count, not the finish reason; no [DONE]",
	}, {
		name:  "S4 arguments as object",
		body:  events(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":{"a": 1}}}]},"finish_reason":"tool_calls"}]}`),
		calls: []core.ToolCall{call("c", "f", `{"a":1}`)},
	}, {
		name: "S5 arguments null, empty and \"null\"",
		body: events(`data: {"choices":[{"index":0,"delta":{"tool_calls":[` +
			`{"index":0,"id":"c","function":{"name":"f","arguments":null}},` +
			`{"index":1,"id":"d","function":{"name":"g","arguments":""}},` +
			`{"index":2,"id":"e","function":{"name":"h","arguments":"null"}}]},"finish_reason":"tool_calls"}]}`),
		calls: []core.ToolCall{call("c", "f", "{}"), call("d", "g", "{}"), call("e", "h", "{}")},
	}, {
		name: "S6 OpenRouter",
		body: events(": OPENROUTER PROCESSING",
			`data: {"provider":"P","choices":[{"index":0,"delta":{"content":"Hi","reasoning":"think"},"native_finish_reason":null}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":" there"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cost":0.001}}`),
		text: "Hi there", usage: core.Usage{Prompt: 1, Completion: 2},
		why: "comments are skipped, reasoning is no text, usage comes with the last piece",
	}, {
		name: "S7 OpenRouter, error inside of a stream",
		body: events(delta("par"),
			`data: {"id":"gen-1","error":{"code":502,"message":"Provider returned error"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
		text: "par", kind: core.Transient,
		why: "the error wins over the finish reason",
	}, {
		name: "S8 error line",
		body: events(`data: {"error":{"message":"overloaded","type":"server_error","code":"503"}}`),
		kind: core.Transient,
	}, {
		name: "S9 error after a comment",
		body: events(": keep-alive", `data: {"error":{"message":"overloaded","type":"server_error"}}`),
		kind: core.Transient,
	}, {
		name: "S10 spaced error",
		body: events(`data: { "error": {"message":"bad"} }`),
		kind: core.Transient,
	}, {
		name: "S11 vLLM, error without envelope",
		body: events(`data: {"object":"error","message":"Engine dead","type":"InternalServerError","code":500}`),
		kind: core.Transient,
	}, {
		name: "S12 event named error",
		body: events("event: error\ndata: {\"message\":\"boom\"}"),
		kind: core.Transient,
	}, {
		name: "S13 cut off",
		body: events(delta("half")),
		text: "half", kind: core.Truncated,
		why: "neither finish reason nor [DONE]",
	}, {
		name: "S14 last line without newline",
		body: `data: {"choices":[{"index":0,"delta":{"content":"B"},"finish_reason":"stop"}]}`,
		text: "B",
	}, {
		name: "S15 JSON in place of a stream",
		body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}]}`,
		text: "hello",
	}, {
		name: "S15 error in JSON with status 200",
		body: `{"error":{"code":429,"message":"Rate limit exceeded"}}`,
		kind: core.Throttled,
	}, {
		name: "S16 many keep-alives",
		body: strings.Repeat(": keep-alive\n\n", 200) + events(delta("late"), stop, end),
		text: "late",
		why:  "go-openai's reader ends here",
	}, {
		name: "S16 nothing but keep-alives",
		body: strings.Repeat(": keep-alive\n\n", 200),
		kind: core.Truncated,
	}, {
		name: "S17 DeepSeek",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"content":null,"reasoning_content":"hmm"}}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":"42","reasoning_content":null}}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`),
		text: "42", usage: core.Usage{Prompt: 1, Completion: 2},
	}, {
		name: "S18 Mistral, list of parts",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":[{"type":"text","text":"o"}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"content":"k"},"finish_reason":"stop"}]}`),
		text: "ok",
		why:  "parts that are thoughts are no text",
	}, {
		name: "S19 Azure, first piece without choices",
		body: events(`data: {"id":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}`, delta("a"), stop, end),
		text: "a",
	}, {
		name: "S20 choices null with usage",
		body: events(delta("a"), stop, `data: {"choices":null,"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, end),
		text: "a", usage: core.Usage{Prompt: 1, Completion: 1},
	}, {
		name: "S21 finish reason empty, then unknown",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":""}]}`,
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"end_turn"}]}`),
		text: "ok",
	}, {
		name: "S21 finish reason empty, then nothing",
		body: events(`data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":""}]}`),
		text: "ok", kind: core.Truncated,
		why: "an empty finish reason is none",
	}, {
		name: "S22 id and name in every piece",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"lookup","arguments":"{\"q\""}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"lookup","arguments":":1}"}}]},"finish_reason":"tool_calls"}]}`),
		calls: []core.ToolCall{call("call_1", "lookup", `{"q":1}`)},
	}, {
		name: "S23 two calls with one index",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"a","arguments":"{}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_2","function":{"name":"b","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`),
		calls: []core.ToolCall{call("call_1", "a", "{}"), call("call_2", "b", "{}")},
	}, {
		name: "S24 think tags, split",
		body: events(delta("<th"),
			`data: {"choices":[{"index":0,"delta":{"content":"ink>secret</think>answer"},"finish_reason":"stop"}]}`),
		text: "answer",
	}, {
		name: "S25 length inside of arguments",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":\"trunc"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`, end),
		kind: core.Truncated,
		why:  "a reply that was cut off is never acted upon",
	}, {
		name: "S25 length after a call that looks whole",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"delete_all","arguments":""}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`, end),
		kind: core.Truncated,
		why:  "no arguments are not the same as arguments that did not come any more",
	}, {
		name: "S26 no space, CRLF, message in place of delta",
		body: "data:{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"full\"},\"finish_reason\":\"stop\"}]}\r\n\r\n",
		text: "full",
	}, {
		name: "S26 function_call, the form before tools",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"function_call":{"name":"f","arguments":"{\"a\""}}}]}`,
			`data: {"choices":[{"index":0,"delta":{"function_call":{"arguments":":1}"}},"finish_reason":"function_call"}]}`),
		calls: []core.ToolCall{call("new", "f", `{"a":1}`)},
	}, {
		name: "byte order mark",
		body: "\ufeff" + events(delta("a"), stop, end),
		text: "a",
	}, {
		name: "data in several lines",
		body: "data: {\"choices\":\ndata: [{\"index\":0,\"delta\":{\"content\":\"a\"},\ndata: \"finish_reason\":\"stop\"}]}\n\n",
		text: "a",
	}, {
		name: "no blank lines",
		body: strings.Join([]string{delta("a"), delta("b"), stop, usage, end}, "\n"),
		text: "ab", usage: core.Usage{Prompt: 7, Completion: 3},
		why: "the standard would join the lines to one event",
	}, {
		name: "usage after [DONE]",
		body: events(delta("a"), stop, end, usage),
		text: "a", usage: core.Usage{Prompt: 7, Completion: 3},
	}, {
		name: "[DONE] without finish reason",
		body: events(delta("a"), end),
		text: "a",
	}, {
		name: "wrong types everywhere",
		body: events(`data: {"id":5,"created":1.5,"choices":[{"index":"0","delta":{"tool_calls":[{"index":"0","id":77,"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":"3","completion_tokens":2.0}}`),
		text: "", calls: []core.ToolCall{call("77", "f", "{}")}, usage: core.Usage{Prompt: 3, Completion: 2},
	}, {
		name: "content filter",
		body: events(delta("a"), `data: {"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}`, end),
		text: "a", kind: core.Refused,
	}, {
		name: "finish reason of a server that gave up",
		body: events(delta("a"), `data: {"choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}`, end),
		text: "a", kind: core.Transient,
	}, {
		name: "refusal",
		body: events(`data: {"choices":[{"index":0,"delta":{"refusal":"I cannot."}}]}`, stop, end),
		text: "I cannot.",
		why:  "these are the model's words to the person",
	}, {
		name:  "arguments that are no JSON",
		body:  events(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":"}}]},"finish_reason":"tool_calls"}]}`, end),
		calls: []core.ToolCall{call("c", "f", `{"a":`)},
		why:   "handed on as they are; the dispatcher tells the model",
	}, {
		name: "valid too early",
		body: events(
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\":1}"}}]},"finish_reason":"tool_calls"}]}`, end),
		calls: []core.ToolCall{call("c", "f", `{}"a":1}`)},
		why:   "pain T03: nothing is run before the end, where this is seen to be no JSON",
	}, {
		name:  "one id for two calls",
		body:  events(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}},{"index":1,"id":"c","function":{"name":"g"}}]},"finish_reason":"tool_calls"}]}`, end),
		calls: []core.ToolCall{call("c", "f", "{}"), call("new", "g", "{}")},
		why:   "results are told apart by id",
	}, {
		name: "closing tag alone",
		body: events(delta("let me see"), delta("</think>"), delta("yes"), stop, end),
		text: "yes",
		why:  "with some templates the opening tag is in the prompt; what was shown is taken back",
	}, {
		name:  "closing tag alone, then a call",
		body:  events(delta("let me see</think>"), `data: {"choices":[{"delta":{"tool_calls":{"id":"c","function":{"name":"f","arguments":[1]}}},"finish_reason":"stop"}]}`),
		calls: []core.ToolCall{call("c", "f", "[1]")},
		why:   "a call is what follows the thought; the list of calls may be missing around it",
	}, {
		name: "odd types of what is not needed",
		body: events(`data: {"choices":[{"delta":{"content":"a","tool_calls":"","reasoning_details":{"type":1},"reasoning":[]},"finish_reason":"stop"}],"usage":[]}`),
		text: "a",
	}, {
		name: "bare JSON line in a stream",
		body: ": ok\n\n" + `{"error":{"message":"CUDA out of memory","type":"server_error"}}` + "\n",
		kind: core.Transient,
	}, {
		name: "JSON lines",
		body: `{"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n" + `{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}]}`,
		text: "ab",
	}, {
		name: "web page",
		body: "<!doctype html><title>Open WebUI</title>",
		kind: core.Refused,
		why:  "the base URL is wrong; asking again does not help",
	}, {
		name: "context overflow inside of a stream",
		body: events(`data: {"error":{"code":400,"message":"This model's maximum context length is 4096 tokens."}}`),
		kind: core.Overflow,
	}, {
		name: "whole message repeated at the end",
		body: events(delta("a"), delta("b"), `data: {"choices":[{"index":0,"message":{"content":"ab"},"finish_reason":"stop"}]}`),
		text: "ab",
	}, {
		name: "second choice",
		body: events(delta("a"), `data: {"choices":[{"index":1,"delta":{"content":"X"}}]}`, stop),
		text: "a",
	}, {
		name: "pings",
		body: events("event: ping\ndata: ping", "event: ping\ndata: {}", "retry: 3000", delta("a"), stop),
		text: "a",
	}, {
		name: "answer that is broken off inside of JSON",
		body: `data: {"choices":[{"index":0,"delta":{"con`,
		kind: core.Truncated,
	}, {
		name: "event that is no JSON",
		body: events(`data: {"choices":}`, stop),
		kind: core.Transient,
	}} {
		t.Run(tt.name, func(t *testing.T) {
			server := &canned{answers: []answer{{body: tt.body}}}
			var got heard
			reply, err := newModel(t, config(server)).Reply(t.Context(), hello, got.sink)
			if core.KindOf(err) != tt.kind || (err != nil) != (tt.kind != core.Other) {
				t.Fatalf("error %v, want kind %v: %s", err, tt.kind, tt.why)
			}
			if got.text() != tt.text {
				t.Errorf("shown %q, want %q: %s", got.text(), tt.text, tt.why)
			}
			if server.open != 0 {
				t.Error("body left open")
			}
			if err != nil {
				if reply.Text != "" || reply.Calls != nil {
					t.Errorf("reply with an error: %+v", reply)
				}
				return
			}
			if reply.Text != tt.text {
				t.Errorf("text %q, want %q: %s", reply.Text, tt.text, tt.why)
			}
			if reply.Usage != tt.usage {
				t.Errorf("usage %v, want %v", reply.Usage, tt.usage)
			}
			compareCalls(t, reply.Calls, tt.calls)
		})
	}
}

func compareCalls(t *testing.T, got, want []core.ToolCall) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("calls %+v, want %+v", got, want)
	}
	seen := map[string]bool{}
	for i, w := range want {
		g := got[i]
		if seen[g.ID] {
			t.Errorf("id %q twice", g.ID)
		}
		seen[g.ID] = true
		if w.ID == "new" && len(g.ID) == 9 {
			w.ID = g.ID
		}
		if g.ID != w.ID || g.Name != w.Name || g.Args != w.Args || string(g.Opaque) != string(w.Opaque) {
			t.Errorf("call %d: %+v, want %+v", i, g, w)
		}
	}
}
