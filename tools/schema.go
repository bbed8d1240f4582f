package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"steady/core"
)

// A schema checks the arguments of one tool (seed 001 §5 step 2, habits.md §2.1 step 2). It never changes and is safe for
// concurrent use.
type schema struct {
	compiled   *jsonschema.Schema
	properties map[string]property
	required   []string
	coerce     func(args map[string]any)
}

// A property is what coercion needs to know of one.
type property struct {
	Type  any       `json:"type"` // one name or several
	Enum  []any     `json:"enum"`
	Items *property `json:"items"`
}

// compile reads a draft-07 schema of an object. coerce is the tool's own coercion, before the general one.
func compile(source json.RawMessage, coerce func(args map[string]any)) (*schema, error) {
	const name = "tool.json"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	s := &schema{coerce: coerce}
	if s.compiled, err = c.Compile(name); err != nil {
		return nil, err
	}
	var shape struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal(source, &shape); err != nil {
		return nil, err
	}
	s.properties, s.required = shape.Properties, shape.Required
	return s, nil
}

// validate coerces, drops undeclared keys, checks, and returns canonical JSON: members in the order of their names, no white
// space.
func (s *schema) validate(o core.Origin, raw json.RawMessage) (json.RawMessage, error) {
	args, err := readObject(raw)
	if err != nil {
		return nil, refusal(o.Lang, "", textObject)
	}
	maps.DeleteFunc(args, func(name string, value any) bool {
		p, declared := s.properties[name]
		return !declared || value == nil && !p.is("null") && !slices.Contains(s.required, name) // a null is how models leave out
	})
	s.coerce(args)
	for name, value := range args {
		args[name] = s.properties[name].convert(value)
	}
	if err := s.compiled.Validate(args); err != nil {
		return nil, explain(o.Lang, err)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// readObject decodes one JSON object and nothing behind it. Nothing at all is an object without members, as models write a call
// without arguments.
func readObject(raw json.RawMessage) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	args := map[string]any{}
	if err := dec.Decode(&args); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	if args == nil { // null
		args = map[string]any{}
	}
	return args, nil
}

// is tells whether the property may be of a type.
func (p property) is(name string) bool {
	switch t := p.Type.(type) {
	case string:
		return t == name
	case []any:
		return slices.Contains(t, any(name))
	}
	return false
}

// convert brings a value into the form of the property where it is only written differently: numbers in strings, enum words in
// another letter case. Numbers come out as Go numbers, of a bounded size.
func (p property) convert(value any) any {
	switch v := value.(type) {
	case json.Number:
		return number(v.String())
	case string:
		if p.is("integer") {
			if n, ok := number(strings.TrimSpace(v)).(int64); ok {
				return n
			}
		}
		for _, word := range p.Enum {
			if s, ok := word.(string); ok && strings.EqualFold(s, strings.TrimSpace(v)) {
				return s
			}
		}
	case []any:
		item := property{}
		if p.Items != nil {
			item = *p.Items
		}
		for i := range v {
			v[i] = item.convert(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = property{}.convert(v[name])
		}
	}
	return value
}

// number returns what a text says as an int64, where that holds it, else as a float64, else as it is. The schema's own numbers
// have no bound, and a few bytes of exponent would become gigabytes.
func number(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	const exact = 1 << 53
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(f, 0) || math.IsNaN(f):
		return text
	case f == math.Trunc(f) && math.Abs(f) <= exact:
		return int64(f)
	}
	return f
}
