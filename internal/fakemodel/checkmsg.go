package fakemodel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// readMessages reads the history and checks that it is one.
func (req *Request) readMessages(raws []json.RawMessage) *refusal {
	if len(raws) == 0 {
		return bad("messages", "empty_array", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	for i, raw := range raws {
		m, no := readMessage(fmt.Sprintf("messages[%d]", i), raw)
		if no != nil {
			return no
		}
		req.Messages = append(req.Messages, m)
	}
	return checkHistory(req.Messages)
}

func readMessage(at string, raw json.RawMessage) (Message, *refusal) {
	var in wireMessage
	if !isObject(raw) || json.Unmarshal(raw, &in) != nil {
		return Message{}, bad(at, "invalid_type", "Invalid type for '%s': expected an object with fields of the documented types.", at)
	}
	m := Message{Role: Role(in.Role), Name: in.Name, ToolCallID: in.ToolCallID, Reasoning: in.Reasoning}
	switch m.Role {
	case System, Developer, User, Assistant, ToolRole:
	case "":
		return m, bad(at+".role", "missing_required_parameter", "Missing required parameter: '%s.role'.", at)
	default:
		return m, bad(at+".role", "invalid_value",
			"Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", in.Role)
	}
	if no := m.readCalls(at, in.ToolCalls); no != nil {
		return m, no
	}
	if m.Role == ToolRole && m.ToolCallID == "" {
		return m, bad(at+".tool_call_id", "missing_required_parameter", "Missing required parameter: '%s.tool_call_id'.", at)
	}
	return m, m.readContent(at, in.Content)
}

// readContent reads a text or a list of parts. It must be there; null is for an assistant that only calls tools.
func (m *Message) readContent(at string, raw json.RawMessage) *refusal {
	at += ".content"
	switch {
	case raw == nil:
		return bad(at, "missing_required_parameter", "Missing required parameter: '%s'.", at)
	case isNull(raw) && len(m.ToolCalls) > 0:
		return nil
	case isNull(raw):
		return bad(at, "", "Invalid value for 'content': expected a string, got null.")
	case json.Unmarshal(raw, &m.Content) == nil:
		return nil
	}
	var parts []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return bad(at, "invalid_type", "Invalid type for '%s': expected one of a string or array of objects.", at)
	}
	if len(parts) == 0 {
		return bad(at, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", at)
	}
	m.Parts = len(parts)
	for i, p := range parts {
		switch {
		case p.Type == "text" && p.Text != nil:
			m.Content += *p.Text
		case p.Type == "text":
			return bad(fmt.Sprintf("%s[%d].text", at, i), "missing_required_parameter", "Missing required parameter: '%s[%d].text'.", at, i)
		case !slices.Contains([]string{"image_url", "input_audio", "file", "refusal"}, p.Type):
			return bad(fmt.Sprintf("%s[%d].type", at, i), "invalid_value", "Invalid value: '%s'. Supported values are: 'text', 'image_url', "+
				"'input_audio', 'refusal', and 'file'.", p.Type)
		}
	}
	return nil
}

func (m *Message) readCalls(at string, raws []json.RawMessage) *refusal {
	if raws == nil {
		return nil
	}
	at += ".tool_calls"
	switch {
	case m.Role != Assistant:
		return bad(at, "", "'tool_calls' is only allowed for messages of role 'assistant'.")
	case len(raws) == 0:
		return bad(at, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", at)
	}
	for i, raw := range raws {
		c, no := readCall(fmt.Sprintf("%s[%d]", at, i), raw)
		if no != nil {
			return no
		}
		if slices.ContainsFunc(m.ToolCalls, func(o ToolCall) bool { return o.ID == c.ID }) {
			return bad(at, "", "Duplicate value for 'tool_call_id' of '%s'.", c.ID)
		}
		m.ToolCalls = append(m.ToolCalls, c)
	}
	return nil
}

func readCall(at string, raw json.RawMessage) (ToolCall, *refusal) {
	var in struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	if !isObject(raw) || json.Unmarshal(raw, &in) != nil {
		return ToolCall{}, bad(at, "invalid_type", "Invalid type for '%s': expected an object with fields of the documented types.", at)
	}
	c := ToolCall{ID: in.ID, Name: in.Function.Name}
	missing := ""
	switch {
	case in.ID == "":
		missing = ".id"
	case in.Function.Name == "":
		missing = ".function.name"
	case in.Function.Arguments == nil:
		missing = ".function.arguments"
	}
	if missing != "" {
		return c, bad(at+missing, "missing_required_parameter", "Missing required parameter: '%s%s'.", at, missing)
	}
	if in.Type != "function" {
		return c, bad(at+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function' and 'custom'.", in.Type)
	}
	at += ".function.arguments"
	if json.Unmarshal(in.Function.Arguments, &c.Arguments) != nil || isNull(in.Function.Arguments) {
		return c, bad(at, "invalid_type", "Invalid type for '%s': expected a string.", at)
	}
	if !isObject(json.RawMessage(c.Arguments)) || !json.Valid([]byte(c.Arguments)) {
		return c, bad(at, "invalid_value", "Invalid value for '%s': expected a JSON object.", at)
	}
	return c, nil
}

// checkHistory checks that every tool call is answered, once and directly after it, and that nothing else is.
func checkHistory(ms []Message) *refusal {
	for i := 0; i < len(ms); i++ {
		m := ms[i]
		if m.Role == ToolRole {
			return bad(fmt.Sprintf("messages.[%d].role", i), "",
				"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
		}
		open := slices.Clone(m.ToolCalls)
		for len(m.ToolCalls) > 0 && i+1 < len(ms) && ms[i+1].Role == ToolRole {
			i++
			answered := slices.IndexFunc(open, func(c ToolCall) bool { return c.ID == ms[i].ToolCallID })
			if answered < 0 {
				return bad(fmt.Sprintf("messages.[%d].tool_call_id", i), "",
					"Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", ms[i].ToolCallID)
			}
			open = slices.Delete(open, answered, answered+1)
		}
		if len(open) > 0 {
			return unanswered(i+1, open)
		}
	}
	return nil
}

func unanswered(at int, open []ToolCall) *refusal {
	var ids []string
	for _, c := range open {
		ids = append(ids, c.ID)
	}
	return bad(fmt.Sprintf("messages.[%d].role", at), "", "An assistant message with 'tool_calls' must be followed by tool messages "+
		"responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}
