package telegram

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-telegram/bot/models"
)

// An update is what is read of the platform's object of that name. The containers are declared here and only the leaves are
// the library's: its own containers hold unions that refuse a value which they do not know, so that a new kind of forward or
// gift would make a readable message unreadable, and with it everything behind it.
type update struct {
	ID      int64     `json:"update_id"`
	Message *message  `json:"message"`
	Edited  *message  `json:"edited_message"`
	Press   *press    `json:"callback_query"`
	Change  *standing `json:"my_chat_member"`
}

// A message is also what the platform sends for one that is no longer accessible: then only chat and id are set.
type message struct {
	ID           int                    `json:"message_id"`
	Thread       int                    `json:"message_thread_id"` // a topic only if InTopic; else the head of a chain of replies
	InTopic      bool                   `json:"is_topic_message"`
	From         *models.User           `json:"from"`
	SenderChat   *models.Chat           `json:"sender_chat"` // set when a channel or a group speaks instead of a person
	Chat         models.Chat            `json:"chat"`
	Date         int64                  `json:"date"`
	EditDate     int64                  `json:"edit_date"`
	ReplyTo      *message               `json:"reply_to_message"`
	Selected     *textQuote             `json:"quote"`
	TopicCreated *struct{}              `json:"forum_topic_created"`
	MigrateTo    int64                  `json:"migrate_to_chat_id"`
	MigrateFrom  int64                  `json:"migrate_from_chat_id"`
	Text         string                 `json:"text"`
	Entities     []models.MessageEntity `json:"entities"`
	Caption      string                 `json:"caption"`
	CaptionMarks []models.MessageEntity `json:"caption_entities"`
	attachments
}

type textQuote struct {
	Text string `json:"text"`
}

// attachments are the kinds of content beside text. One that is not listed here is like a service message: silent.
type attachments struct {
	Animation *file     `json:"animation"` // comes with Document set to the same file
	Audio     *file     `json:"audio"`
	Document  *file     `json:"document"`
	Photo     []file    `json:"photo"` // one picture in several sizes, the largest last
	Sticker   *file     `json:"sticker"`
	Video     *file     `json:"video"`
	VideoNote *file     `json:"video_note"`
	Voice     *file     `json:"voice"`
	Checklist *struct{} `json:"checklist"`
	Contact   *struct{} `json:"contact"`
	Dice      *struct{} `json:"dice"`
	Game      *struct{} `json:"game"`
	Location  *struct{} `json:"location"`
	PaidMedia *struct{} `json:"paid_media"`
	Poll      *struct{} `json:"poll"`
	Story     *struct{} `json:"story"`
	Venue     *struct{} `json:"venue"` // comes with Location set too
}

type file struct {
	ID    string `json:"file_id"`
	Name  string `json:"file_name"`
	MIME  string `json:"mime_type"`
	Emoji string `json:"emoji"` // of a sticker
}

// A press is a callback query. Message is nil for buttons outside of chats.
type press struct {
	ID      string      `json:"id"`
	From    models.User `json:"from"`
	Message *message    `json:"message"`
	Data    string      `json:"data"`
}

// A standing is a change of what the bot is in a chat.
type standing struct {
	Chat models.Chat `json:"chat"`
	From models.User `json:"from"`
	Date int64       `json:"date"`
	Old  member      `json:"old_chat_member"`
	New  member      `json:"new_chat_member"`
}

type member struct {
	Status   string `json:"status"`
	IsMember bool   `json:"is_member"` // of a restricted one
}

// present tells whether the bot can speak to the chat: in a private chat "kicked" is a block.
func (m member) present() bool {
	switch m.Status {
	case "creator", "administrator", "member":
		return true
	case "restricted":
		return m.IsMember
	}
	return false
}

// decode reads one update of a batch. It gives an error for what is not a JSON object and for a part that has another form
// than the platform documents; the id is then set if it could be read. Unknown parts are skipped.
func decode(raw json.RawMessage) (update, error) {
	var u update
	err := json.Unmarshal(raw, &u)
	var form *json.UnmarshalTypeError
	if errors.As(err, &form) { // its own text may quote the update
		return u, fmt.Errorf("decode update: %s has another form", form.Field)
	}
	if err != nil {
		return u, errors.New("decode update: not a JSON object")
	}
	if u.ID == 0 {
		return u, errors.New("decode update: no id")
	}
	return u, nil
}
