package store

import (
	"cmp"
	"container/list"
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	"steady/core"
)

// A desk knows, in memory, which chats are due, who holds one, who waits for one and who watches. It knows nothing of the file;
// the committer tells it what has become durable. A chat with no holder, no waiting rows and no passed timer is not on it.
type desk struct {
	mu sync.Mutex // guards all below, and what hangs on it: chats, lists, and of tenures live and last

	chats    map[core.ChatKey]*chat
	due      [2]list.List // of *chat, by lane: unheld, in the order in which they became due
	claimers [2]list.List // of *waiter, by lane; empty while due has one for it
	watchers map[core.ChatKey][]chan struct{}

	over error         // why the store stopped
	stop chan struct{} // closed when it did
}

// A chat is a chat or a role, as far as it matters now.
type chat struct {
	key    core.ChatKey
	newest [2]uint64 // unacknowledged row, by lane; 0 if there is none
	seen   uint64    // of the last release
	timer  bool      // has passed and is still set

	holder  *tenure
	waiters *list.List       // of *waiter; nil but for a role that someone waited for
	queued  [2]*list.Element // in desk.due
}

// A tenure is the right to a chat from its claim to its end.
type tenure struct {
	chat *chat
	ctx  context.Context
	end  context.CancelFunc
	news chan struct{}
	live bool
	last [sha256.Size]byte // digest of the last batch that was written
}

// A waiter waits in a list for a tenure, which is put into got.
type waiter struct {
	ctx context.Context
	got chan *tenure // of capacity one
}

func newDesk() *desk {
	return &desk{
		chats:    make(map[core.ChatKey]*chat),
		watchers: make(map[core.ChatKey][]chan struct{}),
		stop:     make(chan struct{}),
	}
}

// load puts the chats of the index of waiting rows on the desk, in the order of their oldest row.
func (d *desk) load(t *txn) error {
	type entry struct {
		*chat
		since uint64
	}
	var order []entry
	err := t.waiting.ForEach(func(k, v []byte) error {
		w, err := decodeWaiting(v)
		if err != nil || len(k) < 2 {
			return errRow
		}
		order = append(order, entry{&chat{key: core.ChatKey(k[2:]), newest: w.newest}, w.since})
		return nil
	})
	slices.SortStableFunc(order, func(a, b entry) int { return cmp.Compare(a.since, b.since) })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.chats = make(map[core.ChatKey]*chat, len(order))
	for _, e := range order {
		d.chats[e.key] = e.chat
		d.settle(e.chat)
	}
	return err
}

// claim waits for a due chat of lane.
func (d *desk) claim(ctx context.Context, lane core.Lane) (*tenure, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := cmp.Or(d.over, ctx.Err()); err != nil {
		return nil, err
	}
	if e := d.due[lane].Front(); e != nil {
		return d.grant(ctx, e.Value.(*chat)), nil
	}
	return d.await(ctx, &d.claimers[lane])
}

// hold waits for a role to be free.
func (d *desk) hold(ctx context.Context, role core.ChatKey) (*tenure, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := cmp.Or(d.over, ctx.Err()); err != nil {
		return nil, err
	}
	c := d.chat(role)
	if c.holder == nil {
		return d.grant(ctx, c), nil
	}
	if c.waiters == nil {
		c.waiters = list.New()
	}
	return d.await(ctx, c.waiters)
}

// await queues up in l; the desk is unlocked meanwhile.
func (d *desk) await(ctx context.Context, l *list.List) (*tenure, error) {
	w := &waiter{ctx: ctx, got: make(chan *tenure, 1)}
	e := l.PushBack(w)
	d.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-d.stop:
	case t := <-w.got:
		d.mu.Lock()
		return t, nil
	}
	d.mu.Lock()
	l.Remove(e)
	if d.over != nil {
		return nil, d.over
	}
	select {
	case t := <-w.got: // it came at the same time, and must not be lost
		return t, nil
	default:
		return nil, ctx.Err()
	}
}

