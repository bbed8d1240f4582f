package core

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Rows are what the store keeps of a chat. They are apart from the types that the rest of the program uses, so that those can
// change freely. What may change here: fields are only added, with a zero value that means what their absence meant; a row
// with a newer version than rowVersion was written by a newer program and is an error. The store's own format number covers
// what cannot be done by adding.
//
// Keys of a chat's key space:
//
//	c             the chat itself
//	d             outcomes of the latest deliveries
//	e/<revision>  entries, 16 hex digits, never changed
//	o/<number>    outbox items, 16 hex digits, in the order of delivery
//	q/<token>     questions
//	t             the open turn
const (
	rowVersion = 1

	keyChat       = "c"
	keyDeliveries = "d"
	keyEntry      = "e/"
	keyOutbox     = "o/"
	keyQuestion   = "q/"
	keyTurn       = "t"
)

func entryKey(revision uint64) string { return fmt.Sprintf("%s%016x", keyEntry, revision) }
func outboxKey(number uint64) string  { return fmt.Sprintf("%s%016x", keyOutbox, number) }
func questionKey(token string) string { return keyQuestion + token }

// versioned is embedded in every row.
type versioned struct {
	V int `json:"v"`
}

func (v versioned) version() int { return v.V }

// pack encodes a row. Rows are made of plain types, so that it cannot fail.
func pack(row any) []byte {
	b, err := json.Marshal(row)
	if err != nil {
		panic("core: row cannot be encoded: " + err.Error()) // unreachable: see above
	}
	return b
}

// unpack decodes a row.
func unpack[T interface{ version() int }](b []byte) (T, error) {
	var row T
	if err := json.Unmarshal(b, &row); err != nil {
		return row, fmt.Errorf("decode row: %w", err)
	}
	if row.version() > rowVersion {
		return row, fmt.Errorf("row of version %d was written by a newer program", row.version())
	}
	return row, nil
}

// chatRow is what is known of a chat.
type chatRow struct {
	versioned
	Channel  string         `json:"channel"`
	Context  ChannelContext `json:"context"`
	Direct   bool           `json:"direct,omitempty"`
	Lang     Lang           `json:"lang,omitempty"`
	Title    string         `json:"title,omitempty"`
	Revision uint64         `json:"revision"`
	Mark     uint64         `json:"mark,omitempty"`    // nothing up to this revision enters a prompt
	Turns    int            `json:"turns,omitempty"`   // user turns that ended since the mark
	Items    uint64         `json:"items,omitempty"`   // outbox items ever made
	Gone     bool           `json:"gone,omitempty"`    // cannot be reached until Returned or a message
	Indexed  bool           `json:"indexed,omitempty"` // its index document is there
	Dropped  string         `json:"dropped,omitempty"` // what could not be delivered and is said in the next turn
	Updated  time.Time      `json:"updated"`
}

// turnRow is the open turn of a chat. There is none while nothing of a turn has been committed: then the unacknowledged inbox
// row is all there is of it.
type turnRow struct {
	versioned
	ID      uint64     `json:"id"` // the sequence number of its inbox row
	In      inboundRow `json:"in"`
	First   uint64     `json:"first,omitempty"`   // revision of the user's message, 0 while it has none
	Began   int        `json:"began,omitempty"`   // how often it was begun after a crash
	Held    string     `json:"held,omitempty"`    // the process that wrote the row; another one finds it after a crash or a restart
	Spent   int64      `json:"spent,omitempty"`   // milliseconds of work until it was last parked
	Message MessageID  `json:"message,omitempty"` // its own message, that previews and the answer are edited into
	Frozen  uint64     `json:"frozen,omitempty"`  // texts of calls up to this revision stand in messages that are finished
	Gate    string     `json:"gate,omitempty"`    // token of the question whose call is being handled
	Told    []uint64   `json:"told,omitempty"`    // rows whose senders know that they wait for the question
	Reduced bool       `json:"reduced,omitempty"` // the recovery from an overflow was used
	Acted   bool       `json:"acted,omitempty"`   // something was done in it

	stored bool // there is such a row
}

// questionRow is a gated call.
type questionRow struct {
	versioned
	Token   string          `json:"token"`
	Turn    uint64          `json:"turn"`
	Call    string          `json:"call"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`   // what is shown, digested and run
	Digest  string          `json:"digest"` // SHA-256 of tool and Args
	Account AccountID       `json:"account"`
	Person  PersonID        `json:"person"`
	Name    string          `json:"name,omitempty"`
	Asked   time.Time       `json:"asked"`
	Expires time.Time       `json:"expires"`
	State   QuestionState   `json:"state"`
	Head    string          `json:"head,omitempty"` // what it says before the arguments
	Text    string          `json:"text,omitempty"` // what its message showed, for settling it
	Message MessageID       `json:"message,omitempty"`
	Shown   time.Time       `json:"shown,omitzero"`
	// ShownSeq is the newest inbox row there was when the question was shown: earlier messages do not withdraw it.
	ShownSeq uint64 `json:"shown_seq,omitempty"`
}

