package channels

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Class is the priority of a call. When a budget runs low, lower classes give way to higher ones.
type Class uint8

// The classes, lowest first.
const (
	Typing   Class = iota // a sign that the bot is at work
	Preview               // an edit that shows an answer as it grows
	Question              // something that a person has to answer
	Final                 // an answer, or an edit that settles something
	Callback              // the receipt of a press; it is no message, so the chat's limit and block do not hold for it
	classes
)

// A Limit allows one call each Every on average, and up to Burst at once after a rest. The zero Limit allows everything.
type Limit struct {
	Every time.Duration
	Burst int
}

func (l Limit) valid() bool { return l == Limit{} || l.Every > 0 && l.Burst > 0 }

// PaceConfig holds the limits of a platform.
type PaceConfig struct {
	Bot     Limit                  // all calls of the bot
	Private Limit                  // calls for one chat with one person
	Group   Limit                  // calls for one group
	IsGroup func(chat string) bool // tells which of the two holds for a chat
}

// A Pacer keeps a bot within the limits of its platform: one budget for the bot and one for each chat. It never holds a caller
// longer than [MaxPause]; who would have to wait longer is told how long and comes back. It is safe for concurrent use, starts
// no goroutine, and forgets a chat when nothing holds it back any more.
type Pacer struct {
	config PaceConfig

	mu    sync.Mutex // guards what follows
	bot   *budget
	chats map[string]*chatPace
	swept time.Time
}

// MaxPause is the longest time that [Pacer.Wait] waits itself.
const MaxPause = time.Second

// sweepEvery is how often all chats are looked at for those to forget. What is kept meanwhile is bounded by the bot's limit.
const sweepEvery = time.Minute

// NewPacer returns a Pacer whose budgets are full.
func NewPacer(c PaceConfig) (*Pacer, error) {
	switch {
	case c.IsGroup == nil:
		return nil, errors.New("pace: IsGroup is missing")
	case !c.Bot.valid() || !c.Private.valid() || !c.Group.valid():
		return nil, errors.New("pace: a limit needs both a time and a burst above zero")
	}
	return &Pacer{config: c, bot: newBudget(c.Bot), chats: map[string]*chatPace{}, swept: time.Now()}, nil
}

// Take asks for one call. Zero means: make it, it is counted. Otherwise nothing is counted, and the result is how long to wait
// before it is worth asking again; others may be quicker then.
func (p *Pacer) Take(chat string, class Class) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.sweep(now)
	wait := p.bot.wait(now, 1+p.bot.spare(class))
	if class == Callback {
		if wait == 0 {
			p.bot.take(now)
		}
		return wait
	}
	c := p.chats[chat]
	if c == nil {
		c = &chatPace{budget: newBudget(p.limit(chat))}
	}
	wait = max(wait, c.blocked.Sub(now), c.budget.wait(now, c.need(class)))
	if wait > 0 {
		return wait
	}
	p.bot.take(now)
	c.budget.take(now)
	p.chats[chat] = c
	return 0
}

// Wait is [Pacer.Take] for a caller who can wait a little: it waits up to MaxPause for its turn. Zero and nil mean: make the
// call. A time means that it would take so much longer: the call is throttled. An error is that of ctx.
func (p *Pacer) Wait(ctx context.Context, chat string, class Class) (time.Duration, error) {
	for deadline := time.Now().Add(MaxPause); ; {
		wait := p.Take(chat, class)
		if wait == 0 || time.Now().Add(wait).After(deadline) {
			return wait, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return 0, ctx.Err()
		}
	}
}

// Block stops all calls for one chat, and for that chat alone, until the platform takes them again. It follows a "too many
// requests" and never shortens an earlier block.
func (p *Pacer) Block(chat string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep(time.Now())
	c := p.chats[chat]
	if c == nil {
		c = &chatPace{budget: newBudget(p.limit(chat))}
		p.chats[chat] = c
	}
	if until.After(c.blocked) {
		c.blocked = until
	}
}

// sweep forgets chats that are as good as new.
func (p *Pacer) sweep(now time.Time) {
	if now.Sub(p.swept) < sweepEvery {
		return
	}
	p.swept = now
	for chat, c := range p.chats {
		if !c.blocked.After(now) && c.budget.full(now) {
			delete(p.chats, chat)
		}
	}
}

func (p *Pacer) limit(chat string) Limit {
	if p.config.IsGroup(chat) {
		return p.config.Group
	}
	return p.config.Private
}

type chatPace struct {
	budget  *budget
	blocked time.Time // no call before
}

// need is how much of its budget a chat must have for a call: one, and another that previews and typing leave for what follows
// them.
func (c *chatPace) need(class Class) float64 {
	if class <= Preview && c.budget.limit.Burst > 1 {
		return 2
	}
	return 1
}

// A budget is a bucket of calls that fills up with time.
type budget struct {
	limit   Limit
	limiter *rate.Limiter
}

func newBudget(l Limit) *budget {
	return &budget{limit: l, limiter: rate.NewLimiter(rate.Every(l.Every), l.Burst)}
}

// slack makes up for what a bucket loses to rounding. With waits in whole milliseconds, one that was told is enough.
const slack = 1e-6

// wait returns how long it takes until the bucket holds so much.
func (b *budget) wait(now time.Time, need float64) time.Duration {
	if b.limit == (Limit{}) {
		return 0
	}
	missing := need - b.limiter.TokensAt(now)
	if missing <= slack {
		return 0
	}
	wait := (missing - slack) * float64(b.limit.Every) / float64(time.Millisecond)
	return time.Duration(math.Ceil(wait)) * time.Millisecond
}

// take counts one call.
func (b *budget) take(now time.Time) { b.limiter.ReserveN(now, 1) }

func (b *budget) full(now time.Time) bool { return b.wait(now, float64(b.limit.Burst)) == 0 }

// spare is how much of the bot's budget a class leaves to those above it.
func (b *budget) spare(class Class) float64 {
	shares := [classes]float64{Typing: 0.6, Preview: 0.4, Question: 0.2, Final: 0.1, Callback: 0}
	return shares[class] * float64(max(b.limit.Burst-1, 0))
}
