package core

import "time"

// A ChatKey names one conversation: channel, chat and, where there are topics, topic. Only the channel that made a key looks
// inside it; everybody else compares it. It never changes: a chat that moved keeps its key through an alias document.
type ChatKey string

// A ChannelContext is what a channel needs to answer in a chat. It is opaque outside its channel, may be stored, and is handed
// back as it came (seed 002 §10.1).
type ChannelContext string

// A MessageID names a message that a channel delivered or received, for editing it or replying to it. Opaque outside its channel.
type MessageID string

// An AccountID names one account on one channel, such as "web:owner". It is unique across channels.
type AccountID string

// A PersonID names one human. Accounts of several channels can belong to one person; until they are linked, a person has the
// name of the account.
type PersonID string

// A Sender is who caused an inbound. Name is for display and is not trusted; Lang is the platform's word on the language, or "".
type Sender struct {
	Account AccountID
	Name    string
	Lang    Lang
}

// A Quote is the message that an inbound replies to. Text is bounded by the channel.
type Quote struct {
	ID     MessageID
	Author string
	Text   string
	Ours   bool // the bot wrote it
}

// Media is a reference to something attached; the holder of the chat fetches it, off the intake path.
type Media struct {
	Kind string // a MIME type or the platform's word, for a line of text to the model and the person
	Name string
	Ref  string // opaque outside the channel
}

// An Inbound is one normalized update of a platform. The adapter that makes it has already decided that it is allowed and
// addressed to the bot.
type Inbound struct {
	// ID is the message's id for messages and the event's id for the rest. The same ID in the same chat within 14 days is the
	// same inbound.
	ID       string
	Channel  string // the name that [Engine.Run] knows the channel by
	Chat     ChatKey
	Direct   bool // a chat of one person with the bot; else a group
	Sender   Sender
	Sent     time.Time // by the platform's clock; zero if it does not say
	Received time.Time // by ours
	Message  MessageID // the message to reply to; "" if there is none
	ReplyTo  *Quote
	Media    []Media
	Context  ChannelContext
	Event    Event
}

// An Event is what an inbound says. It is one of [Said], [Edited], [Commanded], [Pressed], [Left], [Returned], [Moved],
// [Reported], [Replan] and [Overflowed].
type Event interface{ isEvent() }

// Said is a message of a person.
type Said struct{ Text string }

// Edited says that the person changed the message with the inbound id Of.
type Edited struct {
	Of   string
	Text string
}

// Commanded is a slash command: the name without the slash, in lower case, and the rest of the line.
type Commanded struct {
	Name string
	Args string
}

// Pressed is a press of a button. The token means nothing by itself; what it may do is decided by the question's row.
type Pressed struct {
	Token   string
	Message MessageID // the message that carried the button
}

// Left says that the chat can no longer be reached: the bot was blocked or removed.
type Left struct{}

// Returned says that the chat can be reached again.
type Returned struct{}

// Moved says that the platform renamed the chat. The inbound carries the old chat; Chat and Context are the new ones.
type Moved struct {
	Chat    ChatKey
	Context ChannelContext
}

// Reported says that background work of this chat ended: a title, a summary, a task.
type Reported struct {
	Work string
	Text string
}

// Replan says that something that this chat's timer depends on was changed elsewhere.
type Replan struct{}

// Overflowed says that a message was not taken because the chat had too many waiting or its sender wrote too fast. The engine
// makes it, so that the person is told once which message it was.
type Overflowed struct {
	Excerpt string
	TooFast bool
}

func (Said) isEvent()       {}
func (Edited) isEvent()     {}
func (Commanded) isEvent()  {}
func (Pressed) isEvent()    {}
func (Left) isEvent()       {}
func (Returned) isEvent()   {}
func (Moved) isEvent()      {}
func (Reported) isEvent()   {}
func (Replan) isEvent()     {}
func (Overflowed) isEvent() {}

// A Body is what a message shall show: Markdown text with, optionally, buttons below it and files beside it. Channels never
// interpret HTML in it and never fetch what it links to.
type Body struct {
	Text string
	// Plain says that Text is to be shown as it stands, without Markdown.
	Plain bool
	// Part is which of [Divider.Parts] messages this one is, when Text is longer than one message of the platform may be.
	Part    int
	Buttons []Button
	Files   []File
	ReplyTo MessageID // shown as a reply where the platform can; a missing one is no error
	// Silent asks the platform not to ring. It also says that the message may give way to others when the platform's pace is
	// short: the later previews of an answer are silent.
	Silent bool
}

// A Button is one choice under a message. The label is in the person's language; the token comes back in [Pressed].
type Button struct {
	Label string
	Token string
	Style ButtonStyle
}

// ButtonStyle says how a button looks where a platform can show it.
type ButtonStyle uint8

// The styles. The zero value is the quiet one.
const (
	Quiet ButtonStyle = iota
	Strong
)

// A File is a small text that goes with a message, such as arguments too long to be shown in it.
type File struct {
	Name string
	Data []byte
}
