package web

import (
	"strings"
	"time"

	"steady/core"
)

// Name is the name of this channel, by which the engine must know it.
const Name = "web"

// owner is the one person on the page: whoever can reach a loopback address, or knows the token.
const owner core.AccountID = "web:owner"

// maxCommand is the longest name of a slash command.
const maxCommand = 32

// inbound makes an inbound of what a client sent. ok is false for what says nothing: a blank message, and frames that only ask.
// The client's id becomes the inbound's, so that a frame sent again is the same inbound.
func inbound(f clientFrame, lang core.Lang, at time.Time) (in core.Inbound, ok bool) {
	var session string
	switch f := f.(type) {
	case say:
		text := strings.TrimSpace(f.Text)
		if core.Blank(text) {
			return core.Inbound{}, false
		}
		session, in.Event, in.Message = f.Session, saidOrCommanded(text), core.MessageID(f.ID)
	case press:
		session, in.Event = f.Session, core.Pressed{Token: f.Token}
	case command:
		session, in.Event = f.Session, core.Commanded{Name: strings.ToLower(f.Name), Args: strings.TrimSpace(f.Args)}
	default:
		return core.Inbound{}, false
	}
	in.ID, in.Received = f.id(), at
	in.Channel, in.Chat, in.Context, in.Direct = Name, chatKey(session), addressOf(session), true
	in.Sender = core.Sender{Account: owner, Lang: lang}
	return in, true
}

// saidOrCommanded tells a message from a command that was typed. text is neither blank nor does it begin or end with white space.
func saidOrCommanded(text string) core.Event {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return core.Said{Text: text}
	}
	name, args := rest, ""
	if i := strings.IndexAny(rest, " \t\r\n"); i >= 0 {
		name, args = rest[:i], strings.TrimSpace(rest[i:])
	}
	if !isCommand(name) {
		return core.Said{Text: text} // a path, a date, a smiley
	}
	return core.Commanded{Name: strings.ToLower(name), Args: args}
}

// isCommand tells whether a slash command can have this name: letters, digits and '_', beginning with a letter.
func isCommand(name string) bool {
	if name == "" || len(name) > maxCommand || strings.ContainsRune(name, '-') {
		return false
	}
	first := name[0] | 0x20
	return first >= 'a' && first <= 'z' && isName(name)
}
