// Package telegram is the channel of Telegram: [core.Channel] over the Bot API.
//
// The way of an update, and of an answer back:
//
//	telegram.go   Config, New, Run
//	poll.go       the poll loop: an update is confirmed only when it is safe
//	presses.go    the answers to presses
//	health.go     whether the bot is heard
//	update.go     what is read of an update, whatever else is in it
//	inbound.go    update → core.Inbound; pure
//	pairing.go    who may speak: lists, pairing by a code
//	outbound.go   Send, Edit, Delete, Typing, files
//	unfinished.go what a try that failed half-way has done
//	markup.go     text → entities, buttons → keyboard; pure
//	call.go       the one way to the platform, for the library as for the poll loop
//	errors.go     the platform's answer → core.Error; pure
//	where.go      keys, addresses and ids: made and read only here
//	commands.go   the menu of commands
//
// The library (go-telegram/bot) sends. It does not poll: its loop confirms updates before they are handled, and gives a whole
// batch up for one update that it cannot read.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"steady/channels"
	"steady/core"
)

// A Config is what a channel is made of. Its zero values are the defaults of the configuration page.
type Config struct {
	Token          Secret        // "ID:SECRET", of @BotFather
	APIURL         string        // the server, https://api.telegram.org if ""
	PollTimeout    time.Duration // how long the platform holds a poll: 1 s to 50 s, 50 s if zero
	StreamInterval time.Duration // the shortest time between two previews in a private chat, 1 s if zero; in a group 3 s at least
	Allow          []string      // user ids, or "*"; beside them only who was paired
	Groups         Groups
	Commands       []Command // the menu, in the order in which it is shown
	Paired         Paired    // nil: nobody can be paired
	PairCode       string    // who sends "/start CODE" first is paired; "" for no code
	Log            *slog.Logger
	HTTP           *http.Client // one of its own if nil; its timeout must leave polls alone
}

// Groups says what the bot does in groups: nothing, unless the group and the person are both let in.
type Groups struct {
	Allow          []string // chat ids, or "*"
	RequireMention bool     // only messages that mention the bot, answer it or are a command
}

// A Channel is a bot on Telegram. All its methods may be called concurrently; Run once at a time, and never by two processes
// for one bot.
type Channel struct {
	id             string // the bot's number
	pollTimeout    time.Duration
	streamInterval time.Duration
	mention        bool
	commands       []Command
	gate           *gate
	calls          *caller
	bot            *bot.Bot
	pacer          *channels.Pacer
	health         health
	unfinished     unfinished
	log            *slog.Logger
}

// The optional abilities.
var (
	_ core.Channel  = (*Channel)(nil)
	_ core.Roler    = (*Channel)(nil)
	_ core.Streamer = (*Channel)(nil)
	_ core.Divider  = (*Channel)(nil)
	_ core.Typer    = (*Channel)(nil)
	_ core.Deleter  = (*Channel)(nil)
	_ core.Prober   = (*Channel)(nil)
)

// New makes a channel without asking the platform anything. The error names all that is wrong with c.
func New(c Config) (*Channel, error) {
	if c.APIURL == "" {
		c.APIURL = "https://api.telegram.org"
	}
	if c.PollTimeout == 0 {
		c.PollTimeout = maxPoll
	}
	if c.StreamInterval == 0 {
		c.StreamInterval = time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.HTTP == nil {
		c.HTTP = newClient()
	}
	g, gateErr := newGate(c)
	if err := errors.Join(c.check(), gateErr); err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	calls := &caller{client: c.HTTP, api: strings.TrimRight(c.APIURL, "/"), token: c.Token}
	pacer, err := channels.NewPacer(limits())
	if err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	sdk, err := bot.New(string(c.Token), bot.WithSkipGetMe(), bot.WithServerURL(calls.api), bot.WithHTTPClient(c.PollTimeout, calls),
		bot.WithErrorsHandler(func(err error) { c.Log.Debug("library", "error", err) }))
	if err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	id, _, _ := strings.Cut(string(c.Token), ":")
	return &Channel{
		id: id, pollTimeout: c.PollTimeout, streamInterval: c.StreamInterval, mention: c.Groups.RequireMention,
		commands: c.Commands, gate: g, calls: calls, bot: sdk, pacer: pacer, log: c.Log,
	}, nil
}

// check finds what is wrong with c, whose defaults are set.
func (c Config) check() error {
	var errs []error
	wrong := func(bad bool, text string) {
		if bad {
			errs = append(errs, errors.New(text))
		}
	}
	wrong(!regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,100}$`).MatchString(string(c.Token)), "token: not of the form ID:SECRET")
	u, err := url.Parse(c.APIURL)
	wrong(err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http", "api_url: not an http address")
	wrong(c.PollTimeout < time.Second || c.PollTimeout > maxPoll, "poll_timeout: not within 1s and 50s")
	wrong(c.StreamInterval < 0, "stream_interval: negative")
	wrong(c.HTTP.Timeout != 0 && c.HTTP.Timeout < c.PollTimeout+pollGrace, "http client: its timeout ends polls")
	return errors.Join(errors.Join(errs...), checkCommands(c.Commands))
}

// limits are what the platform takes, as far as it says so: about one message a second in a chat, 20 a minute in a group, 30 a
// second in all (Bot API, FAQ). Edits count (pains.md S16).
func limits() channels.PaceConfig {
	return channels.PaceConfig{
		Bot:     channels.Limit{Every: time.Second / 30, Burst: 30},
		Private: channels.Limit{Every: time.Second, Burst: 3},
		Group:   channels.Limit{Every: 3500 * time.Millisecond, Burst: 3},
		IsGroup: isGroup,
	}
}

// newClient makes a client for one server. HTTP/2 would put polls and sends on one connection, which would then fail together.
// A redirect is not followed: the token is in the address.
func newClient() *http.Client {
	only1 := new(http.Protocols)
	only1.SetHTTP1(true)
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
			Protocols:           only1,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Role names the right to poll for this bot, of which there is only one: two pollers would each get a part of the updates.
func (c *Channel) Role() string { return Name + "/poll/" + c.id }

// Ready tells whether the bot is heard: whether there was a good poll within two minutes, and no word since that there will be
// none.
func (c *Channel) Ready() error { return c.health.ready() }

// Run polls until ctx ends or the engine is closed. It waits for whatever can be mended: a network, another poller, a token
// that is refused.
func (c *Channel) Run(ctx context.Context, accept core.Accept) error {
	ctx, cancel := context.WithCancel(ctx)
	var children sync.WaitGroup
	defer children.Wait()
	defer cancel()
	answers := make(chan answer, waitingAnswers)
	for range answerers {
		children.Go(func() { c.answerPresses(ctx, answers) })
	}
	children.Go(func() { c.publishCommands(ctx) })
	p := &poller{Channel: c, accept: accept, answers: answers, reader: reader{mention: c.mention}}
	if p.introduce(ctx) {
		p.run(ctx)
	}
	return nil
}

// introduce asks the platform who the bot is, for mentions in groups, until it says so or ctx ends.
func (p *poller) introduce(ctx context.Context) bool {
	for ctx.Err() == nil {
		me, err := p.getMe(ctx)
		if err == nil {
			p.reader.me = *me
			return true
		}
		p.rest(ctx, fmt.Errorf("ask who the bot is: %w", err))
	}
	return false
}

func (c *Channel) getMe(ctx context.Context) (*models.User, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return c.bot.GetMe(ctx)
}
