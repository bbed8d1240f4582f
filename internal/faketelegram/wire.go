package faketelegram

import (
	"encoding/json"
	"time"
)

// wireMessage is a Message as updates and answers carry it.
type wireMessage struct {
	ID              int64          `json:"message_id"`
	Thread          int64          `json:"message_thread_id,omitempty"`
	From            *User          `json:"from,omitempty"`
	Chat            Chat           `json:"chat"`
	Date            int64          `json:"date"`
	EditDate        int64          `json:"edit_date,omitempty"`
	IsTopicMessage  bool           `json:"is_topic_message,omitempty"`
	ReplyTo         *wireMessage   `json:"reply_to_message,omitempty"`
	Quote           *wireQuote     `json:"quote,omitempty"`
	Album           string         `json:"media_group_id,omitempty"`
	Text            string         `json:"text,omitempty"`
	Entities        []wireEntity   `json:"entities,omitempty"`
	Caption         string         `json:"caption,omitempty"`
	CaptionEntities []wireEntity   `json:"caption_entities,omitempty"`
	Document        *wireFile      `json:"document,omitempty"`
	Photo           []wireFile     `json:"photo,omitempty"`
	Voice           *wireFile      `json:"voice,omitempty"`
	MovedTo         int64          `json:"migrate_to_chat_id,omitempty"`
	MovedFrom       int64          `json:"migrate_from_chat_id,omitempty"`
	ReplyMarkup     *wireInlineKey `json:"reply_markup,omitempty"`
}

type wireQuote struct {
	Text     string `json:"text"`
	Position int    `json:"position"`
	IsManual bool   `json:"is_manual"`
}

type wireEntity struct {
	Type          EntityType `json:"type"`
	Offset        int        `json:"offset"`
	Length        int        `json:"length"`
	URL           string     `json:"url,omitempty"`
	Language      string     `json:"language,omitempty"`
	User          *User      `json:"user,omitempty"`
	CustomEmojiID string     `json:"custom_emoji_id,omitempty"`
}

type wireFile struct {
	ID       string `json:"file_id"`
	UniqueID string `json:"file_unique_id"`
	Size     int    `json:"file_size,omitempty"`
	Name     string `json:"file_name,omitempty"`
	MIME     string `json:"mime_type,omitempty"`
	Duration int    `json:"duration,omitempty"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
	Path     string `json:"file_path,omitempty"`
}

type wireInlineKey struct {
	Keyboard [][]wireButton `json:"inline_keyboard"`
}

type wireButton struct {
	Text  string `json:"text"`
	Data  string `json:"callback_data,omitempty"`
	URL   string `json:"url,omitempty"`
	Style string `json:"style,omitempty"`
}

// wireGone is a message that is no longer there: date 0 says so.
type wireGone struct {
	Chat Chat  `json:"chat"`
	ID   int64 `json:"message_id"`
	Date int64 `json:"date"`
}

type wirePress struct {
	ID           string `json:"id"`
	From         User   `json:"from"`
	Message      any    `json:"message"` // wireMessage or wireGone
	ChatInstance string `json:"chat_instance"`
	Data         string `json:"data"`
}

type wireMember struct {
	User   User      `json:"user"`
	Status botStatus `json:"status"`
	Until  *int64    `json:"until_date,omitempty"`
}

type wireMemberUpdate struct {
	Chat Chat       `json:"chat"`
	From User       `json:"from"`
	Date int64      `json:"date"`
	Old  wireMember `json:"old_chat_member"`
	New  wireMember `json:"new_chat_member"`
}

type wireReaction struct {
	Type  string `json:"type"`
	Emoji string `json:"emoji,omitempty"`
}

type wireReactionUpdate struct {
	Chat Chat           `json:"chat"`
	ID   int64          `json:"message_id"`
	User User           `json:"user"`
	Date int64          `json:"date"`
	Old  []wireReaction `json:"old_reaction"`
	New  []wireReaction `json:"new_reaction"`
}

type wireMe struct {
	User
	CanJoinGroups bool `json:"can_join_groups"`
	ReadsAll      bool `json:"can_read_all_group_messages"`
	Inline        bool `json:"supports_inline_queries"`
	CanConnect    bool `json:"can_connect_to_business"`
	HasMainWebApp bool `json:"has_main_web_app"`
	HasTopics     bool `json:"has_topics_enabled"`
}

// encode is json.Marshal for the structs of this file, which cannot fail.
func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("faketelegram: encode: " + err.Error())
	}
	return data
}

// wire makes the JSON form of a message. The message that it answers is shown without its own reply, as on the platform.
func (s *Server) wire(r *room, m *Message, withReply bool) *wireMessage {
	from := m.From
	w := &wireMessage{
		ID: m.ID, From: &from, Chat: r.Chat, Date: m.Date.Unix(), EditDate: unixOrZero(m.EditDate),
		Thread: m.Thread, IsTopicMessage: m.Topic, Album: m.Album,
		MovedTo: m.MovedTo, MovedFrom: m.MovedFrom,
	}
	if m.File == nil {
		w.Text, w.Entities = m.Text, s.wireEntities(m.Entities)
	} else {
		w.Caption, w.CaptionEntities = m.Text, s.wireEntities(m.Entities)
		w.attach(m.File)
	}
	if len(m.Buttons) > 0 {
		w.ReplyMarkup = &wireInlineKey{wireButtons(m.Buttons)}
	}
	if withReply && m.ReplyTo != 0 {
		w.reply(s, r, m)
	}
	return w
}

func (w *wireMessage) reply(s *Server, r *room, m *Message) {
	if to := r.message(m.ReplyTo); to != nil {
		w.ReplyTo = s.wire(r, to, false)
	}
	if m.Quote != "" {
		w.Quote = &wireQuote{Text: m.Quote, IsManual: true}
	}
}

func (w *wireMessage) attach(f *File) {
	file := f.wire()
	switch f.Kind {
	case Photo:
		file.Name, file.MIME = "", ""
		file.Width, file.Height = 640, 480
		w.Photo = []wireFile{file}
	case Voice:
		file.Name, file.Duration = "", 1
		w.Voice = &file
	default:
		w.Document = &file
	}
}

func (f *File) wire() wireFile {
	return wireFile{ID: f.ID, UniqueID: "u" + f.ID, Size: len(f.Data), Name: f.Name, MIME: f.MIME}
}

func (s *Server) wireEntities(es []Entity) []wireEntity {
	var out []wireEntity
	for _, e := range es {
		w := wireEntity{Type: e.Type, Offset: e.Offset, Length: e.Length, URL: e.URL, Language: e.Language, CustomEmojiID: e.EmojiID}
		if u := s.users[e.UserID]; u != nil {
			w.User = u
		}
		out = append(out, w)
	}
	return out
}

func wireButtons(rows [][]Button) [][]wireButton {
	out := make([][]wireButton, len(rows))
	for i, row := range rows {
		for _, b := range row {
			out[i] = append(out[i], wireButton{Text: b.Text, Data: b.Data, URL: b.URL, Style: b.Style})
		}
	}
	return out
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
