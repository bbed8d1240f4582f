package store

import (
	"encoding/binary"
	"time"

	"steady/core"
)

// How many ids a transaction forgets at most, beside two for each that it adds: so the table shrinks after a flood, and no
// transaction is long because of it.
const (
	forgetWithCommit = 16
	forgetAtOpen     = 1024
)

// ingestion is the work of one call of Ingest.
type ingestion struct {
	store *Store
	in    []core.Envelope

	fates []core.Fate
	rows  []core.Envelope             // what is to be appended
	ids   []string                    // keys of the table of seen ids, to be remembered
	known map[string]bool             // the same, for asking
	chats map[core.ChatKey]*recipient // what in appends to
	order []*recipient                // the same, in order
}

// recipient is a chat as it will be after the rows decided so far.
type recipient struct {
	key core.ChatKey
	chatRow
	waiting
}

// check decides the fates.
func (g *ingestion) check(t *txn) error {
	g.fates = make([]core.Fate, len(g.in))
	g.known = make(map[string]bool, len(g.in))
	g.chats = make(map[core.ChatKey]*recipient)
	for i, e := range g.in {
		var err error
		if g.fates[i], err = g.decide(t, e); err != nil {
			return err
		}
	}
	return nil
}

func (g *ingestion) decide(t *txn, e core.Envelope) (core.Fate, error) {
	id := string(textKey(e.Chat, e.ID))
	if g.known[id] || g.store.remembers(t, id) {
		return core.Seen, nil
	}
	r, err := g.recipient(t, e.Chat)
	if err != nil {
		return 0, err
	}
	g.known[id] = true
	g.ids = append(g.ids, id)
	if r.count[laneOf(e)] >= g.store.limits[laneOf(e)] {
		return core.Full, nil
	}
	if r.none() {
		r.since = stampOf(t.now) + t.firsts // so that the chats of one transaction keep their order, too
		t.firsts++
	}
	r.seq++
	r.add(laneOf(e), r.seq)
	e.Seq = r.seq
	g.rows = append(g.rows, e)
	return core.Fresh, nil
}

func (g *ingestion) recipient(t *txn, chat core.ChatKey) (*recipient, error) {
	if r := g.chats[chat]; r != nil {
		return r, nil
	}
	row, err := decodeChat(t.chats.Get(prefixOf(chat)))
	if err != nil {
		return nil, err
	}
	w, err := decodeWaiting(t.waiting.Get(prefixOf(chat)))
	if err != nil {
		return nil, err
	}
	r := &recipient{chat, row, w}
	g.chats[chat] = r
	g.order = append(g.order, r)
	return r, nil
}

func (g *ingestion) write(t *txn) error {
	for _, e := range g.rows {
		if err := t.put(t.inbox, seqKey(e.Chat, e.Seq), encodeEnvelope(e)); err != nil {
			return err
		}
	}
	for _, id := range g.ids {
		if err := t.remember(id); err != nil {
			return err
		}
	}
	for _, r := range g.order {
		if err := t.put(t.chats, prefixOf(r.key), r.chatRow.encode()); err != nil {
			return err
		}
		if err := t.setWaiting(r.key, r.waiting); err != nil {
			return err
		}
	}
	return nil
}

func (g *ingestion) publish(s *Store) {
	for _, r := range g.order {
		s.desk.rows(r.key, r.newest)
	}
}

// setWaiting keeps the index: a chat is in it exactly while it has unacknowledged rows.
func (t *txn) setWaiting(chat core.ChatKey, w waiting) error {
	if w.none() {
		return t.delete(t.waiting, prefixOf(chat))
	}
	return t.put(t.waiting, prefixOf(chat), w.encode())
}

// remembers says whether id was noted within the time that ids are remembered, whether or not it is still in the table.
func (s *Store) remembers(t *txn, id string) bool {
	at := t.seen.Get([]byte(id))
	return len(at) == 8 && !s.expired(binary.BigEndian.Uint64(at), t.now)
}

func (s *Store) expired(stamp uint64, now time.Time) bool {
	return !now.Before(timeOf(stamp).Add(s.seenFor))
}

// remember notes id, and in the order of time that it is to be forgotten.
func (t *txn) remember(id string) error {
	n, err := t.expiry.NextSequence()
	if err != nil {
		return err
	}
	t.noted++
	at := binary.BigEndian.AppendUint64(nil, stampOf(t.now))
	if err := t.put(t.seen, []byte(id), at); err != nil {
		return err
	}
	return t.put(t.expiry, binary.BigEndian.AppendUint64(at, n), []byte(id))
}

// forget removes up to limit ids whose time is over, the oldest first.
func (s *Store) forget(t *txn, limit int) error {
	var keys, ids [][]byte // collected first: a cursor may skip keys when it deletes
	c := t.expiry.Cursor()
	for k, id := c.First(); k != nil && len(keys) < limit; k, id = c.Next() {
		if len(k) != 16 || !s.expired(binary.BigEndian.Uint64(k), t.now) {
			break
		}
		keys, ids = append(keys, append([]byte{}, k...)), append(ids, append([]byte{}, id...))
	}
	for i, key := range keys {
		if err := t.delete(t.expiry, key); err != nil {
			return err
		}
		if string(t.seen.Get(ids[i])) != string(key[:8]) {
			continue // it came again after its time, and is remembered anew
		}
		if err := t.delete(t.seen, ids[i]); err != nil {
			return err
		}
	}
	return nil
}
