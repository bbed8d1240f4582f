package habit

import (
	"context"
	"encoding/json"
	"fmt"

	"steady/core"
)

// flags are the safety rules in force for a person (habits.md §7.3). Only the rules reach a model, never what set them.
type flags struct {
	Minor  bool // no diet entries
	Eating bool // no diet entries, no step targets, no streaks of either
}

const stepTarget = "move_daily_steps"

// allows tells whether the person may see a catalog entry.
func (f flags) allows(e *CatalogEntry) bool {
	return !(e.Kind == Diet && (f.Minor || f.Eating)) && !(e.ID == stepTarget && f.Eating)
}

// hidesNumbers tells whether the targets and streaks of a habit of e are kept from the person.
func (f flags) hidesNumbers(e *CatalogEntry) bool {
	return f.Eating && (e.Kind == Diet || e.ID == stepTarget)
}

func (b book) flags(ctx context.Context) (flags, error) {
	body, err := b.d.Get(ctx, b.safetyKey())
	if err != nil || body == nil {
		return flags{}, err
	}
	var row safetyRow
	if err := decode(body, &row, &row.V); err != nil {
		return flags{}, fmt.Errorf("read safety flags: %w", err)
	}
	return flags{Minor: row.Minor, Eating: row.Eating}, nil
}

func (b book) putFlags(f flags) error {
	body, err := json.Marshal(safetyRow{V: rowVersion, Minor: f.Minor, Eating: f.Eating, Updated: b.o.Now.UTC()})
	if err != nil {
		return fmt.Errorf("write safety flags: %w", err)
	}
	b.d.Put(b.safetyKey(), body)
	return nil
}

// Guard is the safety gate on a message of a person (habits.md §7.3). Where somebody is in danger it answers by itself, with
// the fixed text; else the notice tells the model what to say. What stays in force afterwards is in the [Coach.Plan]. It is a
// [core.Guard].
func (c *Coach) Guard(ctx context.Context, d *core.Documents, o core.Origin, text string) (core.Verdict, error) {
	class, notice := c.gate.Notice(text, o.Lang, o.Zone)
	switch class {
	case Safe:
		return core.Verdict{}, nil
	case Crisis, Emergency, Abuse:
		return core.Verdict{Answer: notice}, nil
	}
	b := book{d, o}
	before, err := b.flags(ctx)
	if err != nil {
		return core.Verdict{}, err
	}
	now := before
	now.Eating = now.Eating || class == Eating
	now.Minor = now.Minor || class == Minor
	if now != before {
		if err := b.putFlags(now); err != nil {
			return core.Verdict{}, err
		}
	}
	return core.Verdict{Notice: "answer with these words and stop coaching: " + notice}, nil
}

// rules tells the model what is in force, without the reason.
func (f flags) rules() string {
	var rules string
	if f.Minor || f.Eating {
		rules += "rule in force: no diet entries, food amounts or weight\n"
	}
	if f.Eating {
		rules += "rule in force: no step targets\n"
	}
	return rules
}

// guardTexts is the safety gate on what a destructive tool would store. A note is refused in a crisis only: a day with an
// awkward note must still be loggable.
func (c *Coach) guardTexts(o core.Origin, note string, texts ...string) error {
	refusal := func(class Class) error {
		return &core.ToolError{Code: codeSafety, Reason: noticeOf(class, o.Lang, o.Zone)}
	}
	if c.gate.Classify(note) == Crisis {
		return refusal(Crisis)
	}
	for _, t := range texts {
		if class := c.gate.Classify(t); class != Safe {
			return refusal(class)
		}
	}
	return nil
}
