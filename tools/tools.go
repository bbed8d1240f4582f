// Package tools lists the tools that models can call. What a tool does is written in the package of its domain; here it gets
// what every tool has: a label in each language, a description, and a compiled schema that arguments are checked against.
package tools

import (
	"encoding/json"
	"fmt"

	_ "embed"

	"steady/core"
	"steady/tools/habit"
)

//go:embed tools.json
var definitions []byte

// A definition is a row of tools.json.
type definition struct {
	Name        string          `json:"name"`
	Label       core.LocalText  `json:"label"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// All returns every tool, ready for the engine: those of the coach (seed 001 §3). The error names a definition that is missing or
// a schema that is wrong.
func All(coach *habit.Coach) ([]core.Tool, error) {
	var rows []definition
	if err := json.Unmarshal(definitions, &rows); err != nil {
		return nil, fmt.Errorf("read tool definitions: %w", err)
	}
	defined := map[string]definition{}
	for _, d := range rows {
		defined[d.Name] = d
	}
	tools := coach.Tools()
	for i := range tools {
		t := &tools[i]
		d, ok := defined[t.Name]
		if !ok {
			return nil, fmt.Errorf("tool %s has no definition", t.Name)
		}
		check, err := compile(d.Schema, func(args map[string]any) { coach.Coerce(d.Name, args) })
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", t.Name, err)
		}
		t.Label, t.Description, t.Schema, t.Validate = d.Label, d.Description, d.Schema, check.validate
	}
	return tools, nil
}
