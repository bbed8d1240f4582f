package offline

import "steady/core"

// Texts are what is said to people: kind, short, and nothing internal in it. Names in braces are filled in.
type texts struct {
	hello, help, thanks, beyond, who                                       core.LocalText // to talk
	plain, which, whichEntry, notYours                                     core.LocalText // to ask back
	nothing, found, first, entry, caution, evidence, haveIt, addIt         core.LocalText // of the catalog
	noHabits, yourHabits, places, row, streak, wayBack, thisHabit          core.LocalText // of the habits
	added, logged, streakShort, honest, today, yesterday                   core.LocalText // after a write
	cancelled, avoidance, identity, refused, broken, tooLong, noTool, done core.LocalText // after none
}

func newTexts() texts {
	return texts{
		hello: core.LocalText{
			En: "Hello! I am the offline coach: simple, but always here. Tell me “walk done”, ask “my habits”, or say “sleep habits” to find one.",
			Ko: "안녕하세요! 저는 오프라인 코치예요. 단순하지만 늘 여기 있어요. “산책 했어”라고 알려 주거나, “내 습관”이라고 묻거나, “수면 습관 찾아줘”라고 해 보세요.",
			Zh: "你好！我是离线教练，简单，但一直都在。可以说“散步完成”，问“我的习惯”，或说“找睡眠习惯”。",
		},
		help: core.LocalText{
			En: "I am the offline coach and understand plain sentences:\n• “sleep habits” – find one\n• “tell me about morning daylight” – details\n• “add morning daylight” – begin one\n• “my habits” – your list\n• “walk done”, “skip walk today”, “no walk yesterday” – log a day\n• “walk streak” – your progress",
			Ko: "저는 오프라인 코치예요. 이렇게 짧게 말하면 알아들어요:\n• “수면 습관 찾아줘” – 찾기\n• “아침 햇빛 쬐기 자세히” – 자세히 보기\n• “아침 햇빛 쬐기 추가해줘” – 시작하기\n• “내 습관” – 목록\n• “산책 했어”, “오늘 산책 건너뛸게”, “어제 산책 못 했어” – 하루 기록\n• “산책 며칠째야?” – 연속 기록",
			Zh: "我是离线教练，听得懂简单的句子：\n• “找睡眠习惯”——查找\n• “介绍一下晨间日光”——详情\n• “添加晨间日光”——开始一个\n• “我的习惯”——清单\n• “散步完成”“今天跳过散步”“昨天没散步”——记录一天\n• “散步连续几天了”——进度",
		},
		thanks: core.LocalText{En: "You are welcome. See you at the next small step!", Ko: "천만에요. 다음 작은 한 걸음에서 만나요!", Zh: "不客气，下一小步见！"},
		beyond: core.LocalText{
			En: "Reminders, pauses and new names are beyond the offline coach. It can find, explain, add and log habits: say “help” for examples.",
			Ko: "알림, 쉬어 가기, 이름 바꾸기는 오프라인 코치가 할 수 없어요. 습관을 찾고, 설명하고, 추가하고, 기록할 수 있어요. “도움말”을 보세요.",
			Zh: "提醒、暂停和改名超出了离线教练的能力。它可以查找、介绍、添加和记录习惯，说“帮助”看例子。",
		},
		who: core.LocalText{
			En: "I am the offline coach: a program that follows fixed rules, not a person and no clinician. Say “help” to see what I understand.",
			Ko: "저는 오프라인 코치예요. 정해진 규칙을 따르는 프로그램이고, 사람도 의료진도 아니에요. “도움말”이라고 하면 제가 알아듣는 말을 보여 드려요.",
			Zh: "我是离线教练：一个按固定规则工作的程序，不是真人，也不是医生。说“帮助”就能看到我听得懂什么。",
		},
		plain: core.LocalText{
			En: "I am not sure, so I wrote nothing down. To log “{title}”, say it plainly: “{title} done”, “{title} done yesterday” or “skip {title} today”.",
			Ko: "확실하지 않아서 아무것도 적지 않았어요. “{title}”을(를) 기록하려면 “{title} 완료”, “어제 {title} 완료”, “오늘 {title} 건너뛰기”처럼 말해 주세요.",
			Zh: "我不太确定，所以什么都没有记。要记录“{title}”，请直接说：“{title} 完成”“昨天{title} 完成”或“今天跳过{title}”。",
		},
		which:       core.LocalText{En: "Which habit do you mean?{list}\nA number or the name will do.", Ko: "어떤 습관인가요?{list}\n번호나 이름으로 답해 주세요.", Zh: "你指的是哪个习惯？{list}\n回复编号或名称即可。"},
		whichEntry:  core.LocalText{En: "Is it one of these you want to add?{list}\nA number or the name will do.", Ko: "이 중에서 추가할까요?{list}\n번호나 이름으로 답해 주세요.", Zh: "想添加的是其中一个吗？{list}\n回复编号或名称即可。"},
		noTool:      core.LocalText{En: "I cannot do that in this chat right now. Please try again in a private chat.", Ko: "지금 이 대화에서는 할 수 없어요. 개인 대화에서 다시 해 주세요.", Zh: "现在在这个聊天里做不了，请在私聊中再试一次。"},
		noHabits:    core.LocalText{En: "You have no habits yet. Say “sleep habits” or “show the catalog” to find one.", Ko: "아직 습관이 없어요. “수면 습관 찾아줘”나 “카탈로그 보여줘”라고 해 보세요.", Zh: "你还没有习惯。说“找睡眠习惯”或“看看目录”来挑一个吧。"},
		notYours:    core.LocalText{En: "“{title}” is not among your habits yet. Shall I add it? Say “add {title}”.", Ko: "“{title}”은(는) 아직 내 습관이 아니에요. 시작하려면 “{title} 추가해줘”라고 말해 주세요.", Zh: "“{title}”还不在你的习惯里。想开始的话，请说“添加{title}”。"},
		nothing:     core.LocalText{En: "I found nothing for that. The catalog has: {list}.", Ko: "맞는 것을 찾지 못했어요. 카탈로그에는 이런 것이 있어요: {list}.", Zh: "没有找到。目录里有：{list}。"},
		found:       core.LocalText{En: "Here is what I found:{list}\nReply with a number to look closer or take it up.", Ko: "이런 것이 있어요:{list}\n번호로 답하면 골라 드려요.", Zh: "找到这些：{list}\n回复编号即可选择。"},
		first:       core.LocalText{En: "Before you begin with “{title}”: {caution}", Ko: "“{title}”을(를) 시작하기 전에: {caution}", Zh: "开始“{title}”之前：{caution}"},
		entry:       core.LocalText{En: "{title}: {summary}\nMinimum: {minimum}\nStandard: {standard}\nStretch: {stretch}\nA good moment: {anchor}", Ko: "{title}: {summary}\n최소: {minimum}\n표준: {standard}\n넉넉히: {stretch}\n알맞은 때: {anchor}", Zh: "{title}：{summary}\n最小：{minimum}\n标准：{standard}\n加量：{stretch}\n合适的时机：{anchor}"},
		caution:     core.LocalText{En: "\nCaution: {caution}", Ko: "\n주의: {caution}", Zh: "\n注意：{caution}"},
		evidence:    core.LocalText{En: "\nOne source (grade {grade}): {citation} ({year})", Ko: "\n근거 하나(등급 {grade}): {citation} ({year})", Zh: "\n依据之一（等级{grade}）：{citation}（{year}）"},
		haveIt:      core.LocalText{En: "\nIt is one of your habits.", Ko: "\n이미 하고 있는 습관이에요.", Zh: "\n这是你正在做的习惯。"},
		addIt:       core.LocalText{En: "\nSay “add it” to begin.", Ko: "\n“이거 추가”라고 하면 시작해요.", Zh: "\n说“加这个”就开始。"},
		yourHabits:  core.LocalText{En: "Your habits today:", Ko: "오늘의 내 습관:", Zh: "你今天的习惯："},
		places:      core.LocalText{En: "Free places: {build} to build, {break} to change.", Ko: "남은 자리: 만들기 {build}, 바꾸기 {break}.", Zh: "剩余名额：养成{build}，改变{break}。"},
		row:         core.LocalText{En: "{n} in a row", Ko: "연속 {n}일", Zh: "连续{n}天"},
		streak:      core.LocalText{En: "{title}: {n} in a row, longest {longest}. Done {month} times in 30 days and {phase} in this phase of 42 days. Stage: {tier}.", Ko: "{title}: 연속 {n}일, 최장 {longest}일. 최근 30일에 {month}번, 이번 42일 단계에서 {phase}번 했어요. 단계: {tier}.", Zh: "{title}：连续{n}天，最长{longest}天。最近30天做了{month}次，这个42天阶段做了{phase}次。阶段：{tier}。"},
		wayBack:     core.LocalText{En: "The way back is small: today's minimum counts in full.", Ko: "다시 시작은 작게 해도 돼요. 오늘 최소만 해도 온전히 하루예요.", Zh: "重新开始很简单：今天做到最小量就算完整的一天。"},
		thisHabit:   core.LocalText{En: "This habit", Ko: "이 습관", Zh: "这个习惯"},
		added:       core.LocalText{En: "“{title}” is on your list. Tell me when it is done, even the minimum counts.", Ko: "“{title}”을(를) 목록에 넣었어요. 하고 나면 알려 주세요. 최소만 해도 충분해요.", Zh: "“{title}”已加入你的习惯。做完告诉我，最小量也算。"},
		logged:      core.LocalText{En: "Logged “{title}” for {date}: {value}.", Ko: "“{title}” {date} 기록: {value}.", Zh: "已记录“{title}”{date}：{value}。"},
		streakShort: core.LocalText{En: "Streak: {n}.", Ko: "연속 {n}일.", Zh: "连续{n}天。"},
		honest:      core.LocalText{En: "Thank you for the honest note.", Ko: "솔직하게 남겨 줘서 고마워요.", Zh: "谢谢你的坦诚。"},
		today:       core.LocalText{En: "today", Ko: "오늘", Zh: "今天"},
		yesterday:   core.LocalText{En: "yesterday", Ko: "어제", Zh: "昨天"},
		cancelled:   core.LocalText{En: "All right, nothing was changed. I am here when you like.", Ko: "알겠어요. 아무것도 바꾸지 않았어요. 필요할 때 말해 주세요.", Zh: "好的，什么都没有改。需要时随时找我。"},
		avoidance:   core.LocalText{En: "A habit works better when it says what you will do. Which one shall I use?{list}", Ko: "습관은 무엇을 할지로 적으면 더 잘 돼요. 어느 쪽으로 할까요?{list}", Zh: "写成“要做什么”的习惯更容易坚持。用哪一个？{list}"},
		identity:    core.LocalText{En: "I am someone who makes room for this: {title}", Ko: "나는 “{title}”을 챙기는 사람이다", Zh: "我是把“{title}”放在心上的人"},
		refused:     core.LocalText{En: "That did not work.", Ko: "그건 하지 못했어요.", Zh: "这次没有成功。"},
		broken:      core.LocalText{En: "I could not read the answer. Please try again in a moment.", Ko: "결과를 읽지 못했어요. 잠시 뒤에 다시 해 주세요.", Zh: "我没能读懂结果，请稍后再试。"},
		tooLong:     core.LocalText{En: "That was too much for one message. Please ask for a single one by name.", Ko: "한 번에 보여 드리기에는 너무 많아요. 이름을 하나 말해 주세요.", Zh: "内容太多，一条消息放不下。请说一个具体的名称。"},
		done:        core.LocalText{En: "Done.", Ko: "했어요.", Zh: "好了。"},
	}
}

