package core

import "context"

// FailureKind says in which part of its way a turn failed (seed 002 §13).
type FailureKind uint8

// The kinds of failures.
const (
	InputPersistence   FailureKind = iota + 1 // the message could not be stored
	AgentCreation                             // nobody could go on with the turn
	ContextPreparation                        // the prompt could not be built
	Provider                                  // the model did not answer
	TurnPersistence                           // the result could not be stored
	DeliveryFailure                           // the result could not be brought to the chat

	tooManyRounds // the model called tools when it was asked for words (seed 000 §6)
)

// failureText is the one presenter of failures: what failed, whether anything was done, what to do next. Nothing internal is in it.
func failureText(kind FailureKind, model Kind, acted bool, l Lang) string {
	var what LocalText
	switch kind {
	case InputPersistence:
		what = LocalText{"I could not store your message.", "메시지를 저장하지 못했어요.", "没能保存您的消息。"}
	case AgentCreation:
		what = LocalText{"I could not work on this message.", "이 메시지를 처리하지 못했어요.", "没能处理这条消息。"}
	case ContextPreparation:
		what = LocalText{"I could not gather what I need to answer.", "답에 필요한 내용을 모으지 못했어요.", "没能准备好回答所需的内容。"}
	case Provider:
		k := modelFailure(model)
		what = LocalText{"LLM response failed: " + k.En + ".", "LLM 응답 실패: " + k.Ko + ".", "LLM 响应失败:" + k.Zh + "。"}
	case TurnPersistence:
		what = LocalText{"I could not store the answer.", "답을 저장하지 못했어요.", "没能保存回答。"}
	case DeliveryFailure:
		what = LocalText{"The answer could not be delivered.", "답을 전달하지 못했어요.", "回答没能送达。"}
	case tooManyRounds:
		what = LocalText{"The chain of tool calls got too long, so I stopped it.", "도구 호출 루프가 너무 길어 중단했습니다.", "工具调用循环过长,已中止。"}
	}
	done := LocalText{"Nothing was changed.", "바뀐 것은 없어요.", "没有做任何更改。"}
	if acted {
		done = LocalText{"What was confirmed before stays done.", "앞서 확인한 작업은 그대로 반영되어 있어요.", "之前确认的操作仍然有效。"}
	}
	then := LocalText{"Please send it again in a moment.", "잠시 후 다시 보내 주세요.", "请稍后再发一次。"}
	switch {
	case kind == Provider && model == Overflow:
		then = LocalText{"/new starts a fresh conversation.", "/new 로 새 대화를 시작할 수 있어요.", "可用 /new 开始新对话。"}
	case kind == Provider && (model == Unauthorized || model == Refused):
		then = LocalText{"Whoever runs this bot can find the reason in its log.", "운영자가 로그에서 이유를 확인할 수 있어요.", "运行本机器人的人可以在日志中查看原因。"}
	}
	if kind == tooManyRounds {
		return what.In(l)
	}
	return what.In(l) + " " + done.In(l) + " " + then.In(l)
}

// modelFailure names a model's failure.
func modelFailure(k Kind) LocalText {
	switch k {
	case Overflow:
		return LocalText{"the conversation is too long", "대화가 너무 깁니다", "对话过长"}
	case Throttled:
		return LocalText{"too many requests", "요청이 너무 많습니다", "请求过多"}
	case Refused:
		return LocalText{"the request was refused", "요청이 거부되었습니다", "请求被拒绝"}
	case Unauthorized:
		return LocalText{"no access to the model", "모델에 접근할 수 없습니다", "无法访问模型"}
	case Truncated:
		return LocalText{"the answer was cut off", "답이 도중에 끊겼습니다", "回答被中断"}
	}
	return LocalText{"the model cannot be reached", "모델에 연결할 수 없습니다", "无法连接模型"}
}

// fail ends the turn without an answer. What went wrong goes to the log; the person reads the presenter's words.
func (a *agent) fail(kind FailureKind, err error) error {
	if a.ctx.Err() != nil { // the end of the process is no failure: the turn goes on at the next start
		return context.Cause(a.ctx)
	}
	a.log.Warn("turn failed", "kind", int(kind), "model", KindOf(err).String())
	a.log.Debug("turn failed", "err", err) // the text of a provider may quote what a person wrote
	acted := a.turn.Acted || a.gate != nil && a.gate.State == Started
	text := failureText(kind, KindOf(err), acted, a.chat.Lang)
	partial := ""
	if kind != tooManyRounds {
		partial = a.partial()
	}
	return a.end(change{}, ending{partial: partial, notice: Notice{Kind: Failed, Text: text}, event: withdraw, failed: true})
}

// Public is what a person may read of an error: never its text.
func Public(err error, l Lang) string {
	if err == nil {
		return ""
	}
	return textHandlerError.In(l)
}
