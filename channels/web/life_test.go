package web_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"steady/channels/web"
	"steady/core"
)

// These tests run in a bubble, with connections in memory: time is simulated, and a goroutine that outlives its test fails it.

// A wire is a listener in memory, and the way to it.
type wire struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newWire() *wire { return &wire{conns: make(chan net.Conn), done: make(chan struct{})} }

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.done:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error {
	w.once.Do(func() { close(w.done) })
	return nil
}

func (w *wire) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case w.conns <- theirs:
		return ours, nil
	case <-w.done:
		return nil, errors.New("refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A house is a channel that runs on a wire.
type house struct {
	t       *testing.T
	world   *world
	pairing atomic.Value // string
	ch      *web.Channel
	wire    *wire
	stop    func()
	ended   chan error
}

// inside runs a test in a bubble with a running channel, and stops that at the end.
func inside(t *testing.T, test func(t *testing.T, h *house)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		ctx, cancel := context.WithCancel(t.Context())
		h := &house{t: t, world: w, wire: newWire(), stop: cancel, ended: make(chan error, 1)}
		h.pairing.Store("")
		var err error
		h.ch, err = web.New(web.Config{Listen: "127.0.0.1:8080", Reader: w, PairingHint: func() string { return h.pairing.Load().(string) }})
		if err != nil {
			t.Fatal(err)
		}
		go func() { h.ended <- h.ch.Serve(ctx, h.wire, w.accept) }()
		test(t, h)
		cancel()
		if err := <-h.ended; err != nil {
			t.Errorf("serve: %v", err)
		}
		if n := w.watched(); n != 0 {
			t.Errorf("%d watches are left", n)
		}
	})
}

func (h *house) dial() *client {
	h.t.Helper()
	conn, err := h.tryDial()
	if err != nil {
		h.t.Fatal(err)
	}
	return &client{h.t, conn}
}

func (h *house) tryDial() (*websocket.Conn, error) {
	transport := &http.Transport{DialContext: h.wire.dial, DisableKeepAlives: true}
	conn, _, err := websocket.Dial(h.t.Context(), "ws://127.0.0.1:8080/ws", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err == nil {
		conn.SetReadLimit(-1)
	}
	return conn, err
}

func (c *client) close() { c.conn.CloseNow() }

func TestSessionsAndPairingAreToldWhenTheyChange(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		h.world.commit("a", 1, said("hi"), agent("ho"))
		h.pairing.Store("code 12")
		c := h.dial()
		defer c.close()
		c.send(send{Type: "hello"})
		if got := c.next(); got.Type != "hello" || got.Pairing != "code 12" || got.Boot == "" {
			t.Errorf("got %+v", got)
		}
		got := c.next()
		if got.Type != "sessions" || len(got.Sessions) != 1 || got.Sessions[0].Session != "a" || got.Sessions[0].Title != "hi" || got.Sessions[0].Revision != 2 {
			t.Errorf("got %+v", got)
		}
		h.pairing.Store("")
		if got := c.next(); got.Type != "hello" || got.Pairing != "" {
			t.Errorf("got %+v", got)
		}
		h.world.commit("b", 1, said("other"))
		if got := c.next(); got.Type != "sessions" || len(got.Sessions) != 2 {
			t.Errorf("got %+v", got)
		}
		c.send(send{Type: "open", Session: "b"})
		c.until("ended")
		began := time.Now()
		h.world.commit("b", 1, agent("answer"))
		if c.until("sessions"); time.Since(began) > 200*time.Millisecond {
			t.Errorf("a session that is followed is listed anew after %v", time.Since(began))
		}
	})
}

func TestHintsMayBeMissedForTwoSeconds(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		h.world.set(func(w *world) { w.deaf = true })
		c := h.dial()
		defer c.close()
		c.send(send{Type: "open", Session: "main"})
		c.until("ended")
		began := time.Now()
		h.world.commit("main", 1, said("a"), agent("b"))
		if got := c.next(); got.Type != "committed" || time.Since(began) > 2*time.Second {
			t.Errorf("got %s after %v", got.Type, time.Since(began))
		}
	})
}

func TestSendRingsThePages(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		h.world.set(func(w *world) { w.deaf = true })
		c := h.dial()
		defer c.close()
		c.send(send{Type: "open", Session: "main"})
		c.until("ended")
		time.Sleep(time.Second) // of the bubble: between two looks
		began := time.Now()
		h.world.commit("main", 1, said("a"), agent("b"))
		if _, err := h.ch.Send(t.Context(), "web:main", "o", core.Body{}); err != nil {
			t.Error(err)
		}
		if got := c.next(); got.Type != "committed" || time.Since(began) > 100*time.Millisecond {
			t.Errorf("got %s after %v", got.Type, time.Since(began))
		}
	})
}

// A long answer that grows fast becomes few frames: the newest snapshot wins, any may be dropped.
func TestSnapshotsArePaced(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		c := h.dial()
		defer c.close()
		c.send(send{Type: "open", Session: "main"})
		c.until("ended")
		go func() {
			for i := range 1000 {
				h.world.show("main", &core.Snapshot{Turn: 1, State: core.Thinking, Text: fmt.Sprint(i)})
				time.Sleep(time.Millisecond)
			}
			h.world.finish("main", 1, said("q"), agent("done"))
		}()
		n := 0
		for f := c.next(); f.Type != "ended"; f = c.next() {
			n++
		}
		if n < 5 || n > 20 {
			t.Errorf("%d frames for a second of growing text", n)
		}
	})
}

