// Package storetest is the contract of [core.Store] as tests: [Run] is the suite that every store passes. It also has [Flaky], a
// store whose answers get lost and which dies at a chosen transaction, for tests of those who use a store.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"steady/core"
)

// A Factory is a store to be tested. The suite runs each case on fresh data, in a bubble of testing/synctest unless RealTime.
type Factory struct {
	// Fresh prepares empty data and returns what opens a store on them. The suite closes what it opens. It opens a second store
	// on the same data only after the first has ended, unless Replicas.
	Fresh func(t *testing.T) (open func() core.Store)
	// Replicas says that several stores may be open on the same data, as in several processes.
	Replicas bool
	// RealTime says that the store waits for more than channels and timers, so that time cannot be faked: cases wait for moments
	// instead of days, and those that need days are skipped.
	RealTime bool
	// Depose takes a chat away from the lease that s gave out, as a process loses it that is taken for dead. s stays open.
	Depose func(t *testing.T, s core.Store, chat core.ChatKey)
	// Crash ends s as kill -9 does: it says goodbye to nothing and nobody. What it has answered is durable. s is not used again.
	Crash func(t *testing.T, s core.Store)
}

// The limits that the contract gives to the lanes.
const (
	normalLimit = 32
	urgentLimit = 64
)

// Run runs the suite.
func Run(t *testing.T, f Factory) {
	for _, c := range []struct {
		name string
		test func(*rig)
	}{
		{"an envelope that comes twice is taken once, also after it was acknowledged", ingestTwice},
		{"an id is a chat's own, and of both lanes", idOfChat},
		{"a duplicate within one call is seen", duplicateInCall},
		{"nothing is nothing", ingestNothing},
		{"a full lane takes no more, remembers what it refused, and leaves the other lane alone", fullLane},
		{"a lane fills up within one call", fullWithinCall},
		{"sequence numbers rise from 1, are common to both lanes, and are never used again", sequence},
		{"the inbox is read in pieces", inboxInPieces},
		{"an id is remembered for 14 days and not much longer", remembered14Days},
		{"order is kept and a chat has one holder, while many write and many work", orderUnderLoad},
		{"slices are copied in and out", slicesAreCopied},
		{"a closed store takes nothing", closed},
		{"a chat has one holder at a time", oneHolder},
		{"chats are handed out in the order in which they became due", inOrderOfBecomingDue},
		{"a claim waits, and is woken by what makes a chat due", claimWakes},
		{"a chat that is due in both lanes is handed out once", dueInBothLanes},
		{"a parked chat with rows waiting causes no claim until a row, an urgent row or its timer does", parked},
		{"a row that comes while its chat is being released is not forgotten", rowDuringRelease},
		{"a row that comes while its chat is being parked is not forgotten", rowDuringParking},
		{"a claim that is given up takes nothing along", claimGivenUp},
		{"a chat whose holder is slow delays no other", slowHolder},
		{"an urgent row overtakes while nobody gives a normal chat back, and reaches the holder of a held one", urgentOvertakes},
		{"a lease is over when it is released", leaseEnds},
		{"a lease outlives the context of its claim", leaseOutlivesClaim},
		{"a holder that was deposed writes nothing", deposed},
		{"a role has one holder, keeps its state, and is never claimed", role},
		{"who watches a chat gets hints of it and of nothing else", watch},
		{"a timer makes its chat due once, and not early", timerOnce},
		{"a timer that has passed keeps its chat due until a commit sets it", timerStays},
		{"the latest setting of a timer counts, sooner or later", timerReset},
		{"timers ring in their order, each at its time", timersInOrder},
		{"timers are kept while the store is closed", timerWhileClosed},
		{"many timers pass at one moment", manyTimers},
		{"a batch with one wrong acknowledgement writes nothing", wrongAck},
		{"a row can be acknowledged once", ackOnce},
		{"the newest row can be acknowledged before an older one", ackNewestFirst},
		{"a batch that was written is accepted again and not written twice", sameBatchAgain},
		{"a batch that was refused can be sent again when the reason is gone", refusedBatchAgain},
		{"the same writes again after others are written again", sameWritesLater},
		{"an urgent row that the committer has not seen makes the batch stale", urgentMakesStale},
		{"/stop reaches the running turn, and takes along what was queued before it", stop},
		{"one refused batch does not disturb those that are committed at the same moment", refusedAmongOthers},
		{"pairs are a chat's own and in order of bytes, whatever bytes its key has", pairsAreOwn},
		{"a key space is read in pieces", pairsInPieces},
		{"a document is made, changed, checked and deleted by revision", documentLife},
		{"a conflict in one document writes none, nor anything else", conflictWritesNothing},
		{"what was read of a document that is deleted and made anew is out of date", documentMadeAnew},
		{"write skew between two chats of one person is a conflict", writeSkew},
		{"a counter in a document loses no step", counter},
		{"documents are read in pieces and in order of bytes", documentsInPieces},
		{"what was answered outlives a crash, and what is due is due again", crash},
		{"a mark that is committed before an attempt is there for whoever comes after the crash", markOutlivesCrash},
	} {
		t.Run(c.name, func(t *testing.T) { f.run(t, c.test) })
	}
	t.Run("behaves like its model", func(t *testing.T) { likeModel(t, f) })
}

