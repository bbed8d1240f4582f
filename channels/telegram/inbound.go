package telegram

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"steady/channels"
	"steady/core"
)

// Bounds on what is taken over from an update beside its text, in UTF-16 units.
const (
	maxQuote = 1000
	maxName  = 64
)

// An arrival is an update that says something to the bot; whether it may is decided by the gate.
type arrival struct {
	in     core.Inbound
	at     place
	user   int64  // who caused it
	press  string // the id by which a press is answered
	notice bool   // word of the platform about the chat, whoever caused it
	moved  int64  // of a move: the group's new number
}

// A reader turns updates into arrivals. It is a value and its methods are pure.
type reader struct {
	me      models.User
	mention bool // groups: only what is addressed to the bot
}

// read tells what u says to the bot at the time now. ok is false when it says nothing: it is not for the bot, is blank, or is
// of a kind that the bot does not know.
func (r reader) read(u update, now time.Time) (a arrival, ok bool) {
	switch {
	case u.Message != nil:
		a, ok = r.message(*u.Message)
	case u.Edited != nil:
		a, ok = r.edited(*u.Edited, u.ID)
	case u.Press != nil:
		a, ok = r.press(*u.Press)
	case u.Change != nil:
		a, ok = r.change(*u.Change, u.ID)
	}
	a.in.Channel = Name
	a.in.Received = now
	return a, ok
}

func (r reader) message(m message) (arrival, bool) {
	if m.MigrateTo != 0 || m.MigrateFrom != 0 {
		return r.moved(m)
	}
	a, ok := r.heard(m)
	if !ok {
		return a, false
	}
	own := post{m.Chat.ID, m.ID}
	a.in.ID = own.inbound()
	a.in.Sent = clock(m.Date)
	body := r.body(m)
	if name, args, ok := r.command(body); ok {
		a.in.Event = core.Commanded{Name: name, Args: args}
		return a, true
	}
	text := strings.TrimSpace(body.String())
	if core.Blank(text) {
		text = ""
	}
	a.in.Event = core.Said{Text: text}
	return a, text != "" || len(a.in.Media) > 0
}

func (r reader) edited(m message, id int64) (arrival, bool) {
	a, ok := r.heard(m)
	if !ok {
		return a, false
	}
	text := strings.TrimSpace(r.body(m).String())
	a.in.ID = event(id)
	a.in.Sent = clock(m.EditDate)
	a.in.Event = core.Edited{Of: post{m.Chat.ID, m.ID}.inbound(), Text: text}
	return a, !core.Blank(text)
}

// heard is what a new and an edited message have in common. ok is false for a message that no person wrote to the bot.
func (r reader) heard(m message) (arrival, bool) {
	// A message with the number 0 is an ephemeral one, which only an ephemeral message could answer (Bot API 10.2).
	if m.ID <= 0 || m.From == nil || m.From.IsBot || m.SenderChat != nil {
		return arrival{}, false
	}
	a, ok := arriving(m.Chat, *m.From)
	if !ok || !a.in.Direct && !r.addressed(m) {
		return arrival{}, false
	}
	if m.InTopic && m.Thread > 0 {
		a.at.topic = m.Thread
	}
	a.in.Chat, a.in.Context = a.at.key(), a.at.context()
	a.in.Message = post{m.Chat.ID, m.ID}.messageID()
	a.in.ReplyTo = r.quote(m)
	a.in.Media = m.media()
	return a, true
}

// arriving begins an arrival of a chat where people talk to bots.
func arriving(chat models.Chat, from models.User) (arrival, bool) {
	a := arrival{at: place{chat: chat.ID}, user: from.ID}
	switch chat.Type {
	case models.ChatTypePrivate:
		a.in.Direct = true
	case models.ChatTypeGroup, models.ChatTypeSupergroup:
	default:
		return arrival{}, false
	}
	a.in.Chat, a.in.Context = a.at.key(), a.at.context()
	a.in.Sender = core.Sender{Account: account(from.ID), Name: userName(from), Lang: core.ParseLang(from.LanguageCode)}
	return a, a.at.chat != 0 && a.at.group() == !a.in.Direct && from.ID > 0
}

