package telegram

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"steady/channels"
	"steady/core"
)

// A Command is a line of the menu that the platform shows to who types a slash.
type Command struct {
	Name        string // without the slash
	Description core.LocalText
	DirectOnly  bool // not shown in groups
}

// Bounds of the menu (Bot API, BotCommand).
const (
	maxCommands    = 100
	maxDescription = 256
)

func checkCommands(cs []Command) error {
	var errs []error
	name := regexp.MustCompile(`^[a-z0-9_]{1,32}$`)
	for _, c := range cs {
		if !name.MatchString(c.Name) {
			errs = append(errs, fmt.Errorf("command %q: a name has 1 to 32 of a-z, 0-9 and _", c.Name))
		}
		for _, l := range []core.Lang{core.En, core.Ko, core.Zh} {
			if d := c.Description.In(l); core.Blank(d) || channels.UTF16Len(d) > maxDescription {
				errs = append(errs, fmt.Errorf("command %q: a description has 1 to %d characters", c.Name, maxDescription))
			}
		}
	}
	if len(cs) > maxCommands {
		errs = append(errs, fmt.Errorf("more than %d commands", maxCommands))
	}
	return errors.Join(errs...)
}

// publishCommands sets the menu of private chats and of groups in every language, and in English for all others. It tries
// again until the platform takes it or ctx ends; a refusal is logged and the rest goes on.
func (c *Channel) publishCommands(ctx context.Context) {
	for _, groups := range []bool{false, true} {
		for _, l := range []core.Lang{"", core.En, core.Ko, core.Zh} {
			params := menu(c.commands, groups, l)
			if len(params.Commands) > 0 {
				c.publish(ctx, params)
			}
		}
	}
}

func (c *Channel) publish(ctx context.Context, params *bot.SetMyCommandsParams) {
	for failed := 1; ctx.Err() == nil; failed++ {
		err := c.setCommands(ctx, params)
		switch {
		case err == nil:
			return
		case core.KindOf(err) == core.Refused:
			c.log.Warn("the menu of commands was refused", "language", params.LanguageCode, "error", err)
			return
		}
		pause(ctx, pollPause(err, failed))
	}
}

func (c *Channel) setCommands(ctx context.Context, params *bot.SetMyCommandsParams) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := c.bot.SetMyCommands(ctx, params)
	return err
}

// menu is what one kind of chats sees in one language.
func menu(cs []Command, groups bool, l core.Lang) *bot.SetMyCommandsParams {
	params := &bot.SetMyCommandsParams{Scope: &models.BotCommandScopeAllPrivateChats{}, LanguageCode: string(l)}
	if groups {
		params.Scope = &models.BotCommandScopeAllGroupChats{}
	}
	for _, c := range cs {
		if !groups || !c.DirectOnly {
			params.Commands = append(params.Commands, models.BotCommand{Command: c.Name, Description: c.Description.In(l)})
		}
	}
	return params
}
