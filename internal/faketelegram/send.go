package faketelegram

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	maxDownload = 20 << 20
	deleteFor   = 48 * time.Hour // how long a message can be deleted
)

// draft is a message that a bot wants to send, its parameters read.
type draft struct {
	formatted
	buttons [][]Button
	reply   replyTo
}

// replyTo is the reply_parameters of a call.
type replyTo struct {
	Chat    json.RawMessage `json:"chat_id"`
	Message int64           `json:"message_id"`
	Lenient bool            `json:"allow_sending_without_reply"`
	Quote   string          `json:"quote"`
}

func (s *Server) sendMessage(p Params) (result, *Refusal) {
	if p["text"] == "" {
		return result{}, badRequest("message text is empty")
	}
	text, no := parseText(p["text"], p["parse_mode"], p["entities"])
	if no != nil {
		return result{}, no
	}
	if options := p["link_preview_options"]; options != "" && !isObject(options) {
		return result{}, badRequest("object expected as link preview options")
	}
	return s.send(p, text, nil)
}

func (s *Server) sendDocument(p Params, files []Upload) (result, *Refusal) {
	file, no := s.document(p["document"], files)
	if no != nil {
		return result{}, no
	}
	text, no := parseText(p["caption"], p["parse_mode"], p["caption_entities"])
	if no != nil {
		return result{}, no
	}
	return s.send(p, text, file)
}

// document finds the file of a call: uploaded under its field, attached by name, or known by its id.
func (s *Server) document(ref string, files []Upload) (*File, *Refusal) {
	field := "document"
	if name, ok := strings.CutPrefix(ref, "attach://"); ok {
		field = name
	}
	for _, f := range files {
		if f.Field == field {
			return s.keepFile(File{Kind: Document, Name: f.Name, MIME: f.MIME, Data: f.Data}), nil
		}
	}
	switch f := s.files[ref]; {
	case f != nil:
		return f, nil
	case ref == "" || strings.HasPrefix(ref, "attach://"):
		return nil, badRequest("there is no document in the request")
	case strings.Contains(ref, "://"):
		return nil, badRequest("failed to get HTTP URL content")
	}
	return nil, badRequest("wrong file identifier/HTTP URL specified")
}

func (s *Server) keepFile(f File) *File {
	f.ID = "file" + strconv.FormatInt(s.newID(), 10)
	s.files[f.ID] = &f
	return &f
}

// send posts what was read, after the checks that all kinds of messages share, in the server's order.
func (s *Server) send(p Params, text formatted, file *File) (result, *Refusal) {
	d := draft{formatted: text}
	var no *Refusal
	if d.reply, no = parseReply(p); no != nil {
		return result{}, no
	}
	if d.buttons, _, no = parseMarkup(p["reply_markup"]); no != nil {
		return result{}, no
	}
	r, no := s.enterRoom(p["chat_id"], toWrite)
	if no != nil {
		return result{}, no
	}
	if no = s.checkReply(r, &d.reply); no != nil {
		return result{}, no
	}
	thread := p.Int("message_thread_id")
	if no = r.thread(thread); no != nil {
		return result{}, no
	}
	if d.formatted, no = d.settle(); no != nil {
		return result{}, no
	}
	if no = d.tooLong(file != nil); no != nil {
		return result{}, no
	}
	if no = s.overRate(r); no != nil {
		return result{}, no
	}
	m := s.append(r, &Message{
		From: s.me, Date: s.cfg.Now(), Thread: thread, Topic: thread != 0, ReplyTo: d.reply.Message, Quote: d.reply.Quote,
		Text: d.text, Entities: d.entities, Mended: d.mended, Buttons: d.buttons, File: file,
	})
	return done(s.wire(r, m, true)), nil
}

// tooLong checks a text against the limits; a file may do without one.
func (d draft) tooLong(caption bool) *Refusal {
	switch {
	case caption && d.units() > maxCaption:
		return badRequest("message caption is too long")
	case caption:
		return nil
	case d.empty():
		return badRequest("message text is empty")
	case d.units() > maxText:
		return badRequest("message is too long")
	}
	return nil
}

func (s *Server) overRate(r *room) *Refusal {
	limit := s.cfg.Limits.Group
	if r.Type == Private {
		limit = s.cfg.Limits.Private
	}
	if wait := r.overLimit(limit, s.cfg.Now()); wait > 0 {
		no := TooMany(wait)
		return &no
	}
	return nil
}

// parseReply reads reply_parameters, or the older parameters of the same meaning.
func parseReply(p Params) (replyTo, *Refusal) {
	text, given := p["reply_parameters"]
	if !given {
		return replyTo{Message: max(p.Int("reply_to_message_id"), 0), Lenient: p.Bool("allow_sending_without_reply")}, nil
	}
	var to replyTo
	switch {
	case text == "":
		return to, nil
	case !json.Valid([]byte(text)):
		return to, badRequest("can't parse reply parameters JSON object")
	case !isObject(text) || json.Unmarshal([]byte(text), &to) != nil:
		return to, badRequest("object expected as reply parameters")
	case to.Message == 0 && strings.TrimSpace(text[1:len(text)-1]) != "":
		return to, badRequest(`can't find field "message_id"`)
	}
	to.Message = max(to.Message, 0)
	return to, nil
}