// moved is the service message about a group that became a supergroup. The platform puts one into each of the two; both make
// the same inbound.
func (r reader) moved(m message) (arrival, bool) {
	from, to := cmp.Or(m.MigrateFrom, m.Chat.ID), cmp.Or(m.MigrateTo, m.Chat.ID)
	if from >= 0 || to >= 0 || from == to {
		return arrival{}, false
	}
	next := place{chat: to}
	a := arrival{at: place{chat: from}, notice: true, moved: to}
	if m.From != nil {
		a.user = m.From.ID
		a.in.Sender = core.Sender{Account: account(m.From.ID), Name: userName(*m.From)}
	}
	a.in.ID = fmt.Sprintf("moved:%d", to)
	a.in.Sent = clock(m.Date)
	a.in.Chat, a.in.Context = a.at.key(), a.at.context()
	a.in.Event = core.Moved{Chat: next.key(), Context: next.context()}
	return a, true
}

// press reads a callback query. An arrival without ok is answered all the same: the client shows a wheel until then.
func (r reader) press(p press) (arrival, bool) {
	if p.Message == nil {
		return arrival{press: p.ID}, false
	}
	a, ok := arriving(p.Message.Chat, p.From)
	a.press = p.ID
	token, topic := parseButton(p.Data)
	if !ok || token == "" || p.ID == "" || p.Message.ID <= 0 {
		return a, false
	}
	a.at.topic = topic
	a.in.Chat, a.in.Context = a.at.key(), a.at.context()
	a.in.ID = "p:" + p.ID
	a.in.Event = core.Pressed{Token: token, Message: post{a.at.chat, p.Message.ID}.messageID()}
	return a, true
}

func (r reader) change(s standing, id int64) (arrival, bool) {
	a, ok := arriving(s.Chat, s.From)
	was, is := s.Old.present(), s.New.present()
	if !ok || was == is {
		return a, false
	}
	a.notice = true
	a.in.ID = event(id)
	a.in.Sent = clock(s.Date)
	if is {
		a.in.Event = core.Returned{}
	} else {
		a.in.Event = core.Left{}
	}
	return a, true
}

// event is the inbound's id of what is not a message itself. The platform counts updates on and starts anew at random after a
// week without any (Bot API, Update.update_id).
func event(update int64) string { return fmt.Sprintf("u:%d", update) }

// addressed tells whether a message in a group is for the bot: it mentions it, answers it, or is a command that names it or
// nobody.
func (r reader) addressed(m message) bool {
	body := m.body()
	if at, ok := body.commandAt(); ok {
		_, bot, named := strings.Cut(at, "@")
		return !named || strings.EqualFold(bot, r.me.Username)
	}
	if !r.mention || m.answers(r.me.ID) {
		return true
	}
	for _, e := range body.marks {
		if r.mentioned(body, e) {
			return true
		}
	}
	return false
}

func (r reader) mentioned(b body, e models.MessageEntity) bool {
	switch e.Type {
	case models.MessageEntityTypeMention:
		return r.me.Username != "" && strings.EqualFold(b.at(e), "@"+r.me.Username)
	case models.MessageEntityTypeTextMention:
		return e.User != nil && e.User.ID == r.me.ID
	}
	return false
}

// body is the text of m without the mentions of the bot.
func (r reader) body(m message) body {
	b := m.body()
	return b.without(func(e models.MessageEntity) bool { return r.mentioned(b, e) })
}

// command reads a body that begins with one. Another bot's name after it makes it plain text.
func (r reader) command(b body) (name, args string, ok bool) {
	whole, ok := b.commandAt()
	if !ok {
		return "", "", false
	}
	name, bot, named := strings.Cut(strings.TrimPrefix(whole, "/"), "@")
	if named && !strings.EqualFold(bot, r.me.Username) || name == "" {
		return "", "", false
	}
	rest := b.units[len(utf16.Encode([]rune(whole))):]
	return strings.ToLower(name), strings.TrimSpace(string(utf16.Decode(rest))), true
}

// quote is the message that m answers; a topic's first message is not one, though everything in the topic points to it.
func (r reader) quote(m message) *core.Quote {
	to := m.ReplyTo
	if to != nil && to.TopicCreated != nil {
		to = nil
	}
	if to == nil && m.Selected == nil {
		return nil
	}
	q := &core.Quote{}
	if to != nil && to.ID > 0 {
		q.ID = post{cmp.Or(to.Chat.ID, m.Chat.ID), to.ID}.messageID()
		q.Author, q.Ours = to.author(), m.answers(r.me.ID)
		q.Text = to.body().String()
		if media := to.media(); core.Blank(q.Text) && len(media) > 0 {
			q.Text = "[" + media[0].Kind + "]"
		}
	}
	if m.Selected != nil {
		q.Text = m.Selected.Text
	}
	q.Text = clip(strings.TrimSpace(q.Text), maxQuote)
	return q
}