func (f Factory) run(t *testing.T, test func(*rig)) {
	in := func(t *testing.T) { test(&rig{T: t, Factory: f, fresh: f.Fresh(t)}) }
	if f.RealTime {
		in(t)
	} else {
		synctest.Test(t, in)
	}
}

// A rig is a test with a store to be tested, and with words for what the cases do. What it does not expect ends the test.
type rig struct {
	*testing.T
	Factory
	fresh func() core.Store
}

// open opens a store that is closed at the end of the test.
func (r *rig) open() core.Store {
	r.Helper()
	s := r.fresh()
	r.Cleanup(func() {
		if err := s.Close(); err != nil {
			r.Errorf("close: %v", err)
		}
	})
	return s
}

// another opens a further replica, where the store has any; else it returns s.
func (r *rig) another(s core.Store) core.Store {
	if r.Replicas {
		return r.open()
	}
	return s
}

// patience is how long something may take that is expected to happen.
const patience = 20 * time.Second

// quiet is how long nothing must happen. It is free in a bubble.
func (r *rig) quiet() time.Duration {
	if r.RealTime {
		return time.Second
	}
	return 10 * time.Second
}

func (r *rig) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(r.Context(), d)
	r.Cleanup(cancel)
	return ctx
}

// said makes a row of the normal lane, pressed one of the urgent.
func said(chat core.ChatKey, id string) core.Envelope {
	return core.Envelope{Chat: chat, ID: id, Body: []byte("body of " + id)}
}

func pressed(chat core.ChatKey, id string) core.Envelope {
	return core.Envelope{Chat: chat, ID: id, Urgent: true, Body: []byte("body of " + id)}
}

// ingest expects the fates.
func (r *rig) ingest(s core.Store, want core.Fate, in ...core.Envelope) {
	r.Helper()
	fates, err := s.Ingest(r.within(patience), in...)
	if err != nil {
		r.Fatalf("ingest: %v", err)
	}
	if !slices.Equal(fates, slices.Repeat([]core.Fate{want}, len(in))) {
		r.Fatalf("ingest %v: fates %v, want each %v", ids(in), fates, want)
	}
}

// claim expects a chat to be due.
func (r *rig) claim(s core.Store, lane core.Lane, want core.ChatKey) core.Lease {
	r.Helper()
	l, err := s.Claim(r.within(patience), lane)
	if err != nil {
		r.Fatalf("claim, lane %v: %v; want chat %q", lane, err, want)
	}
	if l.Chat() != want {
		r.Fatalf("claim, lane %v: chat %q, want %q", lane, l.Chat(), want)
	}
	return l
}

// idle expects no chat to be due in any lane for a while.
func (r *rig) idle(s core.Store) {
	r.Helper()
	r.idleFor(s, r.quiet())
}

func (r *rig) idleFor(s core.Store, d time.Duration) {
	r.Helper()
	ctx := r.within(d)
	got := make(chan error, 2)
	for _, lane := range []core.Lane{core.Normal, core.Urgent} {
		go func() {
			l, err := s.Claim(ctx, lane)
			if err == nil {
				err = fmt.Errorf("lane %v gave out chat %q", lane, l.Chat())
			}
			got <- err
		}()
	}
	for range 2 {
		if err := <-got; !errors.Is(err, context.DeadlineExceeded) {
			r.Fatalf("nothing should be due: %v", err)
		}
	}
}

