package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"steady/core"
)

// filtered returns what is left of a text that comes in the given pieces.
func filtered(calls bool, pieces ...string) string {
	var f thoughtFilter
	var out strings.Builder
	take := func(shown string, void bool) {
		if void {
			out.Reset()
		}
		out.WriteString(shown)
	}
	for _, p := range pieces {
		take(f.add(p))
	}
	take(f.end(calls))
	return out.String()
}

func TestThoughts(t *testing.T) {
	for _, tt := range []struct{ in, want, why string }{
		{"answer", "answer", ""},
		{"<think>a</think>\n\nanswer", "answer", "nor the blank lines between"},
		{"  \n<think>a</think>b<think>c</think>d", "bd", ""},
		{"<think>a", "", "never closed: all of it is a thought"},
		{"<think>a<think>b</think>c</think>d", "d", "nested"},
		{"<think></think>x", "x", ""},
		{"a < b and <thin", "a < b and <thin", "no tag"},
		{"1<2</think", "1<2</think", ""},
		{"hm</think>x", "x", "the opening tag was in the prompt"},
		{"x</think>", "x", "nothing follows: rather an answer with a stray tag than none"},
		{"x</think> \n", "x", ""},
		{"</think>x", "x", ""},
		{"write `<think>` first", "write `<think>` first", "mentioned, not meant"},
		{"write `</think>` last", "write `</think>` last", ""},
		{"<think>`</think>x", "x", "inside of a thought nothing is mentioned"},
		{"<Think>x", "<Think>x", ""},
		{"", "", ""},
	} {
		if got := filtered(false, tt.in); got != tt.want {
			t.Errorf("%q: %q, want %q: %s", tt.in, got, tt.want, tt.why)
		}
	}
	if got := filtered(true, "hm</think>"); got != "" {
		t.Errorf("before a call: %q", got)
	}
}

// TestThoughtsSplit holds that it does not matter where a text is cut.
func TestThoughtsSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"<think>", "</think>", "<", "</", "th", "ink>", "a", " ", "`", "가", "\n"})).Draw(t, "parts")
		calls := rapid.Bool().Draw(t, "calls")
		whole := strings.Join(parts, "")
		var pieces []string
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		if got, want := filtered(calls, pieces...), filtered(calls, whole); got != want {
			t.Fatalf("%q: %q, whole %q", pieces, got, want)
		}
	})
}

// accumulate returns the reply to a body.
func accumulate(body io.Reader) (core.Reply, error) {
	acc := &accumulator{}
	if err := read(body, acc, func(piece) {}); err != nil {
		return core.Reply{}, err
	}
	if err := acc.verdict(); err != nil {
		return core.Reply{}, err
	}
	acc.flush()
	n := 0
	return acc.reply("o", func(id string) string {
		if id == "" {
			n++
			id = fmt.Sprint("new", n)
		}
		return id
	}), nil
}

// TestCalls holds to which call a piece belongs: index, id, name, arguments.
func TestCalls(t *testing.T) {
	for _, tt := range []struct{ name, pieces, want, why string }{
		{"name in pieces", `0 a get_ -,0 - time -,0 - - {}`, `a get_time {}`, ""},
		{"name repeated before arguments", `0 a f -,0 a f -,0 a f {}`, `a f {}`, ""},
		{"name repeated after arguments", `0 a f {"x",0 - f :1}`, `a f {"x":1}`, ""},
		{"one index, no ids", `0 - f {},0 - g {}`, `new1 f {},new2 g {}`, "another name after arguments"},
		{"one index, id comes late", `0 - f {"x",0 a - :1}`, `a f {"x":1}`, ""},
		{"one index, interleaved by id", `0 a f {"x",0 b g {"y",0 a - :1},0 b - :2}`, `a f {"x":1},b g {"y":2}`, ""},
		{"one index, pieces without id", `0 a f {},0 b g {,0 - - }`, `a f {},b g {}`, "the last one goes on"},
		{"indices from 1", `1 a f {},2 b g {}`, `a f {},b g {}`, ""},
		{"no index, by id", `- a f {"x",- b g {,- a - :1},- b - }`, `a f {"x":1},b g {}`, ""},
		{"no index, one after the other", `- - f {,- - - },- - g {}`, `new1 f {},new2 g {}`, ""},
		{"no index, the same name twice", `- - f {},- - f {}`, `new1 f {},new2 f {}`, ""},
		{"no name at all", `0 a - {}`, `a  {}`, "the dispatcher does not know it"},
	} {
		var b strings.Builder
		for _, p := range strings.Split(tt.pieces, ",") {
			f := strings.Split(strings.ReplaceAll(p, "-", ""), " ")
			index := ""
			if f[0] != "" {
				index = `"index":` + f[0] + `,`
			}
			args, _ := json.Marshal(f[3])
			fmt.Fprintf(&b, `data: {"choices":[{"delta":{"tool_calls":[{%s"id":%q,"function":{"name":%q,"arguments":%s}}]}}]}`+"\n\n", index, f[1], f[2], args)
		}
		r, err := accumulate(strings.NewReader(b.String() + "data: [DONE]\n"))
		var got []string
		for _, c := range r.Calls {
			got = append(got, c.ID+" "+c.Name+" "+c.Args)
		}
		if err != nil || strings.Join(got, ",") != tt.want {
			t.Errorf("%s: %v (%v), want %s: %s", tt.name, got, err, tt.want, tt.why)
		}
	}
}

