package web

import (
	"errors"

	"steady/core"
)

// errVersion says that a frame is of a protocol that this server does not speak.
var errVersion = errors.New("frame of another version")

// errorCode says what a client can do about an error frame.
type errorCode string

// The codes.
const (
	codeBad     errorCode = "bad"     // the frame makes no sense
	codeVersion errorCode = "version" // the page is of another program version; load it again
	codeClosed  errorCode = "closed"  // the bot is stopping; send it again after a reconnect
	codeFailed  errorCode = "failed"  // it could not be stored or read; send it again later
)

// text says what happened, for the person.
func (c errorCode) text() core.LocalText {
	switch c {
	case codeVersion:
		return core.LocalText{
			En: "This page is out of date. Please reload it.",
			Ko: "오래된 페이지예요. 새로고침해 주세요.",
			Zh: "页面版本已过期,请刷新。",
		}
	case codeClosed:
		return core.LocalText{
			En: "I am restarting. Your message will be sent again in a moment.",
			Ko: "다시 시작하는 중이에요. 곧 메시지를 다시 보낼게요.",
			Zh: "正在重启,稍后会重新发送您的消息。",
		}
	case codeFailed:
		return core.LocalText{
			En: "That did not work just now. I will try again.",
			Ko: "지금은 처리하지 못했어요. 다시 시도할게요.",
			Zh: "刚才没有成功,稍后会重试。",
		}
	}
	return core.LocalText{
		En: "I did not understand the page. Please reload it.",
		Ko: "페이지의 요청을 이해하지 못했어요. 새로고침해 주세요.",
		Zh: "无法理解页面的请求,请刷新。",
	}
}

// codeOf sorts an error of parsing, of accept or of the reader.
func codeOf(err error) errorCode {
	switch {
	case errors.Is(err, core.ErrClosed):
		return codeClosed
	case errors.Is(err, errVersion):
		return codeVersion
	}
	return codeFailed
}
