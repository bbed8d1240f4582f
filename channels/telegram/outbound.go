package telegram

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"steady/channels"
	"steady/core"
)

// Bounds on the files of one body.
const (
	maxFiles    = 10
	maxFileSize = 1 << 20
)

// groupInterval is the shortest time between two previews in a group, which has a smaller budget.
const groupInterval = 3 * time.Second

// Parts tells how many messages b takes.
func (c *Channel) Parts(b core.Body) int { return max(1, len(render(b))) }

// StreamInterval tells how often a growing answer may be shown.
func (c *Channel) StreamInterval(to core.ChannelContext) time.Duration {
	if at, err := parsePlace(to); err == nil && at.group() {
		return max(c.streamInterval, groupInterval)
	}
	return c.streamInterval
}

// Send posts the part of b that b.Part names. Buttons and files belong to the last part, the reply to the first. The platform
// cannot recognize a repeated once; only a try that failed between the text and its files goes on where it stopped.
func (c *Channel) Send(ctx context.Context, to core.ChannelContext, once string, b core.Body) (core.MessageID, error) {
	at, err := parsePlace(to)
	if err != nil {
		return "", refuse("send: %w", err)
	}
	m, err := compose(at, b)
	if err != nil {
		return "", err
	}
	if len(m.files) == 0 {
		sent, err := c.post(ctx, m)
		if err != nil {
			return "", err
		}
		return sent.messageID(), nil
	}
	try := string(to) + " " + once
	p := c.unfinished.of(try)
	if p.text.id == 0 {
		if p.text, err = c.post(ctx, m); err != nil {
			return "", err
		}
	}
	for ; p.files < len(m.files); p.files++ {
		if err := c.postFile(ctx, m, m.files[p.files]); err != nil {
			c.unfinished.keep(try, p)
			return "", err
		}
	}
	return p.text.messageID(), nil
}

// Edit replaces a message's text and buttons. Files are sent with the first version of a message and stay.
func (c *Channel) Edit(ctx context.Context, to core.ChannelContext, id core.MessageID, b core.Body) error {
	at, err := parsePlace(to)
	if err != nil {
		return refuse("edit: %w", err)
	}
	old, err := parsePost(id)
	if err != nil {
		return refuse("edit: %w", err)
	}
	if old.chat != at.chat {
		return refuse("edit: the message is of the chat's former number")
	}
	m, err := compose(at, b)
	if err != nil {
		return err
	}
	params := &bot.EditMessageTextParams{
		ChatID: at.chat, MessageID: old.id, Text: m.text.Text, Entities: entities(m.text.Spans), LinkPreviewOptions: noPreview(),
	}
	if m.keys != nil {
		params.ReplyMarkup = m.keys
	}
	err = c.call(ctx, at, m.class, func(ctx context.Context) error {
		_, err := c.bot.EditMessageText(ctx, params)
		return err
	})
	if unchanged(err) {
		return nil
	}
	return err
}

// Delete removes a message. One that is gone already is no error.
func (c *Channel) Delete(ctx context.Context, to core.ChannelContext, id core.MessageID) error {
	at, err := parsePlace(to)
	if err != nil {
		return refuse("delete: %w", err)
	}
	old, err := parsePost(id)
	if err != nil {
		return refuse("delete: %w", err)
	}
	err = c.call(ctx, at, channels.Final, func(ctx context.Context) error {
		_, err := c.bot.DeleteMessage(ctx, &bot.DeleteMessageParams{ChatID: old.chat, MessageID: old.id})
		return err
	})
	if notThere(err) {
		return nil
	}
	return err
}

// Typing shows for five seconds that the bot is at work. When the budget is low it does nothing, since messages come first.
func (c *Channel) Typing(ctx context.Context, to core.ChannelContext) error {
	at, err := parsePlace(to)
	if err != nil {
		return refuse("typing: %w", err)
	}
	if c.pacer.Take(paceKey(at), channels.Typing) > 0 {
		return nil
	}
	return c.ask(ctx, at, func(ctx context.Context) error {
		_, err := c.bot.SendChatAction(ctx, &bot.SendChatActionParams{
			ChatID: at.chat, MessageThreadID: at.topic, Action: models.ChatActionTyping,
		})
		return err
	})
}

// A letter is one part of a body as it goes out.
type letter struct {
	at     place
	text   channels.Rendered
	keys   *models.InlineKeyboardMarkup // nil for none
	files  []core.File
	reply  int // the message that it answers, 0 for none
	silent bool
	class  channels.Class
}

