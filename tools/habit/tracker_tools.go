package habit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"steady/core"
)

// logArgs are the arguments of log_tracker_entry. The precheck turns Date into a civil date and Variant into what it means, and
// notes in Was what a replacement would overwrite.
type logArgs struct {
	HabitID int     `json:"habit_id"`
	Value   Value   `json:"value"`
	Date    string  `json:"date,omitempty"`
	Note    string  `json:"note,omitempty"`
	Variant Variant `json:"variant,omitempty"`
	Replace bool    `json:"replace,omitempty"`
	Was     string  `json:"was,omitempty"`
}

type logResult struct {
	EntryID int64    `json:"entry_id"`
	HabitID int      `json:"habit_id"`
	Date    Date     `json:"date"`
	Value   Value    `json:"value"`
	Variant *Variant `json:"variant"`
}

func (c *Coach) logEntry() core.Tool {
	return core.Tool{
		Name:     "log_tracker_entry",
		About:    core.LocalText{En: "Records one day of one habit.", Ko: "습관 하나의 하루를 기록해요.", Zh: "记录某个习惯的一天。"},
		Effect:   logEffect,
		Precheck: prechecker(c.planEntry),
		Summary:  summarizer(summarizeEntry),
		Apply:    applier(c.record),
	}
}

// logEffect asks for a yes, but not for an honest blank that overwrites nothing (seed 001 §11, E05, E06).
func logEffect(o core.Origin, raw json.RawMessage) core.Effect {
	if args, err := readArgs[logArgs](o, raw); err == nil && args.Value == Blank && !args.Replace {
		return core.Writes
	}
	return core.Destroys
}

// planEntry applies the rules in the order of habits.md §2.3 and resolves what is relative.
func (c *Coach) planEntry(ctx context.Context, b book, args logArgs) (logArgs, error) {
	l, today := b.o.Lang, b.today()
	date, err := args.clean(l, today)
	if err != nil {
		return args, err
	}
	if err := c.guardTexts(b.o, args.Note); err != nil {
		return args, err
	}
	shelf, err := b.shelf(ctx)
	if err != nil {
		return args, err
	}
	h := shelf.Find(args.HabitID)
	if h == nil {
		return args, shelf.missing(args.HabitID, l)
	}
	if err := h.checkDate(date, today, l); err != nil {
		return args, err
	}
	old, err := b.entry(ctx, h.ID, date)
	if err != nil {
		return args, err
	}
	if err := args.checkReplace(old, date, l); err != nil {
		return args, err
	}
	if args.Value == Skip {
		return args, checkSkips(h, b.log(ctx, h), date, b.o)
	}
	return args, nil
}

// clean holds what the schema cannot say: which words are dates, which values have a variant. It returns the date.
func (a *logArgs) clean(l core.Lang, today Date) (Date, error) {
	a.Note = strings.TrimSpace(a.Note)
	date, ok := parseDay(a.Date, today)
	switch {
	case !ok:
		return 0, refuse(l, codeValidation, core.LocalText{
			En: "“%[1]s” is no date; write it as YYYY-MM-DD, or today or yesterday.",
			Ko: "“%[1]s”은(는) 날짜가 아니에요. YYYY-MM-DD 형식이나 오늘, 어제로 써 주세요.",
			Zh: "“%[1]s”不是日期,请写成YYYY-MM-DD,或写今天、昨天。",
		}, a.Date)
	case !slices.Contains([]Value{Done, Blank, Skip}, a.Value):
		return 0, refuse(l, codeValidation, core.LocalText{
			En: "“%[1]s” must be one of: %[2]s.", Ko: "“%[1]s” 값은 다음 중 하나여야 해요: %[2]s.", Zh: "“%[1]s”必须是以下之一:%[2]s。",
		}, "value", "done, blank, skip")
	case a.Value != Done && a.Variant != "":
		return 0, refuse(l, codeValidation, core.LocalText{
			En: "Only a done day has a variant; leave it out.",
			Ko: "variant는 완료한 날에만 쓸 수 있어요. 빼 주세요.",
			Zh: "只有完成的日子才有variant,请省略。",
		})
	case utf8.RuneCountInString(a.Note) > 500:
		return 0, refuse(l, codeValidation, core.LocalText{
			En: "Give “%[1]s” at most %[2]d characters.", Ko: "“%[1]s”은(는) %[2]d자까지예요.", Zh: "“%[1]s”最多%[2]d个字符。",
		}, "note", 500)
	}
	if a.Value == Done && a.Variant == "" {
		a.Variant = Standard
	}
	a.Date = date.String()
	return date, nil
}

