package faketelegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// AddUser creates an account. An id of 0 is replaced by a new one, an empty name by "User". The bot may not write to it until
// [Server.Open].
func (s *Server) AddUser(u User) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.ID == 0 {
		u.ID = s.nextUser
		s.nextUser++
	}
	if u.FirstName == "" {
		u.FirstName = "User"
	}
	s.users[u.ID] = &u
	s.bump()
	return u
}

// Open opens the private chat of a user with the bot, as pressing Start does, without saying anything. The chat's id is the
// user's.
func (s *Server) Open(user int64) Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.user(user)
	r := s.rooms[u.ID]
	if r == nil {
		r = newRoom(Chat{ID: u.ID, Type: Private, FirstName: u.FirstName, LastName: u.LastName, Username: u.Username})
		s.rooms[u.ID] = r
	}
	s.met[u.ID] = true
	s.bump()
	return r.Chat
}

// AddGroup creates a group or supergroup that the bot is a member of, without an update. An id of 0 is replaced by a new one.
func (s *Server) AddGroup(c Chat) Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.addGroup(c)
	s.bump()
	return r.Chat
}

func (s *Server) addGroup(c Chat) *room {
	if c.ID == 0 {
		c.ID = -s.nextGroup
		if c.Type == Supergroup {
			c.ID = -1_000_000_000_000 - s.nextGroup
		}
		s.nextGroup++
	}
	if c.Title == "" {
		c.Title = "Group"
	}
	r := newRoom(c)
	s.rooms[c.ID] = r
	return r
}

// AddTopic creates a topic of a forum, or of a private chat of a bot with topics, and returns its message_thread_id.
func (s *Server) AddTopic(chat int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.mustRoom(chat)
	id := s.messageID(r) // that of the service message which opened it
	r.topics[id] = true
	s.bump()
	return id
}

// DeleteTopic deletes a topic and what was said in it.
func (s *Server) DeleteTopic(chat, thread int64) {
	s.change(chat, func(r *room) {
		delete(r.topics, thread)
		for _, m := range r.messages {
			m.Deleted = m.Deleted || m.Thread == thread && m.Topic
		}
	})
}

// CloseTopic closes a topic for all but administrators.
func (s *Server) CloseTopic(chat, thread int64) {
	s.change(chat, func(r *room) { r.closed[thread] = true })
}

// Post is something that a user says in a chat.
type Post struct {
	Chat, User int64
	Text       string   // of a file its caption; commands, mentions and links in it become entities
	Entities   []Entity // further ones
	Thread     int64    // a topic, or in a group without topics a chain of replies
	ReplyTo    int64
	Quote      string
	File       *File // what is sent along; its ID is given by the platform
	Album      string
}

// Say is Post for plain text.
func (s *Server) Say(chat, user int64, text string) Message {
	return s.Post(Post{Chat: chat, User: user, Text: text})
}

// Post makes a user say something. The bot gets an update, unless it is not in the chat or its privacy mode hides the message.
// Saying something in a private chat opens it.
func (s *Server) Post(p Post) Message {
	if p.Chat == p.User {
		s.Open(p.User)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.post(p)
}

func (s *Server) post(p Post) Message {
	r, u := s.mustRoom(p.Chat), s.user(p.User)
	m := s.append(r, &Message{
		From: *u, Date: s.cfg.Now(), Thread: p.Thread, Topic: r.topics[p.Thread], ReplyTo: p.ReplyTo, Quote: p.Quote,
		Text: p.Text, Entities: findEntities(p.Text, p.Entities), Album: p.Album,
	})
	if p.File != nil {
		m.File = s.keepFile(*p.File)
	}
	s.met[u.ID] = true
	s.tell(r, m, "message")
	s.bump()
	return m.copyOf()
}

// PostAlbum makes a user send files as one album: one message each, the text with the first, an update each.
func (s *Server) PostAlbum(p Post, files ...File) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Album = decimal(s.newID())
	var sent []Message
	for _, f := range files {
		p.File = &f
		sent = append(sent, s.post(p))
		p.Text, p.Entities, p.ReplyTo = "", nil, 0
	}
	return sent
}

// Edit makes a user change a message of theirs.
func (s *Server) Edit(chat, message int64, text string) Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.mustRoom(chat)
	m := mustMessage(r, message)
	m.Text, m.Entities = text, findEntities(text, nil)
	m.EditDate = s.cfg.Now()
	m.Edits++
	s.tell(r, m, "edited_message")
	s.bump()
	return m.copyOf()
}

