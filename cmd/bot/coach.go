package main

import (
	"steady/core"
	"steady/core/offline"
	"steady/tools/habit"
)

// offlineConfig is the catalog as the offline coach needs it: the names that it must recognize.
func offlineConfig(coach *habit.Coach) offline.Config {
	var out offline.Config
	dose := func(d habit.Dose) offline.Dose { return offline.Dose{Amount: d.Amount, Text: d.Text} }
	for _, e := range coach.Catalog().Entries() {
		var replaces core.LocalText
		if e.Replaces != nil {
			replaces = *e.Replaces
		}
		out.Catalog = append(out.Catalog, offline.Entry{ID: e.ID, Kind: string(e.Kind), Category: e.Category, Direction: e.Direction, Unit: e.Unit,
			Title: e.Title, Summary: e.Summary, Anchor: e.Anchor, Frame: e.Frame, Replaces: replaces, Caution: e.Caution, Minimum: dose(e.Doses.Minimum),
			Standard: dose(e.Doses.Standard), Stretch: dose(e.Doses.Stretch), Tags: e.Tags})
	}
	for _, c := range coach.Catalog().Groups() {
		out.Categories = append(out.Categories, offline.Category{ID: c.ID, Name: c.Name, Aliases: c.Aliases})
	}
	return out
}
