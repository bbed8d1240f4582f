package faketelegram

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// User is an account.
type User struct {
	ID           int64  `json:"id"`
	IsBot        bool   `json:"is_bot"`
	FirstName    string `json:"first_name"`
	LastName     string `json:"last_name,omitempty"`
	Username     string `json:"username,omitempty"`
	LanguageCode string `json:"language_code,omitempty"`
}

// ChatType is the kind of a chat.
type ChatType string

// The kinds of chats.
const (
	Private    ChatType = "private"
	Group      ChatType = "group"
	Supergroup ChatType = "supergroup"
)

// Chat is a chat as its members see it.
type Chat struct {
	ID        int64    `json:"id"`
	Type      ChatType `json:"type"`
	Title     string   `json:"title,omitempty"`
	Username  string   `json:"username,omitempty"`
	FirstName string   `json:"first_name,omitempty"`
	LastName  string   `json:"last_name,omitempty"`
	IsForum   bool     `json:"is_forum,omitempty"`
}

// Message is a message as the platform shows it now.
type Message struct {
	ID       int64
	Chat     int64
	From     User
	Date     time.Time
	EditDate time.Time // zero when it was never edited
	Edits    int       // how often it was edited
	Deleted  bool

	Thread  int64 // message_thread_id, 0 for none
	Topic   bool  // Thread is a topic, not just a chain of replies
	ReplyTo int64 // the message that it answers, 0 for none
	Quote   string

	Text     string // of a file its caption
	Entities []Entity
	Mended   bool // the bot's entities were nested wrongly or too many, and the platform changed them
	Buttons  [][]Button
	File     *File
	Album    string // media_group_id
	Reaction string // the bot's one reaction to it, an emoji

	MovedTo, MovedFrom int64 // service message of a migration
}

// File is a file on the platform's servers.
type File struct {
	ID   string
	Kind FileKind
	Name string
	MIME string
	Data []byte
}

// FileKind is how a file is sent.
type FileKind string

// The kinds of files.
const (
	Document FileKind = "document"
	Photo    FileKind = "photo"
	Voice    FileKind = "voice"
)

// botStatus is what the bot is in a chat.
type botStatus string

const (
	botMember botStatus = "member"
	botAdmin  botStatus = "administrator"
	botLeft   botStatus = "left"
	botKicked botStatus = "kicked"
)

// room is a chat with all that happened in it.
type room struct {
	Chat
	bot         botStatus // in a private chat kicked means blocked
	deactivated bool      // the user of a private chat is gone
	deleted     bool      // the group is gone
	movedTo     int64     // the supergroup that this group became
	topics      map[int64]bool
	closed      map[int64]bool // closed topics
	messages    []*Message
	lastID      int64 // of a message, in a supergroup
	sends       []time.Time
}

func newRoom(c Chat) *room {
	return &room{Chat: c, bot: botMember, topics: make(map[int64]bool), closed: make(map[int64]bool)}
}

// world is everything that exists, apart from updates. The Server's lock guards it.
type world struct {
	users     map[int64]*User
	rooms     map[int64]*room
	met       map[int64]bool // users whom the bot has seen somewhere
	nextUser  int64
	nextGroup int64
	lastID    int64 // of a message, in private chats and groups together
}

func newWorld() world {
	return world{
		users:     make(map[int64]*User),
		rooms:     make(map[int64]*room),
		met:       make(map[int64]bool),
		nextUser:  100001,
		nextGroup: 1001,
	}
}

// access is what a method wants of a chat.
type access int

const (
	toRead access = iota
	toWrite
)

// enterRoom finds the chat of a call and checks that the bot may do what it wants there.
func (w *world) enterRoom(chatID string, want access) (*room, *Refusal) {
	if chatID == "" {
		return nil, badRequest("chat_id is empty")
	}
	r := w.room(chatID)
	if r == nil {
		return nil, w.noRoom(chatID)
	}
	return r, r.refuse(want)
}

func (w *world) room(chatID string) *room {
	if name, ok := strings.CutPrefix(chatID, "@"); ok {
		for _, id := range slices.Sorted(maps.Keys(w.rooms)) {
			if r := w.rooms[id]; r.Type != Private && strings.EqualFold(r.Username, name) {
				return r
			}
		}
		return nil
	}
	id, err := strconv.ParseInt(strings.TrimSpace(chatID), 10, 64)
	if err != nil {
		return nil
	}
	return w.rooms[id]
}

// noRoom is the refusal for a chat that is not there. A user whom the bot met in a group but who never opened a chat with it
// is known, and may not be written to first.
func (w *world) noRoom(chatID string) *Refusal {
	id, _ := strconv.ParseInt(strings.TrimSpace(chatID), 10, 64)
	if w.met[id] {
		return forbidden("bot can't initiate conversation with a user")
	}
	return badRequest("chat not found")
}

// refuse is the platform's check of a bot's rights in a chat.
func (r *room) refuse(want access) *Refusal {
	switch {
	case r.movedTo != 0 && want == toWrite:
		no := badRequest("group chat was upgraded to a supergroup chat")
		no.MigrateTo = r.movedTo
		return no
	case r.deleted && want == toWrite:
		return forbidden("the group chat was deleted")
	case r.deactivated && want == toWrite:
		return forbidden("user is deactivated")
	case r.Type == Private && r.bot == botKicked && want == toWrite:
		return forbidden("bot was blocked by the user")
	case r.Type == Private || r.Type == Group && want == toRead:
		return nil
	case r.bot == botKicked:
		return forbidden("bot was kicked from the " + string(r.Type) + " chat")
	case r.bot == botLeft:
		return forbidden("bot is not a member of the " + string(r.Type) + " chat")
	}
	return nil
}

// message finds a message that is still there.
func (r *room) message(id int64) *Message {
	for _, m := range r.messages {
		if m.ID == id && !m.Deleted {
			return m
		}
	}
	return nil
}

// thread checks the message_thread_id of a call. Only topics count: the "General" topic has no id, and the chains of replies
// of other groups cannot be named by a bot.
func (r *room) thread(id int64) *Refusal {
	switch {
	case id == 0:
		return nil
	case !r.topics[id]:
		return badRequest("message thread not found")
	case r.closed[id] && r.bot != botAdmin:
		return badRequest("TOPIC_CLOSED")
	}
	return nil
}

// append adds a message and gives it its id.
func (w *world) append(r *room, m *Message) *Message {
	m.ID, m.Chat = w.messageID(r), r.ID
	r.messages = append(r.messages, m)
	return m
}

// messageID is the next id of a chat: supergroups count for themselves, all others together.
func (w *world) messageID(r *room) int64 {
	counter := &w.lastID
	if r.Type == Supergroup {
		counter = &r.lastID
	}
	*counter++
	return *counter
}

// copyOf is a message that the caller may keep.
func (m *Message) copyOf() Message {
	c := *m
	c.Entities = slices.Clone(m.Entities)
	c.Buttons = make([][]Button, len(m.Buttons))
	for i, row := range m.Buttons {
		c.Buttons[i] = slices.Clone(row)
	}
	return c
}

// overLimit takes one send or edit from a chat's rate, or answers how many seconds to wait.
func (r *room) overLimit(l Limit, now time.Time) (wait int) {
	if l.N <= 0 {
		return 0
	}
	r.sends = slices.DeleteFunc(r.sends, func(t time.Time) bool { return !t.Add(l.Per).After(now) })
	if len(r.sends) < l.N {
		r.sends = append(r.sends, now)
		return 0
	}
	return int(math.Ceil(r.sends[0].Add(l.Per).Sub(now).Seconds()))
}