// TestSplitReply holds that a reply is the same however text, thoughts and arguments are cut, however calls interleave and
// however the bytes come from the network.
func TestSplitReply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		str := rapid.StringOf(rapid.SampledFrom([]rune("ab {}\":한😀\n<")))
		want := core.Reply{Text: strings.TrimLeft(str.Draw(t, "text"), " \n"), Usage: core.Usage{Prompt: 1, Completion: 2}}
		var pieces []string
		cut := func(s string, form func(piece string) string) (out []string) {
			for _, r := range s {
				out = append(out, form(string(r)))
			}
			return out
		}
		quote := func(s string) string { b, _ := json.Marshal(s); return string(b) }
		lines := [][]string{cut(want.Text, func(p string) string { return `{"content":` + quote(p) + `}` })}
		for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
			args := quote(str.Draw(t, "args"))
			id := fmt.Sprint("id", i)
			want.Calls = append(want.Calls, core.ToolCall{ID: id, Name: "f", Args: args})
			head := fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"function":{"name":"f","arguments":""}}]}`, i, id)
			pieces = append(pieces, head)
			lines = append(lines, cut(args, func(p string) string {
				return fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(p))
			}))
		}
		for len(lines) > 0 {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			if len(lines[i]) == 0 {
				lines = append(lines[:i], lines[i+1:]...)
				continue
			}
			pieces, lines[i] = append(pieces, lines[i][0]), lines[i][1:]
		}
		var b strings.Builder
		for _, p := range pieces {
			b.WriteString(`data: {"choices":[{"index":0,"delta":` + p + "}]}\r\n\r\n")
		}
		b.WriteString(`data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n")
		got, err := accumulate(iotest.OneByteReader(strings.NewReader(b.String())))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, %v\nwant %+v", got, err, want)
		}
	})
}

// FuzzReply holds that no body makes the reader panic or its reply grow over the bounds, and that calls have names for each
// other.
func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		"\ufeff: c\r\ndata:{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]}}]}\r\n\r\n",
		"event: error\ndata: {\"message\":\"boom\"}\n\n",
		"data: {\"choices\":\ndata: [{\"delta\":{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"a\"}]}}]}\n\n",
		"data: {\"choices\":[{\"delta\":{\"content\":\"<th\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"ink>x</think>y\"}}]}\n\ndata: [DONE]",
		`[{"error":{"code":400,"message":"x"}}]`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"}],"function_call":{"name":"f"}},"finish_reason":"stop"}],"usage":{"prompt_tokens":"1"}}`,
		"{\"error\":\"x\"}\ndata: x", "<html>", "data: []\n\n", "data\n\n", ":", "",
		"event:error\ndata:\"", // half a string
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var shown strings.Builder
		acc := &accumulator{}
		show := func(p piece) {
			if p.void {
				shown.Reset()
			}
			shown.WriteString(p.text)
		}
		err := read(strings.NewReader(string(body)), acc, show)
		if len(acc.slots) > maxCalls+1 || acc.size > maxReply+maxJSON {
			t.Fatalf("%d calls, %d bytes", len(acc.slots), acc.size)
		}
		if err != nil {
			return
		}
		show(acc.flush())
		r := acc.reply("o", newIDs(core.Prompt{}))
		if r.Text != shown.String() {
			t.Fatalf("text %q, shown %q", r.Text, shown.String())
		}
		seen := map[string]bool{}
		for _, c := range r.Calls {
			if c.ID == "" || seen[c.ID] || c.Args == "" {
				t.Fatalf("calls %+v", r.Calls)
			}
			seen[c.ID] = true
		}
		again := core.Prompt{Items: []core.PromptItem{core.Calls{Text: r.Text, Calls: r.Calls, Opaque: r.Opaque}}}
		if _, err := (encoder{origin: "o"}).encode(again); err != nil {
			t.Fatalf("cannot be sent back: %v", err)
		}
	})
}

// FuzzFailure holds that every error text is classed without a panic, and never shows the key.
func FuzzFailure(f *testing.F) {
	for _, seed := range []string{
		`{"error":{"message":"sk-0123456789abcdef","code":"x"}}`, `[{"error":{"message":"retryDelay\": \"99999999h"}}]`, `"s"`, `{"error":[1]}`, `{`, ``,
		`{"object":"error","message":{"detail":[]},"code":1e999}`,
	} {
		f.Add(uint16(429), []byte(seed))
	}
	base, err := Config{BaseURL: "https://u:pass-word@h/v1?k=v-a-l-u-e", Key: "sk-0123456789abcdef", Model: "m"}.check()
	if err != nil {
		f.Fatal(err)
	}
	clean := newRedactor("sk-0123456789abcdef", base)
	f.Fuzz(func(t *testing.T, status uint16, body []byte) {
		fail := parseFailure(body)
		fail.status = int(status)
		if k := fail.kind(); k == core.Other || k > core.Truncated {
			t.Fatalf("kind %v", k)
		}
		if fail.pause() < 0 {
			t.Fatalf("pause %v", fail.pause())
		}
		s := clean.clean(fail.Error())
		for _, secret := range []string{"sk-0123456789abcdef", "pass-word", "v-a-l-u-e"} {
			if strings.Contains(s, secret) {
				t.Fatalf("%q shows a secret", s)
			}
		}
		if len(s) > maxErrorText+len("…") || strings.ContainsAny(s, "\n\r") {
			t.Fatalf("not fit for a log: %q", s)
		}
	})
}
