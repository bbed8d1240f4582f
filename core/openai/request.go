package openai

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"regexp"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"steady/core"
)

// Stand-ins for what servers refuse when it is missing.
const (
	noOutput = "(no output)"
	noParams = `{"type":"object","properties":{}}`
	noName   = "unknown"
)

// The runtime facts stand between these. The same marks in a person's text lose their brackets, so that nobody can write facts.
const (
	openFacts  = "<runtime_facts>"
	closeFacts = "</runtime_facts>"
)

var (
	// reasoningModel names OpenAI's models that take max_completion_tokens and no temperature.
	reasoningModel = regexp.MustCompile(`^(o[1-9]\d*|gpt-([5-9]|[1-9]\d))([-.:@]|$)`)
	mistralModel   = regexp.MustCompile(`mistral|mixtral|ministral|codestral|devstral|magistral|pixtral`)
	mistralID      = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
	notInNames     = regexp.MustCompile(`[^a-zA-Z0-9_-]`)
	unmark         = strings.NewReplacer(openFacts, "(runtime_facts)", closeFacts, "(/runtime_facts)")
)

// An encoder makes requests for one model of one server.
type encoder struct {
	model       string
	origin      string // of the keepsakes that this server may see
	maxTokens   int
	temperature float32
	reasoning   bool // the model takes no temperature
	mistral     bool // ids of calls are nine letters and digits
}

func newEncoder(cfg Config, host string) encoder {
	name := strings.ToLower(cfg.Model)
	bare := strings.TrimPrefix(name[strings.LastIndexByte(name, '/')+1:], "ft:")
	return encoder{
		model:       cfg.Model,
		origin:      host + " " + cfg.Model,
		maxTokens:   cfg.MaxOutputTokens,
		temperature: cfg.Temperature,
		reasoning:   reasoningModel.MatchString(bare),
		mistral:     mistralModel.MatchString(name) || mistralModel.MatchString(strings.ToLower(host)),
	}
}

// A request is go-openai's with the fields that it would leave out: see the package comment. The fields here win over those of
// the same name in the embedded struct.
type request struct {
	sdk.ChatCompletionRequest
	Messages    []message `json:"messages"`
	MaxTokens   int       `json:"max_tokens,omitempty"` // deprecated by OpenAI, and the only one that most others know
	Temperature *float32  `json:"temperature,omitempty"`
}

type message struct {
	Role             string            `json:"role"`
	Content          string            `json:"content"` // some servers answer 400 when it is missing or null
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        *string           `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls        []toolCall        `json:"tool_calls,omitempty"`
	ToolCallID       string            `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	sdk.ToolCall
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
}

// encode returns the body of a request.
func (e encoder) encode(p core.Prompt) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e.request(p)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (e encoder) request(p core.Prompt) request {
	r := request{Messages: e.messages(p)}
	r.Model = e.model
	r.Stream = true
	r.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	if e.reasoning {
		r.MaxCompletionTokens = e.maxTokens
	} else {
		r.MaxTokens = e.maxTokens
		r.Temperature = &e.temperature
	}
	for _, t := range p.Tools {
		r.Tools = append(r.Tools, sdk.Tool{Type: sdk.ToolTypeFunction, Function: &sdk.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: parameters(t.Schema),
		}})
	}
	if p.NoTools && len(p.Tools) > 0 {
		r.ToolChoice = "none"
	}
	return r
}

// parameters returns a schema of an object: that of a tool without arguments, where there is none.
func parameters(schema json.RawMessage) json.RawMessage {
	if schema = bytes.TrimSpace(schema); len(schema) == 0 || schema[0] != '{' || len(schema) == 2 {
		return json.RawMessage(noParams)
	}
	return schema
}

// messages returns the prompt as the wire has it. It is pure: the same prompt always gives the same messages, which is what
// servers cache by.
func (e encoder) messages(p core.Prompt) []message {
	out := make([]message, 0, len(p.Items)+1)
	if p.System != "" {
		out = append(out, message{Role: sdk.ChatMessageRoleSystem, Content: p.System})
	}
	last := lastAsk(p.Items)
	for i, item := range p.Items {
		switch it := item.(type) {
		case core.Ask:
			text := unmark.Replace(it.Text)
			if i == last && it.Facts != "" {
				text += "\n\n" + openFacts + "\n" + unmark.Replace(it.Facts) + "\n" + closeFacts
			}
			out = append(out, message{Role: sdk.ChatMessageRoleUser, Content: text})
		case core.Answer:
			out = append(out, message{Role: sdk.ChatMessageRoleAssistant, Content: orNoOutput(it.Text)})
		case core.Calls:
			out = append(out, e.calls(it))
		case core.Outcome:
			out = append(out, message{Role: sdk.ChatMessageRoleTool, Content: orNoOutput(it.JSON), ToolCallID: e.id(it.ID)})
		}
	}
	return out
}

// lastAsk returns the index of the last Ask, -1 without one.
func lastAsk(items []core.PromptItem) int {
	for i := len(items) - 1; i >= 0; i-- {
		if _, ok := items[i].(core.Ask); ok {
			return i
		}
	}
	return -1
}

func (e encoder) calls(c core.Calls) message {
	kept := recall(c.Opaque, e.origin)
	m := message{
		Role:             sdk.ChatMessageRoleAssistant,
		Content:          c.Text,
		ReasoningContent: kept.ReasoningContent,
		Reasoning:        kept.Reasoning,
		ReasoningDetails: kept.ReasoningDetails,
	}
	for _, call := range c.Calls {
		m.ToolCalls = append(m.ToolCalls, toolCall{
			ToolCall: sdk.ToolCall{
				ID:       e.id(call.ID),
				Type:     sdk.ToolTypeFunction,
				Function: sdk.FunctionCall{Name: safeName(call.Name), Arguments: safeArguments(call.Args)},
			},
			ExtraContent: recall(call.Opaque, e.origin).ExtraContent,
		})
	}
	return m
}

// id returns an id as the server takes it, the same for a call and its outcome.
func (e encoder) id(id string) string {
	if !e.mistral || mistralID.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return base32.StdEncoding.EncodeToString(sum[:])[:9]
}

// safeName returns a name that servers take back: models invent names, and one of 65 letters would spoil the chat for ever.
func safeName(name string) string {
	name = notInNames.ReplaceAllString(name, "_")
	if name == "" {
		return noName
	}
	return name[:min(len(name), 64)]
}

// safeArguments returns arguments that servers take back: some parse them, and want an object. What the model wrote in its place
// is kept in one, so that it can see its mistake.
func safeArguments(args string) string {
	args = strings.TrimSpace(args)
	switch {
	case args == "" || args == "null":
		return "{}"
	case args[0] == '{' && json.Valid([]byte(args)):
		return args
	}
	b, _ := json.Marshal(struct { // a string always can be
		Invalid string `json:"invalid_arguments"`
	}{args})
	return string(b)
}

func orNoOutput(s string) string {
	if strings.TrimSpace(s) == "" {
		return noOutput
	}
	return s
}
