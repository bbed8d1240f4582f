package habit

// A pattern is one row of a table of habits.md §4.3; id is the rule's name there. The expressions are RE2 and run over all
// languages, because people mix scripts.
type pattern struct{ id, re string }

// masks are what only looks like avoidance: each match becomes ▢ before the rules are tried, in this order.
func masks() []pattern {
	return []pattern{
		// reminder wording
		{"me1", `\b(?:don't|dont|do not|never) forget\b`},
		// never miss twice
		{"me2", `\bnever (?:misse[sd]|missing|miss)\b(?: (?:twice|two days(?: in a row)?))?`},
		// fixed phrases
		{"me3", `\b(?:no matter|not only|not just|whether or not|if not|why not|not later than|no later than|no less than|never too late)\b`},
		// concessive clause
		{"me4", `\beven (?:if|when) [^,.;]*`},
		// hyphenated adjective + noun: no-sugar yogurt
		{"me5", `\bno-[a-z]+ [a-z]+`},
		// idioms, No. 1
		{"me6", `\bno (?:problem|excuses?|equipment|doubt|knead)\b|\bno\. ?[0-9]+`},
		{"me11", `\bnot-yet\b`},
		// transport stops
		{"me7", `\bnon-?stop\b|\b(?:bus|train|metro|subway|tram|pit|rest) stops?\b|\b(?:one|two|a|1|2) stops? (?:early|earlier|before|sooner)\b`},
		// pause in order to
		{"me8", `\bstop(?:s)? (?:by|and|to|for)\b`},
		{"me9", `\bgiv(?:e|es|ing) up (?:my|a|the) seat\b`},
		// anatomy
		{"me10", `\blower (?:body|back|abs|limbs?)\b`},
		// ceaselessly
		{"mk1", `끊임없`},
		// so that it is not broken
		{"mk2", `끊기지\s?않(?:게|고|도록)`},
		// buy a ticket / sign up
		{"mk3", `(?:표|티켓|회원권|이용권|헬스장|헬스|학원|수강권|년권|개월권|정기권|영수증)\s?(?:을|를)?\s?끊`},
		// read in chunks
		{"mk4", `끊어\s?읽`},
		// never miss twice
		{"mk5", `(?:두\s?번|이틀)\s?(?:연속|연달아)?(?:으로)?\s?(?:빠지|거르|쉬|놓치)지\s?않(?:기|는다|고|겠다)`},
		// adverbial 'without skipping/forgetting …'
		{"mk6", `(?:잊|빠지|빠뜨리|빼먹|거르|쉬|멈추|놓치|미루|지치|무리하|포기하)지\s?않(?:고|게|도록)`},
		// don't forget
		{"mk7", `잊지\s?(?:말|않)(?:고|기|자|아|는다)`},
		// nouns ending in 지
		{"mk8", `(?:오렌지|소시지|강아지|아버지|할아버지|편지|잡지|휴지|도라지|단무지)\s?말(?:고|씀)`},
		// 금주 = this week
		{"mk9", `금주(?:의|에|\s?(?:계획|일정|목표|회고|할\s?일))`},
		// sesame oil
		{"mk10", `참기름`},
		// don't forget
		{"mz1", `(?:不要|别)忘(?:记|了)?`},
		// 别 inside words
		{"mz2", `特别|分别|区别|级别|性别|个别|类别|识别|辨别|差别|鉴别|别人|别墅|别致|别的|别处`},
		// 戒 inside words
		{"mz3", `戒指|警戒|戒备|戒尺`},
		// 少 inside words
		{"mz4", `至少|不少|多少`},
		// persist
		{"mz5", `(?:永不|绝不|不)放弃`},
		// purpose clause
		{"mz6", `(?:为了?避免|以免|以避免)[^,。;]*,?`},
		// no equipment needed
		{"mz7", `不用(?:器械|设备|工具|很|太)`},
		// breath control
		{"mz8", `控制呼吸|呼吸控制`},
	}
}

