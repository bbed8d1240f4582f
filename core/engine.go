package core

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Options are what an engine is made of. The durations and numbers are those of the configuration page, with its defaults for
// zero values.
type Options struct {
	Store    Store
	Model    Model
	Tools    []Tool
	Commands []Command
	// Guard looks at each message of a person before the model does; nil lets everything pass.
	Guard Guard
	// Plan says what the prompt must know of the person's habits, one line each; nil says nothing. It is asked in direct chats only.
	Plan func(ctx context.Context, d *Documents, o Origin) (string, error)
	// Persona and Rules begin the system message of every prompt: who the bot is, and what it must never do.
	Persona string
	Rules   string
	Lang    Lang // language of all texts; "" lets each person's way of writing decide
	Zone    *time.Location
	Log     *slog.Logger
	Limits  Limits
}

// Limits bound what a chat may use.
type Limits struct {
	ContextTokens    int           // size of a prompt
	MaxToolRounds    int           // replies with calls in one turn
	ToolTimeout      time.Duration // one call
	ToolResult       int           // UTF-16 units of an encoded result, seed 001 §7
	TurnTimeout      time.Duration // one turn, without the time it is parked
	Workers          int           // chats worked on at once
	SoftHistoryTurns int           // user turns until the hint to start anew, seed 001 §4
	ConfirmExpiry    time.Duration // an unanswered question
	Approvers        []AccountID   // may answer any question and stop everything in a group
	InputLimit       int           // characters of one message
	ShutdownGrace    time.Duration // what running turns get when the engine stops
}

// withDefaults fills zero values with those of the configuration page.
func (l Limits) withDefaults() Limits {
	number := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	duration := func(p *time.Duration, v time.Duration) {
		if *p == 0 {
			*p = v
		}
	}
	number(&l.ContextTokens, 128_000)
	number(&l.MaxToolRounds, 4)
	number(&l.ToolResult, 2048)
	number(&l.Workers, 1024)
	number(&l.SoftHistoryTurns, 8)
	number(&l.InputLimit, 16_000)
	duration(&l.ToolTimeout, 30*time.Second)
	duration(&l.TurnTimeout, 5*time.Minute)
	duration(&l.ConfirmExpiry, 10*time.Minute)
	duration(&l.ShutdownGrace, 20*time.Second)
	return l
}

// urgentWorkers are the claim slots of the urgent lane: presses and /stop get through with all workers busy.
const urgentWorkers = 64

// A Command is a read-only slash command beside the built-in ones.
type Command struct {
	Name        string
	Description LocalText
	Reply       func(ctx context.Context, d *Documents, o Origin, args string) (string, error)
}

// A Guard is a check in code before and beside the model (habits.md §7.3).
type Guard func(ctx context.Context, d *Documents, o Origin, text string) (Verdict, error)

// A Verdict is what a guard says of a message. The zero value lets it pass. Documents that the guard put are written with the
// turn.
type Verdict struct {
	// Answer is the whole answer, by code; the model is not asked.
	Answer string
	// Notice goes into the prompt as a rule for this turn.
	Notice string
}

// An Engine takes inbound events over and works on chats: one agent for each chat at a time, however many there are. It is a
// [Reader]. All methods may be called concurrently.
type Engine struct {
	opt       Options
	store     Store
	log       *slog.Logger
	tools     map[string]*Tool
	specs     []ToolSpec
	commands  map[string]*Command
	id        string // of this process's run; see turnRow.Held
	started   time.Time
	tasks     *supervisor
	pace      *inputPace
	live      *live
	closed    chan struct{}      // closed when no more inbound is taken
	channels  map[string]Channel // by name; set once, before anything runs
	closeOnce sync.Once
}