func (m message) answers(id int64) bool {
	return m.ReplyTo != nil && m.ReplyTo.TopicCreated == nil && m.ReplyTo.From != nil && m.ReplyTo.From.ID == id
}

func (m message) author() string {
	switch {
	case m.SenderChat != nil:
		return clip(m.SenderChat.Title, maxName)
	case m.From != nil:
		return userName(*m.From)
	}
	return ""
}

func (m message) body() body {
	if m.Text != "" {
		return body{utf16.Encode([]rune(m.Text)), m.Entities}
	}
	return body{utf16.Encode([]rune(m.Caption)), m.CaptionMarks}
}

// media lists what is attached. Some kinds come with a second one for old clients, so the first that fits is the one.
func (m message) media() []core.Media {
	var picture *file
	if n := len(m.Photo); n > 0 {
		picture = &m.Photo[n-1]
	}
	for _, k := range []struct {
		kind string
		file *file
	}{
		{"image/jpeg", picture}, {"animation", m.Animation}, {"video", m.Video}, {"video_note", m.VideoNote}, {"voice", m.Voice},
		{"audio", m.Audio}, {"sticker", m.Sticker}, {"document", m.Document},
	} {
		if k.file != nil {
			f := k.file
			return []core.Media{{Kind: cmp.Or(f.MIME, k.kind), Name: clip(cmp.Or(f.Name, f.Emoji), maxName), Ref: f.ID}}
		}
	}
	for _, k := range []struct {
		kind string
		what *struct{}
	}{
		{"venue", m.Venue}, {"location", m.Location}, {"contact", m.Contact}, {"poll", m.Poll}, {"dice", m.Dice},
		{"game", m.Game}, {"story", m.Story}, {"checklist", m.Checklist}, {"paid_media", m.PaidMedia},
	} {
		if k.what != nil {
			return []core.Media{{Kind: k.kind}}
		}
	}
	return nil
}

func userName(u models.User) string {
	full := strings.Join(strings.Fields(u.FirstName+" "+u.LastName), " ")
	return clip(cmp.Or(full, u.Username), maxName)
}

func clock(seconds int64) time.Time {
	if seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// clip shortens s to n UTF-16 units, and shows that something was cut.
func clip(s string, n int) string {
	if head := channels.Cut(s, n); len(head) < len(s) {
		return head + "…"
	}
	return s
}

// A body is a text with its marks, whose offsets count UTF-16 units.
type body struct {
	units []uint16
	marks []models.MessageEntity
}

func (b body) String() string { return string(utf16.Decode(b.units)) }

// at is the piece of the text that e marks, "" if e does not lie in it.
func (b body) at(e models.MessageEntity) string {
	if e.Offset < 0 || e.Length <= 0 || e.Offset > len(b.units) || e.Length > len(b.units)-e.Offset {
		return ""
	}
	return string(utf16.Decode(b.units[e.Offset : e.Offset+e.Length]))
}

// commandAt is the command that the text begins with, such as "/stop" or "/stop@some_bot".
func (b body) commandAt() (string, bool) {
	for _, e := range b.marks {
		if e.Type == models.MessageEntityTypeBotCommand && e.Offset == 0 {
			s := b.at(e)
			return s, strings.HasPrefix(s, "/")
		}
	}
	return "", false
}

// without cuts marked pieces out of the text, each with one of the two blanks around it, and moves the other marks along.
func (b body) without(drop func(models.MessageEntity) bool) body {
	gone := make([]bool, len(b.units)+1)
	for _, e := range b.marks {
		if b.at(e) == "" || !drop(e) {
			continue
		}
		end := e.Offset + e.Length
		for i := e.Offset; i < end; i++ {
			gone[i] = true
		}
		if end < len(b.units) && blank(b.units[end]) && (e.Offset == 0 || blank(b.units[e.Offset-1])) {
			gone[end] = true
		}
	}
	var kept body
	moved := make([]int, len(b.units)+1) // where each offset is afterwards
	for i, u := range b.units {
		moved[i] = len(kept.units)
		if !gone[i] {
			kept.units = append(kept.units, u)
		}
	}
	moved[len(b.units)] = len(kept.units)
	for _, e := range b.marks {
		if b.at(e) == "" {
			continue
		}
		from, to := moved[e.Offset], moved[e.Offset+e.Length]
		if e.Offset, e.Length = from, to-from; to > from {
			kept.marks = append(kept.marks, e)
		}
	}
	return kept
}

func blank(unit uint16) bool { return unit == ' ' || unit == '\n' || unit == '\t' || unit == 0xA0 }
