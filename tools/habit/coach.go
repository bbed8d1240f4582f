package habit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"steady/core"
)

// A Coach is the habit domain as the rest of the program uses it: tools for the model, a guard, a command, and what a prompt
// must know. It keeps no state but what it was made of, and is safe for concurrent use.
type Coach struct {
	normal    *normalizer
	avoidance *Avoidance
	gate      *Gate
	catalog   *Catalog
}

// New returns a coach with the built-in catalog. The error says what is wrong with the catalog.
func New() (*Coach, error) {
	a := NewAvoidance()
	catalog, err := BuiltIn(a)
	if err != nil {
		return nil, err
	}
	return &Coach{normal: newNormalizer(), avoidance: a, gate: NewGate(), catalog: catalog}, nil
}

// Catalog returns the catalog that the coach was made with.
func (c *Coach) Catalog() *Catalog { return c.catalog }

// Tools returns the tools of seed 001 §3, with their names, effects, rules, summaries and what they do. Schemas, descriptions,
// labels and validation are what package tools adds.
func (c *Coach) Tools() []core.Tool {
	return []core.Tool{c.searchCatalog(), c.queryProtocol(), c.listActiveHabits(), c.getStreak(), c.addHabit(), c.logEntry()}
}

// reads is the effect of the tools that change nothing.
func reads(core.Origin, json.RawMessage) core.Effect { return core.Reads }

// applier makes the Apply of a tool whose arguments are an A.
func applier[A, R any](do func(ctx context.Context, b book, args A) (R, error)) func(context.Context, *core.Documents, core.Origin, json.RawMessage) (any, error) {
	return func(ctx context.Context, d *core.Documents, o core.Origin, raw json.RawMessage) (any, error) {
		args, err := readArgs[A](o, raw)
		if err != nil {
			return nil, err
		}
		return do(ctx, book{d, o}, args)
	}
}

// prechecker makes the Precheck of a tool whose arguments are an A.
func prechecker[A any](plan func(ctx context.Context, b book, args A) (A, error)) func(context.Context, *core.Documents, core.Origin, json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, d *core.Documents, o core.Origin, raw json.RawMessage) (json.RawMessage, error) {
		args, err := readArgs[A](o, raw)
		if err != nil {
			return nil, err
		}
		if args, err = plan(ctx, book{d, o}, args); err != nil {
			return nil, err
		}
		return encodeArgs(args)
	}
}

// summarizer makes the Summary of a tool whose arguments are an A.
func summarizer[A any](say func(ctx context.Context, b book, args A) (string, error)) func(context.Context, *core.Documents, core.Origin, json.RawMessage) (string, error) {
	return func(ctx context.Context, d *core.Documents, o core.Origin, raw json.RawMessage) (string, error) {
		args, err := readArgs[A](o, raw)
		if err != nil {
			return "", err
		}
		return say(ctx, book{d, o}, args)
	}
}

// readArgs decodes arguments that the schema has accepted. What does not fit all the same is the caller's mistake and no failure
// of ours.
func readArgs[A any](o core.Origin, raw json.RawMessage) (args A, err error) {
	if err := json.Unmarshal(raw, &args); err != nil {
		return args, refuse(o.Lang, codeValidation, core.LocalText{
			En: "The arguments cannot be read; give each one in the form that the tool describes.",
			Ko: "인자를 읽을 수 없어요. 도구 설명에 있는 형식으로 주세요.",
			Zh: "无法读取参数,请按工具说明的格式提供。",
		})
	}
	return args, nil
}

// encodeArgs is the canonical form of arguments that were resolved.
func encodeArgs(args any) (json.RawMessage, error) {
	raw, err := encodePlain(args)
	if err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return raw, nil
}

// encodePlain encodes JSON without HTML escaping, as the size of results is counted (seed 001 §7).
func encodePlain(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