// fixedReplies is the list that a message gets an answer from when nothing else fits (seed 003).
func fixedReplies() []core.LocalText {
	return []core.LocalText{
		{
			En: "I am the offline coach and did not understand that. Say “help” to see what I can do.",
			Ko: "저는 오프라인 코치라서 그 말은 이해하지 못했어요. “도움말”이라고 하면 할 수 있는 일을 보여 드려요.",
			Zh: "我是离线教练，这句没听懂。说“帮助”看看我能做什么。",
		},
		{
			En: "As the offline coach I keep to small things: your habits, a day's log, your streaks. “my habits” is a good start.",
			Ko: "오프라인 코치인 저는 작은 일을 도와요. 습관, 하루 기록, 연속 기록이요. “내 습관”부터 해 볼까요?",
			Zh: "作为离线教练，我只管小事：你的习惯、每天的记录和连续天数。可以先说“我的习惯”。",
		},
		{
			En: "I am listening, though the offline coach knows only plain sentences such as “walk done” or “sleep habits”.",
			Ko: "듣고 있어요. 다만 오프라인 코치는 “산책 했어”, “수면 습관 찾아줘” 같은 짧은 말만 알아들어요.",
			Zh: "我在听，不过离线教练只懂简单的话，比如“散步完成”“找睡眠习惯”。",
		},
		{
			En: "That is beyond the offline coach. I can find habits, explain, add and log them: say “help” for examples.",
			Ko: "오프라인 코치에게는 어려운 말이에요. 습관을 찾고, 설명하고, 추가하고, 기록할 수 있어요. “도움말”을 보세요.",
			Zh: "这超出了离线教练的能力。我可以查找、介绍、添加和记录习惯，说“帮助”看例子。",
		},
	}
}

