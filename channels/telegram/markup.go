package telegram

import (
	"github.com/go-telegram/bot/models"

	"steady/channels"
	"steady/core"
)

// maxText is how many UTF-16 units of visible text one message holds (Bot API, sendMessage).
const maxText = 4096

// render divides the text of b into messages.
func render(b core.Body) []channels.Rendered {
	if b.Plain {
		return channels.Split(channels.Rendered{Text: b.Text}, maxText)
	}
	return channels.Split(channels.Parse(b.Text).Render(), maxText)
}

// entities are spans as the platform wants them. Text goes out with these and never with a parse mode, so nothing in it must
// be escaped and no model can write markup that we did not make.
func entities(spans []channels.Span) []models.MessageEntity {
	var marks []models.MessageEntity
	for _, s := range spans {
		e := models.MessageEntity{Offset: s.Offset, Length: s.Length, URL: s.URL, Language: s.Language}
		switch s.Style {
		case channels.Bold:
			e.Type = models.MessageEntityTypeBold
		case channels.Italic:
			e.Type = models.MessageEntityTypeItalic
		case channels.Strike:
			e.Type = models.MessageEntityTypeStrikethrough
		case channels.Spoiler:
			e.Type = models.MessageEntityTypeSpoiler
		case channels.Link:
			e.Type = models.MessageEntityTypeTextLink
		case channels.Code:
			e.Type = models.MessageEntityTypeCode
		case channels.Pre:
			e.Type = models.MessageEntityTypePre
		case channels.Quote:
			e.Type = models.MessageEntityTypeBlockquote
		case channels.ExpandableQuote:
			e.Type = models.MessageEntityTypeExpandableBlockquote
		default:
			continue
		}
		marks = append(marks, e)
	}
	return marks
}

// The shape of a row of buttons: more or longer ones are cut short on a narrow screen.
const (
	rowButtons = 3
	rowUnits   = 36
)

// keyboard lays buttons out in rows, in order.
func keyboard(buttons []core.Button, topic int) (*models.InlineKeyboardMarkup, error) {
	var rows [][]models.InlineKeyboardButton
	room, width := 0, 0
	for _, b := range buttons {
		data := buttonData(b.Token, topic)
		if b.Token == "" || len(data) > maxButtonData || core.Blank(b.Label) {
			return nil, refuse("a button has no label, no token, or a token of more than a button carries")
		}
		key := models.InlineKeyboardButton{Text: b.Label, CallbackData: data}
		if b.Style == core.Strong {
			key.Style = "primary"
		}
		size := channels.UTF16Len(b.Label)
		if room == 0 || width+size > rowUnits {
			rows, room, width = append(rows, nil), rowButtons, 0
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], key)
		room, width = room-1, width+size
	}
	return &models.InlineKeyboardMarkup{InlineKeyboard: rows}, nil
}
