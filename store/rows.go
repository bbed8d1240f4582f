package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"steady/core"
)

// format is the version of what follows. A change that an older binary would misread raises it.
const format = 1

// The tables, each a bucket of the file. Numbers in keys and values are big-endian, times are nanoseconds since 1970. "chat"
// in a key is prefixOf.
const (
	tableMeta    = "meta"    // keyFormat, keyClean → one number
	tableChats   = "chats"   // chat → seq, wake: of every chat that ever had a row or a timer
	tableWaiting = "waiting" // chat → waiting: the index of chats that have unacknowledged rows
	tableInbox   = "inbox"   // chat, seq → lane, id, body
	tablePairs   = "pairs"   // chat, key → value
	tableWakes   = "wakes"   // wake, chat's bytes → nothing: the index of timers
	tableSeen    = "seen"    // chat, id → time
	tableExpiry  = "expiry"  // time, number → key in seen: the same in order of time
	tableDocs    = "docs"    // key → revision, body; the bucket's sequence is the highest revision that was deleted

	keyFormat = "format"
	keyClean  = "clean" // 1 after Close, 0 while in use
)

// rolePrefix begins the keys of roles.
const rolePrefix core.ChatKey = "role/"

func isRole(chat core.ChatKey) bool { return strings.HasPrefix(string(chat), string(rolePrefix)) }

// maxKey bounds what callers give, so that a key made of two of them is one that bbolt takes (32 KiB).
const maxKey = 8 << 10

func checkKey(key string) error {
	if key == "" || len(key) > maxKey {
		return fmt.Errorf("a key of %d bytes; from 1 to %d are allowed", len(key), maxKey)
	}
	return nil
}

// prefixOf begins every key of a chat. The length comes first, so that no chat's keys lie among another's, whatever bytes a
// chat's key has.
func prefixOf(chat core.ChatKey) []byte {
	return append(binary.BigEndian.AppendUint16(make([]byte, 0, 2+len(chat)+16), uint16(len(chat))), chat...)
}

func seqKey(chat core.ChatKey, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(prefixOf(chat), seq)
}

func textKey(chat core.ChatKey, text string) []byte { return append(prefixOf(chat), text...) }

// wakeKey has no length: the chat's bytes are its end.
func wakeKey(wake uint64, chat core.ChatKey) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(chat)), wake), chat...)
}

// stampOf is a time as a number that is never 0, which stands for none.
func stampOf(t time.Time) uint64 {
	switch sec := t.Unix(); {
	case sec < 0:
		return 1
	case sec >= math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	}
	return uint64(max(t.UnixNano(), 1))
}

func timeOf(stamp uint64) time.Time { return time.Unix(0, int64(stamp)) }

var errRow = errors.New("a row is malformed")

// chatRow is what the table of chats holds. Rows only grow at the end.
type chatRow struct {
	seq  uint64 // the last sequence number given
	wake uint64 // a stamp, or 0
}

func (c chatRow) encode() []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 16), c.seq)
	return binary.BigEndian.AppendUint64(b, c.wake)
}

func decodeChat(b []byte) (chatRow, error) {
	if b == nil {
		return chatRow{}, nil
	}
	if len(b) < 16 {
		return chatRow{}, errRow
	}
	return chatRow{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}, nil
}

// waiting sums up the unacknowledged rows of a chat, by lane.
type waiting struct {
	since  uint64    // when the oldest of them came
	count  [2]uint32 // how many
	newest [2]uint64 // the last one's sequence number, 0 if there is none
}

func (w *waiting) add(lane core.Lane, seq uint64) {
	w.count[lane]++
	w.newest[lane] = seq
}

func (w *waiting) none() bool { return w.count == [2]uint32{} }

func (w *waiting) encode() []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 32), w.since)
	for lane := range w.count {
		b = binary.BigEndian.AppendUint32(b, w.count[lane])
		b = binary.BigEndian.AppendUint64(b, w.newest[lane])
	}
	return b
}

func decodeWaiting(b []byte) (waiting, error) {
	var w waiting
	if b == nil {
		return w, nil
	}
	if len(b) < 32 {
		return w, errRow
	}
	w.since = binary.BigEndian.Uint64(b)
	for lane := range w.count {
		at := b[8+12*lane:]
		w.count[lane], w.newest[lane] = binary.BigEndian.Uint32(at), binary.BigEndian.Uint64(at[4:])
	}
	return w, nil
}

// laneOf is the lane that an envelope goes to.
func laneOf(e core.Envelope) core.Lane {
	if e.Urgent {
		return core.Urgent
	}
	return core.Normal
}

func encodeEnvelope(e core.Envelope) []byte {
	b := make([]byte, 0, 3+len(e.ID)+len(e.Body))
	b = append(b, byte(laneOf(e)))
	b = binary.BigEndian.AppendUint16(b, uint16(len(e.ID)))
	return append(append(b, e.ID...), e.Body...)
}

// decodeEnvelope's Body is b's own.
func decodeEnvelope(b []byte) (core.Envelope, error) {
	if len(b) < 3 || b[0] > byte(core.Urgent) {
		return core.Envelope{}, errRow
	}
	n := 3 + int(binary.BigEndian.Uint16(b[1:]))
	if len(b) < n {
		return core.Envelope{}, errRow
	}
	return core.Envelope{Urgent: core.Lane(b[0]) == core.Urgent, ID: string(b[3:n]), Body: b[n:]}, nil
}

func encodeDocument(revision uint64, body []byte) []byte {
	return append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(body)), revision), body...)
}

// decodeDocument gives revision 0 to a document that is not there; the body is b's own.
func decodeDocument(b []byte) (revision uint64, body []byte, err error) {
	if b == nil {
		return 0, nil, nil
	}
	if len(b) < 8 {
		return 0, nil, errRow
	}
	return binary.BigEndian.Uint64(b), b[8:], nil
}

// A stretch of a table: the keys that begin with base and prefix and are greater than base and after; at most max of them.
type stretch struct {
	base   []byte
	prefix string
	after  string
	max    int
}

// each calls fn with what follows base in each key, and with the value, which is the transaction's.
func (s stretch) each(b *bbolt.Bucket, fn func(key string, value []byte) error) error {
	within := append(bytes.Clone(s.base), s.prefix...)
	from := within
	if s.after >= s.prefix {
		from = append(append(bytes.Clone(s.base), s.after...), 0) // the first key that is greater
	}
	c := b.Cursor()
	n := 0
	for k, v := c.Seek(from); k != nil && n < s.max && bytes.HasPrefix(k, within); k, v = c.Next() {
		if err := fn(string(k[len(s.base):]), v); err != nil {
			return err
		}
		n++
	}
	return nil
}
