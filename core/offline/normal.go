package offline

import (
	"strings"
	"unicode"
)

// maxRead bounds how much of a message is looked at: plain requests are short, and what is longer is answered with help.
const maxRead = 600

// A text is a message in the form that tables are written for, with the way back to what was written.
type text struct {
	raw  []rune // as it was written
	norm []rune // folded: see normalizer.text
	at   []int  // for each rune of norm, and one past its end, the index in raw
}

// original returns what was written between two positions of norm, without white space around it.
func (t text) original(from, to int) string {
	return strings.TrimSpace(string(t.raw[t.at[from]:t.at[to]]))
}

// cut returns a part of a text.
func (t text) cut(from, to int) text {
	return text{raw: t.raw, norm: t.norm[from:to], at: t.at[from : to+1]}
}

// A normalizer folds texts: case, width, quotation marks, traditional characters, composed and decomposed letters.
type normalizer struct {
	fold map[rune]rune
}

func newNormalizer() *normalizer {
	n := &normalizer{fold: map[rune]rune{
		'‘': '\'', '’': '\'', '‛': '\'', 'ʼ': '\'', '`': '\'',
		'“': '"', '”': '"', '„': '"', '«': '"', '»': '"', '「': '"', '」': '"', '『': '"', '』': '"', '《': '"', '》': '"', '〈': '"', '〉': '"',
		'\n': ';', '、': ',', '。': '.', '…': '.', '·': ' ', '~': ' ', '〜': ' ',
		'—': ':', '–': ':', '→': ':', '★': ' ', '*': ' ', '|': ' ',
	}}
	from, to := []rune(traditional), []rune(simplified)
	for i, r := range from {
		n.fold[r] = to[i]
	}
	return n
}

// text folds s. White space is a single space, and a hyphen within a word is one too, so that "self-care" is two words.
func (n *normalizer) text(s string) text {
	t := text{raw: []rune(s)}
	if len(t.raw) > maxRead {
		t.raw = t.raw[:maxRead]
	}
	for i, r := range t.raw {
		r = n.rune(r)
		switch {
		case r < 0:
			continue
		case unicode.IsSpace(r):
			r = ' '
		case r == '-' && i > 0 && i+1 < len(t.raw) && unicode.IsLetter(t.raw[i-1]) && unicode.IsLetter(t.raw[i+1]):
			r = ' '
		}
		switch last := len(t.norm) - 1; {
		case r == ' ' && (last < 0 || t.norm[last] == ' '):
			continue
		case last >= 0 && compose(t.norm[last], r) != 0:
			t.norm[last] = compose(t.norm[last], r)
			continue
		}
		t.norm = append(t.norm, r)
		t.at = append(t.at, i)
	}
	t.at = append(t.at, len(t.raw))
	return t
}

// rune folds one rune; what shows nothing is -1.
func (n *normalizer) rune(r rune) rune {
	switch {
	case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Mn, r):
		return -1
	case r >= 0xFF01 && r <= 0xFF5E: // full width
		r -= 0xFEE0
	}
	r = unicode.ToLower(r)
	if to, ok := n.fold[r]; ok {
		return to
	}
	return r
}

// The parts of a Hangul syllable in Unicode: 19 initials, 21 vowels, 28 finals with none first.
const (
	hangulBase  = 0xAC00
	hangulLast  = 0xD7A3
	hangulVowel = 21
	hangulFinal = 28
)

// compose joins two parts of a Hangul syllable, as some keyboards send them apart; 0 if they do not join.
func compose(a, b rune) rune {
	if a >= 0x1100 && a < 0x1113 && b >= 0x1161 && b < 0x1176 {
		return hangulBase + ((a-0x1100)*hangulVowel+b-0x1161)*hangulFinal
	}
	if hangul(a) && (a-hangulBase)%hangulFinal == 0 && b > 0x11A7 && b < 0x11C3 {
		return a + b - 0x11A7
	}
	return 0
}

// jamo returns the three parts of a Hangul syllable.
func jamo(r rune) [3]rune {
	r -= hangulBase
	return [3]rune{r / (hangulVowel * hangulFinal), r / hangulFinal % hangulVowel, r % hangulFinal}
}

// letters writes the parts of a syllable as the letters of a keyboard, 0 for no final.
func letters(r rune) [3]rune {
	initials, vowels := []rune("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"), []rune("ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ")
	finals := []rune("\x00ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")
	p := jamo(r)
	return [3]rune{initials[p[0]], vowels[p[1]], finals[p[2]]}
}

func hangul(r rune) bool { return r >= hangulBase && r <= hangulLast }

func han(r rune) bool { return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF }

// latin tells whether r is part of a word that is written with spaces around it: a letter, a digit, or what holds ids together.
func latin(r rune) bool {
	return r == '\'' || r == '_' || unicode.IsDigit(r) || unicode.IsLetter(r) && !han(r) && !hangul(r)
}

// The characters of a traditional text that the tables of Chinese know in their simplified form.
const (
	traditional = "習慣記錄連續幾個嗎麼現開關說謝誰還沒進來時間點鐘後養標週運動壓學飲係護遠離減斷擺脫煙無買發賴遲罵換為準許頂機電話書單雙讓給請問過頭業應該會長計劃畫總據證體鍛煉鍊練傷藥醫歲數錯誤狀態務歷線顏種類鬧牆門飯湯魚雞麵穀糧齒潔絡網繫聯親媽爺兒孫師當對擔憂慮緊張鬆靜順慶興趣東車來見觀覺聽讀寫筆紙詞語題樣條則從經驗歡樂愛戀實際項縮紀擇選擱擊檢查測試願意風涼熱溫氣陽曬暈嚴重輕快慢終結束繼維堅持補遺漏還剛纔纏緩廳臥裝設備註釋論號碼區館園場遊戲夠餘賸"
	simplified  = "习惯记录连续几个吗么现开关说谢谁还没进来时间点钟后养标周运动压学饮系护远离减断摆脱烟无买发赖迟骂换为准许顶机电话书单双让给请问过头业应该会长计划画总据证体锻炼炼练伤药医岁数错误状态务历线颜种类闹墙门饭汤鱼鸡面谷粮齿洁络网系联亲妈爷儿孙师当对担忧虑紧张松静顺庆兴趣东车来见观觉听读写笔纸词语题样条则从经验欢乐爱恋实际项缩纪择选搁击检查测试愿意风凉热温气阳晒晕严重轻快慢终结束继维坚持补遗漏还刚才缠缓厅卧装设备注释论号码区馆园场游戏够余剩"
)
