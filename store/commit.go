package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"

	"steady/core"
)

// commitment is the work of one call of Commit.
type commitment struct {
	store  *Store
	tenure *tenure
	chat   core.ChatKey
	batch  core.Batch
	digest [sha256.Size]byte

	repeated bool    // the tenure's last batch was this one
	left     waiting // the rows that stay, when some are acknowledged
}

func newCommitment(s *Store, t *tenure, b core.Batch) (*commitment, error) {
	for _, kv := range b.Put {
		if err := checkKey(kv.Key); err != nil {
			return nil, fmt.Errorf("commit a pair: %w", err)
		}
	}
	for _, d := range b.Docs {
		if err := checkKey(d.Key); err != nil {
			return nil, fmt.Errorf("commit a document: %w", err)
		}
	}
	return &commitment{store: s, tenure: t, chat: t.chat.key, batch: b, digest: digest(b)}, nil
}

// check refuses in the order of how final the reason is.
func (c *commitment) check(t *txn) error {
	live, last := c.store.desk.state(c.tenure)
	if !live {
		return core.ErrFenced
	}
	if c.repeated = last == c.digest; c.repeated {
		return nil // the answer to the first try was lost; what it read may have changed since, and it is done
	}
	w, err := decodeWaiting(t.waiting.Get(prefixOf(c.chat)))
	if err != nil {
		return err
	}
	if w.newest[core.Urgent] > c.batch.Urgent {
		return core.ErrStale
	}
	if err := c.checkAcks(t); err != nil {
		return err
	}
	return c.checkDocs(t)
}

func (c *commitment) checkAcks(t *txn) error {
	gone := make(map[uint64]bool, len(c.batch.Ack))
	for _, e := range c.batch.Ack {
		b := t.inbox.Get(seqKey(c.chat, e.Seq))
		if b == nil || e.Chat != c.chat || gone[e.Seq] {
			return core.ErrStale
		}
		row, err := decodeEnvelope(b)
		if err != nil {
			return err
		}
		if row.ID != e.ID {
			return core.ErrStale
		}
		gone[e.Seq] = true
	}
	return nil
}

func (c *commitment) checkDocs(t *txn) error {
	for _, d := range c.batch.Docs {
		revision, _, err := decodeDocument(t.docs.Get([]byte(d.Key)))
		if err != nil {
			return err
		}
		if revision != d.Revision {
			return core.ErrConflict
		}
	}
	return nil
}

func (c *commitment) write(t *txn) error {
	if c.repeated {
		return nil
	}
	if err := c.writeAcks(t); err != nil {
		return err
	}
	if err := c.writePairs(t); err != nil {
		return err
	}
	docs := slices.Clone(c.batch.Docs)
	slices.SortStableFunc(docs, func(a, b core.DocumentWrite) int { return cmp.Compare(a.Key, b.Key) })
	for _, d := range docs {
		if err := t.writeDocument(d); err != nil {
			return err
		}
	}
	if c.batch.Wake == nil {
		return nil
	}
	return t.setWake(c.chat, c.wake())
}

func (c *commitment) wake() uint64 {
	if c.batch.Wake.IsZero() {
		return 0
	}
	return stampOf(*c.batch.Wake)
}

// writeAcks removes the rows and sums up again what is left, at most the two limits.
func (c *commitment) writeAcks(t *txn) error {
	if len(c.batch.Ack) == 0 {
		return nil
	}
	for _, e := range c.batch.Ack {
		if err := t.delete(t.inbox, seqKey(c.chat, e.Seq)); err != nil {
			return err
		}
	}
	was, err := decodeWaiting(t.waiting.Get(prefixOf(c.chat)))
	if err != nil {
		return err
	}
	c.left = waiting{since: was.since}
	err = t.eachRow(c.chat, 0, int(was.count[core.Normal]+was.count[core.Urgent]), func(e core.Envelope) {
		c.left.add(laneOf(e), e.Seq)
	})
	if err != nil {
		return err
	}
	return t.setWaiting(c.chat, c.left)
}