// hard say that something is not done: any match refuses.
func hard() []pattern {
	return []pattern{
		// cessation verbs
		{"e1", `\b(?:stop|stopping|quit|quits|quitting|avoid|avoids|avoiding|refuse|refusing|refrain|refraining|abstain|abstaining|cease|eliminate|eliminating|ban|banning|resist|resisting|ditch|ditching)\b`},
		// cessation phrases
		{"e2", `\b(?:giv(?:e|es|ing) up|cut(?:ting)? out|get(?:ting)? rid of|(?:stay|keep)(?:s|ing)? (?:away from|off)|steer(?:ing)? clear of|say(?:ing)? no to|break(?:ing)? (?:free|(?:the|my|this|a) (?:[a-z]+ )?(?:habit|addiction))|kick(?:ing)? the habit|lay(?:ing)? off|cold turkey|wean(?:ing)? off)\b`},
		// negated verb
		{"e3", `\b(?:don't|dont|do not|doesn't|does not|won't|will not|can't|cannot|can not|shouldn't|should not|mustn't|must not|never|no longer|no more|not)\b`},
		// bare 'no X'
		{"e4", `\bno [a-z]+`},
		// skip a meal or treat
		{"e5", `\bskip(?:s|ping)? (?:the |my |a )?(?:breakfast|lunch|dinner|meals?|desserts?|snacks?|soda|sugar|gym)\b`},
		// live without X
		{"e6", `\b(?:days?|weeks?|months?|evenings?|go|going|live|living|survive) without\b`},
		// zero X
		{"e7", `\bzero (?:alcohol|phone|screens?|snacks?|social media|cigarettes?|sweets)\b`},
		// X-free period
		{"e9", `\b[a-z]+-free (?:january|february|march|april|may|june|july|august|september|october|november|december|days?|weeks?|weekends?|months?|years?|challenge)\b`},
		// mixed-script 'No야식'
		{"e8", `\bno\s?(?:\p{Hangul}|\p{Han})`},
		// 안 + verb
		{"k1", `(?:^|[\s,.!?·/(▢])안\s?(?:하기|한다|할|했|해|하겠|하고|하는|먹기|먹는|먹겠|먹고|먹을|먹어|마시기|마신|마시겠|마시고|마실|마셔|보기|본다|보겠|보고|볼|봐|피우기|피운|피우겠|피기|핀다|사기|산다|사겠|쓰기|쓴다|쓰겠|자기|잔다|켜기|켠다|만지기|만진|미루기|미룬|미루겠|늦기|늦는|늦겠|화내기|화낸|들어가기|들어간|시키기|시킨|물어뜯|뜯기|뜯는|긁기)`},
		// -지 않/말
		{"k2", `지\s?(?:않기|않는|않겠|않을|않고|않아|않도록|않았|말기|말자|말고|말아|말\s?것|말도록|못하게)`},
		// 끊다 (cut off)
		{"k3", `끊(?:기|는다|는|겠|을|었|고|자|어)`},
		// 그만 + verb
		{"k4", `그만\s?(?:할|둘|하기|한다|하자|하겠|두기|둔다|두자|두겠|먹기|먹는|마시기|보기|피우기|쓰기|사기)`},
		// abstention nouns/verbs
		{"k5", `금지|금연|금주|금식|금욕|절제(?:하|한)|자제(?:하|한)|피하기|피한다|피하자|멀리하기|멀리한다|없애기|없앤다|벗어나기|참는다|참자|참기(?:[^름]|$)|삼가`},
		// no-X challenge
		{"k6", `(?:노|무)\s?(?:지출|스마트폰|핸드폰|야식|밀가루|카페인|알코올|술)\s?(?:챌린지|데이|하루|주간|생활)`},
		// live without
		{"k7", `없이\s?(?:살기|산다|지내기|지낸다|버티기|버틴다|보내기|보낸다)`},
		// prohibition
		{"z1", `不要|不再|不能再|不许|不准|不可以|别(?:再|去|想|碰|看|吃|喝|玩|刷|抽|熬|买|用|点|睡|拖|发|赖|吵)`},
		// 戒 (abstain)
		{"z2", `戒`},
		// cessation verbs
		{"z3", `停止|停掉|克服|停用|禁止|禁烟|禁酒|禁食|禁糖|断糖|断食|断网|杜绝|避免|远离|拒绝|放弃|摆脱|克制|忍住|改掉|根除|告别|隔绝|抵制`},
		// 不 + verb
		{"z4", `不(?:吃|喝|抽|玩|刷|熬|看|买|用|碰|点|睡懒觉|赖床|拖延|拖|迟到|发脾气|发火|发怒|生气|骂|打断|咬|抠)`},
		// X-free day
		{"z5", `(?:无|零)(?:糖|酒精|烟|手机|屏幕)(?:日|一天|生活|挑战|周)|没有[^的]{1,6}的(?:一天|日子|生活)`},
	}
}

// soft say that something is done less: a match refuses unless a quantity or a replacement stands in the same text.
func soft() []pattern {
	return []pattern{
		// reduce / limit
		{"re", `\b(?:less|fewer|reduce|reducing|reduces|limit|limiting|limits|decrease|decreasing|minimi[sz]e|minimi[sz]ing|cut(?:ting)? (?:down|back)|at most|lower|lowering)\b`},
		// 줄이기 / 덜 / 제한
		{"rk", `줄이기|줄인다|줄이자|줄여|줄이고|줄이겠|줄일|(?:^|\s)덜\s?(?:먹|마시|보|하|쓰|피우)|적게\s?(?:먹|마시|보|쓰)|제한|최소화|이하로|이내로|까지만`},
		// 减少 / 少X / 控制
		{"rz", `减少|少(?:吃|喝|玩|刷|抽|熬|看|买|用|点|睡)|降低|控制|限制|缩短|不超过|最多|至多`},
	}
}

// quantities make a limit of a reduction.
func quantities() []pattern {
	return []pattern{
		{"q1", `[0-9]`},
		{"q2", `\b(?:one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|half|once|twice)\b`},
		{"q3", `(?:한|두|세|네|다섯|여섯|열|반)\s?(?:개|번|잔|분|시간|캔|병|개비|조각|편|판|그릇)`},
		{"q4", `[一二两三四五六七八九十百半]+(?:个|次|分钟|小时|杯|块|页|支|根|口|集|局|罐|瓶|勺)`},
	}
}

// replacements say what is done instead.
func replacements() []pattern {
	return []pattern{
		{"p1", `\b(?:instead of|rather than|in place of)\b|\b(?:replac|swap|switch|trad)[a-z]*\b.*\b(?:with|for|to)\b`},
		{"p2", `대신|바꾸|바꿔|바꾼`},
		{"p3", `代替|替代|换成|改成|改为|改喝|改吃|取代`},
	}
}
