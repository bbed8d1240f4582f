package fakemodel

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// readTools reads the functions and which of them the model may or must call.
func (req *Request) readTools(in wireRequest) *refusal {
	if in.Tools != nil && len(in.Tools) == 0 {
		return bad("tools", "empty_array", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	for i, raw := range in.Tools {
		tool, no := readTool(fmt.Sprintf("tools[%d]", i), raw)
		if no != nil {
			return no
		}
		if req.tool(tool.Name) {
			return bad("tools", "invalid_value", "Function names must be unique: '%s'.", tool.Name)
		}
		req.Tools = append(req.Tools, tool)
	}
	if in.ParallelToolCalls != nil && in.Tools == nil {
		return bad("parallel_tool_calls", "", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
	}
	if in.ToolChoice == nil {
		return nil
	}
	if in.Tools == nil {
		return bad("tool_choice", "", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	}
	return req.readChoice(in.ToolChoice)
}

func (req *Request) tool(name string) bool {
	return slices.ContainsFunc(req.Tools, func(t Tool) bool { return t.Name == name })
}

func readTool(at string, raw json.RawMessage) (Tool, *refusal) {
	var in struct {
		Type     string `json:"type"`
		Function *struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
			Strict      *bool           `json:"strict"`
		} `json:"function"`
	}
	if !isObject(raw) || json.Unmarshal(raw, &in) != nil {
		return Tool{}, bad(at, "invalid_type", "Invalid type for '%s': expected an object with fields of the documented types.", at)
	}
	if in.Type != "function" {
		return Tool{}, bad(at+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function' and 'custom'.", in.Type)
	}
	f := in.Function
	if f == nil || f.Name == "" {
		return Tool{}, bad(at+".function.name", "missing_required_parameter", "Missing required parameter: '%s.function.name'.", at)
	}
	at += ".function"
	if len(f.Name) > 64 || strings.Trim(f.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return Tool{}, bad(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern "+
			"'^[a-zA-Z0-9_-]+$'.", at)
	}
	var schema struct {
		Type any `json:"type"`
	}
	switch {
	case f.Parameters == nil:
		return Tool{}, bad(at+".parameters", "missing_required_parameter", "Missing required parameter: '%s.parameters'.", at)
	case !isObject(f.Parameters):
		return Tool{}, bad(at+".parameters", "invalid_type", "Invalid type for '%s.parameters': expected an object, but got %s instead.", at, f.Parameters)
	case json.Unmarshal(f.Parameters, &schema) != nil || schema.Type != "object":
		return Tool{}, bad(at+".parameters", "invalid_function_parameters",
			`Invalid schema for function '%s': schema must be a JSON Schema of 'type: "object"', got 'type: "%v"'.`, f.Name, orNone(schema.Type))
	}
	return Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters}, nil
}

func orNone(v any) any {
	if v == nil {
		return "None"
	}
	return v
}

func (req *Request) readChoice(raw json.RawMessage) *refusal {
	if json.Unmarshal(raw, &req.ToolChoice) == nil {
		if slices.Contains([]string{"none", "auto", "required"}, req.ToolChoice) {
			return nil
		}
		return bad("tool_choice", "invalid_value", "Invalid value: '%s'. Supported values are: 'none', 'auto', and 'required'.", req.ToolChoice)
	}
	var in struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(raw, &in) != nil || in.Type != "function" {
		return bad("tool_choice", "invalid_type", "Invalid type for 'tool_choice': expected one of 'none', 'auto', 'required' or an object of type 'function'.")
	}
	if req.ToolChoice = in.Function.Name; !req.tool(req.ToolChoice) {
		return bad("tool_choice", "", "Invalid value for 'tool_choice': no function named '%s' was specified in the 'tools' parameter.", req.ToolChoice)
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
