package fakemodel_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sashabaranov/go-openai"

	"steady/internal/fakemodel"
)

func (d *desk) client(key string) *openai.Client {
	cfg := openai.DefaultConfig(key)
	cfg.BaseURL = d.url + "/v1"
	return openai.NewClientWithConfig(cfg)
}

func ask(text string) openai.ChatCompletionRequest {
	return openai.ChatCompletionRequest{Model: "gpt-4.1-mini", Temperature: 0.3, Messages: []openai.ChatCompletionMessage{
		{Role: openai.ChatMessageRoleSystem, Content: "You are kind."}, {Role: openai.ChatMessageRoleUser, Content: text}}}
}

// TestGoOpenAI drives the server with a client that knows the real one, through a turn with a tool.
func TestGoOpenAI(t *testing.T) {
	d := start(t, fakemodel.Config{Key: "sk-test", Models: []string{"gpt-4.1-mini"}})
	ctx, c := bounded(t), d.client("sk-test")
	models, err := c.ListModels(ctx)
	if err != nil || len(models.Models) != 1 || models.Models[0].ID != "gpt-4.1-mini" {
		t.Errorf("models: %+v %v", models, err)
	}
	d.Script(fakemodel.Calls(fakemodel.Call{Name: "log_habit", Arguments: `{"habit":"run"}`, Pieces: 4}), fakemodel.Text("Well ", "done!"))
	req := ask("I ran")
	req.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	req.Tools = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: "log_habit", Parameters: map[string]any{"type": "object"}}}}
	text, calls, usage := drain(t, c, req)
	if text != "" || len(calls) != 1 || calls[0].Function.Arguments != `{"habit":"run"}` || calls[0].ID != "call_1" || usage == 0 {
		t.Errorf("first round: %q %+v %d", text, calls, usage)
	}
	req.Messages = append(req.Messages,
		openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: " ", ToolCalls: calls},
		openai.ChatCompletionMessage{Role: openai.ChatMessageRoleTool, ToolCallID: "call_1", Content: `{"status":"ok"}`})
	if text, calls, _ = drain(t, c, req); text != "Well done!" || len(calls) != 0 {
		t.Errorf("second round: %q %+v", text, calls)
	}
	if last := d.Requests()[1].Last(); last.Role != fakemodel.ToolRole || last.Content != `{"status":"ok"}` {
		t.Errorf("logged %+v", last)
	}

	d.Script(fakemodel.Text("plain"))
	req.StreamOptions = nil
	if resp, err := c.CreateChatCompletion(ctx, req); err != nil || resp.Choices[0].Message.Content != "plain" || resp.Usage.TotalTokens == 0 {
		t.Errorf("object: %+v %v", resp, err)
	}

	var api *openai.APIError
	if _, err = d.client("wrong").CreateChatCompletion(ctx, req); !errors.As(err, &api) || api.HTTPStatusCode != 401 || api.Code != "invalid_api_key" {
		t.Errorf("wrong key: %v", err)
	}
	d.Script(fakemodel.Fail(http.StatusTooManyRequests, 3))
	if _, err = c.CreateChatCompletion(ctx, req); !errors.As(err, &api) || api.HTTPStatusCode != 429 {
		t.Errorf("throttled: %v", err)
	}
	req.Messages[3].Content = "" // go-openai leaves an empty result out, and strict servers want it
	if _, err = c.CreateChatCompletion(ctx, req); !errors.As(err, &api) || !strings.Contains(api.Message, "Missing required parameter: 'messages[3].content'") {
		t.Errorf("an empty result: %v", err)
	}
}

// drain reads a whole stream as go-openai gives it.
func drain(t *testing.T, c *openai.Client, req openai.ChatCompletionRequest) (text string, calls []openai.ToolCall, usage int) {
	t.Helper()
	stream, err := c.CreateChatCompletionStream(bounded(t), req)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return text, calls, usage
		}
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Usage != nil {
			usage = chunk.Usage.TotalTokens
		}
		for _, choice := range chunk.Choices {
			text += choice.Delta.Content
			for _, call := range choice.Delta.ToolCalls {
				if *call.Index == len(calls) {
					calls = append(calls, call)
					continue
				}
				calls[*call.Index].Function.Arguments += call.Function.Arguments
			}
		}
	}
}

// TestSamples lets go-openai read the samples. Where its own reader goes wrong, the row says how: that is what the quirk does
// to a client that trusts it.
func TestSamples(t *testing.T) {
	d := start(t, fakemodel.Config{})
	c := d.client("")
	for _, row := range []struct {
		name, text string
		calls      int    // fragments of calls
		fails      string // part of the error that ends the stream
	}{
		{name: "S1", calls: 4}, {name: "S2", calls: 2}, {name: "S3", calls: 1}, {name: "S4", fails: "cannot unmarshal object"},
		{name: "S5", calls: 3}, {name: "S6", text: "Hi there"}, {name: "S7", text: "par"}, {name: "S8", fails: "overloaded"},
		{name: "S9", fails: "unexpected end of JSON input"}, {name: "S10"}, {name: "S11"}, {name: "S12"}, {name: "S13", text: "half"},
		{name: "S14"}, {name: "S15"}, {name: "S16", fails: "too many empty messages"}, {name: "S17", text: "42"},
		{name: "S18", fails: "cannot unmarshal array"}, {name: "S19", text: "ok"}, {name: "S20", text: "ok"}, {name: "S21", text: "ok"},
		{name: "S22", calls: 2}, {name: "S23", calls: 2}, {name: "S24", text: "<think>secret</think>answer"}, {name: "S25", calls: 1}, {name: "S26"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fakemodel.SampleNamed(row.name)
			if s.Quirk == "" || s.Must == "" {
				t.Error("a sample must say what it is")
			}
			d.Script(s.Verbatim)
			stream, err := c.CreateChatCompletionStream(bounded(t), ask("x"))
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Close()
			text, calls := "", 0
			for {
				chunk, err := stream.Recv()
				if err != nil {
					if row.fails == "" && !errors.Is(err, io.EOF) || row.fails != "" && !strings.Contains(err.Error(), row.fails) {
						t.Errorf("ended with %v, want %q", err, row.fails)
					}
					break
				}
				for _, choice := range chunk.Choices {
					text += choice.Delta.Content
					calls += len(choice.Delta.ToolCalls)
				}
			}
			if row.fails == "" && (text != row.text || calls != row.calls) {
				t.Errorf("read %q and %d fragments, want %q and %d", text, calls, row.text, row.calls)
			}
		})
	}
	if n := len(fakemodel.Samples()); n != 26 {
		t.Errorf("%d samples", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("found a sample that there is not")
		}
	}()
	fakemodel.SampleNamed("S27")
}
