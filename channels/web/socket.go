package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/sync/errgroup"
	"golang.org/x/time/rate"

	"steady/core"
)

const (
	writeTimeout  = 10 * time.Second // one frame; a client that reads slower is disconnected
	acceptTimeout = 10 * time.Second // storing one inbound
	readTimeout   = 10 * time.Second // one look at the chats
	pingEvery     = 25 * time.Second
	pingTimeout   = 10 * time.Second
	lookEvery     = 2 * time.Second // hints may be missed for so long

	maxFollowed = 16 // sessions that one socket follows
	framesRate  = 20 // frames a second that a client may send for long,
	framesBurst = 60 // and at once
	queuedOut   = 16 // frames on their way to the client; who makes more waits
)

// errBye says that the bot is stopping.
var errBye = errors.New("stopping")

// A socket is one open page. Its goroutines belong to group; when one ends, all end. Frames go through out to the one that
// writes: whoever makes frames waits for a slow client, and nobody else does.
type socket struct {
	ch     *Channel
	accept core.Accept
	conn   *websocket.Conn
	out    chan []byte
	newer  chan struct{} // capacity one: the list of sessions may have changed
	group  *errgroup.Group

	// For the reading goroutine alone.
	greeted  bool
	lang     core.Lang
	followed []*follower // the one opened latest is last
}

// socket upgrades a request and serves it until the client leaves, ctx ends, or the run does: then the client is told.
func (r *run) socket(ctx context.Context, w http.ResponseWriter, req *http.Request) {
	conn, err := websocket.Accept(w, req, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the door has checked the origin
	if err != nil {
		return // the client has been told
	}
	conn.SetReadLimit(maxFrame)
	group, ctx := errgroup.WithContext(ctx)
	s := &socket{ch: r.ch, accept: r.accept, conn: conn, out: make(chan []byte, queuedOut), newer: make(chan struct{}, 1),
		group: group, lang: r.ch.cfg.Lang}
	group.Go(func() error { return s.read(ctx) })
	group.Go(func() error { return s.write(ctx) })
	group.Go(func() error { return s.ping(ctx) })
	group.Go(func() error {
		select {
		case <-ctx.Done():
		case <-r.stop:
			conn.Close(websocket.StatusGoingAway, "stopping")
		}
		return errBye
	})
	err = group.Wait()
	conn.CloseNow()
	r.ch.cfg.Log.Debug("page left", "err", err)
}

// read handles frames, one after the other.
func (s *socket) read(ctx context.Context) error {
	pace := rate.NewLimiter(framesRate, framesBurst)
	for {
		if err := pace.Wait(ctx); err != nil {
			return err
		}
		_, raw, err := s.conn.Read(ctx)
		if err != nil {
			return err
		}
		if err := s.handle(ctx, raw); err != nil {
			return err
		}
	}
}

// handle does what one frame asks for. The error is that of the connection.
func (s *socket) handle(ctx context.Context, raw []byte) error {
	f, err := parseFrame(raw)
	if err != nil {
		s.ch.cfg.Log.Debug("bad frame", "err", err)
		return s.refuse(ctx, f, err)
	}
	switch f := f.(type) {
	case hello:
		return s.greet(ctx, f)
	case openFrame:
		s.follow(ctx, f.Session, f.Revision)
		return nil
	case historyWish:
		return s.page(ctx, f)
	default:
		return s.take(ctx, f)
	}
}

// refuse answers a frame that could not be understood. f is what could be read of it, or nil.
func (s *socket) refuse(ctx context.Context, f clientFrame, err error) error {
	code, id := codeBad, ""
	if errors.Is(err, errVersion) {
		code = codeVersion
	}
	if f != nil && isName(f.id()) {
		id = f.id()
	}
	return s.fail(ctx, id, code)
}

func (s *socket) fail(ctx context.Context, id string, code errorCode) error {
	return s.send(ctx, errorFrame{headOf("error"), id, code, code.text().In(s.lang)})
}

// greet answers hello.
func (s *socket) greet(ctx context.Context, f hello) error {
	if s.ch.cfg.Lang == "" {
		s.lang = core.ParseLang(f.Lang)
	}
	pairing := s.ch.pairing()
	if err := s.send(ctx, greeting{headOf("hello"), s.ch.boot, pairing}); err != nil {
		return err
	}
	if !s.greeted {
		s.greeted = true
		s.group.Go(func() error { return s.list(ctx, pairing) })
	}
	if f.Session == "" {
		return nil
	}
	if f.Boot != s.ch.boot {
		f.Revision = 0
	}
	s.follow(ctx, f.Session, f.Revision)
	return nil
}

// take hands what the person did to the core and answers with its receipt.
func (s *socket) take(ctx context.Context, f clientFrame) error {
	in, ok := inbound(f, s.lang, time.Now())
	if !ok { // blank: the core need not know
		return s.send(ctx, viewReceipt(f.id(), in, core.Receipt{Kind: core.Nothing}))
	}
	acceptCtx, done := context.WithTimeout(ctx, acceptTimeout)
	defer done()
	receipts, err := s.accept(acceptCtx, in)
	if err == nil && len(receipts) != 1 {
		err = fmt.Errorf("%d receipts for one inbound", len(receipts))
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.ch.cfg.Log.Warn("inbound not taken", "err", err)
		return s.fail(ctx, f.id(), codeOf(err))
	}
	return s.send(ctx, viewReceipt(f.id(), in, receipts[0]))
}

// follow begins to follow a session, or lets it be told anew. The one opened longest ago makes place.
func (s *socket) follow(ctx context.Context, session string, revision uint64) {
	if i := slices.IndexFunc(s.followed, func(f *follower) bool { return f.session == session }); i >= 0 {
		f := s.followed[i]
		s.followed = append(slices.Delete(s.followed, i, i+1), f)
		f.reopen(revision)
		return
	}
	if len(s.followed) == maxFollowed {
		s.followed[0].leave()
		s.followed = slices.Delete(s.followed, 0, 1)
	}
	ctx, leave := context.WithCancel(ctx)
	f := newFollower(s, session, leave)
	s.followed = append(s.followed, f)
	f.reopen(revision)
	s.group.Go(func() error { return f.run(ctx) })
}

// page sends an earlier stretch of a history.
func (s *socket) page(ctx context.Context, f historyWish) error {
	look, done := context.WithTimeout(ctx, readTimeout)
	defer done()
	now, err := s.ch.cfg.Reader.History(look, chatKey(f.Session), 0, 1)
	if err != nil {
		return s.unread(ctx, err)
	}
	before := min(f.Before, now.Revision+1)
	out := historyFrame{headOf("history"), f.Session, now.Revision, now.Mark, f.Before, []entryView{}}
	if before > now.Mark+1 {
		after := max(now.Mark, before-min(before, pageSize+1))
		part, err := s.ch.cfg.Reader.History(look, chatKey(f.Session), after, int(before-1-after))
		if err != nil {
			return s.unread(ctx, err)
		}
		out.Entries = viewEntries(newest(part.Entries), s.ch.labels(s.lang))
	}
	return s.send(ctx, out)
}

// unread tells the client that the chats cannot be read now.
func (s *socket) unread(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.ch.cfg.Log.Warn("chat not read", "err", err)
	return s.fail(ctx, "", codeOf(err))
}

// list sends the sessions, and again when they change; likewise the pairing text, of which the client knows one.
func (s *socket) list(ctx context.Context, pairing string) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var sent string
	var failed bool
	for {
		if now := s.ch.pairing(); now != pairing {
			pairing = now
			if err := s.send(ctx, greeting{headOf("hello"), s.ch.boot, pairing}); err != nil {
				return err
			}
		}
		chats, err := s.chats(ctx)
		switch {
		case err == nil:
			failed = false
			sent, err = s.sendNew(ctx, sent, viewSessions(chats))
		case !failed:
			err = s.unread(ctx, err)
			failed = true
		default: // the client knows
			err = nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.newer:
		case <-look.C:
		}
	}
}

