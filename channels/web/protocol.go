package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"steady/core"
)

// The protocol. Each WebSocket message is one JSON object, a frame, with "v": 1 and a "type". Fields are only added; both sides
// pass over fields that they do not know. A frame of another version is answered with an error of the code "version".
//
// The history is the truth, a snapshot is what is shown meanwhile. A client keeps, for each session that it opened, the highest
// revision that it has seen without a gap. It applies a committed frame whose "after" is at most that revision, passing over the
// entries that it has; a later one is a gap, and it opens the session again with the revision that it has. A history frame
// without "before" replaces all that the client has of the session. Entries up to "mark" belong to an earlier conversation and
// are not shown.
//
// A client makes up the ids of what it sends. Something that was not answered by a receipt is sent again after a reconnect, with
// the same id: what was taken before is not taken twice.

// protocolVersion is the "v" of every frame.
const protocolVersion = 1

// maxFrame bounds what a client may send in one frame, in bytes.
const maxFrame = 64 << 10

// pageSize is how many entries a history frame carries at most, pageBytes how much text they may have; one entry may have more.
const (
	pageSize  = 200
	pageBytes = 256 << 10
)

// head begins every frame.
type head struct {
	V    int    `json:"v"`
	Type string `json:"type"`
}

func headOf(kind string) head { return head{protocolVersion, kind} }

// A clientFrame is what a client sends: [hello], [openFrame], [say], [press], [command] or [historyWish].
type clientFrame interface {
	// id is what the answer refers to; "" where the frame has none.
	id() string
	// check tells what is wrong with the frame.
	check() error
}

// hello begins a connection and is answered by greeting and sessions. With a session it opens it, too.
type hello struct {
	Lang     string `json:"lang"`     // the browser's language, such as "ko-KR"
	Boot     string `json:"boot"`     // of the greeting that the client knew before; "" if it is new
	Session  string `json:"session"`  // "" opens none
	Revision uint64 `json:"revision"` // what the client has of it
}

// openFrame asks to follow a session from a revision on. It is always answered: by history, or by a committed frame that may be
// empty, and then by snapshot or ended. The 16 sessions opened latest are followed until the connection ends.
type openFrame struct {
	Session  string `json:"session"`
	Revision uint64 `json:"revision"`
}

// say is a message of the person, or a slash command that they typed. Of a blank one nothing comes but the receipt.
type say struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Text    string `json:"text"`
}

// press is a press of a question's button.
type press struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Token   string `json:"token"`
}

// command is a slash command, such as stop or new.
type command struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Name    string `json:"name"`
	Args    string `json:"args"`
}

// historyWish asks for up to 200 entries before a revision, fewer of long ones. The answer is a history frame with the same "before"; when it has no
// entries, there are none.
type historyWish struct {
	Session string `json:"session"`
	Before  uint64 `json:"before"`
}

func (hello) id() string       { return "" }
func (openFrame) id() string   { return "" }
func (f say) id() string       { return f.ID }
func (f press) id() string     { return f.ID }
func (f command) id() string   { return f.ID }
func (historyWish) id() string { return "" }

func (f hello) check() error {
	if f.Session == "" {
		return nil
	}
	return checkSession(f.Session)
}
func (f openFrame) check() error   { return checkSession(f.Session) }
func (f historyWish) check() error { return checkSession(f.Session) }
func (f say) check() error         { return errors.Join(checkID(f.ID), checkSession(f.Session)) }

func (f press) check() error {
	if f.Token == "" || len(f.Token) > 2*maxName {
		return errors.New("bad token")
	}
	return errors.Join(checkID(f.ID), checkSession(f.Session))
}

func (f command) check() error {
	if !isCommand(f.Name) {
		return errors.New("bad command name")
	}
	return errors.Join(checkID(f.ID), checkSession(f.Session))
}

func checkSession(s string) error {
	if !isName(s) {
		return errors.New("bad session")
	}
	return nil
}

func checkID(id string) error {
	if !isName(id) {
		return errors.New("bad id")
	}
	return nil
}

// parseFrame reads a client's frame. The error is [errVersion] for a frame of another version.
func parseFrame(raw []byte) (clientFrame, error) {
	var h head
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("read frame: %w", err)
	}
	if h.V != protocolVersion {
		return nil, errVersion
	}
	switch h.Type {
	case "hello":
		return decode[hello](raw)
	case "open":
		return decode[openFrame](raw)
	case "say":
		return decode[say](raw)
	case "press":
		return decode[press](raw)
	case "command":
		return decode[command](raw)
	case "history":
		return decode[historyWish](raw)
	}
	return nil, fmt.Errorf("read frame: unknown type %.20q", h.Type)
}

