package habit

import (
	"context"
	"strings"

	"steady/core"
)

type searchArgs struct {
	Category string `json:"category"`
	Keyword  string `json:"keyword"`
	Limit    int    `json:"limit"`
}

type searchResult struct {
	Count int          `json:"count"`
	Items []searchItem `json:"items"`
	// Known is set when the category is not one.
	Known []string `json:"known_categories,omitempty"`
}

type searchItem struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Category string `json:"category"`
	Summary  string `json:"summary"`
}

func (c *Coach) searchCatalog() core.Tool {
	return core.Tool{Name: "search_catalog", Effect: reads, Apply: applier(c.search)}
}

func (c *Coach) search(ctx context.Context, b book, args searchArgs) (searchResult, error) {
	const usual = 5
	if args.Limit == 0 {
		args.Limit = usual
	}
	flags, err := b.flags(ctx)
	if err != nil {
		return searchResult{}, err
	}
	found, known := c.catalog.Search(Query{args.Category, args.Keyword, flags.allows, args.Limit})
	r := searchResult{Count: len(found), Items: []searchItem{}}
	if !known {
		r.Known = c.catalog.Categories()
	}
	for _, e := range found {
		r.Items = append(r.Items, searchItem{e.ID, e.Title.In(b.o.Lang), e.Category, e.Summary.In(b.o.Lang)})
	}
	return r, nil
}

type queryArgs struct {
	ID string `json:"id"`
}

type queryResult struct {
	ID        string       `json:"id"`
	Kind      Kind         `json:"kind"`
	Title     string       `json:"title"`
	Category  string       `json:"category"`
	Summary   string       `json:"summary"`
	Direction string       `json:"direction"`
	Unit      string       `json:"unit"`
	Doses     queryDoses   `json:"doses"`
	Anchor    string       `json:"anchor"`
	Frame     string       `json:"frame_example"`
	Cautions  []string     `json:"cautions"`
	Evidence  []queryProof `json:"evidence"`
	// Active is the habit that the person already has of this entry.
	Active *int `json:"active_habit_id"`
	// Replaces and UrgePlan are of kind break, NotFor of kind diet.
	Replaces     string `json:"replaces,omitempty"`
	UrgePlan     string `json:"urge_plan,omitempty"`
	NotFor       string `json:"not_for,omitempty"`
	Professional bool   `json:"requires_professional,omitempty"`
}

type queryDoses struct {
	Minimum  string `json:"minimum"`
	Standard string `json:"standard"`
	Stretch  string `json:"stretch"`
}

type queryProof struct {
	Citation string `json:"citation"`
	Year     int    `json:"year"`
	Grade    string `json:"grade"`
}

func (c *Coach) queryProtocol() core.Tool {
	return core.Tool{Name: "query_protocol", Effect: reads, Apply: applier(c.query)}
}

func (c *Coach) query(ctx context.Context, b book, args queryArgs) (*queryResult, error) {
	e, err := c.entry(ctx, b, args.ID)
	if err != nil {
		return nil, err
	}
	shelf, err := b.shelf(ctx)
	if err != nil {
		return nil, err
	}
	l := b.o.Lang
	r := &queryResult{ID: e.ID, Kind: e.Kind, Title: e.Title.In(l), Category: e.Category, Summary: e.Summary.In(l),
		Direction: e.Direction, Unit: e.Unit, Anchor: e.Anchor.In(l), Frame: e.Frame.In(l), Cautions: []string{e.Caution.In(l)},
		Doses:        queryDoses{e.Doses.Minimum.Text.In(l), e.Doses.Standard.Text.In(l), e.Doses.Stretch.Text.In(l)},
		Professional: e.RequiresProfessional}
	for _, p := range e.Evidence {
		r.Evidence = append(r.Evidence, queryProof{p.Citation, p.Year, p.Grade})
	}
	if h := shelf.With(e.ID); h != nil {
		r.Active = &h.ID
	}
	switch e.Kind {
	case Replacement:
		r.Replaces = e.Replaces.In(l)
		r.UrgePlan = urgePlan(r.Doses.Minimum, l)
	case Diet:
		r.NotFor = firstSentence(r.Cautions[0])
	}
	return r, nil
}

// entry returns the entry with an id that the person may see (R1).
func (c *Coach) entry(ctx context.Context, b book, id string) (*CatalogEntry, error) {
	flags, err := b.flags(ctx)
	if err != nil {
		return nil, err
	}
	if e, ok := c.catalog.Get(loose(id)); ok && flags.allows(e) {
		return e, nil
	}
	if near := c.catalog.Nearest(id, flags.allows); near != "" {
		return nil, refuse(b.o.Lang, codeNotFound, core.LocalText{
			En: "The catalog has no “%[1]s”; did you mean “%[2]s”?",
			Ko: "카탈로그에 “%[1]s”이(가) 없어요. “%[2]s”을(를) 찾으셨나요?",
			Zh: "目录中没有“%[1]s”,你是指“%[2]s”吗?",
		}, id, near)
	}
	return nil, refuse(b.o.Lang, codeNotFound, core.LocalText{
		En: "The catalog has no “%[1]s”; search it for one that fits.",
		Ko: "카탈로그에 “%[1]s”이(가) 없어요. 검색해서 맞는 것을 찾으세요.",
		Zh: "目录中没有“%[1]s”,请搜索合适的条目。",
	}, id)
}

// urgePlan is the minimum dose as an if-then plan (habits.md §2.4).
func urgePlan(minimum string, l core.Lang) string {
	return strings.ReplaceAll(core.LocalText{
		En: "If the urge comes, then: {minimum}.",
		Ko: "충동이 오면 이렇게 합니다: {minimum}.",
		Zh: "冲动来时,就这样做:{minimum}。",
	}.In(l), "{minimum}", strings.TrimRight(minimum, ".。"))
}

// firstSentence returns the beginning of s up to its first full stop or, in Chinese, semicolon.
func firstSentence(s string) string {
	for i, r := range s {
		end := i + len(string(r))
		switch {
		case r == '。' || r == '；':
			return s[:i] + "。"
		case (r == '.' || r == '!' || r == '?') && (end == len(s) || s[end] == ' '):
			return s[:end]
		}
	}
	return s
}