// tell queues an update about a message, if the bot may see it.
func (s *Server) tell(r *room, m *Message, kind string) {
	if r.bot != botMember && r.bot != botAdmin || !s.sees(r, m) {
		return
	}
	s.publish(kind, lane{"message", r.ID}, keepUpdates, s.wire(r, m, true))
}

// sees is privacy mode: of a group the bot sees commands that are not for other bots, replies to it, mentions of it and
// service messages.
func (s *Server) sees(r *room, m *Message) bool {
	if r.Type == Private || s.cfg.Bot.ReadsAll || r.bot == botAdmin || m.MovedTo != 0 || m.MovedFrom != 0 {
		return true
	}
	if to := r.message(m.ReplyTo); to != nil && to.From.ID == s.me.ID {
		return true
	}
	return slices.ContainsFunc(m.Entities, func(e Entity) bool {
		word := textAt(m.Text, e)
		_, name, addressed := strings.Cut(word, "@")
		ours := strings.EqualFold(name, s.me.Username)
		return e.Type == BotCommand && (!addressed || ours) || e.Type == Mention && ours || e.Type == TextMention && e.UserID == s.me.ID
	})
}

// textAt is the stretch of text that an entity covers.
func textAt(text string, e Entity) string {
	units := utf16.Encode([]rune(text))
	return string(utf16.Decode(units[min(e.Offset, len(units)):min(e.end(), len(units))]))
}

// findEntities adds to given entities the commands, mentions and links of a text.
func findEntities(text string, given []Entity) []Entity {
	es := slices.Clone(given)
	offset := 0
	for _, word := range splitWords(text) {
		length := len(utf16.Encode([]rune(word)))
		if kind, n := wordEntity(word); n > 0 {
			es = append(es, Entity{Type: kind, Offset: offset, Length: n})
		}
		offset += length
	}
	sortEntities(es)
	return es
}

// splitWords cuts a text before and after white space, so that the pieces joined are the text.
func splitWords(text string) []string {
	var words []string
	start := 0
	for i, r := range text {
		if r == ' ' || r == '\n' || r == '\t' {
			words = append(words, text[start:i], text[i:i+1])
			start = i + 1
		}
	}
	return append(words, text[start:])
}

// wordEntity reports what a word begins with, and how long that is; these are all ASCII.
func wordEntity(word string) (EntityType, int) {
	const name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
	length := func(from int, chars string) int {
		return len(word[from:]) - len(strings.TrimLeft(word[from:], chars))
	}
	switch {
	case strings.HasPrefix(word, "https://"), strings.HasPrefix(word, "http://"):
		return URLEntity, length(0, name+":/?#[]@!$&'()*+,;=.%-~")
	case strings.HasPrefix(word, "/") && length(1, name) > 0:
		return BotCommand, 1 + length(1, name+"@")
	case strings.HasPrefix(word, "@") && length(1, name) > 2:
		return Mention, 1 + length(1, name)
	}
	return "", 0
}

// Press makes a user press a button with the given data, or pretend to: clients can send any data for any message. It returns
// the id of the callback query.
func (s *Server) Press(chat, user, message int64, data string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, u := s.mustRoom(chat), s.user(user)
	p := &Press{ID: decimal(s.newID()), Chat: chat, Message: message, User: user, Data: data, Time: s.cfg.Now()}
	s.presses[p.ID] = p
	var shown any = wireGone{Chat: r.Chat, ID: message}
	if m := r.message(message); m != nil {
		shown = s.wire(r, m, true)
	}
	s.publish("callback_query", lane{"callback", user}, keepCallbacks,
		wirePress{ID: p.ID, From: *u, Message: shown, ChatInstance: "instance" + decimal(chat), Data: data})
	s.bump()
	return p.ID
}

// PressButton presses the nth button of a message, counted row by row from 0.
func (s *Server) PressButton(chat, user, message int64, n int) (string, error) {
	s.mu.Lock()
	m := s.mustRoom(chat).message(message)
	var buttons []Button
	if m != nil {
		buttons = slices.Concat(m.Buttons...)
	}
	s.mu.Unlock()
	if n >= len(buttons) || buttons[n].Data == "" {
		return "", fmt.Errorf("message %d has no button %d to press", message, n)
	}
	return s.Press(chat, user, message, buttons[n].Data), nil
}

// React makes a user set their reaction to a message; "" takes it away. Only an administrator bot that asked for these
// updates hears of it.
func (s *Server) React(chat, user, message int64, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, u := s.mustRoom(chat), s.user(user)
	reactions := []wireReaction{}
	if emoji != "" {
		reactions = append(reactions, wireReaction{"emoji", emoji})
	}
	if r.Type == Private || r.bot == botAdmin {
		s.publish("message_reaction", lane{"reaction", chat}, keepUpdates, wireReactionUpdate{
			Chat: r.Chat, ID: message, User: *u, Date: s.cfg.Now().Unix(), Old: []wireReaction{}, New: reactions})
	}
	s.bump()
}

