package core

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
)

// maxCalls is how many calls of one reply are handled; those beyond are told to be invalid.
const maxCalls = 16

// A plannedCall is a call that passed validation and the rules: what is to happen, and how much it can do.
type plannedCall struct {
	tool   *Tool
	args   json.RawMessage
	effect Effect
}

// plan brings a call as far as it goes without an effect: the tool is looked up, the arguments are coerced, validated and
// resolved, the rules applied (habits.md §2.1 steps 1–4). A refusal comes as a *ToolError, everything else that goes wrong as any
// other error; it never panics.
func (e *Engine) plan(ctx context.Context, d *Documents, o Origin, c Call) (p plannedCall, err error) {
	tool, ok := e.tools[c.Tool]
	if !ok {
		return p, &ToolError{codeUnknownTool, textUnknownTool.In(o.Lang)}
	}
	p.tool = tool
	args := json.RawMessage(c.Args)
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	if !json.Valid(args) {
		return p, &ToolError{codeValidation, textBadArguments.In(o.Lang)}
	}
	err = caught(func() error {
		var err error
		if tool.Validate != nil {
			if args, err = tool.Validate(o, args); err != nil {
				return err
			}
		}
		p.args, err = e.precheck(ctx, d, o, tool, args)
		if err == nil && tool.Effect != nil {
			p.effect = tool.Effect(o, p.args)
		}
		return err
	})
	return p, err
}

// precheck applies a tool's rules to validated arguments and resolves them.
func (e *Engine) precheck(ctx context.Context, d *Documents, o Origin, tool *Tool, args json.RawMessage) (json.RawMessage, error) {
	if tool.Precheck == nil {
		return args, nil
	}
	return tool.Precheck(ctx, d, o, args)
}

// perform runs a planned call whose effect is allowed now. For an exact tool the writes are in d afterwards.
func (e *Engine) perform(ctx context.Context, d *Documents, o Origin, p plannedCall) (data any, err error) {
	err = caught(func() error {
		var err error
		if p.tool.Apply != nil {
			data, err = p.tool.Apply(ctx, d, o, p.args)
			return err
		}
		data, err = p.tool.Run(ctx, o, p.args)
		return err
	})
	return data, err
}

// again checks an approved call once more against the world as it is now. The arguments that would run must be those that were
// shown; otherwise the error is changed.
func (e *Engine) again(ctx context.Context, d *Documents, o Origin, q *questionRow) (p plannedCall, err error) {
	tool, ok := e.tools[q.Tool]
	if !ok {
		return p, &ToolError{codeUnknownTool, textUnknownTool.In(o.Lang)}
	}
	p = plannedCall{tool: tool}
	err = caught(func() error {
		p.args, err = e.precheck(ctx, d, o, tool, q.Args)
		return err
	})
	if err == nil && argsDigest(q.Tool, p.args) != q.Digest {
		err = &ToolError{codeChanged, textChanged.In(o.Lang)}
	}
	return p, err
}

func argsDigest(tool string, args json.RawMessage) string { return digest(tool, string(args)) }

// A panicError is a panic that was caught where a failure must not end more than itself.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

// caught calls f and returns its panic as an error.
func caught(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

// toolName is the name of a tool that exists; what a model made up stays out of the log.
func (p plannedCall) toolName() string {
	if p.tool == nil {
		return ""
	}
	return p.tool.Name
}