// outboxRow is something that must reach the chat.
type outboxRow struct {
	versioned
	Number   uint64         `json:"number"`
	Turn     uint64         `json:"turn,omitempty"`
	Kind     outboxKind     `json:"kind"`
	To       ChannelContext `json:"to"`
	Edit     MessageID      `json:"edit,omitempty"` // "" is a send
	Body     Body           `json:"body"`
	Question string         `json:"question,omitempty"` // token: a question, or the settling of one
	NoPlain  bool           `json:"no_plain,omitempty"` // no fallback
	Fallback bool           `json:"fallback,omitempty"` // it is the fallback, recorded before it is sent
	Stale    MessageID      `json:"stale,omitempty"`    // the preview to delete after the fallback
	// Await is the once of a preview whose message nobody knows yet: the item goes into that message. Where the answer of the
	// platform was lost, sending under the same once finds the message again, if the platform can tell.
	Await string    `json:"await,omitempty"`
	Last  bool      `json:"last,omitempty"`  // the end of the turn's answer
	Tries int       `json:"tries,omitempty"` // uncertain and unsent tries
	First time.Time `json:"first,omitzero"`
	Next  time.Time `json:"next,omitzero"`
}

// outboxKind is what an item is for.
type outboxKind uint8

const (
	itemAnswer   outboxKind = iota + 1 // text of a turn
	itemNotice                         // text by code
	itemQuestion                       // a question with its buttons
	itemSettle                         // a question's outcome, edited into it
)

// once is the idempotency key of a send. It does not change with retries, and a fallback has its own.
func (o outboxRow) once(chat ChatKey) string {
	if o.Await != "" {
		return o.Await
	}
	suffix := ""
	if o.Fallback {
		suffix = "p"
	}
	return digest(string(chat), strconv.FormatUint(o.Number, 10)) + suffix
}

// deliveriesRow keeps the outcomes of the latest deliveries.
type deliveriesRow struct {
	versioned
	Latest []Delivery `json:"latest"`
}

// keptDeliveries bounds deliveriesRow.
const keptDeliveries = 16

// inboundRow is an [Inbound] in the inbox.
type inboundRow struct {
	versioned
	ID       string         `json:"id"`
	Channel  string         `json:"channel"`
	Direct   bool           `json:"direct,omitempty"`
	Account  AccountID      `json:"account,omitempty"`
	Name     string         `json:"name,omitempty"`
	Lang     Lang           `json:"lang,omitempty"`
	Sent     time.Time      `json:"sent,omitzero"`
	Received time.Time      `json:"received"`
	Message  MessageID      `json:"message,omitempty"`
	ReplyTo  *Quote         `json:"reply_to,omitempty"`
	Media    []Media        `json:"media,omitempty"`
	Context  ChannelContext `json:"context,omitempty"`
	Kind     string         `json:"kind"`
	Text     string         `json:"text,omitempty"`  // of Said, Edited, Reported, Overflowed; the arguments of Commanded
	Other    string         `json:"other,omitempty"` // a name, token or id, by kind
	Press    MessageID      `json:"press,omitempty"`
	To       ChannelContext `json:"to,omitempty"`
	Flag     bool           `json:"flag,omitempty"`
	Full     int            `json:"full,omitempty"` // characters there were before the input was cut
}

func packInbound(in Inbound, full int) []byte {
	row := inboundRow{versioned: versioned{rowVersion}, ID: in.ID, Channel: in.Channel, Direct: in.Direct, Account: in.Sender.Account,
		Name: in.Sender.Name, Lang: in.Sender.Lang, Sent: in.Sent, Received: in.Received, Message: in.Message, ReplyTo: in.ReplyTo,
		Media: in.Media, Context: in.Context, Full: full}
	switch ev := in.Event.(type) {
	case Said:
		row.Kind, row.Text = "said", ev.Text
	case Edited:
		row.Kind, row.Text, row.Other = "edited", ev.Text, ev.Of
	case Commanded:
		row.Kind, row.Text, row.Other = "commanded", ev.Args, ev.Name
	case Pressed:
		row.Kind, row.Other, row.Press = "pressed", ev.Token, ev.Message
	case Left:
		row.Kind = "left"
	case Returned:
		row.Kind = "returned"
	case Moved:
		row.Kind, row.Other, row.To = "moved", string(ev.Chat), ev.Context
	case Reported:
		row.Kind, row.Text, row.Other = "reported", ev.Text, ev.Work
	case Replan:
		row.Kind = "replan"
	case Overflowed:
		row.Kind, row.Text, row.Flag = "overflowed", ev.Excerpt, ev.TooFast
	default:
		panic(fmt.Sprintf("core: unknown event %T", ev))
	}
	return pack(row)
}

