package habit

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"

	"steady/core"
)

// Days is a set of ISO weekdays, bit 1 for Monday to bit 7 for Sunday. Every set that is stored or shown has a day in it; the
// JSON form is a list such as [1,3,5].
type Days uint8

// EveryDay is the whole week.
const EveryDay Days = 0b1111_1110

// DaysOf returns the set of the given weekdays (1–7).
func DaysOf(weekdays ...int) Days {
	var s Days
	for _, w := range weekdays {
		s |= 1 << w
	}
	return s
}

// Has tells whether d falls on one of the weekdays.
func (s Days) Has(d Date) bool { return s&(1<<d.Weekday()) != 0 }

// List returns the weekdays in order.
func (s Days) List() []int {
	list := make([]int, 0, bits.OnesCount8(uint8(s)))
	for w := 1; w <= 7; w++ {
		if s&(1<<w) != 0 {
			list = append(list, w)
		}
	}
	return list
}

// MarshalJSON implements [json.Marshaler].
func (s Days) MarshalJSON() ([]byte, error) { return json.Marshal(s.List()) }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Days) UnmarshalJSON(data []byte) error {
	var list []int
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*s = 0
	for _, w := range list {
		if w < 1 || w > 7 {
			return fmt.Errorf("%d is no weekday from 1 to 7", w)
		}
		*s |= 1 << w
	}
	return nil
}

// In names the days for a person, such as "Mon, Wed, Fri" or "every day".
func (s Days) In(l core.Lang) string {
	if s == EveryDay {
		return core.LocalText{En: "every day", Ko: "매일", Zh: "每天"}.In(l)
	}
	names := core.LocalText{En: "Mon Tue Wed Thu Fri Sat Sun", Ko: "월 화 수 목 금 토 일", Zh: "周一 周二 周三 周四 周五 周六 周日"}
	sep := core.LocalText{En: ", ", Ko: "·", Zh: "、"}
	week := strings.Fields(names.In(l))
	var out []string
	for _, w := range s.List() {
		out = append(out, week[w-1])
	}
	return strings.Join(out, sep.In(l))
}