func decode[F clientFrame](raw []byte) (clientFrame, error) {
	var f F
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("read frame: %w", err)
	}
	if err := f.check(); err != nil {
		return f, fmt.Errorf("read frame: %w", err)
	}
	return f, nil
}

// What the server sends.
type (
	// greeting answers hello. It is sent again when the pairing text changes.
	greeting struct {
		head
		Boot    string `json:"boot"`              // another one means that revisions known from before mean nothing
		Pairing string `json:"pairing,omitempty"` // how to pair another channel, as plain text
	}

	// sessionList is all sessions, the latest first. It is sent after hello and whenever it changes.
	sessionList struct {
		head
		Sessions []sessionView `json:"sessions"`
	}
	sessionView struct {
		Session  string    `json:"session"`
		Title    string    `json:"title"` // "" before there is one
		Revision uint64    `json:"revision"`
		Updated  time.Time `json:"updated"`
	}

	// historyFrame is a stretch of a session's entries, oldest first. Without Before it is the newest stretch and replaces what
	// the client has; with it, it goes before.
	historyFrame struct {
		head
		Session  string      `json:"session"`
		Revision uint64      `json:"revision"` // the client has everything up to here now
		Mark     uint64      `json:"mark"`
		Before   uint64      `json:"before,omitempty"`
		Entries  []entryView `json:"entries"`
	}

	// committedFrame is an increment of a session's history (seed 002 §11.1).
	committedFrame struct {
		head
		Session  string      `json:"session"`
		After    uint64      `json:"after"`
		Revision uint64      `json:"revision"`
		Mark     uint64      `json:"mark"`
		Entries  []entryView `json:"entries"`
	}

	// entryView is one entry. Which fields are set depends on the kind: message, call, result or notice.
	entryView struct {
		Revision uint64    `json:"revision"`
		Turn     uint64    `json:"turn,omitempty"`
		At       time.Time `json:"at"`
		Kind     string    `json:"kind"`
		Role     string    `json:"role,omitempty"`    // of a message: user or agent
		Text     string    `json:"text,omitempty"`    // Markdown, but of a user's message; of a call: what was said with it
		Partial  bool      `json:"partial,omitempty"` // of a message that was cut short
		Inbound  string    `json:"inbound,omitempty"` // of a user's message: the id that the client gave it
		Call     string    `json:"call,omitempty"`    // id of a call, on the call and on its result
		Label    string    `json:"label,omitempty"`   // of a call
		Status   string    `json:"status,omitempty"`  // of a result: ok, error or cancelled
		Notice   string    `json:"notice,omitempty"`  // kind of a notice: told, hint, stopped, failed or missed
	}

	// snapshotFrame is what goes on in a session now. The newest one wins; it ends with ended.
	snapshotFrame struct {
		head
		Session  string        `json:"session"`
		Turn     uint64        `json:"turn"`
		User     string        `json:"user"`
		State    string        `json:"state"` // thinking, acting or parked
		Text     string        `json:"text,omitempty"`
		Calls    []callView    `json:"calls,omitempty"`
		Question *questionView `json:"question,omitempty"`
		Waiting  []waitingView `json:"waiting,omitempty"`
	}
	callView struct {
		Call     string `json:"call"`
		Label    string `json:"label"`
		Started  bool   `json:"started,omitempty"`
		Finished bool   `json:"finished,omitempty"`
	}
	questionView struct {
		Body    string     `json:"body"`
		Approve buttonView `json:"approve"`
		Deny    buttonView `json:"deny"`
		Expires time.Time  `json:"expires"`
	}
	buttonView struct {
		Label string `json:"label"`
		Token string `json:"token"`
	}
	waitingView struct {
		Inbound string `json:"inbound"`
		Text    string `json:"text"`
	}

	// endedFrame says that nothing goes on in a session.
	endedFrame struct {
		head
		Session string `json:"session"`
	}

	// receiptFrame says what became of a say, press or command. Kind is one of nothing, stored, queued, not_taken, received,
	// expired, decided, not_yours and unknown; Text is one line for the person, or "". Command says that it was a command, which
	// makes no message in the history.
	receiptFrame struct {
		head
		ID      string `json:"id"`
		Kind    string `json:"kind"`
		Command bool   `json:"command,omitempty"`
		Ahead   int    `json:"ahead,omitempty"`
		Text    string `json:"text,omitempty"`
	}

	// errorFrame says that a frame could not be taken. ID is that of the frame, "" where it had none. After closed and failed
	// the frame is to be sent again later, after the other codes it is not.
	errorFrame struct {
		head
		ID   string    `json:"id,omitempty"`
		Code errorCode `json:"code"`
		Text string    `json:"text"`
	}
)

