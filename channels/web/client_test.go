package web_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
)

type addr = net.Addr

// patience bounds every wait of a test; it is long because it never passes when all is well.
const patience = 15 * time.Second

// frame is any frame of the server: the fields of all of them.
type frame struct {
	V        int    `json:"v"`
	Type     string `json:"type"`
	Boot     string `json:"boot"`
	Pairing  string `json:"pairing"`
	Sessions []struct {
		Session  string `json:"session"`
		Title    string `json:"title"`
		Revision uint64 `json:"revision"`
	} `json:"sessions"`
	Session  string  `json:"session"`
	After    uint64  `json:"after"`
	Before   uint64  `json:"before"`
	Revision uint64  `json:"revision"`
	Mark     uint64  `json:"mark"`
	Entries  []entry `json:"entries"`
	Turn     uint64  `json:"turn"`
	User     string  `json:"user"`
	State    string  `json:"state"`
	Calls    []struct {
		Call     string `json:"call"`
		Label    string `json:"label"`
		Started  bool   `json:"started"`
		Finished bool   `json:"finished"`
	} `json:"calls"`
	Question *struct {
		Body    string `json:"body"`
		Approve struct{ Label, Token string }
		Deny    struct{ Label, Token string }
	} `json:"question"`
	Waiting []struct{ Inbound, Text string } `json:"waiting"`
	ID      string                           `json:"id"`
	Kind    string                           `json:"kind"`
	Command bool                             `json:"command"`
	Ahead   int                              `json:"ahead"`
	Code    string                           `json:"code"`
	Text    string                           `json:"text"`
}

type entry struct {
	Revision uint64 `json:"revision"`
	Turn     uint64 `json:"turn"`
	Kind     string `json:"kind"`
	Role     string `json:"role"`
	Text     string `json:"text"`
	Partial  bool   `json:"partial"`
	Inbound  string `json:"inbound"`
	Call     string `json:"call"`
	Label    string `json:"label"`
	Status   string `json:"status"`
	Notice   string `json:"notice"`
}

// send is any frame of a client.
type send struct {
	V        int    `json:"v"`
	Type     string `json:"type"`
	Lang     string `json:"lang,omitempty"`
	Boot     string `json:"boot,omitempty"`
	ID       string `json:"id,omitempty"`
	Session  string `json:"session,omitempty"`
	Revision uint64 `json:"revision,omitempty"`
	Before   uint64 `json:"before,omitempty"`
	Text     string `json:"text,omitempty"`
	Token    string `json:"token,omitempty"`
	Name     string `json:"name,omitempty"`
	Args     string `json:"args,omitempty"`
}

// A client speaks the protocol as the page does.
type client struct {
	t    testing.TB
	conn *websocket.Conn
}

// dial connects; it fails the test if the server does not let it in.
func dial(t testing.TB, address string, header http.Header) *client {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	conn, _, err := websocket.Dial(ctx, "ws://"+address+"/ws", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { conn.CloseNow() })
	return &client{t, conn}
}

func (c *client) send(f send) {
	c.t.Helper()
	if f.V == 0 {
		f.V = 1
	}
	raw, err := json.Marshal(f)
	if err != nil {
		c.t.Fatal(err)
	}
	c.raw(raw)
}

func (c *client) raw(raw []byte) {
	c.t.Helper()
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	if err := c.conn.Write(ctx, websocket.MessageText, raw); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next frame.
func (c *client) next() frame {
	c.t.Helper()
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	_, raw, err := c.conn.Read(ctx)
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	var f frame
	if err := json.Unmarshal(raw, &f); err != nil {
		c.t.Fatalf("frame %s: %v", raw, err)
	}
	if f.V != 1 {
		c.t.Fatalf("frame without version: %s", raw)
	}
	return f
}

// until returns the next frame of a kind and passes over the others.
func (c *client) until(kind string) frame {
	c.t.Helper()
	for {
		if f := c.next(); f.Type == kind {
			return f
		}
	}
}

// status reads until the server closes the connection, and returns the code.
func (c *client) status() websocket.StatusCode {
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	for {
		if _, _, err := c.conn.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

func texts(entries []entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Role+e.Notice+": "+e.Text)
	}
	return out
}