// compose makes the part of b that is asked for, or says why the platform would not take it.
func compose(at place, b core.Body) (letter, error) {
	parts := render(b)
	if b.Part < 0 || b.Part >= len(parts) {
		return letter{}, refuse("part %d of %d: nothing to show", b.Part, len(parts))
	}
	l := letter{at: at, text: parts[b.Part], silent: b.Silent, class: class(b)}
	if to, err := parsePost(b.ReplyTo); err == nil && to.chat == at.chat && b.Part == 0 {
		l.reply = to.id
	}
	if b.Part < len(parts)-1 {
		return l, nil
	}
	if l.files = b.Files; len(l.files) > maxFiles {
		return letter{}, refuse("%d files are more than a message may have", len(l.files))
	}
	for _, f := range l.files {
		if len(f.Data) == 0 || len(f.Data) > maxFileSize {
			return letter{}, refuse("a file of %d bytes cannot be sent", len(f.Data))
		}
	}
	if len(b.Buttons) > 0 {
		var err error
		l.keys, err = keyboard(b.Buttons, at.topic)
		return l, err
	}
	return l, nil
}

// class is how much b matters when there is too much to send: what must not ring gives way to what may.
func class(b core.Body) channels.Class {
	switch {
	case len(b.Buttons) > 0:
		return channels.Question
	case b.Silent:
		return channels.Preview
	}
	return channels.Final
}

// post sends the text of l. A topic or an answered message that is not there any more is left out, once each.
func (c *Channel) post(ctx context.Context, l letter) (post, error) {
	params := &bot.SendMessageParams{
		ChatID: l.at.chat, MessageThreadID: l.at.topic, Text: l.text.Text, Entities: entities(l.text.Spans),
		LinkPreviewOptions: noPreview(), DisableNotification: l.silent, ReplyParameters: replyTo(l.reply),
	}
	if l.keys != nil {
		params.ReplyMarkup = l.keys
	}
	for {
		var sent *models.Message
		err := c.call(ctx, l.at, l.class, func(ctx context.Context) (err error) {
			sent, err = c.bot.SendMessage(ctx, params)
			return err
		})
		switch {
		case err == nil && sent.ID > 0:
			return post{l.at.chat, sent.ID}, nil
		case err == nil:
			return post{}, &core.Error{Kind: core.Uncertain, Err: errors.New("the message has no id")}
		case threadGone(err) && params.MessageThreadID != 0:
			params.MessageThreadID = 0
		case repliedGone(err) && params.ReplyParameters != nil:
			params.ReplyParameters = nil
		default:
			return post{}, err
		}
	}
}

func (c *Channel) postFile(ctx context.Context, l letter, f core.File) error {
	params := &bot.SendDocumentParams{ChatID: l.at.chat, MessageThreadID: l.at.topic, DisableNotification: true}
	for {
		params.Document = &models.InputFileUpload{Filename: f.Name, Data: bytes.NewReader(f.Data)}
		err := c.call(ctx, l.at, l.class, func(ctx context.Context) error {
			_, err := c.bot.SendDocument(ctx, params)
			return err
		})
		if !threadGone(err) || params.MessageThreadID == 0 {
			return err
		}
		params.MessageThreadID = 0
	}
}

// call makes one call of a chat within its pace.
func (c *Channel) call(ctx context.Context, at place, class channels.Class, f func(context.Context) error) error {
	wait, err := c.pacer.Wait(ctx, paceKey(at), class)
	if err != nil {
		return &core.Error{Kind: core.Unsent, Err: err}
	}
	if wait > 0 {
		return &core.Error{Kind: core.Throttled, Wait: wait, Err: errors.New("within the pace of the chat")}
	}
	return c.ask(ctx, at, f)
}

// ask makes one call of a chat with a deadline. What the library says of an answer that was ok is no failure: it refuses
// answers with parts that it does not know, and by then the platform has done what was asked.
func (c *Channel) ask(ctx context.Context, at place, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var e *core.Error
	if err := f(ctx); !errors.As(err, &e) {
		return nil
	}
	if e.Kind == core.Throttled {
		c.pacer.Block(paceKey(at), time.Now().Add(e.Wait))
	}
	return e
}

// paceKey names what the platform counts calls for: a chat, whatever the topic.
func paceKey(at place) string { return at.whole().String() }

func isGroup(chat string) bool {
	id, err := strconv.ParseInt(chat, 10, 64)
	return err == nil && place{chat: id}.group()
}

// noPreview keeps the platform from fetching what a text links to: a model may have been made to write the address.
func noPreview() *models.LinkPreviewOptions {
	return &models.LinkPreviewOptions{IsDisabled: bot.True()}
}

func replyTo(id int) *models.ReplyParameters {
	if id == 0 {
		return nil
	}
	return &models.ReplyParameters{MessageID: id, AllowSendingWithoutReply: true}
}