// New checks the options and returns an engine that does nothing until Run.
func New(opt Options) (*Engine, error) {
	opt.Limits = opt.Limits.withDefaults()
	if opt.Zone == nil {
		opt.Zone = time.UTC
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Store == nil || opt.Model == nil {
		return nil, errors.New("engine needs a store and a model")
	}
	e := &Engine{opt: opt, store: opt.Store, log: opt.Log, tools: map[string]*Tool{}, commands: map[string]*Command{},
		id: rand.Text(), started: time.Now(), tasks: newSupervisor(opt.Log), pace: newInputPace(), live: newLive(), closed: make(chan struct{})}
	for i := range opt.Tools {
		t := &opt.Tools[i]
		if _, twice := e.tools[t.Name]; twice {
			return nil, fmt.Errorf("two tools are named %s", t.Name)
		}
		if (t.Apply == nil) == (t.Run == nil) {
			return nil, fmt.Errorf("tool %s must have one of Apply and Run", t.Name)
		}
		e.tools[t.Name] = t
		e.specs = append(e.specs, ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	for i := range opt.Commands {
		c := &opt.Commands[i]
		if _, builtin := builtins()[c.Name]; builtin || e.commands[c.Name] != nil {
			return nil, fmt.Errorf("two commands are named %s", c.Name)
		}
		e.commands[c.Name] = c
	}
	return e, nil
}

// Run works with the given channels, by the name that is in [Inbound.Channel], until ctx ends; it is called once. Then it stops in order: intake closes, claims end, running turns get their grace, the rest stays in
// the store and goes on at the next start. It returns an error when a channel can never work, or when something was still
// running after the grace. The store is the caller's to close.
func (e *Engine) Run(ctx context.Context, channels map[string]Channel) error {
	e.channels = channels
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	claim, stopClaims := context.WithCancel(ctx)
	defer stopClaims()

	broken := make(chan error, len(channels))
	for name, ch := range channels {
		e.tasks.start("channel", func() {
			if err := caught(func() error { return e.runChannel(claim, ch) }); err != nil {
				broken <- fmt.Errorf("channel %s: %w", name, err)
			}
		})
	}
	e.tasks.start("claims", func() { e.claims(claim, work, Normal, e.opt.Limits.Workers) })
	e.tasks.start("urgent claims", func() { e.claims(claim, work, Urgent, urgentWorkers) })

	var err error
	select {
	case <-ctx.Done():
	case err = <-broken:
	}
	e.closeOnce.Do(func() { close(e.closed) })
	stopClaims()

	grace, cancel := context.WithTimeout(work, e.opt.Limits.ShutdownGrace)
	defer cancel()
	if left := e.tasks.wait(grace); left != nil {
		e.log.Warn("grace is over, turns go on at the next start", "left", left)
		stopWork()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastGrace)
		defer cancel()
		err = errors.Join(err, e.tasks.wait(last))
	}
	return err
}

// lastGrace is what goroutines get to end after their context did.
const lastGrace = 5 * time.Second

// runChannel runs a channel, alone among all processes where it asks for that.
func (e *Engine) runChannel(ctx context.Context, ch Channel) error {
	role := abilities(ch).role
	for ctx.Err() == nil {
		if role == "" {
			return ch.Run(ctx, e.Accept)
		}
		lease, err := e.store.Hold(ctx, role)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, ErrClosed) {
				return nil
			}
			return fmt.Errorf("hold role: %w", err)
		}
		held, cancel := context.WithCancel(ctx)
		unhook := context.AfterFunc(lease.Context(), cancel)
		err = ch.Run(held, e.Accept)
		unhook()
		cancel()
		if rerr := lease.Release(context.WithoutCancel(ctx), 0); err == nil && rerr != nil && !errors.Is(rerr, ErrFenced) && !errors.Is(rerr, ErrClosed) {
			e.log.Warn("role was not given back", "err", rerr)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// claims hands chats of one lane out to agents, at most slots at a time.
func (e *Engine) claims(ctx, work context.Context, lane Lane, slots int) {
	free := make(chan struct{}, slots)
	for {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return
		}
		lease, err := e.store.Claim(ctx, lane)
		if err != nil {
			<-free
			if ctx.Err() != nil || errors.Is(err, ErrClosed) {
				return
			}
			e.log.Error("claim", "err", err)
			if !pause(ctx, time.Second) {
				return
			}
			continue
		}
		e.tasks.start("agent", func() {
			leave := sync.OnceFunc(func() { <-free })
			defer leave()
			e.serve(work, lease, lane, leave)
		})
	}
}

// pause waits for d and tells whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// stopping tells whether the engine takes nothing new on.
func (e *Engine) stopping() bool {
	select {
	case <-e.closed:
		return true
	default:
		return false
	}
}