// A client that does not read is disconnected after the write timeout and holds nobody up meanwhile.
func TestSlowReaderIsDisconnected(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		slow, quick := h.dial(), h.dial()
		defer slow.close()
		defer quick.close()
		for _, c := range []*client{slow, quick} {
			c.send(send{Type: "open", Session: "main"})
			c.until("ended")
		}
		began := time.Now()
		for i := range 5 {
			h.world.commit("main", 1, agent(strings.Repeat("x", 10_000)+fmt.Sprint(i)))
			if got := quick.next(); got.Type != "committed" || time.Since(began) > time.Second {
				t.Errorf("the quick one got %s after %v", got.Type, time.Since(began))
			}
		}
		if _, err := h.ch.Send(t.Context(), "web:main", "o", core.Body{}); err != nil {
			t.Error(err)
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if n := h.world.watched(); n != 1 {
			t.Errorf("%d pages are followed after the write timeout", n)
		}
	})
}

// A client that has vanished without a word is found out by a ping.
func TestSilentClientIsDisconnected(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		c := h.dial()
		defer c.close()
		c.send(send{Type: "open", Session: "main"})
		c.until("ended") // it reads no more, so it answers no ping
		time.Sleep(36 * time.Second)
		synctest.Wait()
		if n := h.world.watched(); n != 0 {
			t.Errorf("%d pages are followed", n)
		}
	})
}

func TestQuietClientStays(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		c := h.dial()
		defer c.close()
		c.send(send{Type: "open", Session: "main"})
		c.until("ended")
		go func() {
			time.Sleep(time.Hour)
			h.world.commit("main", 1, said("hi"))
		}()
		ctx, done := context.WithTimeout(t.Context(), 2*time.Hour)
		defer done()
		if _, _, err := c.conn.Read(ctx); err != nil { // which answers pings
			t.Error(err)
		}
	})
}

// A flood of frames is taken at a bounded rate, by not reading more of it.
func TestFloodIsSlowedDown(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		c := h.dial()
		defer c.close()
		go func() {
			for i := range 200 {
				c.send(send{Type: "say", ID: fmt.Sprint("m", i), Session: "main", Text: "x"})
			}
		}()
		began := time.Now()
		for range 200 {
			c.until("receipt")
		}
		if took := time.Since(began); took < 5*time.Second || took > 10*time.Second {
			t.Errorf("200 frames in %v", took)
		}
	})
}

func TestShutdownTellsThePages(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		c := h.dial()
		defer c.close()
		c.send(send{Type: "hello", Session: "main"})
		c.until("ended")
		h.world.set(func(w *world) {
			w.answer = func(*world, core.Inbound) (core.Receipt, error) { return core.Receipt{}, core.ErrClosed }
		})
		c.send(send{Type: "say", ID: "late", Session: "main", Text: "x"})
		if got := c.until("error"); got.Code != "closed" || got.ID != "late" {
			t.Errorf("got %+v", got)
		}
		began := time.Now()
		h.stop()
		if got := c.status(); got != websocket.StatusGoingAway {
			t.Errorf("closed with %v", got)
		}
		<-h.ended
		h.ended <- nil
		if took := time.Since(began); took > time.Second {
			t.Errorf("took %v", took)
		}
		if _, err := h.tryDial(); err == nil {
			t.Error("a page was let in after the end")
		}
	})
}

// Pages that do not answer get the grace and no more.
func TestShutdownIsBounded(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		for range 3 {
			c := h.dial()
			defer c.close()
			c.send(send{Type: "hello", Session: "main"})
			c.until("ended") // and then it reads no more
		}
		h.world.set(func(w *world) {
			w.answer = func(*world, core.Inbound) (core.Receipt, error) {
				time.Sleep(time.Second) // a slow store
				return core.Receipt{}, core.ErrClosed
			}
		})
		busy := h.dial()
		defer busy.close()
		busy.send(send{Type: "say", ID: "a", Session: "main", Text: "x"})
		began := time.Now()
		h.stop()
		<-h.ended
		h.ended <- nil
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestPagesAreBounded(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		var open []*client
		for range 64 {
			open = append(open, h.dial())
		}
		if _, err := h.tryDial(); err == nil {
			t.Error("the 65th page was let in")
		}
		open[0].close()
		synctest.Wait()
		open[0] = h.dial()
		for _, c := range open {
			c.close()
		}
	})
}

// Many pages that come and go leave nothing behind: the bubble waits for every goroutine.
func TestPagesLeaveNothingBehind(t *testing.T) {
	inside(t, func(t *testing.T, h *house) {
		h.world.commit("main", 1, said("a"), agent("b"))
		for i := range 20 {
			c := h.dial()
			c.send(send{Type: "hello", Session: "main"})
			for range 3 {
				c.send(send{Type: "open", Session: fmt.Sprint("s", i)})
			}
			c.until("ended")
			if i%2 == 0 {
				go c.conn.Close(websocket.StatusNormalClosure, "")
				c.status()
			}
			c.close()
		}
	})
}
