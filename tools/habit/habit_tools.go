package habit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"steady/core"
)

// addArgs are the arguments of add_habit. The precheck fills in what was left to the catalog, so that the whole habit is shown.
type addArgs struct {
	ProtocolID  string     `json:"protocol_id"`
	FrameLevel  FrameLevel `json:"frame_level"`
	FramedText  string     `json:"framed_text"`
	AnchorWhen  string     `json:"anchor_when,omitempty"`
	AnchorAfter string     `json:"anchor_after_what,omitempty"`
	Dose        string     `json:"dose_text,omitempty"`
	Minimum     string     `json:"minimum_text,omitempty"`
	Days        Days       `json:"days,omitempty"`
	Title       string     `json:"title,omitempty"`
	Type        Type       `json:"type,omitempty"`
}

type addResult struct {
	HabitID    int        `json:"habit_id"`
	Title      string     `json:"title"`
	Type       Type       `json:"type"`
	FrameLevel FrameLevel `json:"frame_level"`
	Warnings   []string   `json:"warnings,omitempty"`
}

func (c *Coach) addHabit() core.Tool {
	return core.Tool{
		Name:     "add_habit",
		About:    core.LocalText{En: "Creates a habit from the catalog.", Ko: "카탈로그에서 습관을 하나 만들어요.", Zh: "从目录中创建一个习惯。"},
		Effect:   nil, // asks, always
		Precheck: prechecker(c.planHabit),
		Summary:  summarizer(summarizeHabit),
		Apply:    applier(c.add),
	}
}

// planHabit applies the rules in the order of habits.md §3 and fills in the defaults.
func (c *Coach) planHabit(ctx context.Context, b book, args addArgs) (addArgs, error) {
	l := b.o.Lang
	if err := args.clean(l); err != nil {
		return args, err
	}
	if err := c.guardTexts(b.o, "", args.FramedText, args.Title, args.Dose, args.Minimum, args.AnchorWhen, args.AnchorAfter); err != nil {
		return args, err
	}
	e, err := c.entry(ctx, b, args.ProtocolID)
	if err != nil {
		return args, err
	}
	shelf, err := b.shelf(ctx)
	if err != nil {
		return args, err
	}
	if args.Type != "" && args.Type != e.Kind.Type() {
		return args, refuse(l, codeXor, core.LocalText{
			En: "“%[1]s” makes a habit of type %[2]s; leave the type out or use that one.",
			Ko: "“%[1]s”은(는) %[2]s 습관이에요. 유형을 빼거나 그것으로 하세요.",
			Zh: "“%[1]s”属于%[2]s习惯,请省略类型或改用该类型。",
		}, e.Title.In(l), e.Kind.Type().In(l))
	}
	if h := shelf.With(e.ID); h != nil {
		return args, refuse(l, codeAlready, core.LocalText{
			En: "This is already habit %[1]d “%[2]s”; go on with that one.",
			Ko: "이미 %[1]d번 습관 “%[2]s”(으)로 있어요. 그것을 이어 가세요.",
			Zh: "这已经是第%[1]d号习惯“%[2]s”,请继续使用它。",
		}, h.ID, h.Title)
	}
	if err := shelf.checkQuota(e.Kind.Type(), l); err != nil {
		return args, err
	}
	args.fill(e, l)
	return args, c.checkFraming(l, args.FramedText, args.Title)
}

// clean holds R2 and R9: texts are one line and no longer than they may be, the framed text has 4 to 200 characters, and what is
// given is not empty.
func (a *addArgs) clean(l core.Lang) error {
	a.ProtocolID = loose(a.ProtocolID)
	for _, t := range []struct {
		text     *string
		min, max int
		name     string
	}{
		{&a.FramedText, 4, 200, "framed_text"}, {&a.Title, 1, 60, "title"}, {&a.Dose, 1, 120, "dose_text"},
		{&a.Minimum, 1, 120, "minimum_text"}, {&a.AnchorWhen, 1, 120, "anchor_when"}, {&a.AnchorAfter, 1, 120, "anchor_after_what"},
	} {
		given := *t.text != "" || t.min > 1
		*t.text = oneLine(*t.text)
		if n := utf8.RuneCountInString(*t.text); given && (n < t.min || n > t.max || core.Blank(*t.text)) {
			return refuse(l, codeValidation, core.LocalText{
				En: "Give “%[1]s” %[2]d to %[3]d characters.",
				Ko: "“%[1]s”은(는) %[2]d~%[3]d자로 써 주세요.",
				Zh: "“%[1]s”请写%[2]d到%[3]d个字符。",
			}, t.name, t.min, t.max)
		}
	}
	if !slices.Contains([]FrameLevel{Outcome, Process, Identity}, a.FrameLevel) {
		return refuse(l, codeValidation, core.LocalText{
			En: "“%[1]s” must be one of: %[2]s.", Ko: "“%[1]s” 값은 다음 중 하나여야 해요: %[2]s.", Zh: "“%[1]s”必须是以下之一:%[2]s。",
		}, "frame_level", "outcome, process, identity")
	}
	return nil
}