// An errorText is what is said of a code. With reason, the refusal's own sentence comes first; alone is said where there is none.
type errorText struct {
	text   core.LocalText
	reason bool
	alone  core.LocalText
}

// errorTexts says of each code of habits.md §2.2 what the coach does next.
func (t texts) errors() map[string]errorText {
	return map[string]errorText{
		"unknown_tool":    {text: t.noTool},
		"validation":      {text: core.LocalText{En: "Please say it once more in other words.", Ko: "다른 말로 한 번 더 말해 주세요.", Zh: "请换个说法再说一次。"}},
		"handler_error":   {text: core.LocalText{En: "Sorry, something went wrong on my side. Please try again a little later.", Ko: "죄송해요. 제 쪽에 문제가 있었어요. 잠시 뒤에 다시 해 주세요.", Zh: "抱歉，我这边出了点问题，请稍后再试。"}},
		"outcome_unknown": {text: core.LocalText{En: "I do not know whether it was done. Please look at “my habits” before you try again.", Ko: "실행됐는지 알 수 없어요. 다시 하기 전에 “내 습관”을 확인해 주세요.", Zh: "我不确定是否完成了。再试之前请先看看“我的习惯”。"}},
		"changed":         {text: core.LocalText{En: "Something changed meanwhile. Please look once more and say it again.", Ko: "그사이 바뀐 것이 있어요. 확인하고 다시 말해 주세요.", Zh: "刚刚有变化，请确认后再说一次。"}},
		"r3_quota": {reason: true,
			text:  core.LocalText{En: "Make room first: pause or archive one of them.", Ko: "먼저 하나를 쉬거나 보관해서 자리를 만들어 주세요.", Zh: "请先暂停或归档其中一个，腾出名额。"},
			alone: core.LocalText{En: "All places are taken. Pause or archive a habit first.", Ko: "자리가 다 찼어요. 먼저 습관 하나를 쉬거나 보관해 주세요.", Zh: "名额已满，请先暂停或归档一个习惯。"}},
		codeDuplicate: {reason: true,
			text:  core.LocalText{En: "Say “replace” to overwrite it.", Ko: "덮어쓰려면 “바꿔줘”라고 말해 주세요.", Zh: "要覆盖它，请说“替换”。"},
			alone: core.LocalText{En: "That day is logged already. Say “replace” to overwrite it.", Ko: "그날은 이미 기록되어 있어요. 덮어쓰려면 “바꿔줘”라고 말해 주세요.", Zh: "那天已经有记录了。要覆盖它，请说“替换”。"}},
		codeAvoidance: {text: core.LocalText{En: "A habit works better when it says what you will do. Please word it that way.", Ko: "습관은 무엇을 할지로 적으면 더 잘 돼요. 그렇게 다시 말해 주세요.", Zh: "写成“要做什么”的习惯更容易坚持，请换个说法。"}},
		codeSafety:    {text: core.LocalText{En: "I am not the right help for this. Please talk to a doctor or someone you trust.", Ko: "저는 이 일에 알맞은 도움이 아니에요. 의사나 믿는 사람과 이야기해 주세요.", Zh: "这件事我帮不了你，请和医生或你信任的人谈谈。"}},
		"r8_xor":      {text: core.LocalText{En: "This one is of the other kind; say “add” with its name alone.", Ko: "이건 다른 종류예요. 이름만 말해서 추가해 주세요.", Zh: "它属于另一类，请只说名称来添加。"}},
		"not_found": {reason: true,
			text:  core.LocalText{En: "“my habits” shows what there is.", Ko: "“내 습관”이라고 하면 무엇이 있는지 보여 드려요.", Zh: "说“我的习惯”可以看到有哪些。"},
			alone: core.LocalText{En: "I did not find it. “my habits” shows what there is.", Ko: "찾지 못했어요. “내 습관”이라고 하면 무엇이 있는지 보여 드려요.", Zh: "没有找到。说“我的习惯”可以看到有哪些。"}},
		"already_active":    {reason: true, alone: core.LocalText{En: "You have this habit already.", Ko: "이미 하고 있는 습관이에요.", Zh: "你已经有这个习惯了。"}},
		"habit_not_active":  {reason: true, alone: core.LocalText{En: "This habit is not active; resume it first.", Ko: "지금은 쉬는 습관이에요. 먼저 다시 시작해 주세요.", Zh: "这个习惯没有在进行，请先恢复。"}},
		"date_future":       {reason: true, alone: core.LocalText{En: "That day is still to come.", Ko: "아직 오지 않은 날이에요.", Zh: "那一天还没到。"}},
		"date_too_old":      {reason: true, alone: core.LocalText{En: "That day is too long ago to log.", Ko: "기록하기에는 너무 오래된 날이에요.", Zh: "那天太久了，不能记录。"}},
		"before_start":      {reason: true, alone: core.LocalText{En: "The habit began later than that day.", Ko: "습관을 시작하기 전의 날이에요.", Zh: "那天这个习惯还没开始。"}},
		"skip_budget":       {reason: true, alone: core.LocalText{En: "The skips of this month are used up. An honest blank is fine too.", Ko: "이번 달 건너뛰기를 다 썼어요. 솔직하게 못 했다고 남겨도 좋아요.", Zh: "这个月的跳过次数用完了，如实记没做也很好。"}},
		"private_chat_only": {text: t.noTool},
	}
}

