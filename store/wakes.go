package store

import (
	"encoding/binary"
	"time"

	"steady/core"
)

// maxRing bounds how many timers ring between two groups of requests.
const maxRing = 1024

// maxSleep bounds how long the committer trusts a timer of the runtime: that one does not count while the machine sleeps, and
// does not see the wall clock being set.
const maxSleep = time.Minute

// untilNext says how long to wait until timers have to be looked at.
func (s *Store) untilNext() (time.Duration, bool) {
	if s.next.IsZero() {
		return 0, false
	}
	return min(max(time.Until(s.next), 0), maxSleep), true
}

// ring tells the desk whose timers have passed. The index is read from where the last ring ended, so a timer that rang and is
// still set is not read again and again; and it is read by the committer, so that no commit clears a timer in between.
func (s *Store) ring() error {
	passed, err := s.passed()
	if err != nil {
		return err
	}
	s.desk.mu.Lock()
	defer s.desk.mu.Unlock()
	for _, chat := range passed {
		s.desk.timer(chat, true)
	}
	return nil
}

// passed returns the chats whose timers passed after the last ring, at most maxRing, and notes where it ended and when to look
// again.
func (s *Store) passed() (chats []core.ChatKey, err error) {
	err = s.view(func(t *txn) error {
		now := stampOf(t.now)
		s.next = time.Time{}
		c := t.wakes.Cursor()
		for k, _ := c.Seek(append(s.rung, 0)); k != nil; k, _ = c.Next() {
			if len(k) < 8 {
				return errRow
			}
			if wake := binary.BigEndian.Uint64(k); wake > now || len(chats) == maxRing {
				s.next = timeOf(wake)
				return nil
			}
			s.rung = append(s.rung[:0], k...)
			chats = append(chats, core.ChatKey(k[8:]))
		}
		return nil
	})
	return chats, err
}

// setWake puts the timer of a chat into its row and into the index. A zero stamp clears it.
func (t *txn) setWake(chat core.ChatKey, wake uint64) error {
	row, err := decodeChat(t.chats.Get(prefixOf(chat)))
	if err != nil || row.wake == wake {
		return err
	}
	if row.wake != 0 {
		if err := t.delete(t.wakes, wakeKey(row.wake, chat)); err != nil {
			return err
		}
	}
	if wake != 0 {
		if err := t.put(t.wakes, wakeKey(wake, chat), nil); err != nil {
			return err
		}
	}
	row.wake = wake
	return t.put(t.chats, prefixOf(chat), row.encode())
}

// wakeSet tells the desk, which is locked, and the committer's own clock of a timer that is now durable.
func (s *Store) wakeSet(chat core.ChatKey, wake uint64) {
	passed := wake != 0 && wake <= stampOf(time.Now())
	s.desk.timer(chat, passed)
	if wake == 0 || passed {
		return
	}
	if at := timeOf(wake); s.next.IsZero() || at.Before(s.next) {
		s.next = at
	}
	if key := wakeKey(wake, chat); string(key) <= string(s.rung) { // the wall clock was set back
		s.rung = s.rung[:0]
	}
}
