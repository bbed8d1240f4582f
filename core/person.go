package core

import (
	"context"
	"time"
)

// A Person is what is known of one human beside their habits. It is a document, shared by all their chats.
type Person struct {
	Lang     Lang   `json:"lang,omitempty"`
	Timezone string `json:"timezone,omitempty"`  // IANA
	DayStart *int   `json:"day_start,omitempty"` // 0–6, habits.md §1.1
}

// DefaultDayStart is the hour at which a day begins for who has not said otherwise (habits.md §0.3).
const DefaultDayStart = 3

type personRow struct {
	versioned
	Person
}

type accountRow struct {
	versioned
	Person PersonID `json:"person"`
}

// PersonKey is the prefix of the keys of all documents of a person; the part behind it says which one.
func PersonKey(p PersonID, part string) string { return "person/" + string(p) + "/" + part }

func accountKey(a AccountID) string { return "account/" + string(a) }
func aliasKey(c ChatKey) string     { return "alias/" + string(c) }

// chatIndexKey is the document that makes a chat appear in [Reader.Chats].
func chatIndexKey(channel string, c ChatKey) string { return "chat/" + channel + "/" + string(c) }

// origin finds out whom an inbound serves.
func (e *Engine) origin(ctx context.Context, d *Documents, chat ChatKey, in inboundRow) (Origin, error) {
	o := Origin{Person: PersonID(in.Account), Account: in.Account, Name: in.Name, Chat: chat, Direct: in.Direct,
		Zone: e.opt.Zone, DayStart: DefaultDayStart, Now: time.Now()}
	body, err := d.Get(ctx, accountKey(in.Account))
	if err != nil {
		return o, err
	}
	if body != nil {
		row, err := unpack[accountRow](body)
		if err != nil {
			return o, err
		}
		o.Person = row.Person
	}
	body, err = d.Get(ctx, PersonKey(o.Person, "profile"))
	if err != nil {
		return o, err
	}
	var p personRow
	if body != nil {
		if p, err = unpack[personRow](body); err != nil {
			return o, err
		}
	}
	if p.DayStart != nil {
		o.DayStart = *p.DayStart
	}
	if zone, err := time.LoadLocation(p.Timezone); err == nil && p.Timezone != "" {
		o.Zone = zone
	}
	o.Lang = e.langOf(p.Lang, in)
	o.Now = o.Now.In(o.Zone)
	return o, nil
}

// langOf decides the language of an inbound: what the person chose, then what the operator fixed, then the script they write in,
// then the platform's word.
func (e *Engine) langOf(chosen Lang, in inboundRow) Lang {
	written := LangOf(in.Text)
	if in.Kind != "said" || written == En { // Latin letters say little: names, code, "ok"
		written = ""
	}
	for _, l := range []Lang{chosen, e.opt.Lang, written, in.Lang} {
		if l != "" {
			return l
		}
	}
	return En
}

// today is the person's civil day: their wall clock's date, the one before while the day has not begun (habits.md §1.1).
func today(o Origin) time.Time {
	local := o.Now.In(o.Zone)
	day := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	if local.Hour() < o.DayStart {
		day = day.AddDate(0, 0, -1)
	}
	return day
}
