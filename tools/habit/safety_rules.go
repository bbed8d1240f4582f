package habit

// alarms are the patterns of habits.md §7.3, classes in the order of their priority. They are read over normalized text; each
// is broad for a crisis and narrow for the rest.
func alarms() []alarmPattern {
	return []alarmPattern{
		{Crisis, `\b(?:kill(?:ing)? myself|end(?:ing)? my life|(?:want|wish) to die|wish i (?:was|were) dead|suicid(?:e|al)|self[- ]harm|hurt(?:ing)? myself|cut(?:ting)? myself(?:$|[^a-z]+(?:again|to|because|every|when)))`},
		{Crisis, `죽고\s?싶|죽어\s?버리고|자살|자해|살기\s?싫|사라지고\s?싶|목숨을\s?끊`},
		{Crisis, `想死|自杀|自殺|自残|自殘|不想活|轻生|結束生命|结束生命|活不下去`},
		{Emergency, `\b(?:chest pain|can(?:'t|not) breathe|overdos(?:e|ed)|passed out|fainted|coughing blood|stroke symptoms)\b`},
		{Emergency, `가슴\s?(?:통증|이\s?(?:너무\s?)?아프)|숨을\s?못|숨이\s?안|과다\s?복용|기절했|쓰러졌`},
		{Emergency, `胸痛|胸口[很好]?痛|喘不过气|喘不過氣|服药过量|晕倒|昏倒`},
		{Abuse, `\b(?:(?:he|she|they|my (?:husband|wife|partner|boyfriend|girlfriend|father|mother|dad|mom)) (?:hits|beats|hurts|chokes) me|afraid (?:to go home|at home))\b`},
		{Abuse, `맞고\s?있|때려요|때리는\s?(?:남편|아내|아빠|엄마|애인)|집에\s?가기\s?무서`},
		{Abuse, `家暴|(?:他|她|老公|丈夫|爸爸|妈妈)(?:总|又|经常)?打我(?:[^电手]|$)|害怕回家`},
		{Eating, `\b(?:anorexi[ac]|bulimi[ac]|binge (?:and|then) purge|purging|purge after|throw up (?:after|my food)|make myself (?:vomit|throw up|sick)|laxatives?|thigh gap|thinspo)\b`},
		{Eating, `\b(?:water )?fast(?:ing)? (?:for )?(?:[2-9]|[1-9][0-9]|two|three|four|five|six|seven|ten|several) days\b|\b(?:[2-9]|[1-9][0-9]|two|three|four|five|six|seven)[- ]day (?:water )?fast\b`},
		{Eating, `\b(?:eat|eating|stay(?:ing)? under|only|below|under) (?:only |about |just )?(?:[1-9][0-9]{2}|1[01][0-9]{2}) ?k?cal(?:orie)?s?(?: (?:a|per|each) day| daily)\b`},
		{Eating, `거식|폭식증|먹토|먹고\s?토|단식\s?(?:[2-9]|[1-9][0-9])\s?일|(?:[2-9]|[1-9][0-9])일\s?단식|하루\s?(?:[1-9]00|1[01]00)\s?(?:칼로리|kcal)`},
		{Eating, `厌食|厭食|暴食症|催吐|断食\s?(?:[2-9]|[1-9][0-9]|[二两三四五六七])天|每天(?:只吃)?\s?(?:[1-9]00|1[01]00)\s?(?:大卡|卡路里|kcal)`},
		{Substance, `\b(?:withdrawals?|the shakes|delirium|detox(?:ing)? from (?:alcohol|drugs|benzos?))\b|\b(?:drink|drinking) (?:alcohol |vodka |whisky |soju |heavily )?every (?:day|morning|night) (?:and|until|to get)\b`},
		{Substance, `금단|술을?\s?매일|매일\s?(?:술|소주)|마약(?:[^김떡]|$)|필로폰`},
		{Substance, `戒断反应|戒斷反應|每天(?:都)?喝(?:酒|白酒)|吸毒`},
		{Medication, `\b(?:stop(?:ping)?|quit(?:ting)?|skip(?:ping)?|chang(?:e|ing)|doubl(?:e|ing)|lower(?:ing)?|rais(?:e|ing)) (?:taking )?(?:my|the) (?:pills?|meds?|medications?|medicine|antidepressants?|insulin|dose|dosage)\b`},
		{Medication, `(?:^|[\s,.])약을?\s?(?:끊|줄여도|안\s?먹어도|중단)|복용량|용량을\s?(?:늘|줄)`},
		{Medication, `停药|停藥|(?:减|加|改)药量|剂量(?:要|该|能)`},
		{Minor, `\bi(?:'m| am) (?:[6-9]|1[0-3])(?: years old| yo\b|$|[.,!? ]*$)`},
		{Minor, `(?:저|나)는?\s?(?:[6-9]|1[0-3])살|초등학생(?:이에요|입니다|인데)|중학생(?:이에요|입니다|인데)`},
		{Minor, `我(?:今年)?(?:[6-9]|1[0-3])岁|我是小学生|我是初中生`},
	}
}

type alarmPattern struct {
	class Class
	re    string
}
