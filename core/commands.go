package core

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"
)

// The built-in commands.
const (
	cmdStart   = "start"
	cmdHelp    = "help"
	cmdNew     = "new"
	cmdStop    = "stop"
	cmdStatus  = "status"
	cmdTools   = "tools"
	cmdApprove = "approve"
	cmdDeny    = "deny"
)

// A CommandInfo is a command as a menu shows it.
type CommandInfo struct {
	Name        string
	Description LocalText
}

// builtins are the commands that every engine has.
func builtins() map[string]LocalText {
	return map[string]LocalText{
		cmdStart:   {"Begin here", "시작하기", "从这里开始"},
		cmdHelp:    {"What I can do", "할 수 있는 일", "我能做什么"},
		cmdNew:     {"New conversation (clears the earlier messages)", "새 대화 (이전 기록 비우기)", "新对话(清空之前的记录)"},
		cmdStop:    {"Stop what I am doing", "지금 하는 일 멈추기", "停止当前操作"},
		cmdStatus:  {"What I am doing", "지금 상태", "当前状态"},
		cmdTools:   {"The tools I can use", "쓸 수 있는 도구", "可用的工具"},
		cmdApprove: {"Say yes to a question by its ID", "ID로 질문에 동의", "按 ID 同意请求"},
		cmdDeny:    {"Say no to a question by its ID", "ID로 질문을 거절", "按 ID 拒绝请求"},
	}
}

// CommandList lists the built-in commands and extra ones, in the order of a menu.
func CommandList(extra []Command) []CommandInfo {
	b := builtins()
	var out []CommandInfo
	for _, name := range []string{cmdHelp, cmdNew, cmdStop, cmdStatus} {
		out = append(out, CommandInfo{name, b[name]})
	}
	for _, c := range extra {
		out = append(out, CommandInfo{c.Name, c.Description})
	}
	for _, name := range []string{cmdTools, cmdApprove, cmdDeny, cmdStart} {
		out = append(out, CommandInfo{name, b[name]})
	}
	return out
}

// commandText is the answer to a read-only command.
func (e *Engine) commandText(ctx context.Context, d *Documents, o Origin, c Commanded, status string) (string, error) {
	if cmd, ok := e.commands[c.Name]; ok {
		var text string
		err := caught(func() error {
			var err error
			text, err = cmd.Reply(ctx, d, o, c.Args)
			return err
		})
		return text, err
	}
	if !Blank(c.Args) && c.Name != cmdStart {
		if _, ok := builtins()[c.Name]; ok {
			return fmt.Sprintf(textNoArgument.In(o.Lang), c.Name), nil
		}
	}
	switch c.Name {
	case cmdStart:
		return textWelcome.In(o.Lang) + "\n\n" + e.helpText(o.Lang), nil
	case cmdHelp:
		return e.helpText(o.Lang), nil
	case cmdStatus:
		return status, nil
	case cmdTools:
		return e.toolsText(o.Lang), nil
	}
	return fmt.Sprintf(textUnknownCommand.In(o.Lang), Escape(Visible(clip(c.Name, 32)))), nil
}

func (e *Engine) helpText(l Lang) string {
	var extra []Command
	for _, c := range e.commands {
		extra = append(extra, *c)
	}
	sort.Slice(extra, func(i, j int) bool { return extra[i].Name < extra[j].Name })
	var b strings.Builder
	b.WriteString(textHelp.In(l) + "\n")
	for _, c := range CommandList(extra) {
		b.WriteString("\n/" + c.Name + " – " + c.Description.In(l) + "  ")
	}
	return b.String()
}

func (e *Engine) toolsText(l Lang) string {
	var b strings.Builder
	b.WriteString(textTools.In(l) + "\n")
	for _, s := range e.specs {
		b.WriteString("\n- **" + Escape(e.tools[s.Name].Label.In(l)) + "** `" + s.Name + "`")
	}
	return b.String()
}

// status says what the chat's agent is doing.
func (a *agent) status() string {
	l := a.chat.Lang
	waiting := len(a.normal())
	var s string
	switch {
	case a.parked():
		label := a.gate.Tool
		if t, ok := a.e.tools[a.gate.Tool]; ok {
			label = t.Label.In(l)
		}
		s = fmt.Sprintf(textStatusParked.In(l), Escape(label), a.gate.Token[:questionIDLength])
	case a.abandoned != nil: // stopped, and not over yet
		s = fmt.Sprintf(textStatusBusy.In(l), 0)
	case a.turn != nil:
		s = fmt.Sprintf(textStatusBusy.In(l), int(a.spent()/time.Second))
	default:
		s = textStatusIdle.In(l)
	}
	if waiting > 0 {
		s += " " + fmt.Sprintf(textStatusWaiting.In(l), waiting)
	}
	return s
}
