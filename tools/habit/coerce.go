package habit

import (
	"encoding/json"
	"strings"
)

// Coerce brings the arguments of a tool of this package from the ways in which models and people write them into the one of the
// schema (habits.md §2.1 step 2). It changes args, which are as encoding/json decodes them, and leaves to the schema what it
// does not understand.
func (c *Coach) Coerce(tool string, args map[string]any) {
	for _, name := range oneLiners(tool) {
		if s, ok := args[name].(string); ok {
			args[name] = oneLine(s)
		}
	}
	switch tool {
	case "add_habit":
		coerceLevel(args)
	case "log_tracker_entry":
		coerceValue(args)
	}
}

// oneLiners names the arguments of a tool that are one line of text.
func oneLiners(tool string) []string {
	switch tool {
	case "search_catalog":
		return []string{"category", "keyword"}
	case "query_protocol":
		return []string{"id"}
	case "add_habit":
		return []string{"protocol_id", "framed_text", "anchor_when", "anchor_after_what", "dose_text", "minimum_text", "title"}
	case "log_tracker_entry":
		return []string{"date"}
	}
	return nil
}

// coerceLevel reads the frame levels by number, C06.
func coerceLevel(args map[string]any) {
	word, _ := args["frame_level"].(string)
	if n, ok := args["frame_level"].(json.Number); ok {
		word = n.String()
	}
	switch strings.TrimSpace(word) {
	case "1":
		args["frame_level"] = string(Outcome)
	case "2":
		args["frame_level"] = string(Process)
	case "3":
		args["frame_level"] = string(Identity)
	}
}

// coerceValue reads the words for a value, E23 and E24. The word for the minimum is done with that variant, unless another one
// is given.
func coerceValue(args map[string]any) {
	word, _ := args["value"].(string)
	switch strings.ReplaceAll(loose(word), " ", "") {
	case "done", "완료", "했음", "完成", "做了":
		args["value"] = string(Done)
	case "skip", "건너뜀", "跳过":
		args["value"] = string(Skip)
	case "blank", "no", "안함", "没做":
		args["value"] = string(Blank)
	case "minimum", "최소", "最小":
		args["value"] = string(Done)
		if args["variant"] == nil {
			args["variant"] = string(Minimum)
		}
	}
}
