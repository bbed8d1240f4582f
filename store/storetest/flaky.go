package storetest

import (
	"context"
	"errors"
	"maps"
	"sync"

	"steady/core"
)

// ErrInjected is the error of a call that [FailBefore] or [LoseAnswer] made fail.
var ErrInjected = errors.New("injected failure")

// A Fault is what happens to a transaction.
type Fault uint8

// The faults.
const (
	// FailBefore lets the call fail before anything is written. A second try is the same transaction, and succeeds.
	FailBefore Fault = iota + 1
	// LoseAnswer writes, and lets the call fail nevertheless. A second try writes nothing and is no transaction.
	LoseAnswer
	// StopBefore ends everything instead of writing.
	StopBefore
	// StopAfter writes, and ends everything before the caller learns of it.
	StopAfter
)

// A Plan says what happens to which transaction. A transaction is a call of Ingest that takes an envelope, or a call of Commit
// that succeeds; they are counted from 1, one at a time, in the order in which they become durable. Calls that are refused
// ([core.ErrStale] and the like), ingests of what was seen before, and second tries of a batch that was written are not counted.
type Plan map[int]Fault

// CrashAfter lets everything end when n transactions are durable.
func CrashAfter(n int) Plan { return Plan{n: StopAfter} }

// CrashBefore lets everything end when n-1 transactions are durable and another one begins: what its caller did for it outside
// the store was done.
func CrashBefore(n int) Plan { return Plan{n: StopBefore} }

// Flaky is a [core.Store] that follows a plan and else is the store inside. It is for tests of those who use a store: run
// something with CrashAfter(1), CrashAfter(2) and so on until [Flaky.Crashed] stays open, each time go on with the data after the
// crash, and the outcome must always be the same.
//
// A crash ends the contexts of all leases, and every later call, and those that are waiting, return [core.ErrClosed], also the
// call that caused it. The store inside is not told: it stays as it is until Close, which closes it in any case, so that its
// data can be opened again. What was committed is there; leases are gone.
//
// Ingest and Commit are done one at a time, so that the plan means the same in every run that makes the same calls in the same
// order. All methods may be called concurrently.
type Flaky struct {
	inner core.Store
	dead  chan struct{} // closed by the crash

	making  sync.Mutex // held while a transaction is made; guards plan and durable
	plan    Plan
	durable int

	mu    sync.Mutex // guards lives, and the moment of the crash
	lives map[*life]bool
}

// A life is a context that ends with the crash.
type life struct {
	context.Context
	end context.CancelFunc
}

// NewFlaky returns inner with faults. The plan is copied.
func NewFlaky(inner core.Store, plan Plan) *Flaky {
	return &Flaky{inner: inner, dead: make(chan struct{}), plan: maps.Clone(plan), lives: make(map[*life]bool)}
}

// Durable returns how many transactions are durable.
func (f *Flaky) Durable() int {
	f.making.Lock()
	defer f.making.Unlock()
	return f.durable
}

// Crashed returns a channel that is closed by the crash.
func (f *Flaky) Crashed() <-chan struct{} { return f.dead }

func (f *Flaky) crashed() bool {
	select {
	case <-f.dead:
		return true
	default:
		return false
	}
}

func (f *Flaky) crash() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.dead)
	for l := range f.lives {
		l.end()
	}
}

// live returns a context that ends with ctx or with the crash.
func (f *Flaky) live(ctx context.Context) *life {
	l := &life{}
	l.Context, l.end = context.WithCancel(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lives[l] = true
	if f.crashed() {
		l.end()
	}
	return l
}

func (f *Flaky) bury(l *life) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.lives, l)
	l.end()
}

