package habit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"steady/core"
)

// A board is how all active and paused habits of a person stand today, open ones first, then by id.
type board struct {
	shelf *shelf
	flags flags
	rows  []boardRow
}

type boardRow struct {
	*Habit
	Standing
	days   Days // that hold today
	hidden bool // targets and streak are kept from the person
}

func (c *Coach) board(ctx context.Context, b book) (*board, error) {
	shelf, err := b.shelf(ctx)
	if err != nil {
		return nil, err
	}
	flags, err := b.flags(ctx)
	if err != nil {
		return nil, err
	}
	out := &board{shelf: shelf, flags: flags}
	for _, h := range shelf.Current() {
		log := b.log(ctx, h)
		row := boardRow{Habit: h, Standing: h.Standing(log, b.today()), days: h.Schedule.At(b.today())}
		if log.err != nil {
			return nil, log.err
		}
		row.hidden = c.hidesNumbers(flags, h)
		out.rows = append(out.rows, row)
	}
	slices.SortStableFunc(out.rows, func(x, y boardRow) int { return order(x) - order(y) })
	return out, nil
}

func order(r boardRow) int {
	if r.Today == "open" {
		return 0
	}
	return 1
}

// Plan is what a prompt must know of the speaker's habits, so that the model needs no tool to resolve a name: one line each with
// the id and how it stands today, then the safety rules in force and the free places. Titles are the person's words and therefore
// quoted. It is the Plan of [core.Options].
func (c *Coach) Plan(ctx context.Context, d *core.Documents, o core.Origin) (string, error) {
	board, err := c.board(ctx, book{d, o})
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for _, r := range board.rows {
		fmt.Fprintf(&out, "habit_id %d %s (%s, %s), today %s", r.ID, strconv.Quote(r.Title), r.Type, r.Status, r.Today)
		if !r.hidden {
			fmt.Fprintf(&out, ", streak %d", r.Current)
		}
		if r.AtRisk {
			out.WriteString(", missed the last day")
		}
		out.WriteByte('\n')
	}
	out.WriteString(board.flags.rules())
	fmt.Fprintf(&out, "free places: %d build, %d break", board.shelf.Free(Build), board.shelf.Free(Break))
	return out.String(), nil
}

// Commands returns /habits, which shows a person's own habits as Markdown.
func (c *Coach) Commands() []core.Command {
	return []core.Command{{
		Name:        "habits",
		Description: core.LocalText{En: "My habits today", Ko: "오늘의 내 습관", Zh: "我今天的习惯"},
		Reply: func(ctx context.Context, d *core.Documents, o core.Origin, _ string) (string, error) {
			return c.show(ctx, book{d, o})
		},
	}}
}

// show renders the board for its person.
func (c *Coach) show(ctx context.Context, b book) (string, error) {
	board, err := c.board(ctx, b)
	if err != nil {
		return "", err
	}
	l := b.o.Lang
	if len(board.rows) == 0 {
		return core.LocalText{
			En: "No habits yet. What is one thing you would like to do a little more often?",
			Ko: "아직 습관이 없어요. 조금 더 자주 하고 싶은 일 하나는 무엇인가요?",
			Zh: "还没有习惯。有什么事是你想多做一点的？",
		}.In(l), nil
	}
	var out strings.Builder
	for _, r := range board.rows {
		sign, word := todayText(r.Today)
		fmt.Fprintf(&out, "- %s %s · %s", sign, core.Escape(core.Visible(r.Title)), word.In(l))
		if r.Current > 0 && !r.hidden {
			fmt.Fprintf(&out, core.LocalText{En: " · %d in a row", Ko: " · 연속 %d일", Zh: " · 连续%d天"}.In(l), r.Current)
		}
		out.WriteByte('\n')
	}
	fmt.Fprintf(&out, core.LocalText{En: "\nFree places: %d build, %d break", Ko: "\n남은 자리: 만들기 %d, 바꾸기 %d", Zh: "\n剩余名额:养成%d,改变%d"}.In(l),
		board.shelf.Free(Build), board.shelf.Free(Break))
	return out.String(), nil
}

// todayText names the state of today for a person.
func todayText(state string) (sign string, word core.LocalText) {
	switch state {
	case "done":
		return "✅", core.LocalText{En: "done", Ko: "완료", Zh: "完成"}
	case "minimum":
		return "🌱", core.LocalText{En: "done (minimum)", Ko: "완료 (최소)", Zh: "完成（最小）"}
	case "stretch":
		return "✅", core.LocalText{En: "done (stretch)", Ko: "완료 (넉넉히)", Zh: "完成（加量）"}
	case "blank":
		return "▫️", core.LocalText{En: "not today", Ko: "오늘은 못 함", Zh: "今天没做"}
	case "skip":
		return "⏭", core.LocalText{En: "skipped", Ko: "건너뜀", Zh: "跳过"}
	case "rest":
		return "🌙", core.LocalText{En: "rest day", Ko: "쉬는 요일", Zh: "休息日"}
	case "paused":
		return "⏸", core.LocalText{En: "paused", Ko: "쉬는 중", Zh: "已暂停"}
	}
	return "⬜", core.LocalText{En: "open", Ko: "아직", Zh: "待完成"}
}
