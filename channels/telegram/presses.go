package telegram

import (
	"context"

	"github.com/go-telegram/bot"
)

// An answer stops the wheel on a button that was pressed, and may say a word to who pressed it.
type answer struct {
	press string
	text  string
	alert bool // the word is for who pressed alone and must be seen: a window rather than a line that fades
}

const (
	answerers      = 4
	waitingAnswers = 128
	maxAnswerText  = 200 // the platform's limit
)

// answer hands a to an answerer. It never waits: the press is safe already, and a wheel that turns too long is the least harm.
func (p *poller) answer(a answer) {
	select {
	case p.answers <- a:
	default:
		p.log.Warn("too many presses to answer them all")
	}
}

// answerPresses sends answers until ctx ends. An answer that comes too late is refused, which changes nothing.
func (c *Channel) answerPresses(ctx context.Context, answers <-chan answer) {
	for {
		select {
		case a := <-answers:
			if err := c.answerPress(ctx, a); err != nil && ctx.Err() == nil {
				c.log.Debug("a press was not answered", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (c *Channel) answerPress(ctx context.Context, a answer) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := c.bot.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{
		CallbackQueryID: a.press, Text: clip(a.text, maxAnswerText-1), ShowAlert: a.alert,
	})
	return err
}
