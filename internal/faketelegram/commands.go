package faketelegram

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxCommands    = 100
	maxCommandName = 32
	maxCommandText = 256
)

// Command is an entry of the bot's menu.
type Command struct {
	Command     string `json:"command"`
	Description string `json:"description"`
}

// Scope is where a menu is shown. Its zero value is the default scope.
type Scope struct {
	Type string // "", all_private_chats, all_group_chats, all_chat_administrators, chat, chat_administrators, chat_member
	Chat int64  // of the last three
	User int64  // of chat_member
}

type menuKey struct {
	scope    Scope
	language string
}

func (s *Server) setMyCommands(p Params) (result, *Refusal) {
	commands, no := parseCommands(p["commands"])
	if no != nil {
		return result{}, no
	}
	key, no := s.menuKey(p)
	if no != nil {
		return result{}, no
	}
	if len(commands) == 0 {
		delete(s.menus, key)
	} else {
		s.menus[key] = commands
	}
	return done(true), nil
}

func (s *Server) getMyCommands(p Params) (result, *Refusal) {
	key, no := s.menuKey(p)
	if no != nil {
		return result{}, no
	}
	return done(append([]Command{}, s.menus[key]...)), nil
}

func (s *Server) deleteMyCommands(p Params) (result, *Refusal) {
	key, no := s.menuKey(p)
	if no != nil {
		return result{}, no
	}
	delete(s.menus, key)
	return done(true), nil
}

func parseCommands(text string) ([]Command, *Refusal) {
	if text == "" {
		return nil, nil
	}
	if !json.Valid([]byte(text)) {
		return nil, badRequest("can't parse commands JSON object")
	}
	var in []struct {
		Command     *string `json:"command"`
		Description *string `json:"description"`
	}
	if json.Unmarshal([]byte(text), &in) != nil || !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil, badRequest("expected an Array of BotCommand")
	}
	if len(in) > maxCommands {
		return nil, badRequest("BOT_COMMANDS_TOO_MUCH")
	}
	var commands []Command
	for _, c := range in {
		if c.Command == nil || c.Description == nil {
			field := "command"
			if c.Command != nil {
				field = "description"
			}
			return nil, badRequest(`can't parse BotCommand: Can't find field "%s"`, field)
		}
		command := Command{strings.TrimPrefix(strings.TrimSpace(*c.Command), "/"), strings.TrimSpace(*c.Description)}
		if no := command.check(); no != nil {
			return nil, no
		}
		commands = append(commands, command)
	}
	return commands, nil
}

func (c Command) check() *Refusal {
	switch {
	case c.Command == "":
		return badRequest("command must be non-empty")
	case utf8.RuneCountInString(c.Command) > maxCommandName:
		return badRequest("command length must not exceed %d", maxCommandName)
	case c.Description == "":
		return badRequest("command description must be non-empty")
	case utf8.RuneCountInString(c.Description) > maxCommandText:
		return badRequest("command description length must not exceed %d", maxCommandText)
	case strings.Trim(c.Command, "abcdefghijklmnopqrstuvwxyz0123456789_") != "":
		return badRequest("BOT_COMMAND_INVALID")
	}
	return nil
}

// menuKey reads the scope and language of a call.
func (s *Server) menuKey(p Params) (menuKey, *Refusal) {
	key := menuKey{language: p["language_code"]}
	if l := key.language; l != "" && (len(l) != 2 || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz") != "") {
		return key, badRequest("invalid language code specified")
	}
	text := p["scope"]
	if text == "" {
		return key, nil
	}
	var in struct {
		Type string          `json:"type"`
		Chat json.RawMessage `json:"chat_id"`
		User int64           `json:"user_id"`
	}
	if json.Unmarshal([]byte(text), &in) != nil {
		return key, badRequest("can't parse BotCommandScope JSON object")
	}
	switch in.Type {
	case "default":
		return key, nil
	case "all_private_chats", "all_group_chats", "all_chat_administrators":
		key.scope.Type = in.Type
		return key, nil
	case "chat", "chat_administrators", "chat_member":
	default:
		return key, badRequest("can't parse BotCommandScope: Unsupported type specified")
	}
	r, no := s.enterRoom(strings.Trim(string(in.Chat), `"`), toRead)
	if no != nil {
		return key, no
	}
	key.scope = Scope{Type: in.Type, Chat: r.ID}
	if in.Type == "chat_member" {
		if key.scope.User = in.User; in.User <= 0 {
			return key, badRequest("can't parse BotCommandScope: Invalid user_id specified")
		}
	}
	return key, nil
}

// Menu is the list of commands that a user with the given language sees in a chat: that of the narrowest scope that has one,
// there the one in the user's language before the one for all languages. Nobody but the bot is an administrator.
func (s *Server) Menu(chat, user int64, language string) []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	scopes := []Scope{{Type: "chat", Chat: chat}, {Type: "all_private_chats"}, {}}
	if r := s.rooms[chat]; r != nil && r.Type != Private {
		scopes = []Scope{{Type: "chat_member", Chat: chat, User: user}, {Type: "chat", Chat: chat}, {Type: "all_group_chats"}, {}}
	}
	for _, scope := range scopes {
		for _, l := range []string{language, ""} {
			if menu := s.menus[menuKey{scope, l}]; menu != nil {
				return slices.Clone(menu)
			}
		}
	}
	return nil
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