// parseDay reads a date or a word for one, as a person or a model writes it (habits.md §2.1); nothing is today.
func parseDay(s string, today Date) (Date, bool) {
	switch loose(s) {
	case "", "today", "오늘", "今天":
		return today, true
	case "yesterday", "어제", "昨天":
		return today - 1, true
	}
	d, err := ParseDate(loose(s))
	return d, err == nil
}

// checkDate holds which days of a habit can be logged (R5, habits.md §3.3).
func (h *Habit) checkDate(d, today Date, l core.Lang) error {
	switch {
	case h.Status == Archived:
		return refuse(l, codeNotActive, core.LocalText{
			En: "“%[1]s” is archived; resume it first.", Ko: "“%[1]s”은(는) 보관되어 있어요. 먼저 다시 시작하세요.", Zh: "“%[1]s”已归档,请先恢复。",
		}, h.Title)
	case d > today:
		return refuse(l, codeFuture, core.LocalText{
			En: "%[1]s is still to come; today is %[2]s.", Ko: "%[1]s은 아직 오지 않았어요. 오늘은 %[2]s이에요.", Zh: "%[1]s还没到,今天是%[2]s。",
		}, spoken(d, l), spoken(today, l))
	case d < today-backfillDays:
		return refuse(l, codeTooOld, core.LocalText{
			En: "%[1]s is too long ago; days from %[2]s on can be logged.", Ko: "%[1]s은 너무 오래되었어요. %[2]s부터 기록할 수 있어요.", Zh: "%[1]s太久了,可以记录%[2]s以后的日子。",
		}, spoken(d, l), spoken(today-backfillDays, l))
	case d < h.Start:
		return refuse(l, codeBefore, core.LocalText{
			En: "“%[1]s” began on %[2]s; log a day from then on.", Ko: "“%[1]s”은(는) %[2]s에 시작했어요. 그날부터 기록할 수 있어요.", Zh: "“%[1]s”从%[2]s开始,请记录那天以后的日子。",
		}, h.Title, spoken(h.Start, l))
	}
	return nil
}

// nothing is what Was says of a date without an entry.
const nothing = "none"

// checkReplace holds R5, one entry a day, and that a replacement overwrites what was shown.
func (a *logArgs) checkReplace(old *entry, d Date, l core.Lang) error {
	if !a.Replace {
		if old == nil {
			return nil
		}
		return refuse(l, codeDuplicate, core.LocalText{
			En: "%[1]s is already logged as %[2]s; ask whether to replace it.", Ko: "%[1]s은 이미 %[2]s(으)로 기록되어 있어요. 바꿀지 물어보세요.", Zh: "%[1]s已记录为%[2]s,请询问是否替换。",
		}, spoken(d, l), old.Mark.In(l))
	}
	was := nothing
	if old != nil {
		was = strings.TrimSpace(string(old.Value) + " " + string(old.Variant))
	}
	if a.Was != "" && a.Was != was {
		return refuse(l, codeChanged, core.LocalText{
			En: "The entry of %[1]s was changed meanwhile; look at it again.", Ko: "%[1]s 기록이 그사이 바뀌었어요. 다시 확인하세요.", Zh: "%[1]s的记录刚刚有变化,请重新查看。",
		}, spoken(d, l))
	}
	a.Was = was
	return nil
}

// checkSkips holds the budget of skips (habits.md §1.2): no 30 days with more than skipBudget of them, the days up to today
// included, since a skip can be logged late.
func checkSkips(h *Habit, log *years, d Date, o core.Origin) error {
	last := min(d+backfillDays, d+skipWindow-1)
	for end := d; end <= last; end++ {
		skips := 1
		for day := end - skipWindow + 1; day <= end; day++ {
			if day != d && log.On(day).Value == Skip {
				skips++
			}
		}
		if skips > skipBudget {
			return refuse(o.Lang, codeSkips, core.LocalText{
				En: "“%[1]s” has had its %[2]d skips within %[3]d days; log it as blank, or pause the habit.",
				Ko: "“%[1]s”은(는) %[3]d일 안에 건너뛰기 %[2]d번을 다 썼어요. 못 함으로 기록하거나 습관을 쉬어 가세요.",
				Zh: "“%[1]s”在%[3]d天内的%[2]d次跳过已用完,请记为没做,或暂停这个习惯。",
			}, h.Title, skipBudget, skipWindow)
		}
	}
	return log.err
}

