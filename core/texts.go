package core

import "fmt"

// Texts for people. Kind and short, and nothing internal in them; each in every language.
var (
	textAsk    = LocalText{"Shall I do this?", "이 작업을 수행할까요?", "要执行吗?"}
	textDo     = LocalText{"Do it", "수행", "执行"}
	textCancel = LocalText{"Cancel", "취소", "取消"}

	textQueued          = LocalText{"One moment: I am still on the message before.", "잠시만요. 앞선 메시지를 처리하고 있어요.", "请稍等,我还在处理上一条消息。"}
	textNotTaken        = LocalText{"That was too much at once; this message was not taken. Please send it again later.", "한꺼번에 너무 많아서 이 메시지는 받지 못했어요. 나중에 다시 보내 주세요.", "一下子太多了,这条消息没有收下,请稍后再发。"}
	textTooFast         = LocalText{"Slower, please: I take 60 messages a minute. What came beyond that was not taken.", "조금 천천히 보내 주세요. 1분에 60개까지 받아요. 그보다 많은 메시지는 받지 못했어요.", "请慢一点:每分钟我最多收60条,超出的没有收下。"}
	textReceived        = LocalText{"Got it.", "확인했어요.", "收到。"}
	textExpired         = LocalText{"Too late: this question has expired.", "늦었어요. 이 질문은 만료되었어요.", "太晚了,这个问题已过期。"}
	textNotYours        = LocalText{"Only the person who asked can answer this.", "요청한 사람만 답할 수 있어요.", "只有提出请求的人可以回答。"}
	textUnknownQuestion = LocalText{"There is no such open question.", "그런 열린 질문이 없어요.", "没有这样的待答问题。"}
	textWithdrawn       = LocalText{"All right, I have left that undone.", "알겠어요. 그 작업은 하지 않고 둘게요.", "好的,那件事我先不做了。"}

	textStopped         = LocalText{"Stopped.", "멈췄어요.", "已停止。"}
	textNothingRuns     = LocalText{"Nothing is running.", "지금 하고 있는 일이 없어요.", "当前没有正在进行的操作。"}
	textNewConversation = LocalText{"A new conversation. Your habits stay as they are.", "새 대화를 시작해요. 습관 기록은 그대로예요.", "新的对话开始了,习惯记录保持不变。"}
	textHint            = LocalText{"This conversation has become long. /new starts a fresh one; your habits stay.", "대화가 길어졌어요. /new 로 새 대화를 시작할 수 있어요. 습관 기록은 그대로예요.", "对话有点长了。可用 /new 开始新对话,习惯记录会保留。"}
	textNoAnswer        = LocalText{"I have no answer to that. Please try other words.", "답을 찾지 못했어요. 다른 말로 물어봐 주세요.", "我没有得出答案,请换个说法试试。"}
	textMedia           = LocalText{"I cannot read this kind of message. Please write it as text.", "이런 종류의 메시지는 읽을 수 없어요. 글로 적어 주세요.", "我读不了这种消息,请用文字写给我。"}
	textUndelivered     = LocalText{"An earlier message could not be delivered:", "앞선 메시지를 전달하지 못했어요:", "之前有一条消息没能送达:"}

	textUnknownTool  = LocalText{"There is no such tool.", "그런 도구가 없어요.", "没有这个工具。"}
	textBadArguments = LocalText{"The arguments are not valid JSON.", "인수가 올바른 JSON이 아니에요.", "参数不是有效的 JSON。"}
	textTooManyCalls = LocalText{"Too many calls in one reply; at most 16 are handled.", "한 번에 호출이 너무 많아요. 16개까지만 처리해요.", "一次调用太多,最多处理16个。"}
	textHandlerError = LocalText{"Something went wrong on my side. Please try again later.", "제 쪽에서 문제가 생겼어요. 나중에 다시 시도해 주세요.", "我这边出了点问题,请稍后再试。"}
	textChanged      = LocalText{"Something changed since the question was shown; please ask again.", "질문을 보여 준 뒤에 내용이 바뀌었어요. 다시 요청해 주세요.", "提问之后情况有变,请重新提出请求。"}
	textDoubtful     = LocalText{"An action had begun when I was interrupted. I do not know whether it was done, and did not repeat it. Please check.", "작업을 시작한 뒤 중단되어 끝났는지 알 수 없어요. 다시 실행하지 않았으니 확인해 주세요.", "操作开始后被中断,不确定是否完成,也没有重复执行,请检查。"}

	textWelcome        = LocalText{"Hello! I am Steady, your habit coach.", "안녕하세요! 습관 코치 Steady예요.", "你好!我是习惯教练 Steady。"}
	textHelp           = LocalText{"Write to me in your own words: ask for habits that fit you, add one, log a day, look at your streak. Before I change anything, I ask. Commands:", "편하게 말씀해 주세요. 맞는 습관을 찾고, 추가하고, 하루를 기록하고, 연속 기록을 볼 수 있어요. 무언가를 바꾸기 전에는 꼭 여쭤봐요. 명령어:", "用自己的话写给我就行:找合适的习惯、添加习惯、记录一天、查看连续天数。改动之前我都会先问。命令:"}
	textTools          = LocalText{"What I can use:", "쓸 수 있는 도구:", "我能使用的工具:"}
	textUnknownCommand = LocalText{"I do not know /%s. /help lists what I can do.", "/%s 명령은 없어요. /help 에서 할 수 있는 일을 볼 수 있어요.", "没有 /%s 这个命令,/help 列出了我能做的事。"}
	textNoArgument     = LocalText{"/%s takes nothing after it. Nothing was changed.", "/%s 뒤에는 아무것도 붙이지 않아요. 바뀐 것은 없어요.", "/%s 后面不需要任何内容,没有做任何更改。"}
	textStatusIdle     = LocalText{"Nothing is running.", "지금 하고 있는 일이 없어요.", "当前没有正在进行的操作。"}
	textStatusBusy     = LocalText{"Working on a message for %d s.", "메시지를 %d초째 처리하고 있어요.", "正在处理一条消息,已 %d 秒。"}
	textStatusParked   = LocalText{"Waiting for your answer: %s (`%s`).", "답을 기다리고 있어요: %s (`%s`).", "正在等待你的回答:%s(`%s`)。"}
	textStatusWaiting  = LocalText{"%d waiting.", "%d개 대기 중.", "%d 条在等待。"}
)

