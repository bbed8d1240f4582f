package telegram

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"steady/channels"
	"steady/channels/channeltest"
	"steady/core"
	"steady/internal/faketelegram"
)

// person is the user of the tests, and the number of the chat with them.
const person = ada

func TestChannel(t *testing.T) { channeltest.Run(t, startPlatform) }

// platform is the fake Bot API server as the suite wants it.
type platform struct {
	t       *testing.T
	server  *faketelegram.Server
	url     string
	offline atomic.Int32 // dials to fail
}

func startPlatform(t *testing.T) channeltest.Platform {
	p := &platform{t: t, server: faketelegram.New(faketelegram.Config{})}
	t.Cleanup(p.server.Close)
	p.url = p.server.Start()
	p.server.AddUser(faketelegram.User{ID: person, FirstName: "Ada", LanguageCode: "en"})
	p.server.Open(person)
	return p
}

// Channel makes a channel without a pace: the suite is about what is said, not how fast.
func (p *platform) Channel() core.Channel {
	c, err := New(Config{
		Token: Secret(p.server.Token()), APIURL: p.url, Allow: []string{"1001"},
		HTTP: &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: p.dial}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if c.pacer, err = channels.NewPacer(channels.PaceConfig{IsGroup: isGroup}); err != nil {
		p.t.Fatal(err)
	}
	return c
}

func (p *platform) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if p.offline.Add(-1) >= 0 {
		return nil, errors.New("network is unreachable")
	}
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}

func (p *platform) Say(text string, to core.MessageID) {
	said := faketelegram.Post{Chat: person, User: person, Text: text}
	if to != "" {
		said.ReplyTo = p.number(to)
	}
	p.server.Post(said)
}

func (p *platform) Press(id core.MessageID, label string) {
	for _, m := range p.server.FromBot(person) {
		for i, b := range slices.Concat(m.Buttons...) {
			if m.ID == p.number(id) && b.Text == label {
				if _, err := p.server.PressButton(person, person, m.ID, i); err != nil {
					p.t.Error(err)
				}
				return
			}
		}
	}
	p.t.Errorf("message %s has no button %q", id, label)
}

func (p *platform) number(id core.MessageID) int64 {
	m, err := parsePost(id)
	if err != nil {
		p.t.Fatal(err)
	}
	return int64(m.id)
}

func (p *platform) Shown() []channeltest.Shown {
	var all []channeltest.Shown
	for _, m := range p.server.FromBot(person) {
		s := channeltest.Shown{ID: post{person, int(m.ID)}.messageID(), Text: m.Text}
		for _, b := range slices.Concat(m.Buttons...) {
			s.Buttons = append(s.Buttons, b.Text)
		}
		if m.ReplyTo != 0 {
			s.ReplyTo = post{person, int(m.ReplyTo)}.messageID()
		}
		all = append(all, s)
	}
	return all
}

func (p *platform) Break(op channeltest.Op, kind core.Kind) bool {
	if kind == core.Unsent {
		p.offline.Store(1)
		return true
	}
	method := map[channeltest.Op]string{channeltest.Send: "sendMessage", channeltest.Edit: "editMessageText"}[op]
	p.server.Break(faketelegram.Rule{Method: method, Nth: 1, Do: map[core.Kind]faketelegram.Fault{
		core.Throttled:    faketelegram.TooMany(1),
		core.Uncertain:    faketelegram.Drop{Applied: true},
		core.Markup:       faketelegram.Refusal{Code: 400, Description: "Bad Request: can't parse entities: unsupported start tag"},
		core.Refused:      faketelegram.Refusal{Code: 400, Description: "Bad Request: message to edit not found"},
		core.Relocated:    faketelegram.Refusal{Code: 400, Description: "Bad Request: group chat was upgraded to a supergroup chat", MigrateTo: -1001},
		core.Gone:         faketelegram.Refusal{Code: 403, Description: "Forbidden: bot was blocked by the user"},
		core.Unauthorized: faketelegram.Refusal{Code: 401, Description: "Unauthorized"},
	}[kind]})
	return true
}