func (r *rig) inbox(l core.Lease) []core.Envelope {
	r.Helper()
	rows, err := l.Inbox(r.within(patience), 0, 1000)
	if err != nil {
		r.Fatalf("inbox of %q: %v", l.Chat(), err)
	}
	return rows
}

// rows expects the inbox to have just these ids, in this order, and rising sequence numbers.
func (r *rig) rows(l core.Lease, want ...string) []core.Envelope {
	r.Helper()
	rows := r.inbox(l)
	if got := ids(rows); !slices.Equal(got, want) {
		r.Fatalf("inbox of %q: %v, want %v", l.Chat(), got, want)
	}
	if !slices.IsSortedFunc(rows, func(a, b core.Envelope) int { return int(a.Seq) - int(b.Seq) }) {
		r.Fatalf("inbox of %q is not in order of sequence: %+v", l.Chat(), rows)
	}
	return rows
}

func ids(rows []core.Envelope) []string {
	out := make([]string, 0, len(rows))
	for _, e := range rows {
		out = append(out, e.ID)
	}
	return out
}

// commit expects the outcome, nil or a sentinel.
func (r *rig) commit(l core.Lease, b core.Batch, want error) {
	r.Helper()
	if err := l.Commit(r.within(patience), b); !errors.Is(err, want) {
		r.Fatalf("commit to %q: %v, want %v", l.Chat(), err, want)
	}
}

func (r *rig) release(l core.Lease, seen uint64) {
	r.Helper()
	if err := l.Release(r.within(patience), seen); err != nil {
		r.Fatalf("release %q: %v", l.Chat(), err)
	}
}

// ended expects the lease to be over.
func (r *rig) ended(l core.Lease) {
	r.Helper()
	r.wait(l.Context().Done(), "the end of the lease's context")
	r.commit(l, core.Batch{}, core.ErrFenced)
	r.commit(l, core.Batch{Put: put("late", "x")}, core.ErrFenced)
	r.commit(l, core.Batch{Ack: []core.Envelope{{Chat: l.Chat(), ID: "any", Seq: 1}}}, core.ErrFenced)
	if _, err := l.Inbox(r.within(patience), 0, 10); !errors.Is(err, core.ErrFenced) {
		r.Fatalf("inbox after the lease ended: %v, want %v", err, core.ErrFenced)
	}
	r.release(l, 1<<60) // harmless
}

// pairs expects what Scan finds, as key, value, key, value.
func (r *rig) pairs(s core.Store, chat core.ChatKey, prefix string, want ...string) {
	r.Helper()
	kvs, err := s.Scan(r.within(patience), chat, prefix, "", 1000)
	if err != nil {
		r.Fatalf("scan: %v", err)
	}
	got := []string{}
	for _, kv := range kvs {
		got = append(got, kv.Key, string(kv.Value))
	}
	if !slices.Equal(got, want) {
		r.Fatalf("scan %q in %q: %q, want %q", prefix, chat, got, want)
	}
}

// document returns the document, with revision 0 if there is none.
func (r *rig) document(s core.Store, key string) core.Document {
	r.Helper()
	docs, err := s.Documents(r.within(patience), key, "", 1)
	if err != nil {
		r.Fatalf("documents: %v", err)
	}
	if len(docs) == 0 || docs[0].Key != key {
		return core.Document{Key: key}
	}
	return docs[0]
}

func put(pairs ...string) (out []core.KV) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, core.KV{Key: pairs[i], Value: []byte(pairs[i+1])})
	}
	return out
}

func (r *rig) wait(c <-chan struct{}, what string) {
	r.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		r.Fatalf("waited in vain for %s", what)
	}
}

// must be called from goroutines, where a test may not be ended.
func (r *rig) noError(err error, what string) bool {
	r.Helper()
	if err != nil {
		r.Errorf("%s: %v", what, err)
	}
	return err == nil
}

// hinted says whether a hint is there.
func hinted(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
