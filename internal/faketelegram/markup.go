package faketelegram

import (
	"encoding/json"
	"slices"
	"time"
	"unicode/utf16"
)

const (
	maxButtonData = 64 // bytes
	maxButtons    = 100
	maxPressText  = 200

	// pressLifetime is how long a press can be answered. The platform does not say; an undelivered one is dropped after this.
	pressLifetime = keepCallbacks

	tooOld = "query is too old and response timeout expired or query ID is invalid"
)

// Button is an inline button. Data is sent back when it is pressed; other actions than Data and URL are kept as Other, the
// name of their field.
type Button struct {
	Text  string
	Data  string
	URL   string
	Style string
	Other string
}

// parseMarkup reads a reply_markup. Only inline keyboards stay with a message; inline is false for the other kinds.
func parseMarkup(text string) (rows [][]Button, inline bool, no *Refusal) {
	if text == "" {
		return nil, true, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, false, badRequest("can't parse reply keyboard markup JSON object")
	}
	var in struct {
		Inline   json.RawMessage `json:"inline_keyboard"`
		Keyboard json.RawMessage `json:"keyboard"`
		Remove   bool            `json:"remove_keyboard"`
		Force    bool            `json:"force_reply"`
	}
	if !isObject(text) || json.Unmarshal([]byte(text), &in) != nil {
		return nil, false, badRequest("object expected as reply markup")
	}
	if in.Inline == nil {
		return nil, in.Keyboard == nil && !in.Remove && !in.Force, nil
	}
	rows, no = parseKeyboard(in.Inline)
	return rows, true, no
}

func parseKeyboard(raw json.RawMessage) ([][]Button, *Refusal) {
	var in [][]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return nil, badRequest(`field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays`)
	}
	var rows [][]Button
	total := 0
	for _, inRow := range in {
		var row []Button
		for _, rawButton := range inRow {
			b, problem := parseButton(rawButton)
			if problem != "" {
				return nil, badRequest("can't parse inline keyboard button: %s", problem)
			}
			if len(b.Data) > maxButtonData {
				return nil, badRequest("BUTTON_DATA_INVALID")
			}
			if b.Text != "" { // a button without a text is left out
				row = append(row, b)
			}
		}
		if total += len(row); len(row) > 0 {
			rows = append(rows, row)
		}
	}
	if total > maxButtons {
		return nil, badRequest("reply markup is too long")
	}
	return rows, nil
}

type inButton struct {
	Text          *string         `json:"text"`
	URL           string          `json:"url"`
	Data          string          `json:"callback_data"`
	Style         string          `json:"style"`
	Pay           bool            `json:"pay"`
	CopyText      *inCopyText     `json:"copy_text"`
	WebApp        json.RawMessage `json:"web_app"`
	LoginURL      json.RawMessage `json:"login_url"`
	Switch        *string         `json:"switch_inline_query"`
	SwitchCurrent *string         `json:"switch_inline_query_current_chat"`
	SwitchChosen  json.RawMessage `json:"switch_inline_query_chosen_chat"`
	Game          json.RawMessage `json:"callback_game"`
}

type inCopyText struct {
	Text string `json:"text"`
}

// parseButton reads a button, which must have exactly one action. An empty copy_text is none: go-telegram/bot sends one with
// every button.
func parseButton(raw json.RawMessage) (b Button, problem string) {
	var in inButton
	if json.Unmarshal(raw, &in) != nil {
		return Button{}, "InlineKeyboardButton must be an Object with fields of the documented types"
	}
	if in.Text == nil {
		return Button{}, `Can't find field "text"`
	}
	b = Button{Text: *in.Text, Data: in.Data, URL: in.URL, Style: in.Style}
	actions := 0
	for name, given := range map[string]bool{
		"url": in.URL != "", "callback_data": in.Data != "", "pay": in.Pay, "copy_text": in.CopyText != nil && in.CopyText.Text != "",
		"web_app": in.WebApp != nil, "login_url": in.LoginURL != nil, "switch_inline_query": in.Switch != nil,
		"switch_inline_query_current_chat": in.SwitchCurrent != nil, "switch_inline_query_chosen_chat": in.SwitchChosen != nil,
		"callback_game": in.Game != nil,
	} {
		if !given {
			continue
		}
		actions++
		if name != "url" && name != "callback_data" {
			b.Other = name
		}
	}
	switch actions {
	case 0:
		return Button{}, "Text buttons are unallowed in the inline keyboard"
	case 1:
		return b, ""
	}
	return Button{}, "exactly one action must be used"
}

func sameButtons(a, b [][]Button) bool {
	return slices.EqualFunc(a, b, func(x, y []Button) bool { return slices.Equal(x, y) })
}

// Press is a pressed button as the platform knows it.
type Press struct {
	ID       string
	Chat     int64
	Message  int64
	User     int64
	Data     string
	Time     time.Time
	Answered bool
	Text     string // what the bot's answer showed
	Alert    bool   // as a dialog rather than a passing notice
}

// answerCallbackQuery answers a press, once and in time.
func (s *Server) answerCallbackQuery(p Params) (result, *Refusal) {
	press := s.presses[p["callback_query_id"]]
	if press == nil || press.Answered || s.cfg.Now().After(press.Time.Add(pressLifetime)) {
		return result{}, badRequest(tooOld)
	}
	if len(utf16.Encode([]rune(p["text"]))) > maxPressText {
		return result{}, badRequest("MESSAGE_TOO_LONG")
	}
	press.Answered, press.Text, press.Alert = true, p["text"], p.Bool("show_alert")
	return done(true), nil
}
