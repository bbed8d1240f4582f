package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"steady/core"
)

const (
	// maxPoll is how long the platform holds a poll at most.
	maxPoll = 50 * time.Second
	// pollGrace is how much longer than that an answer may take. A poll that takes longer is deaf and is begun anew, so that
	// nobody waits two minutes for one.
	pollGrace = 15 * time.Second

	conflictPause     = 35 * time.Second // longer than another poller's turn, pains.md U04
	unauthorizedPause = time.Minute
	shortestPause     = time.Second
	longestPause      = 30 * time.Second
	// idlePause keeps a server that does not hold polls from being asked without end.
	idlePause = 500 * time.Millisecond
)

// A poller is one run of the poll loop. One goroutine uses it.
//
// An update is confirmed by the next request, whose offset is above its id; so nothing is asked for before accept took the
// batch, and no offset is kept: what comes again after a restart was seen before. The offset follows the last id of a batch,
// also downwards, since the ids start anew at random after a week without updates (Bot API, Update.update_id).
type poller struct {
	*Channel
	reader  reader
	accept  core.Accept
	answers chan<- answer
	offset  int64 // 0 is the head of the queue
	failed  int   // failures since the last success
	proven  bool  // the last poll was good, so the next one may wait for updates
}

// run polls until ctx ends or the engine is closed.
func (p *poller) run(ctx context.Context) {
	for ctx.Err() == nil {
		begun := time.Now()
		batch, err := p.poll(ctx)
		if err != nil {
			p.rest(ctx, fmt.Errorf("ask for updates: %w", err))
			continue
		}
		p.health.heard()
		next, err := p.take(ctx, batch)
		switch {
		case errors.Is(err, core.ErrClosed):
			return
		case err != nil:
			p.rest(ctx, fmt.Errorf("take over updates: %w", err))
			continue
		}
		held := p.proven
		p.failed, p.offset, p.proven = 0, next, true
		p.health.well(p.log)
		if held && len(batch) == 0 && time.Since(begun) < idlePause {
			pause(ctx, idlePause)
		}
	}
}

// poll asks for the updates from the offset on. The first poll, and the first after a failure, does not wait for any: it shows
// at once whether polls are answered.
func (p *poller) poll(ctx context.Context) ([]json.RawMessage, error) {
	var hold time.Duration
	if p.proven {
		hold = p.pollTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, hold+pollGrace)
	defer cancel()
	params := struct {
		Offset  int64    `json:"offset"`
		Timeout int      `json:"timeout"`
		Allowed []string `json:"allowed_updates"` // the platform keeps the last list, so it is always sent
	}{p.offset, int(hold / time.Second), []string{"message", "edited_message", "callback_query", "my_chat_member"}}
	var batch []json.RawMessage
	err := p.calls.ask(ctx, "getUpdates", params, &batch)
	return batch, err
}

// take hands a batch over and returns the offset that confirms it. All of it goes in one call, in order.
func (p *poller) take(ctx context.Context, batch []json.RawMessage) (next int64, err error) {
	now := time.Now()
	next = p.offset
	var taken []arrival
	for _, raw := range batch {
		u, err := decode(raw)
		if u.ID != 0 {
			next = u.ID + 1
		}
		if err != nil {
			p.log.Error("an update cannot be read and is left out", "update", u.ID, "error", err)
			continue
		}
		a, ok := p.reader.read(u, now)
		if ok {
			if ok, err = p.gate.admit(ctx, &a); err != nil {
				return 0, err
			}
		}
		switch {
		case ok:
			taken = append(taken, a)
		case a.press != "": // the wheel stops and nothing is said
			p.answer(answer{press: a.press})
		}
	}
	if len(taken) == 0 {
		return next, nil
	}
	return next, p.hand(ctx, taken)
}

func (p *poller) hand(ctx context.Context, taken []arrival) error {
	ins := make([]core.Inbound, len(taken))
	for i, a := range taken {
		ins[i] = a.in
	}
	receipts, err := p.accept(ctx, ins...)
	if err != nil {
		return err
	}
	for i, a := range taken {
		if a.press != "" && i < len(receipts) {
			p.answer(answer{a.press, receipts[i].Text(), receipts[i].Kind == core.NotYours})
		}
	}
	return nil
}

// rest waits as long as err asks for.
func (p *poller) rest(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	p.failed++
	p.proven = false
	p.health.ill(p.log, err)
	pause(ctx, pollPause(err, p.failed))
}

// pollPause is the time until the next try after the failed-th failure in a row.
func pollPause(err error, failed int) time.Duration {
	var e *core.Error
	switch {
	case conflicts(err):
		return conflictPause
	case core.KindOf(err) == core.Unauthorized:
		return unauthorizedPause
	case errors.As(err, &e) && e.Kind == core.Throttled:
		return e.Wait
	}
	return min(shortestPause<<min(failed-1, 10), longestPause)
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