// Block makes a user block the bot, Unblock ends that.
func (s *Server) Block(user int64) { s.setStatus(user, user, botKicked) }

// Unblock see [Server.Block].
func (s *Server) Unblock(user int64) { s.setStatus(user, user, botMember) }

// Kick makes a user throw the bot out of a group.
func (s *Server) Kick(chat, by int64) { s.setStatus(chat, by, botKicked) }

// Invite makes a user add the bot to a group again.
func (s *Server) Invite(chat, by int64) { s.setStatus(chat, by, botMember) }

// Remove makes a user remove the bot from a group without a ban.
func (s *Server) Remove(chat, by int64) { s.setStatus(chat, by, botLeft) }

// Promote makes the bot an administrator: it sees everything and may delete everything.
func (s *Server) Promote(chat, by int64) { s.setStatus(chat, by, botAdmin) }

// setStatus changes what the bot is in a chat and tells it so.
func (s *Server) setStatus(chat, by int64, status botStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, u := s.mustRoom(chat), s.user(by)
	old := r.bot
	r.bot = status
	if old != status {
		s.publish("my_chat_member", lane{"member", chat}, keepUpdates, wireMemberUpdate{
			Chat: r.Chat, From: *u, Date: s.cfg.Now().Unix(), Old: s.member(old), New: s.member(status)})
	}
	s.bump()
}

func (s *Server) member(status botStatus) wireMember {
	m := wireMember{User: s.me, Status: status}
	if status == botKicked {
		m.Until = new(int64) // for ever
	}
	return m
}

// Deactivate deletes a user's account.
func (s *Server) Deactivate(user int64) {
	s.change(user, func(r *room) { r.deactivated = true })
}

// DeleteGroup deletes a group.
func (s *Server) DeleteGroup(chat int64) {
	s.change(chat, func(r *room) { r.deleted = true })
}

// DeleteMessage deletes a message as a user does it: the bot is not told.
func (s *Server) DeleteMessage(chat, message int64) {
	s.change(chat, func(r *room) { mustMessage(r, message).Deleted = true })
}

// Migrate turns a group into a supergroup with another id. Both chats tell so with a service message.
func (s *Server) Migrate(chat, by int64) Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, u := s.mustRoom(chat), s.user(by)
	to := s.addGroup(Chat{Type: Supergroup, Title: r.Title})
	to.bot = r.bot
	r.movedTo = to.ID
	s.tell(r, s.append(r, &Message{From: *u, Date: s.cfg.Now(), MovedTo: to.ID}), "message")
	s.tell(to, s.append(to, &Message{From: *u, Date: s.cfg.Now(), MovedFrom: r.ID}), "message")
	s.bump()
	return to.Chat
}

// Inject queues an update byte for byte, whatever kind it is and whatever the bot allowed, and returns its id. raw is a JSON
// object without update_id.
func (s *Server) Inject(raw json.RawMessage) (int64, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || len(fields) == 0 {
		return 0, errors.New("an update is a JSON object with at least one field")
	}
	text := strings.TrimSpace(string(raw))
	s.mu.Lock()
	defer s.mu.Unlock()
	body := json.RawMessage(text[1 : len(text)-1])
	return s.enqueue(update{body: body, expires: s.cfg.Now().Add(keepUpdates)}), nil
}

// RestartIDs makes id the id of the next update, as after a week without any, when the platform draws a new one that may be
// lower. It fails while updates are pending.
func (s *Server) RestartIDs(id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.expire(s.cfg.Now())
	if len(s.queue.events) > 0 {
		return fmt.Errorf("%d updates are pending", len(s.queue.events))
	}
	s.queue.tail = id
	return nil
}

// change does something to a chat.
func (s *Server) change(chat int64, f func(*room)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.mustRoom(chat))
	s.bump()
}

// mustRoom finds a chat that a test named. A wrong one is a mistake in the test.
func (s *Server) mustRoom(chat int64) *room {
	r := s.rooms[chat]
	if r == nil {
		panic(fmt.Sprintf("faketelegram: no chat %d", chat))
	}
	return r
}

func (s *Server) user(id int64) *User {
	u := s.users[id]
	if u == nil {
		panic(fmt.Sprintf("faketelegram: no user %d", id))
	}
	return u
}

func mustMessage(r *room, id int64) *Message {
	m := r.message(id)
	if m == nil {
		panic(fmt.Sprintf("faketelegram: no message %d in chat %d", id, r.ID))
	}
	return m
}
