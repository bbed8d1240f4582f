package faketelegram

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// result is what a method gives back: JSON, made while the lock was held, and sometimes a remark.
type result struct {
	raw  json.RawMessage
	note string
}

func done(v any) result { return result{raw: encode(v)} }

func said(note string) result { return result{raw: encode(true), note: note} }

// body is the whole answer. The raw part stays byte for byte as it is.
func (r result) body() []byte {
	note := []byte("}")
	if r.note != "" {
		note = slices.Concat([]byte(`,"description":`), encode(r.note), note)
	}
	return slices.Concat([]byte(`{"ok":true,"result":`), r.raw, note)
}

// run does what a method does. Polls wait and therefore lock for themselves; all else is done under the lock.
func (s *Server) run(ctx context.Context, c *Call) (result, *Refusal) {
	method := strings.ToLower(c.Method)
	if method == "getupdates" {
		return s.getUpdates(ctx, c.Params)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := c.Params; method {
	case "getme":
		return done(s.describeMe()), nil
	case "setwebhook":
		return s.setWebhook(ctx, p)
	case "deletewebhook":
		return s.deleteWebhook(p), nil
	case "getwebhookinfo":
		return done(s.hookInfo()), nil
	case "sendmessage":
		return s.sendMessage(p)
	case "senddocument":
		return s.sendDocument(p, c.Files)
	case "editmessagetext":
		return s.editMessageText(p)
	case "deletemessage":
		return s.deleteMessage(p)
	case "sendchataction":
		return s.sendChatAction(p)
	case "setmessagereaction":
		return s.setMessageReaction(p)
	case "answercallbackquery":
		return s.answerCallbackQuery(p)
	case "setmycommands":
		return s.setMyCommands(p)
	case "getmycommands":
		return s.getMyCommands(p)
	case "deletemycommands":
		return s.deleteMyCommands(p)
	case "getfile":
		return s.getFile(p)
	}
	return result{}, &Refusal{Code: http.StatusNotFound, Description: "Not Found: method not found"}
}

func (s *Server) describeMe() wireMe {
	return wireMe{
		User: s.me, CanJoinGroups: true, ReadsAll: s.cfg.Bot.ReadsAll, HasTopics: s.cfg.Bot.HasTopics,
	}
}

func (s *Server) sendChatAction(p Params) (result, *Refusal) {
	switch strings.ToLower(p["action"]) {
	case "cancel", "typing", "record_video", "upload_video", "record_voice", "upload_voice", "record_audio", "upload_audio",
		"upload_photo", "upload_document", "choose_sticker", "find_location", "record_video_note", "upload_video_note":
	default:
		return result{}, badRequest("wrong parameter action in request")
	}
	if _, no := s.enterRoom(p["chat_id"], toWrite); no != nil {
		return result{}, no
	}
	return done(true), nil
}

// setMessageReaction sets the bot's one reaction to a message, or takes it away.
func (s *Server) setMessageReaction(p Params) (result, *Refusal) {
	var reactions []wireReaction
	if text := p["reaction"]; text != "" && json.Unmarshal([]byte(text), &reactions) != nil {
		return result{}, badRequest("can't parse reaction types JSON object")
	}
	r, no := s.enterRoom(p["chat_id"], toRead)
	if no != nil {
		return result{}, no
	}
	m := r.message(p.Int("message_id"))
	if m == nil {
		return result{}, badRequest("message to react not found")
	}
	if len(reactions) > 1 {
		return result{}, badRequest("REACTIONS_TOO_MANY")
	}
	chosen := ""
	for _, reaction := range reactions {
		if chosen = reaction.Emoji; reaction.Type != "emoji" || !slices.Contains(reactionEmoji(), chosen) {
			return result{}, badRequest("REACTION_INVALID")
		}
	}
	m.Reaction = chosen
	return done(true), nil
}

// reactionEmoji are the emoji that a bot may react with (Bot API, ReactionTypeEmoji).
func reactionEmoji() []string {
	return strings.Fields("❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 " +
		"😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡")
}

func sortedKeys(m map[string]bool) []string { return slices.Sorted(maps.Keys(m)) }