// grant makes the bearer of ctx the holder of c. The tenure outlives ctx.
func (d *desk) grant(ctx context.Context, c *chat) *tenure {
	for lane, e := range c.queued {
		if e != nil {
			d.due[lane].Remove(e)
			c.queued[lane] = nil
		}
	}
	t := &tenure{chat: c, news: make(chan struct{}, 1), live: true}
	t.ctx, t.end = context.WithCancel(context.WithoutCancel(ctx))
	c.holder = t
	return t
}

// release ends t; rows up to seen do not make its chat due any more.
func (d *desk) release(t *tenure, seen uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !t.live {
		return
	}
	t.chat.seen = seen
	d.evict(t)
}

func (d *desk) evict(t *tenure) {
	t.live = false
	t.end()
	t.chat.holder = nil
	d.settle(t.chat)
}

// state says whether t still is its chat's, and what it wrote last.
func (d *desk) state(t *tenure) (live bool, last [sha256.Size]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return t.live, t.last
}

// end gives up every lease and lets nobody in any more. Only the first cause counts.
func (d *desk) end(cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over != nil {
		return
	}
	d.over = cause
	close(d.stop)
	for _, c := range d.chats {
		if c.holder != nil {
			c.holder.live = false
			c.holder.end()
		}
	}
}

// ended returns the cause, nil while the store is open.
func (d *desk) ended() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.over
}

// rows takes note of the newest unacknowledged rows of a chat. The desk is locked.
func (d *desk) rows(key core.ChatKey, newest [2]uint64) {
	c := d.chat(key)
	grown := newest[core.Normal] > c.newest[core.Normal] || newest[core.Urgent] > c.newest[core.Urgent]
	c.newest = newest
	if grown && c.holder != nil {
		hint(c.holder.news)
	}
	if grown {
		d.changed(key)
	}
	d.settle(c)
}

// timer takes note of whether the timer of a chat has passed. The desk is locked.
func (d *desk) timer(key core.ChatKey, passed bool) {
	c := d.chat(key)
	c.timer = passed
	d.settle(c)
}

// chat returns the chat with key, which settle takes off the desk again when there is no reason for it to be there.
func (d *desk) chat(key core.ChatKey) *chat {
	c := d.chats[key]
	if c == nil {
		c = &chat{key: key}
		d.chats[key] = c
	}
	return c
}

// settle gives a chat that changed to who waits for it, or puts it in line, or takes it off the desk. It is called after each
// change of a chat, so that no wake-up is lost.
func (d *desk) settle(c *chat) {
	if c.holder != nil || d.over != nil {
		return
	}
	if isRole(c.key) {
		if !d.serve(c, c.waiters) {
			delete(d.chats, c.key)
		}
		return
	}
	for _, lane := range [...]core.Lane{core.Urgent, core.Normal} {
		if !c.isDue(lane) || c.queued[lane] != nil {
			continue
		}
		if d.serve(c, &d.claimers[lane]) {
			return
		}
		c.queued[lane] = d.due[lane].PushBack(c)
	}
	if c.newest == [2]uint64{} && !c.timer {
		delete(d.chats, c.key)
	}
}

// isDue is the definition in core's contract.
func (c *chat) isDue(lane core.Lane) bool {
	if lane == core.Urgent {
		return c.newest[core.Urgent] > 0
	}
	return c.newest[core.Normal] > c.seen || c.timer
}

// serve grants c to the first in l, if there is one.
func (d *desk) serve(c *chat, l *list.List) bool {
	if l == nil || l.Len() == 0 {
		return false
	}
	w := l.Remove(l.Front()).(*waiter)
	w.got <- d.grant(w.ctx, c)
	return true
}

// watch returns a channel that changed hints on.
func (d *desk) watch(key core.ChatKey) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watchers[key] = append(d.watchers[key], ch)
	return ch, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.watchers[key] = slices.DeleteFunc(d.watchers[key], func(w chan struct{}) bool { return w == ch })
		if len(d.watchers[key]) == 0 {
			delete(d.watchers, key)
		}
	}
}

// changed hints to those who watch a chat. The desk is locked.
func (d *desk) changed(key core.ChatKey) {
	for _, ch := range d.watchers[key] {
		hint(ch)
	}
}

func hint(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // one is waiting already
	}
}
