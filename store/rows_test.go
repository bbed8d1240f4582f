package store

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"steady/core"
)

func TestRowsComeBackAsTheyWentIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string) uint64 { return rapid.Uint64().Draw(t, name) }
		chat := chatRow{number("seq"), number("wake")}
		if got, err := decodeChat(chat.encode()); err != nil || got != chat {
			t.Fatalf("%+v became %+v, %v", chat, got, err)
		}
		w := waiting{
			since:  number("since"),
			count:  [2]uint32{rapid.Uint32().Draw(t, "normal"), rapid.Uint32().Draw(t, "urgent")},
			newest: [2]uint64{number("newest normal"), number("newest urgent")},
		}
		if got, err := decodeWaiting(w.encode()); err != nil || got != w {
			t.Fatalf("%+v became %+v, %v", w, got, err)
		}
		e := core.Envelope{
			ID:     rapid.StringN(0, -1, maxKey).Draw(t, "id"),
			Urgent: rapid.Bool().Draw(t, "is urgent"),
			Body:   rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
		}
		if got, err := decodeEnvelope(encodeEnvelope(e)); err != nil || got.ID != e.ID || got.Urgent != e.Urgent || !bytes.Equal(got.Body, e.Body) {
			t.Fatalf("%+v became %+v, %v", e, got, err)
		}
		revision, body, err := decodeDocument(encodeDocument(chat.seq, e.Body))
		if err != nil || revision != chat.seq || !bytes.Equal(body, e.Body) {
			t.Fatalf("%d, %v became %d, %v, %v", chat.seq, e.Body, revision, body, err)
		}
	})
}

// FuzzRows decodes what a damaged file may hold.
func FuzzRows(f *testing.F) {
	f.Add([]byte{})
	f.Add((&waiting{since: 1}).encode())
	f.Add(encodeEnvelope(core.Envelope{ID: "id", Body: []byte("body")}))
	f.Add([]byte{1, 0xff, 0xff, 0})
	f.Add(encodeDocument(1, []byte("body")))
	f.Fuzz(func(t *testing.T, row []byte) {
		if e, err := decodeEnvelope(row); err == nil && !bytes.Equal(encodeEnvelope(e), row) {
			t.Errorf("envelope %x became %+v", row, e)
		}
		if w, err := decodeWaiting(row); err == nil && !bytes.Equal(w.encode(), row[:32]) {
			t.Errorf("waiting %x became %+v", row, w)
		}
		if c, err := decodeChat(row); err == nil && !bytes.Equal(c.encode(), row[:16]) {
			t.Errorf("chat %x became %+v", row, c)
		}
		if r, body, err := decodeDocument(row); err == nil && !bytes.Equal(encodeDocument(r, body), row) {
			t.Errorf("document %x became %d, %x", row, r, body)
		}
		_, _ = root(bytes.NewReader(row), 0)
	})
}

func TestKeysOfAChatLieTogetherAndInOrder(t *testing.T) {
	anything := rapid.StringOfN(rapid.RuneFrom([]rune{0, 1, 'a', 'b', 0xff, 0x10ffff}), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := core.ChatKey(anything.Draw(t, "chat")), core.ChatKey(anything.Draw(t, "another chat"))
		k, l := anything.Draw(t, "key"), anything.Draw(t, "another key")
		if a != b && bytes.HasPrefix(textKey(b, l), prefixOf(a)) {
			t.Fatalf("%q in %q looks as if it were in %q", l, b, a)
		}
		if got := bytes.Compare(textKey(a, k), textKey(a, l)); got != bytes.Compare([]byte(k), []byte(l)) {
			t.Fatalf("%q and %q are out of order in %q", k, l, a)
		}
	})
}

func TestStampsKeepOrderAndNeverMeanNone(t *testing.T) {
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	last := uint64(0)
	for _, at := range []time.Time{{}, year(1500), year(1969), time.Unix(0, 0), time.Unix(0, 2), year(2000), year(2262), year(2300), year(9999)} {
		stamp := stampOf(at)
		if stamp == 0 || stamp < last || stamp > math.MaxInt64 {
			t.Errorf("%v has the stamp %d, after %d", at, stamp, last)
		}
		last = stamp
	}
	if at := time.Date(2026, 11, 30, 7, 0, 0, 123, time.UTC); !timeOf(stampOf(at)).Equal(at) {
		t.Errorf("%v became %v", at, timeOf(stampOf(at)))
	}
	if a, b := wakeKey(1, "z"), wakeKey(2, "a"); bytes.Compare(a, b) >= 0 || binary.BigEndian.Uint64(a) != 1 {
		t.Error("timers are not in order of time")
	}
}