// fill puts in what the entry gives where the person said nothing.
func (a *addArgs) fill(e *CatalogEntry, l core.Lang) {
	a.Type = e.Kind.Type()
	if a.Title == "" {
		a.Title = e.Title.In(l)
	}
	if a.Dose == "" {
		a.Dose = e.Doses.Standard.Text.In(l)
	}
	if a.Minimum == "" {
		a.Minimum = e.Doses.Minimum.Text.In(l)
	}
	if a.Days == 0 {
		a.Days = e.Days()
	}
}

// checkFraming is R7. It reads the framed text and the title, not the anchors (C17).
func (c *Coach) checkFraming(l core.Lang, texts ...string) error {
	for _, t := range texts {
		v := c.avoidance.Judge(t)
		switch v.Framing {
		case AvoidanceFraming:
			return refuse(l, codeAvoidance, core.LocalText{
				En: "“%[1]s” says what will not happen; say what the person will do, and offer two rewordings: one replacement (when, then what), one identity.",
				Ko: "“%[1]s”은(는) 하지 않을 일이에요. 할 일을 말하도록 두 가지로 바꿔 제안하세요. 하나는 대신할 행동(언제, 무엇을), 하나는 정체성이에요.",
				Zh: "“%[1]s”说的是不做什么;请改成要做什么,并提供两种说法:一种是替代行动(何时做什么),一种是身份。",
			}, v.Match)
		case ReduceWithoutLimit:
			return refuse(l, codeAvoidance, core.LocalText{
				En: "“%[1]s” names no amount; say how much, or what is done instead, and offer two such rewordings.",
				Ko: "“%[1]s”에 양이 없어요. 얼마나 할지, 또는 대신 무엇을 할지 두 가지로 바꿔 제안하세요.",
				Zh: "“%[1]s”没有说明数量;请说明多少,或改做什么,并提供两种说法。",
			}, v.Match)
		}
	}
	return nil
}

// add puts the habit on the shelf. The rules are applied once more, to the documents that are written.
func (c *Coach) add(ctx context.Context, b book, args addArgs) (addResult, error) {
	args, err := c.planHabit(ctx, b, args)
	if err != nil {
		return addResult{}, err
	}
	shelf, err := b.shelf(ctx)
	if err != nil {
		return addResult{}, err
	}
	today, now := b.today(), b.o.Now.UTC()
	h := Habit{ID: shelf.Next, Type: args.Type, Protocol: args.ProtocolID, Title: args.Title, FrameLevel: args.FrameLevel,
		FramedText: args.FramedText, AnchorWhen: args.AnchorWhen, AnchorAfter: args.AnchorAfter, Dose: args.Dose, Minimum: args.Minimum,
		Schedule: Schedule{{Days: args.Days}}, Start: today, PhaseStart: today, Status: Active, Created: now, Updated: now}
	shelf.Next++
	shelf.Habits = append(shelf.Habits, h)
	if err := b.putShelf(shelf); err != nil {
		return addResult{}, err
	}
	return addResult{h.ID, h.Title, h.Type, h.FrameLevel, c.warnings(&h)}, nil
}

// summarizeHabit is the confirmation text of add_habit (habits.md §2.3).
func summarizeHabit(ctx context.Context, b book, a addArgs) (string, error) {
	shelf, err := b.shelf(ctx)
	if err != nil {
		return "", err
	}
	l := b.o.Lang
	left := map[Type]int{Build: shelf.Free(Build), Break: shelf.Free(Break)}
	left[a.Type] = max(0, left[a.Type]-1)
	text := core.LocalText{
		En: "Add habit “%[1]s” (%[2]s)\n%[3]s\nWhen: %[4]s\nDose: %[5]s · on a hard day: %[6]s\nDays: %[7]s\nPlaces left after this: %[8]d build / %[9]d break",
		Ko: "습관 추가: “%[1]s” (%[2]s)\n%[3]s\n언제: %[4]s\n용량: %[5]s · 힘든 날: %[6]s\n요일: %[7]s\n남은 자리: 만들기 %[8]d / 바꾸기 %[9]d",
		Zh: "添加习惯“%[1]s”(%[2]s)\n%[3]s\n时机:%[4]s\n剂量:%[5]s·困难的日子:%[6]s\n日期:%[7]s\n剩余名额:养成%[8]d/改变%[9]d",
	}.In(l)
	return fmt.Sprintf(text, a.Title, a.Type.In(l), a.FramedText, anchor(a.AnchorWhen, a.AnchorAfter, l), a.Dose, a.Minimum, a.Days.In(l),
		left[Build], left[Break]), nil
}

// anchor names the cue of a habit for a person.
func anchor(when, after string, l core.Lang) string {
	var parts []string
	if when != "" {
		parts = append(parts, when)
	}
	if after != "" {
		text := core.LocalText{En: "after “{what}”", Ko: "“{what}” 다음", Zh: "“{what}”之后"}.In(l)
		parts = append(parts, strings.ReplaceAll(text, "{what}", after))
	}
	if len(parts) == 0 {
		return core.LocalText{En: "no cue yet", Ko: "아직 신호 없음", Zh: "还没有提示"}.In(l)
	}
	return strings.Join(parts, core.LocalText{En: ", ", Ko: ", ", Zh: ","}.In(l))
}