func todayWords() map[string]core.LocalText {
	return map[string]core.LocalText{
		"open": {En: "open", Ko: "아직", Zh: "待完成"}, "done": {En: "done", Ko: "완료", Zh: "完成"}, "minimum": {En: "done (minimum)", Ko: "완료 (최소)", Zh: "完成（最小）"},
		"stretch": {En: "done (stretch)", Ko: "완료 (넉넉히)", Zh: "完成（加量）"}, "blank": {En: "not today", Ko: "오늘은 못 함", Zh: "今天没做"}, "skip": {En: "skipped", Ko: "건너뜀", Zh: "跳过"},
		"rest": {En: "rest day", Ko: "쉬는 요일", Zh: "休息日"}, "paused": {En: "paused", Ko: "쉬는 중", Zh: "已暂停"},
	}
}

func valueWords() map[string]core.LocalText {
	return map[string]core.LocalText{
		valueDone: {En: "done", Ko: "완료", Zh: "完成"}, valueBlank: {En: "not done", Ko: "못 함", Zh: "没做"}, valueSkip: {En: "skipped", Ko: "건너뜀", Zh: "跳过"},
	}
}

func variantWords() map[string]core.LocalText {
	return map[string]core.LocalText{"minimum": {En: "minimum", Ko: "최소", Zh: "最小"}, "stretch": {En: "stretch", Ko: "넉넉히", Zh: "加量"}}
}

func tierWords() map[string]core.LocalText {
	return map[string]core.LocalText{
		"seed": {En: "seed", Ko: "씨앗", Zh: "种子"}, "sprout": {En: "sprout", Ko: "새싹", Zh: "新芽"}, "rooted": {En: "rooted", Ko: "뿌리내림", Zh: "扎根"},
		"steady": {En: "steady", Ko: "꾸준함", Zh: "稳定"}, "automatic": {En: "automatic", Ko: "몸에 밴", Zh: "自然而然"}, "resting": {En: "resting", Ko: "쉬는 중", Zh: "休眠"},
	}
}