// relist asks for a look at the list of sessions before the next regular one.
func (s *socket) relist() {
	select {
	case s.newer <- struct{}{}:
	default:
	}
}

func (s *socket) chats(ctx context.Context) ([]core.ChatInfo, error) {
	ctx, done := context.WithTimeout(ctx, readTimeout)
	defer done()
	return s.ch.cfg.Reader.Chats(ctx, Name)
}

// sendNew sends a frame unless it is the one sent before, and returns it for the next time.
func (s *socket) sendNew(ctx context.Context, before string, frame any) (string, error) {
	raw, err := json.Marshal(frame)
	if err != nil || string(raw) == before {
		return before, err
	}
	return string(raw), s.sendRaw(ctx, raw)
}

// send hands a frame to the writing goroutine. It waits while the client is slow, until ctx ends.
func (s *socket) send(ctx context.Context, frame any) error {
	raw, err := json.Marshal(frame)
	if err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	return s.sendRaw(ctx, raw)
}

func (s *socket) sendRaw(ctx context.Context, raw []byte) error {
	select {
	case s.out <- raw:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *socket) write(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case raw := <-s.out:
			if err := s.writeOne(ctx, raw); err != nil {
				return err
			}
		}
	}
}

func (s *socket) writeOne(ctx context.Context, raw []byte) error {
	ctx, done := context.WithTimeout(ctx, writeTimeout)
	defer done()
	return s.conn.Write(ctx, websocket.MessageText, raw)
}

// ping finds out whether the client is still there.
func (s *socket) ping(ctx context.Context) error {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := s.pingOnce(ctx); err != nil {
				return err
			}
		}
	}
}

func (s *socket) pingOnce(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, pingTimeout)
	defer done()
	return s.conn.Ping(ctx)
}

func (c *Channel) pairing() string {
	if c.cfg.PairingHint == nil {
		return ""
	}
	return c.cfg.PairingHint()
}

// labels names tools in a language.
func (c *Channel) labels(lang core.Lang) labeller {
	return func(tool string) string {
		if c.cfg.ToolLabel != nil {
			if label := c.cfg.ToolLabel(tool).In(lang); label != "" {
				return label
			}
		}
		return tool
	}
}