// event returns what the row says; an unknown kind is of a newer program.
func (r inboundRow) event() (Event, error) {
	switch r.Kind {
	case "said":
		return Said{Text: r.Text}, nil
	case "edited":
		return Edited{Of: r.Other, Text: r.Text}, nil
	case "commanded":
		return Commanded{Name: r.Other, Args: r.Text}, nil
	case "pressed":
		return Pressed{Token: r.Other, Message: r.Press}, nil
	case "left":
		return Left{}, nil
	case "returned":
		return Returned{}, nil
	case "moved":
		return Moved{Chat: ChatKey(r.Other), Context: r.To}, nil
	case "reported":
		return Reported{Work: r.Other, Text: r.Text}, nil
	case "replan":
		return Replan{}, nil
	case "overflowed":
		return Overflowed{Excerpt: r.Text, TooFast: r.Flag}, nil
	}
	return nil, fmt.Errorf("unknown kind %q of inbound", r.Kind)
}

// entryRow is an [Entry] with its turn and time.
type entryRow struct {
	versioned
	Kind    string          `json:"kind"`
	Turn    uint64          `json:"turn,omitempty"`
	At      time.Time       `json:"at"`
	Text    string          `json:"text,omitempty"`
	Partial bool            `json:"partial,omitempty"`
	Source  *sourceRow      `json:"source,omitempty"`
	ID      string          `json:"id,omitempty"`
	Tool    string          `json:"tool,omitempty"`
	JSON    string          `json:"json,omitempty"` // arguments or result
	Reply   int             `json:"reply,omitempty"`
	Opaque  json.RawMessage `json:"opaque,omitempty"`
	Whole   json.RawMessage `json:"reply_opaque,omitempty"`
	Notice  NoticeKind      `json:"notice,omitempty"`
}

type sourceRow struct {
	Kind     SourceKind `json:"kind"`
	Channel  string     `json:"channel"`
	Account  AccountID  `json:"account"`
	Name     string     `json:"name,omitempty"`
	Received time.Time  `json:"received"`
	ReplyTo  *Quote     `json:"reply_to,omitempty"`
	Inbound  string     `json:"inbound"`
}

func packEntry(r Recorded) []byte {
	row := entryRow{versioned: versioned{rowVersion}, Turn: r.Turn, At: r.At}
	switch e := r.Entry.(type) {
	case Message:
		row.Kind, row.Text, row.Partial = e.Role.String(), e.Text, e.Partial
		if e.Source != nil {
			s := sourceRow(*e.Source)
			row.Source = &s
		}
	case Call:
		row.Kind, row.ID, row.Tool, row.JSON, row.Reply, row.Text = "call", e.ID, e.Tool, e.Args, e.Reply, e.Text
		row.Opaque, row.Whole = e.Opaque, e.ReplyOpaque
	case Result:
		row.Kind, row.ID, row.Tool, row.JSON = "result", e.ID, e.Tool, e.JSON
	case Notice:
		row.Kind, row.Notice, row.Text = "notice", e.Kind, e.Text
	default:
		panic(fmt.Sprintf("core: unknown entry %T", e))
	}
	return pack(row)
}

func unpackEntry(kv KV) (Recorded, error) {
	revision, err := strconv.ParseUint(kv.Key[len(keyEntry):], 16, 64)
	if err != nil {
		return Recorded{}, fmt.Errorf("entry key: %w", err)
	}
	row, err := unpack[entryRow](kv.Value)
	if err != nil {
		return Recorded{}, err
	}
	out := Recorded{Revision: revision, Turn: row.Turn, At: row.At}
	switch row.Kind {
	case "user", "agent":
		m := Message{Role: User, Text: row.Text, Partial: row.Partial}
		if row.Kind == "agent" {
			m.Role = Agent
		}
		if row.Source != nil {
			s := Source(*row.Source)
			m.Source = &s
		}
		out.Entry = m
	case "call":
		out.Entry = Call{ID: row.ID, Tool: row.Tool, Args: row.JSON, Reply: row.Reply, Text: row.Text, Opaque: row.Opaque, ReplyOpaque: row.Whole}
	case "result":
		out.Entry = Result{ID: row.ID, Tool: row.Tool, JSON: row.JSON}
	case "notice":
		out.Entry = Notice{Kind: row.Notice, Text: row.Text}
	default:
		return out, fmt.Errorf("unknown kind %q of entry", row.Kind)
	}
	return out, nil
}