// viewReceipt answers the inbound that in was made into; the zero one is blank input.
func viewReceipt(id string, in core.Inbound, r core.Receipt) receiptFrame {
	_, command := in.Event.(core.Commanded)
	return receiptFrame{headOf("receipt"), id, receiptName(r.Kind), command, r.Ahead, r.Text()}
}

func receiptName(k core.ReceiptKind) string {
	switch k {
	case core.Stored:
		return "stored"
	case core.Queued:
		return "queued"
	case core.NotTaken:
		return "not_taken"
	case core.Received:
		return "received"
	case core.Expired:
		return "expired"
	case core.Decided:
		return "decided"
	case core.NotYours:
		return "not_yours"
	case core.Unknown:
		return "unknown"
	}
	return "nothing"
}

// labeller names a tool for people, in the client's language.
type labeller func(tool string) string

// viewEntry shows what a client may see of an entry: no platform ids, no arguments, no results.
func viewEntry(r core.Recorded, label labeller) entryView {
	v := entryView{Revision: r.Revision, Turn: r.Turn, At: r.At}
	switch e := r.Entry.(type) {
	case core.Message:
		v.Kind, v.Role, v.Text, v.Partial = "message", e.Role.String(), e.Text, e.Partial
		if e.Source != nil {
			v.Inbound = e.Source.Inbound
		}
	case core.Call:
		v.Kind, v.Call, v.Label, v.Text = "call", e.ID, label(e.Tool), e.Text
	case core.Result:
		v.Kind, v.Call, v.Status = "result", e.ID, resultStatus(e.JSON)
	case core.Notice:
		v.Kind, v.Notice, v.Text = "notice", noticeName(e.Kind), e.Text
	default:
		panic(fmt.Sprintf("web: entry of unknown type %T", e)) // unreachable: Entry is sealed
	}
	return v
}

func viewEntries(rs []core.Recorded, label labeller) []entryView {
	vs := make([]entryView, 0, len(rs))
	for _, r := range rs {
		vs = append(vs, viewEntry(r, label))
	}
	return vs
}

// resultStatus reads the discriminator of a result's envelope (seed 001 §2).
func resultStatus(envelope string) string {
	var e struct{ Status string }
	if json.Unmarshal([]byte(envelope), &e) != nil || (e.Status != "ok" && e.Status != "cancelled") {
		return "error"
	}
	return e.Status
}

func noticeName(k core.NoticeKind) string {
	switch k {
	case core.Hint:
		return "hint"
	case core.Stopped:
		return "stopped"
	case core.Failed:
		return "failed"
	case core.Missed:
		return "missed"
	}
	return "told"
}

func viewSnapshot(session string, s core.Snapshot, lang core.Lang) snapshotFrame {
	f := snapshotFrame{head: headOf("snapshot"), Session: session, Turn: s.Turn, User: s.User, State: stateName(s.State), Text: s.Text}
	for _, c := range s.Calls {
		f.Calls = append(f.Calls, callView{c.ID, c.Label.In(lang), c.Started, c.Finished})
	}
	for _, w := range s.Waiting {
		f.Waiting = append(f.Waiting, waitingView(w))
	}
	if q := s.Question; q != nil {
		f.Question = &questionView{q.Body, buttonView{q.Approve.Label, q.Approve.Token}, buttonView{q.Deny.Label, q.Deny.Token}, q.Expires}
	}
	return f
}

func stateName(s core.TurnState) string {
	switch s {
	case core.Acting:
		return "acting"
	case core.Parked:
		return "parked"
	}
	return "thinking"
}

func viewSessions(chats []core.ChatInfo) sessionList {
	f := sessionList{head: headOf("sessions"), Sessions: make([]sessionView, 0, len(chats))}
	for _, c := range chats {
		if session, ok := sessionOf(c.Chat); ok {
			f.Sessions = append(f.Sessions, sessionView{session, c.Title, c.Revision, c.Updated})
		}
	}
	return f
}
