package web

import (
	"context"
	"time"

	"steady/core"
)

// minLook is the shortest time between two looks at a chat, so that an answer that grows fast does not become hundreds of frames.
const minLook = 80 * time.Millisecond

// A follower keeps one client up to date about one session: what was committed, and what goes on. It looks at each hint, at each
// ring of a bell, and every lookEvery.
type follower struct {
	s       *socket
	session string
	lang    core.Lang
	anew    chan uint64 // capacity one: tell all again, from this revision on
	leave   context.CancelFunc

	// For the following goroutine alone.
	told   bool   // the client knows the history up to known
	known  uint64 // revision
	mark   uint64
	now    string // the snapshot or ended that was sent last
	failed bool   // the client was told that the chat cannot be read
}

func newFollower(s *socket, session string, leave context.CancelFunc) *follower {
	return &follower{s: s, session: session, lang: s.lang, anew: make(chan uint64, 1), leave: leave}
}

// reopen makes the follower tell all again to a client that has everything up to revision. The reading goroutine calls it.
func (f *follower) reopen(revision uint64) {
	select {
	case <-f.anew: // an older wish that was not seen yet
	default:
	}
	f.anew <- revision
}

// run follows until ctx ends. Being left is no error: the socket lives on.
func (f *follower) run(ctx context.Context) error {
	hint, unwatch := f.s.ch.cfg.Reader.Watch(chatKey(f.session))
	defer unwatch()
	bell, unhang := f.s.ch.bells.hang(f.session)
	defer unhang()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return nil
		case revision := <-f.anew:
			f.told, f.known, f.now = false, revision, ""
		case <-hint:
		case <-bell:
		case <-look.C:
		}
		if err := f.look(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(minLook):
		}
	}
	return nil
}

// look reads the chat once and sends what is new. The error is that of the connection.
func (f *follower) look(ctx context.Context) error {
	read, done := context.WithTimeout(ctx, readTimeout)
	defer done()
	// The snapshot first: if it ended, the history that is read after it has the answer, and the client never shows neither.
	snapshot, live, err := f.s.ch.cfg.Reader.Snapshot(read, chatKey(f.session))
	if err != nil {
		return f.unread(ctx, err)
	}
	frames, err := f.news(read)
	for _, frame := range frames { // also those that were read before an error
		if err := f.s.send(ctx, frame); err != nil {
			return err
		}
		f.s.relist()
	}
	if err != nil {
		return f.unread(ctx, err)
	}
	f.failed = false
	var frame any = endedFrame{headOf("ended"), f.session}
	if live {
		frame = viewSnapshot(f.session, snapshot, f.lang)
	}
	f.now, err = f.s.sendNew(ctx, f.now, frame)
	return err
}

// unread tells the client once that the chat cannot be read; the next looks go on trying.
func (f *follower) unread(ctx context.Context, err error) error {
	if f.failed {
		return nil
	}
	f.failed = true
	return f.s.unread(ctx, err)
}

// news returns what the client must be told of the history.
func (f *follower) news(ctx context.Context) (frames []any, err error) {
	if !f.told {
		first, err := f.first(ctx)
		if err != nil {
			return nil, err
		}
		frames = append(frames, first)
		f.told = true
	}
	for {
		h, err := f.history(ctx, f.known)
		if err != nil {
			return frames, err
		}
		if len(h.Entries) == 0 && h.Revision <= f.known && h.Mark == f.mark {
			return frames, nil
		}
		frames = append(frames, f.increment(h))
		if len(h.Entries) < pageSize {
			return frames, nil
		}
	}
}

// first answers a client that opens the session: with an increment where it has the better part already, else with the newest
// page.
func (f *follower) first(ctx context.Context) (any, error) {
	h, err := f.history(ctx, f.known)
	if err != nil {
		return nil, err
	}
	if f.known > 0 && f.known <= h.Revision && h.Revision-f.known <= pageSize {
		return f.increment(h), nil
	}
	f.known = max(h.Mark, h.Revision-min(h.Revision, pageSize))
	if h, err = f.history(ctx, f.known); err != nil {
		return nil, err
	}
	h.Entries = newest(h.Entries)
	c := f.increment(h)
	return historyFrame{headOf("history"), f.session, c.Revision, c.Mark, 0, c.Entries}, nil
}

// increment makes a frame of what follows known, which moves on.
func (f *follower) increment(h core.History) committedFrame {
	after := f.known
	if n := len(h.Entries); n > 0 {
		f.known = h.Entries[n-1].Revision
	} else {
		f.known = max(f.known, h.Revision)
	}
	f.mark = h.Mark
	return committedFrame{headOf("committed"), f.session, after, f.known, f.mark, viewEntries(h.Entries, f.s.ch.labels(f.lang))}
}

func (f *follower) history(ctx context.Context, after uint64) (core.History, error) {
	return f.s.ch.cfg.Reader.History(ctx, chatKey(f.session), after, pageSize)
}

// newest leaves out the first of the entries of a page that would be too large to be read in time over a slow line; the client
// asks for them if it wants them. The last one stays in any case.
func newest(entries []core.Recorded) []core.Recorded {
	size := 0
	for i := len(entries) - 1; i >= 0; i-- {
		if size += textSize(entries[i].Entry); size > pageBytes && i < len(entries)-1 {
			return entries[i+1:]
		}
	}
	return entries
}

// textSize is how much text of an entry a client is shown, in bytes.
func textSize(e core.Entry) int {
	switch e := e.(type) {
	case core.Message:
		return len(e.Text)
	case core.Call:
		return len(e.Text)
	case core.Notice:
		return len(e.Text)
	}
	return 0
}
