package faketelegram

import (
	"cmp"
	"slices"
)

// Entities fall into three groups. Splittable ones may overlap others and are cut up where they do; quotes may hold others;
// the rest (links, mentions, code) is continuous, and of these code and pre hold nothing (tdlib/td MessageEntity.cpp).

func (t EntityType) splittable() bool {
	switch t {
	case Bold, Italic, Underline, Strikethrough, Spoiler:
		return true
	}
	return false
}

func (t EntityType) quote() bool      { return t == Blockquote || t == ExpandableBlockquote }
func (t EntityType) continuous() bool { return !t.splittable() && !t.quote() }
func (t EntityType) code() bool       { return t == Code || t == Pre }

// group makes the two kinds of quotes one type for the question whether an entity lies in its like.
func (t EntityType) group() EntityType {
	if t.quote() {
		return Blockquote
	}
	return t
}

// rank orders entities that cover the same stretch: outer ones first.
func (t EntityType) rank() int {
	order := []EntityType{Blockquote, ExpandableBlockquote, Pre, Code, TextLink, TextMention, Bold, Italic, Underline, Strikethrough, Spoiler, CustomEmoji}
	return slices.Index(order, t)
}

func sortEntities(es []Entity) {
	slices.SortStableFunc(es, func(a, b Entity) int {
		return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(b.Length, a.Length), cmp.Compare(a.Type.rank(), b.Type.rank()))
	})
}

// fixNesting sorts entities and, where they are nested as the platform does not allow, drops and cuts until they are.
func fixNesting(es []Entity) (fixed []Entity, mended bool) {
	sortEntities(es)
	if nested(es) {
		return es, false
	}
	var whole, quotes, parts []Entity
	for _, e := range es {
		switch {
		case e.Type.splittable():
			parts = append(parts, e)
		case e.Type.quote():
			quotes = append(quotes, e)
		default:
			whole = append(whole, e)
		}
	}
	whole, quotes = apart(whole), apart(quotes)
	whole = slices.DeleteFunc(whole, func(e Entity) bool {
		return slices.ContainsFunc(quotes, func(q Entity) bool { return e.touches(q) && !e.within(q) })
	})
	whole = append(whole, quotes...)
	fixed = append(whole, split(parts, whole)...)
	sortEntities(fixed)
	return fixed, true
}

func (e Entity) touches(o Entity) bool { return e.Offset < o.end() && o.Offset < e.end() }
func (e Entity) within(o Entity) bool  { return o.Offset <= e.Offset && e.end() <= o.end() }

// nested reports whether sorted entities may stay as they are.
func nested(es []Entity) bool {
	var open []Entity
	ends := make(map[EntityType]int) // of splittable types
	for _, e := range es {
		for len(open) > 0 && e.Offset >= open[len(open)-1].end() {
			open = open[:len(open)-1]
		}
		for _, o := range open {
			if !e.fitsIn(o) {
				return false
			}
		}
		if end, met := ends[e.Type]; met && end == e.Offset {
			return false // two neighbours of one kind become one
		}
		if e.Type.splittable() {
			ends[e.Type] = e.end()
		}
		open = append(open, e)
	}
	return true
}

// fitsIn reports whether e may lie in o.
func (e Entity) fitsIn(o Entity) bool {
	switch {
	case !e.within(o), e.Type.group() == o.Type.group(), o.Type.code():
		return false
	case e.Type.code():
		return o.Type.quote()
	case o.Type.continuous():
		return e.Type.splittable()
	}
	return true
}

// apart drops sorted entities that overlap an earlier one.
func apart(es []Entity) []Entity {
	var kept []Entity
	for _, e := range es {
		if len(kept) == 0 || e.Offset >= kept[len(kept)-1].end() {
			kept = append(kept, e)
		}
	}
	return kept
}

// split joins splittable entities of one type, takes code out of them and cuts them wherever another entity begins, or a
// whole one ends, so that no two overlap in part.
func split(parts, whole []Entity) []Entity {
	joined := join(parts)
	var cuts []int
	for _, e := range joined {
		cuts = append(cuts, e.Offset)
	}
	for _, e := range whole {
		cuts = append(cuts, e.Offset, e.end())
	}
	slices.Sort(cuts)
	var out []Entity
	for _, e := range joined {
		for _, piece := range e.pieces(cuts) {
			inCode := func(w Entity) bool { return w.Type.code() && piece.within(w) }
			if !slices.ContainsFunc(whole, inCode) {
				out = append(out, piece)
			}
		}
	}
	return out
}

// join makes one of sorted entities of one type that overlap or touch.
func join(parts []Entity) []Entity {
	var joined []Entity
	for _, e := range parts {
		i := slices.IndexFunc(joined, func(j Entity) bool { return j.Type == e.Type && e.Offset <= j.end() })
		if i < 0 {
			joined = append(joined, e)
			continue
		}
		joined[i].Length = max(joined[i].end(), e.end()) - joined[i].Offset
	}
	return joined
}

// pieces cuts an entity at those of the sorted offsets that lie inside it.
func (e Entity) pieces(cuts []int) []Entity {
	var out []Entity
	for _, cut := range cuts {
		if e.Offset < cut && cut < e.end() {
			out = append(out, Entity{Type: e.Type, Offset: e.Offset, Length: cut - e.Offset})
			e.Offset, e.Length = cut, e.end()-cut
		}
	}
	return append(out, e)
}
