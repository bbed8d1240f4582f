package web

import (
	"strings"

	"steady/core"
)

// A chat of this channel is one session of the page. Its key and its context are the same text, "web:" and the session's name.
// Both are stored by the core, so the form never changes.
const wherePrefix = "web:"

// maxName is the longest name of a session, and the longest id that a client may give to a frame.
const maxName = 64

func chatKey(session string) core.ChatKey { return core.ChatKey(wherePrefix + session) }

func addressOf(session string) core.ChannelContext { return core.ChannelContext(wherePrefix + session) }

// sessionOf is the way back from a key or a context; ok is false for what this channel has not made.
func sessionOf[T ~string](where T) (session string, ok bool) {
	session, ok = strings.CutPrefix(string(where), wherePrefix)
	return session, ok && isName(session)
}

// isName tells whether s can name a session or a frame: letters, digits, '-' and '_', at most maxName of them. Clients choose
// these names, so nothing else may get into keys.
func isName(s string) bool {
	return s != "" && len(s) <= maxName && strings.IndexFunc(s, notInName) < 0
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}
