package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"steady/core"
)

// Paired keeps the accounts that are let in beside the configured ones. A group that became a supergroup is one of them too,
// since its number in the configuration is no longer the right one. Both methods may be called at any time while Run runs, by
// one goroutine.
type Paired interface {
	// IsPaired tells whether a was paired.
	IsPaired(ctx context.Context, a core.AccountID) (bool, error)
	// Pair lets a in from now on; when it returns nil, that is durable. Pairing twice is harmless.
	Pair(ctx context.Context, a core.AccountID) error
}

// What an account that is not let in may do to guess the code.
const (
	maxWrongCodes = 5
	wrongCodeTime = time.Hour
	maxGuessers   = 1000 // accounts that are remembered; beyond them nobody new is heard
)

// A gate decides who may speak to the bot. It is closed to everybody who is not named (pains.md S12): such a person gets no
// answer of any kind. One goroutine uses it.
type gate struct {
	people allowed
	groups allowed
	paired Paired // nil: there is no pairing
	code   [sha256.Size]byte
	open   bool // the code was not used yet
	wrong  map[int64]*guesses
	log    *slog.Logger
}

// guesses are the wrong codes of one account.
type guesses struct {
	count int
	since time.Time
}

func newGate(c Config) (*gate, error) {
	g := &gate{paired: c.Paired, code: sha256.Sum256([]byte(c.PairCode)), open: c.PairCode != "", wrong: map[int64]*guesses{}, log: c.Log}
	var people, groups error
	g.people, people = parseAllowed(c.Allow, func(id int64) bool { return id > 0 })
	g.groups, groups = parseAllowed(c.Groups.Allow, func(id int64) bool { return id < 0 })
	if people != nil {
		people = fmt.Errorf("allow: %w", people)
	}
	if groups != nil {
		groups = fmt.Errorf("groups: allow: %w", groups)
	}
	var pairing error
	if g.open && g.paired == nil {
		pairing = errors.New("a pair code needs a place to keep pairings")
	}
	return g, errors.Join(people, groups, pairing)
}

// admit tells whether a may reach the engine. An error says that it could not be found out.
func (g *gate) admit(ctx context.Context, a *arrival) (bool, error) {
	if a.at.group() {
		if ok, err := g.group(ctx, a); err != nil || !ok || a.notice {
			return ok, err
		}
		return g.known(ctx, g.people, a.user)
	}
	ok, err := g.known(ctx, g.people, a.user)
	start, isStart := a.in.Event.(core.Commanded)
	isStart = isStart && start.Name == "start"
	if err == nil && !ok && isStart && g.open {
		ok, err = g.pair(ctx, a, start.Args)
	}
	if ok && isStart && g.matches(start.Args) { // spent, and nothing for a history
		a.in.Event = core.Commanded{Name: start.Name}
	}
	return ok, err
}

// group tells whether the group of a is let in, and lets it in under its new number when it moves.
func (g *gate) group(ctx context.Context, a *arrival) (bool, error) {
	ok, err := g.known(ctx, g.groups, a.at.chat)
	if err != nil || a.moved == 0 {
		return ok, err
	}
	follows, err := g.known(ctx, g.groups, a.moved)
	if err != nil || follows || !ok {
		return ok || follows, err
	}
	if g.paired == nil {
		g.log.Warn("a group became a supergroup and has a new number; add it to the configuration")
		return true, nil
	}
	return true, g.paired.Pair(ctx, account(a.moved))
}

func (g *gate) known(ctx context.Context, list allowed, id int64) (bool, error) {
	if list.has(id) || g.paired == nil {
		return list.has(id), nil
	}
	return g.paired.IsPaired(ctx, account(id))
}

// pair hears a stranger who begins a private chat with the code.
func (g *gate) pair(ctx context.Context, a *arrival, code string) (bool, error) {
	if code == "" || !g.mayGuess(a.user, a.in.Received) {
		return false, nil
	}
	if !g.matches(code) {
		g.guessed(a.user, a.in.Received)
		return false, nil
	}
	if err := g.paired.Pair(ctx, account(a.user)); err != nil {
		return false, err
	}
	g.open = false
	clear(g.wrong)
	g.log.Info("an account was paired")
	return true, nil
}

// matches compares in a time that tells nothing of the code.
func (g *gate) matches(code string) bool {
	sum := sha256.Sum256([]byte(code))
	return subtle.ConstantTimeCompare(sum[:], g.code[:]) == 1
}

func (g *gate) mayGuess(user int64, now time.Time) bool {
	for id, w := range g.wrong {
		if now.Sub(w.since) >= wrongCodeTime {
			delete(g.wrong, id)
		}
	}
	w := g.wrong[user]
	return w == nil && len(g.wrong) < maxGuessers || w != nil && w.count < maxWrongCodes
}

func (g *gate) guessed(user int64, now time.Time) {
	w := g.wrong[user]
	if w == nil {
		w = &guesses{since: now}
		g.wrong[user] = w
	}
	if w.count++; w.count == maxWrongCodes {
		g.log.Warn("an account sent too many wrong pair codes and is not heard for an hour")
	}
}

// allowed is a list of numbers, or everybody.
type allowed struct {
	all bool
	ids map[int64]bool
}

func (l allowed) has(id int64) bool { return l.all || l.ids[id] }

func parseAllowed(words []string, valid func(int64) bool) (allowed, error) {
	l := allowed{ids: map[int64]bool{}}
	var errs []error
	for _, w := range words {
		if w == "*" {
			l.all = true
			continue
		}
		id, err := strconv.ParseInt(w, 10, 64)
		if err != nil || !valid(id) {
			errs = append(errs, fmt.Errorf("%q is neither an id nor \"*\"", w))
			continue
		}
		l.ids[id] = true
	}
	return l, errors.Join(errs...)
}