// transact makes a transaction by calling do, which says whether it wrote anything.
func (f *Flaky) transact(do func() (wrote bool, err error)) error {
	f.making.Lock()
	defer f.making.Unlock()
	if f.crashed() {
		return core.ErrClosed
	}
	n := f.durable + 1
	fault := f.plan[n]
	switch fault {
	case FailBefore:
		delete(f.plan, n)
		return ErrInjected
	case StopBefore:
		f.crash()
		return core.ErrClosed
	}
	wrote, err := do()
	if err != nil || !wrote {
		return err
	}
	f.durable = n
	switch fault {
	case LoseAnswer:
		return ErrInjected
	case StopAfter:
		f.crash()
		return core.ErrClosed
	}
	return nil
}

// Ingest is [core.Store.Ingest] with faults.
func (f *Flaky) Ingest(ctx context.Context, in ...core.Envelope) (fates []core.Fate, err error) {
	err = f.transact(func() (wrote bool, err error) {
		fates, err = f.inner.Ingest(ctx, in...)
		for _, fate := range fates {
			wrote = wrote || fate != core.Seen
		}
		return wrote, err
	})
	if err != nil {
		return nil, err
	}
	return fates, nil
}

// Claim is [core.Store.Claim] until the crash.
func (f *Flaky) Claim(ctx context.Context, lane core.Lane) (core.Lease, error) {
	return f.lend(ctx, func(ctx context.Context) (core.Lease, error) { return f.inner.Claim(ctx, lane) })
}

// Hold is [core.Store.Hold] until the crash.
func (f *Flaky) Hold(ctx context.Context, role string) (core.Lease, error) {
	return f.lend(ctx, func(ctx context.Context) (core.Lease, error) { return f.inner.Hold(ctx, role) })
}

func (f *Flaky) lend(ctx context.Context, wait func(context.Context) (core.Lease, error)) (core.Lease, error) {
	waiting := f.live(ctx)
	defer f.bury(waiting)
	l, err := wait(waiting)
	if f.crashed() {
		return nil, core.ErrClosed
	}
	if err != nil {
		return nil, err
	}
	return &flakyLease{Lease: l, flaky: f, life: f.live(l.Context())}, nil
}

// Scan is [core.Store.Scan] until the crash.
func (f *Flaky) Scan(ctx context.Context, chat core.ChatKey, prefix, after string, max int) ([]core.KV, error) {
	if f.crashed() {
		return nil, core.ErrClosed
	}
	return f.inner.Scan(ctx, chat, prefix, after, max)
}

// Documents is [core.Store.Documents] until the crash.
func (f *Flaky) Documents(ctx context.Context, prefix, after string, max int) ([]core.Document, error) {
	if f.crashed() {
		return nil, core.ErrClosed
	}
	return f.inner.Documents(ctx, prefix, after, max)
}

// Watch is [core.Store.Watch].
func (f *Flaky) Watch(chat core.ChatKey) (hint <-chan struct{}, stop func()) {
	return f.inner.Watch(chat)
}

// Close closes the store inside.
func (f *Flaky) Close() error { return f.inner.Close() }

// flakyLease is a lease of a Flaky. Chat and News are those of the lease inside.
type flakyLease struct {
	core.Lease
	flaky *Flaky
	life  *life
	last  *core.Batch // that was written
}

func (l *flakyLease) Context() context.Context { return l.life }

func (l *flakyLease) Inbox(ctx context.Context, after uint64, max int) ([]core.Envelope, error) {
	if l.flaky.crashed() {
		return nil, core.ErrClosed
	}
	return l.Lease.Inbox(ctx, after, max)
}

func (l *flakyLease) Commit(ctx context.Context, b core.Batch) error {
	return l.flaky.transact(func() (wrote bool, err error) {
		if err := l.Lease.Commit(ctx, b); err != nil {
			return false, err
		}
		again := l.last != nil && same(*l.last, b)
		l.last = &b
		return !again, nil
	})
}

func (l *flakyLease) Release(ctx context.Context, seen uint64) error {
	if l.flaky.crashed() {
		return core.ErrClosed
	}
	l.flaky.bury(l.life)
	return l.Lease.Release(ctx, seen)
}
