package offline

import (
	"bytes"
	"encoding/json"

	"steady/core"
)

// The tools that the coach knows.
const (
	toolSearch = "search_catalog"
	toolQuery  = "query_protocol"
	toolList   = "list_active_habits"
	toolStreak = "get_streak"
	toolAdd    = "add_habit"
	toolLog    = "log_tracker_entry"
)

// writes tells whether a tool changes something.
func writes(tool string) bool { return tool == toolAdd || tool == toolLog }

// The arguments of the tools (habits.md §2.3).
type (
	searchArgs struct {
		Category string `json:"category,omitempty"`
		Keyword  string `json:"keyword,omitempty"`
	}
	queryArgs struct {
		ID string `json:"id"`
	}
	streakArgs struct {
		HabitID int `json:"habit_id"`
	}
	addArgs struct {
		ProtocolID  string `json:"protocol_id"`
		FrameLevel  string `json:"frame_level"`
		FramedText  string `json:"framed_text"`
		AnchorWhen  string `json:"anchor_when,omitempty"`
		AnchorAfter string `json:"anchor_after_what,omitempty"`
		Days        []int  `json:"days,omitempty"`
	}
	logArgs struct {
		HabitID int    `json:"habit_id"`
		Value   string `json:"value"`
		Date    string `json:"date,omitempty"`
		Note    string `json:"note,omitempty"`
		Variant string `json:"variant,omitempty"`
		Replace bool   `json:"replace,omitempty"`
	}
)

// call makes a call. Arguments are plain structs, so that encoding cannot fail.
func call(tool string, args any) core.ToolCall {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		panic("offline: arguments cannot be encoded: " + err.Error()) // unreachable: see above
	}
	return core.ToolCall{Name: tool, Args: string(bytes.TrimSpace(b.Bytes()))}
}

// decode reads arguments or the data of a result. Fields that are not known are left out.
func decode[T any](raw []byte) (v T, err error) {
	err = json.Unmarshal(raw, &v)
	return v, err
}

// The data of results, as far as words are made of them (habits.md §2.3).
type (
	searchData struct {
		Count int `json:"count"`
		Items []struct {
			ID      string `json:"id"`
			Title   string `json:"title"`
			Summary string `json:"summary"`
		} `json:"items"`
		Known []string `json:"known_categories"`
	}
	queryData struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Summary string `json:"summary"`
		Doses   struct {
			Minimum  string `json:"minimum"`
			Standard string `json:"standard"`
			Stretch  string `json:"stretch"`
		} `json:"doses"`
		Anchor   string   `json:"anchor"`
		Cautions []string `json:"cautions"`
		Evidence []struct {
			Citation string `json:"citation"`
			Year     int    `json:"year"`
			Grade    string `json:"grade"`
		} `json:"evidence"`
		Active   *int   `json:"active_habit_id"`
		Replaces string `json:"replaces"`
	}
	listData struct {
		Count     int `json:"count"`
		BuildLeft int `json:"build_quota_remaining"`
		BreakLeft int `json:"break_quota_remaining"`
		Items     []struct {
			ID       int    `json:"habit_id"`
			Title    string `json:"title"`
			Status   string `json:"status"`
			Protocol string `json:"protocol_id"`
			Today    string `json:"today"`
			Current  *int   `json:"current_streak"`
		} `json:"items"`
	}
	streakData struct {
		Current int    `json:"current_streak"`
		Longest int    `json:"longest_streak"`
		Done30  int    `json:"done_count_30d"`
		Done42  int    `json:"done_count_phase42"`
		Tier    string `json:"tier"`
		Broken  bool   `json:"never_miss_twice_broken"`
	}
	addData struct {
		ID    int    `json:"habit_id"`
		Title string `json:"title"`
	}
	logData struct {
		HabitID int    `json:"habit_id"`
		Date    string `json:"date"`
		Value   string `json:"value"`
		Variant string `json:"variant"`
	}
	// cutData is what is left of a result that was too long.
	cutData struct {
		Cut bool `json:"_truncated"`
	}
)
