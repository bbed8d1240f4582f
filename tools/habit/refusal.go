package habit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"steady/core"
)

// Codes of the refusals of this package (habits.md §2.2).
const (
	codeValidation = "validation"
	codeSafety     = "safety_gate"
	codeNotFound   = "not_found"
	codeXor        = "r8_xor"
	codeAlready    = "already_active"
	codeQuota      = "r3_quota"
	codeAvoidance  = "r7_avoidance"
	codeNotActive  = "habit_not_active"
	codeFuture     = "date_future"
	codeTooOld     = "date_too_old"
	codeBefore     = "before_start"
	codeDuplicate  = "duplicate"
	codeSkips      = "skip_budget"
	codeChanged    = "changed"
)

// refuse makes a refusal with a reason in the person's language. The texts number their arguments, because languages order them
// differently.
func refuse(l core.Lang, code string, text core.LocalText, args ...any) error {
	return &core.ToolError{Code: code, Reason: fmt.Sprintf(text.In(l), args...)}
}

// spoken names a date for a person, such as "9 March".
func spoken(d Date, l core.Lang) string {
	t := d.Midnight()
	switch l {
	case core.Ko:
		return fmt.Sprintf("%d월 %d일", t.Month(), t.Day())
	case core.Zh:
		return fmt.Sprintf("%d月%d日", t.Month(), t.Day())
	}
	return strconv.Itoa(t.Day()) + " " + time.Month(t.Month()).String()
}

// In names a mark for a person, such as "done (minimum)".
func (m Mark) In(l core.Lang) string {
	value := map[Value]core.LocalText{
		Done:  {En: "done", Ko: "완료", Zh: "完成"},
		Blank: {En: "not done", Ko: "못 함", Zh: "没做"},
		Skip:  {En: "skipped", Ko: "건너뜀", Zh: "跳过"},
	}[m.Value].In(l)
	variant := map[Variant]core.LocalText{
		Minimum: {En: "minimum", Ko: "최소", Zh: "最小"},
		Stretch: {En: "stretch", Ko: "넉넉히", Zh: "加量"},
	}[m.Variant].In(l)
	if variant == "" {
		return value
	}
	return value + " (" + variant + ")"
}

// In names a type for a person.
func (t Type) In(l core.Lang) string {
	if t == Break {
		return core.LocalText{En: "break", Ko: "바꾸기", Zh: "改变"}.In(l)
	}
	return core.LocalText{En: "build", Ko: "만들기", Zh: "养成"}.In(l)
}

// titles lists habits by id and title, as a refusal names what there is.
func titles(habits []*Habit) string {
	var names []string
	for _, h := range habits {
		names = append(names, fmt.Sprintf("%d “%s”", h.ID, h.Title))
	}
	return strings.Join(names, ", ")
}