// record writes the entry. The rules are applied once more, to the documents that are written.
func (c *Coach) record(ctx context.Context, b book, args logArgs) (*logResult, error) {
	args, err := c.planEntry(ctx, b, args)
	if err != nil {
		return nil, err
	}
	shelf, err := b.shelf(ctx)
	if err != nil {
		return nil, err
	}
	h := shelf.Find(args.HabitID)
	date, err := ParseDate(args.Date)
	if err != nil {
		return nil, err // unreachable: planEntry wrote it
	}
	old, err := b.entry(ctx, h.ID, date)
	if err != nil {
		return nil, err
	}
	e := entry{Date: date, Mark: Mark{args.Value, args.Variant}, Note: args.Note, Source: fromChat, Logged: b.o.Now.UTC()}
	if old != nil {
		e.Before = &revision{Mark: old.Mark, Note: old.Note, Logged: old.Logged}
	}
	if err := b.putEntry(ctx, shelf, h, e); err != nil {
		return nil, err
	}
	r := &logResult{EntryID: entryNumber(h.ID, date), HabitID: h.ID, Date: date, Value: e.Value}
	if e.Variant != "" {
		r.Variant = &e.Variant
	}
	return r, nil
}

// summarizeEntry is the confirmation text of log_tracker_entry (habits.md §2.3), with the old value of a replacement.
func summarizeEntry(ctx context.Context, b book, a logArgs) (string, error) {
	shelf, err := b.shelf(ctx)
	if err != nil {
		return "", err
	}
	l := b.o.Lang
	h := shelf.Find(a.HabitID)
	if h == nil {
		return "", shelf.missing(a.HabitID, l)
	}
	text := fmt.Sprintf(core.LocalText{En: "Log %[1]s for %[2]s: %[3]s", Ko: "%[2]s %[1]s 기록: %[3]s", Zh: "记录 %[2]s %[1]s:%[3]s"}.In(l),
		h.Title, a.Date, Mark{a.Value, a.Variant}.In(l))
	if a.Was != "" && a.Was != nothing {
		value, variant, _ := strings.Cut(a.Was, " ")
		text += fmt.Sprintf(core.LocalText{En: "\nReplaces: %[1]s", Ko: "\n바꾸기 전: %[1]s", Zh: "\n替换:%[1]s"}.In(l), Mark{Value(value), Variant(variant)}.In(l))
	}
	if a.Note != "" {
		text += fmt.Sprintf(core.LocalText{En: "\nNote: %[1]s", Ko: "\n메모: %[1]s", Zh: "\n备注:%[1]s"}.In(l), a.Note)
	}
	return text, nil
}

type streakArgs struct {
	HabitID int `json:"habit_id"`
}

func (c *Coach) getStreak() core.Tool {
	return core.Tool{Name: "get_streak", Effect: reads, Apply: applier(c.streak)}
}

func (c *Coach) streak(ctx context.Context, b book, args streakArgs) (Streak, error) {
	shelf, err := b.shelf(ctx)
	if err != nil {
		return Streak{}, err
	}
	h := shelf.Find(args.HabitID)
	if h == nil {
		return Streak{}, shelf.missing(args.HabitID, b.o.Lang)
	}
	flags, err := b.flags(ctx)
	if err != nil {
		return Streak{}, err
	}
	if c.hidesNumbers(flags, h) {
		return Streak{}, &core.ToolError{Code: codeSafety, Reason: noticeOf(Eating, b.o.Lang, b.o.Zone)}
	}
	log := b.log(ctx, h)
	s := h.Streak(log, b.today())
	return s, log.err
}

// hidesNumbers tells whether the targets and streaks of h are kept from the person (habits.md §7.3).
func (c *Coach) hidesNumbers(f flags, h *Habit) bool {
	e, ok := c.catalog.Get(h.Protocol)
	return ok && f.hidesNumbers(e)
}