func textDropped(n int) LocalText {
	return LocalText{
		fmt.Sprintf("%d waiting messages were dropped.", n),
		fmt.Sprintf("기다리던 메시지 %d개는 처리하지 않았어요.", n),
		fmt.Sprintf("等待中的 %d 条消息已取消。", n),
	}
}

func textCut(full, used int) LocalText {
	return LocalText{
		fmt.Sprintf("Your message had %d characters; I used the first %d.", full, used),
		fmt.Sprintf("메시지가 %d자라서 앞의 %d자만 읽었어요.", full, used),
		fmt.Sprintf("消息有 %d 个字符,我只用了前 %d 个。", full, used),
	}
}

func textWaitsFor(name, label string) LocalText {
	name, label = Escape(Visible(name)), Escape(label)
	return LocalText{
		"I am waiting for " + name + " to answer a question (" + label + ") first; your message comes after that.",
		name + "님이 먼저 질문(" + label + ")에 답하기를 기다리고 있어요. 그다음에 처리할게요.",
		"我在等 " + name + " 先回答一个问题(" + label + "),之后再处理你的消息。",
	}
}

// outcomeText says how a question ended, for the question itself and for late presses.
func outcomeText(s QuestionState) LocalText {
	switch s {
	case Approved, Started:
		return LocalText{"✓ Approved", "✓ 승인됨", "✓ 已同意"}
	case Done:
		return LocalText{"✓ Done", "✓ 완료", "✓ 已完成"}
	case Erred:
		return LocalText{"Approved, but it could not be done", "승인했지만 실행하지 못했어요", "已同意,但没能完成"}
	case Doubtful:
		return LocalText{"Approved; I do not know whether it was done. Please check.", "승인했지만 실행됐는지 알 수 없어요. 확인해 주세요.", "已同意,但不确定是否完成,请检查。"}
	case Denied:
		return LocalText{"✗ Cancelled", "✗ 취소함", "✗ 已取消"}
	case Lapsed:
		return LocalText{"Expired without an answer", "답이 없어 만료됨", "未回答,已过期"}
	case Withdrawn:
		return LocalText{"Withdrawn", "철회됨", "已撤回"}
	case Unreachable:
		return LocalText{"Could not be shown whole, so it was not done", "전체를 보여줄 수 없어 실행하지 않음", "无法完整显示,未执行"}
	}
	return LocalText{}
}
