package offline

import "slices"

// An amount is a number with a unit, such as "10 minutes" or "한 세트".
type amount struct {
	span
	n    int
	unit int // number of the unit's name
}

// A clock is a time of day, in minutes since midnight.
type clock struct {
	span
	minutes int
}

// findAmounts finds amounts and times of day. Dates were found before.
func (r *reading) findAmounts(v *vocabulary) {
	for i := 0; i < len(r.norm); i++ {
		if slices.ContainsFunc(r.days, func(d day) bool { return d.explicit && i >= d.from && i < d.to }) {
			continue
		}
		if !edge(r.norm, i) && !han(r.norm[i]) && !(latin(r.norm[i]) && !latin(r.at1(i-1))) {
			continue
		}
		if c, ok := r.clockAt(v, i); ok {
			r.clocks = append(r.clocks, c)
			i = c.to - 1
			continue
		}
		for _, a := range r.amountsAt(v, i) {
			r.amounts = append(r.amounts, a)
			i = a.to - 1
		}
	}
}

// amountsAt reads an amount at i. A word can be a unit of several things, such as "번"; each is returned.
func (r *reading) amountsAt(v *vocabulary, i int) []amount {
	n, to, ok := v.number(r.norm, i)
	if !ok {
		return nil
	}
	if r.at1(to) == '천' && hangul(r.at1(to)) {
		n, to = n*1000, to+1
	}
	h := v.units.longest(r.norm, r.skip(to, " "))
	if h.to == r.skip(to, " ") {
		if _, _, digit := digits(r.norm, i); digit { // 20min
			if h = v.units.inside(r.norm, to); h.to == to {
				return nil
			}
		} else {
			return nil
		}
	}
	var out []amount
	for _, m := range h.marks {
		out = append(out, amount{span{i, h.to}, n, m.value})
	}
	return out
}

// inside finds a Latin unit right after a number, where no word begins.
func (l *lexicon) inside(norm []rune, from int) hit {
	padded := append([]rune{' '}, norm[from:]...)
	h := l.longest(padded, 1)
	return hit{from, from + h.to - 1, h.marks}
}

// clockAt reads 7:00, 7am, 7 o'clock, 아침 7시 반, 早上七点半. Afternoon words before it add twelve hours.
func (r *reading) clockAt(v *vocabulary, i int) (clock, bool) {
	hour, to, ok := v.number(r.norm, i)
	if !ok || hour > 24 {
		return clock{}, false
	}
	minute, end := 0, 0
	switch c := r.at1(to); {
	case c == ':':
		m, stop, ok := digits(r.norm, to+1)
		if !ok || stop-to != 3 {
			return clock{}, false
		}
		minute, end = m, stop
	case c == '点' && hour == 1 && !r.seenBefore(i, []string{"早上", "上午", "中午", "下午", "晚上", "凌晨"}): // a bit
		return clock{}, false
	case c == '시' && r.at1(to+1) != '간', c == '点':
		minute, end = r.minutesAfter(v, to+1)
	}
	var half int
	half, end = r.meridiem(i, to, end)
	if end == 0 || minute > 59 {
		return clock{}, false
	}
	if half == 12 && hour < 12 {
		hour += 12
	} else if half == 0 && hour == 12 && r.seenBefore(i, []string{"am"}) {
		hour = 0
	}
	return clock{span{i, end}, (hour%24)*60 + minute}, true
}

// minutesAfter reads what follows the hour in Korean and Chinese: 반, 30분, 半, 一刻, 30分.
func (r *reading) minutesAfter(v *vocabulary, i int) (minute, end int) {
	j := r.skip(i, " ")
	switch c := r.at1(j); c {
	case '반', '半':
		return 30, j + 1
	case '整', '钟':
		return 0, j + 1
	}
	if n, to, ok := v.number(r.norm, j); ok && n < 60 && (r.at1(to) == '분' || r.at1(to) == '分') && r.at1(to+1) != '钟' {
		return n, to + 1
	}
	return 0, i
}

// meridiem returns 12 for a time after noon and where the time ends; in English am or pm may make a time of a bare number.
func (r *reading) meridiem(from, number, end int) (half, to int) {
	j := r.skip(max(number, end), " ")
	for _, s := range []string{"am", "a.m.", "pm", "p.m.", "o'clock", "oclock"} {
		if k := j + len(s); k <= len(r.norm) && string(r.norm[j:k]) == s && (k == len(r.norm) || !latin(r.norm[k])) {
			end = k
			if s[0] == 'p' {
				return 12, end
			}
			return 0, end
		}
	}
	if end > 0 && r.seenBefore(from, []string{"오후", "저녁", "밤", "下午", "晚上", "傍晚"}) {
		return 12, end
	}
	return 0, end
}

// seenBefore tells whether one of the words stands right before i.
func (r *reading) seenBefore(i int, words []string) bool {
	for i > 0 && r.norm[i-1] == ' ' {
		i--
	}
	return slices.ContainsFunc(words, func(w string) bool {
		n := len([]rune(w))
		return i >= n && string(r.norm[i-n:i]) == w
	})
}