func isObject(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "{") }

// checkReply finds the message that is answered. When it is gone and the bot allows it, the reply is forgotten.
func (s *Server) checkReply(r *room, to *replyTo) *Refusal {
	if to.Message == 0 {
		return nil
	}
	from := r
	if id := strings.Trim(string(to.Chat), `"`); id != "" && id != "null" {
		var no *Refusal
		if from, no = s.enterRoom(id, toRead); no != nil {
			return no
		}
	}
	m := from.message(to.Message)
	switch {
	case m == nil && to.Lenient:
		*to = replyTo{}
	case m == nil:
		return badRequest("message to be replied not found")
	case to.Quote != "" && !strings.Contains(m.Text, to.Quote):
		return badRequest("QUOTE_TEXT_INVALID")
	case from != r:
		to.Message = 0 // shown as an external reply, which has no message here
	}
	return nil
}

func (s *Server) editMessageText(p Params) (result, *Refusal) {
	if p["text"] == "" {
		return result{}, badRequest("message text is empty")
	}
	text, no := parseText(p["text"], p["parse_mode"], p["entities"])
	if no != nil {
		return result{}, no
	}
	buttons, inline, no := parseMarkup(p["reply_markup"])
	if no != nil {
		return result{}, no
	}
	if p["chat_id"] == "" && p.Int("message_id") == 0 {
		return result{}, badRequest("message identifier is not specified") // inline messages are not modelled
	}
	r, no := s.enterRoom(p["chat_id"], toWrite)
	if no != nil {
		return result{}, no
	}
	m := r.message(p.Int("message_id"))
	switch {
	case m == nil:
		return result{}, badRequest("message to edit not found")
	case m.From.ID != s.me.ID:
		return result{}, badRequest("message can't be edited")
	case m.File != nil:
		return result{}, badRequest("there is no text in the message to edit")
	case !inline:
		return result{}, badRequest("inline keyboard expected")
	}
	return s.edit(r, m, draft{formatted: text, buttons: buttons})
}

// edit changes a message of the bot's. An edit without buttons takes them away.
func (s *Server) edit(r *room, m *Message, d draft) (result, *Refusal) {
	var no *Refusal
	if d.formatted, no = d.settle(); no != nil {
		return result{}, no
	}
	switch {
	case d.empty():
		return result{}, badRequest("message text is empty")
	case d.units() > maxText:
		return result{}, badRequest("MESSAGE_TOO_LONG")
	}
	if no = s.overRate(r); no != nil {
		return result{}, no
	}
	if d.text == m.Text && slices.Equal(d.entities, m.Entities) && sameButtons(d.buttons, m.Buttons) {
		return result{}, badRequest("message is not modified: specified new message content and reply markup are exactly the same " +
			"as a current content and reply markup of the message")
	}
	m.Text, m.Entities, m.Mended, m.Buttons = d.text, d.entities, d.mended, d.buttons
	m.EditDate = s.cfg.Now()
	m.Edits++
	return done(s.wire(r, m, true)), nil
}

// deleteMessage deletes the bot's own messages, people's in a private chat, and all where it is an administrator, while they
// are younger than 48 hours.
func (s *Server) deleteMessage(p Params) (result, *Refusal) {
	switch {
	case p["chat_id"] == "":
		return result{}, badRequest("chat identifier is not specified")
	case p.Int("message_id") == 0:
		return result{}, badRequest("message identifier is not specified")
	}
	r, no := s.enterRoom(p["chat_id"], toWrite)
	if no != nil {
		return result{}, no
	}
	m := r.message(p.Int("message_id"))
	if m == nil {
		return result{}, badRequest("message to delete not found")
	}
	may := r.bot == botAdmin && r.Type == Supergroup
	if s.cfg.Now().Before(m.Date.Add(deleteFor)) {
		may = may || m.From.ID == s.me.ID || r.Type == Private || r.bot == botAdmin
	}
	if !may {
		return result{}, badRequest("message can't be deleted")
	}
	m.Deleted = true
	return done(true), nil
}

// getFile tells where a file can be fetched: at /file/bot<token>/<file_path>.
func (s *Server) getFile(p Params) (result, *Refusal) {
	f := s.files[p["file_id"]]
	switch {
	case p["file_id"] == "":
		return result{}, badRequest("file_id not specified")
	case f == nil:
		return result{}, badRequest("wrong file_id or the file is temporarily unavailable")
	case len(f.Data) > maxDownload:
		return result{}, badRequest("file is too big")
	}
	w := f.wire()
	w.Path = f.path()
	return done(w), nil
}

func (f *File) path() string { return string(f.Kind) + "s/" + f.ID }

// serveFile gives out the bytes of a file; path begins with /bot<token>/.
func (s *Server) serveFile(w http.ResponseWriter, path string) {
	name, refusal := s.route(path)
	if refusal != nil {
		write(w, refusal.reply())
		return
	}
	_, id, _ := strings.Cut(name, "/")
	s.mu.Lock()
	f := s.files[id]
	s.mu.Unlock()
	if f == nil || f.path() != name {
		write(w, Refusal{Code: http.StatusNotFound, Description: "Not Found"}.reply())
		return
	}
	write(w, reply{status: http.StatusOK, mime: "application/octet-stream", body: f.Data})
}
