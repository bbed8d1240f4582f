package habit

import "steady/core"

// Limits of one person (habits.md §1.2 and R3).
const (
	maxBuild     = 3  // active habits of type build
	maxBreak     = 1  // active habits of type break
	backfillDays = 7  // how many days old an entry may be
	skipBudget   = 4  // skips of a habit within 30 days
	skipWindow   = 30 // days
)

// A shelf is all habits of one person. It is one document, so that a rule over several habits is guarded by its revision.
type shelf struct {
	Next   int // the id of the next habit
	Habits []Habit
}

// Find returns the habit with an id, nil if the person has none.
func (s *shelf) Find(id int) *Habit {
	for i := range s.Habits {
		if s.Habits[i].ID == id {
			return &s.Habits[i]
		}
	}
	return nil
}

// Current returns the active and the paused habits, in the order of their ids.
func (s *shelf) Current() []*Habit {
	var current []*Habit
	for i := range s.Habits {
		if s.Habits[i].Status != Archived {
			current = append(current, &s.Habits[i])
		}
	}
	return current
}

// With returns the active or paused habit that began with a catalog entry, nil if there is none.
func (s *shelf) With(protocol string) *Habit {
	for _, h := range s.Current() {
		if h.Protocol == protocol {
			return h
		}
	}
	return nil
}

// Active returns the active habits of a type; paused ones take no place (R3).
func (s *shelf) Active(t Type) []*Habit {
	var active []*Habit
	for _, h := range s.Current() {
		if h.Status == Active && h.Type == t {
			active = append(active, h)
		}
	}
	return active
}

// Free returns how many places of a type are left; never less than 0, also where an import brought in more than fit (Q10).
func (s *shelf) Free(t Type) int {
	places := maxBuild
	if t == Break {
		places = maxBreak
	}
	return max(0, places-len(s.Active(t)))
}

// checkQuota is R3.
func (s *shelf) checkQuota(t Type, l core.Lang) error {
	if s.Free(t) > 0 {
		return nil
	}
	return refuse(l, codeQuota, core.LocalText{
		En: "All places for %[1]s habits are taken by %[2]s; pause or archive one of them first.",
		Ko: "%[1]s 습관 자리가 모두 찼어요(%[2]s). 먼저 하나를 쉬거나 보관하세요.",
		Zh: "%[1]s习惯的名额已满(%[2]s),请先暂停或归档其中一个。",
	}, t.In(l), titles(s.Active(t)))
}

// missing says that the person has no habit with an id, and which ones there are.
func (s *shelf) missing(id int, l core.Lang) error {
	if len(s.Habits) == 0 {
		return refuse(l, codeNotFound, core.LocalText{
			En: "There is no habit %[1]d, and no other yet; add one first.",
			Ko: "%[1]d번 습관이 없고 아직 다른 습관도 없어요. 먼저 하나를 추가하세요.",
			Zh: "没有编号为%[1]d的习惯,目前还没有任何习惯,请先添加一个。",
		}, id)
	}
	all := s.Current()
	for i := range s.Habits {
		if s.Habits[i].Status == Archived {
			all = append(all, &s.Habits[i])
		}
	}
	return refuse(l, codeNotFound, core.LocalText{
		En: "There is no habit %[1]d; use one of %[2]s.",
		Ko: "%[1]d번 습관이 없어요. 이 중에서 고르세요: %[2]s.",
		Zh: "没有编号为%[1]d的习惯,请从这些中选择:%[2]s。",
	}, id, titles(all[:min(len(all), 10)]))
}