func (c *commitment) writePairs(t *txn) error {
	for _, kv := range c.batch.Put {
		key := textKey(c.chat, kv.Key)
		var err error
		if kv.Value == nil {
			err = t.delete(t.pairs, key)
		} else {
			err = t.put(t.pairs, key, kv.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeDocument does what checkDocs allowed. The table's sequence is the highest revision that was ever deleted; a document
// that is made starts above it, so that no revision of a key stands for two bodies.
func (t *txn) writeDocument(d core.DocumentWrite) error {
	switch {
	case d.Delete:
		if d.Revision > t.docs.Sequence() {
			if err := t.docs.SetSequence(d.Revision); err != nil {
				return err
			}
		}
		return t.delete(t.docs, []byte(d.Key))
	case d.Body == nil:
		return nil
	case d.Revision == 0:
		return t.put(t.docs, []byte(d.Key), encodeDocument(t.docs.Sequence()+1, d.Body))
	}
	return t.put(t.docs, []byte(d.Key), encodeDocument(d.Revision+1, d.Body))
}

func (c *commitment) publish(s *Store) {
	if c.repeated {
		return
	}
	c.tenure.last = c.digest
	if len(c.batch.Ack) > 0 {
		s.desk.rows(c.chat, c.left.newest)
	}
	if c.batch.Wake != nil {
		s.wakeSet(c.chat, c.wake())
	}
	s.desk.changed(c.chat)
}

// eachRow calls fn with up to max rows of chat's inbox whose sequence number is greater than after. The bodies are the
// transaction's.
func (t *txn) eachRow(chat core.ChatKey, after uint64, max int, fn func(core.Envelope)) error {
	s := stretch{base: prefixOf(chat), after: string(binary.BigEndian.AppendUint64(nil, after)), max: max}
	return s.each(t.inbox, func(key string, value []byte) error {
		e, err := decodeEnvelope(value)
		if err != nil || len(key) != 8 {
			return errRow
		}
		e.Chat, e.Seq = chat, binary.BigEndian.Uint64([]byte(key))
		fn(e)
		return nil
	})
}

func (t *txn) inboxOf(chat core.ChatKey, after uint64, max int) (out []core.Envelope, err error) {
	err = t.eachRow(chat, after, max, func(e core.Envelope) {
		e.Body = append([]byte{}, e.Body...)
		out = append(out, e)
	})
	return out, err
}

// digest tells batches apart.
func digest(b core.Batch) (sum [sha256.Size]byte) {
	d := digester{Hash: sha256.New()}
	d.number(uint64(len(b.Ack)))
	for _, e := range b.Ack {
		d.bytes([]byte(e.Chat))
		d.bytes([]byte(e.ID))
		d.number(e.Seq)
	}
	d.number(uint64(len(b.Put)))
	for _, kv := range b.Put {
		d.bytes([]byte(kv.Key))
		d.flag(kv.Value == nil)
		d.bytes(kv.Value)
	}
	d.number(uint64(len(b.Docs)))
	for _, w := range b.Docs {
		d.bytes([]byte(w.Key))
		d.number(w.Revision)
		d.flag(w.Delete)
		d.flag(w.Body == nil)
		d.bytes(w.Body)
	}
	d.number(b.Urgent)
	d.flag(b.Wake == nil)
	if b.Wake != nil {
		d.number(stampOf(*b.Wake))
		d.flag(b.Wake.IsZero())
	}
	return [sha256.Size]byte(d.Sum(nil))
}

// A digester hashes values so that no two sequences of them look alike. Writing to a hash never fails.
type digester struct{ hash.Hash }

func (d digester) number(n uint64) { _, _ = d.Write(binary.BigEndian.AppendUint64(nil, n)) }

func (d digester) bytes(p []byte) {
	d.number(uint64(len(p)))
	_, _ = d.Write(p)
}

func (d digester) flag(set bool) {
	if set {
		d.number(1)
	} else {
		d.number(0)
	}
}
