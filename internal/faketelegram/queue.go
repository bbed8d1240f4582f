package faketelegram

import (
	"encoding/json"
	"slices"
	"time"
)

const (
	keepUpdates   = 24 * time.Hour
	keepCallbacks = 150 * time.Second

	maxUpdateID  = 2_000_000_000 // ids are below it
	farAhead     = 10            // an offset further above the tail is taken for nonsense
	farBehind    = 2_000_000     // and so is one further below it
	maxBatchSize = 1 << 22       // bytes of one answer
)

// lane is what a webhook delivers in order: a chat's messages, a user's presses and so on. The zero lane is for updates that
// belong to nobody.
type lane struct {
	kind string
	id   int64
}

// update is one entry of the queue. body is the JSON object without its braces and without the id.
type update struct {
	id      int64
	body    json.RawMessage
	expires time.Time
	lane    lane
}

func (u update) wire() json.RawMessage {
	return slices.Concat(json.RawMessage(`{"update_id":`), encode(u.id), json.RawMessage(",\n"), u.body, json.RawMessage("}"))
}

// queue holds the updates that are neither confirmed nor expired, in order of their ids (tdlib/td TQueue.cpp).
type queue struct {
	tail   int64 // the id of the next update
	events []update
}

func (q *queue) push(u update) int64 {
	u.id = q.tail
	q.tail++
	q.events = append(q.events, u)
	return u.id
}

func (q *queue) head() int64 {
	if len(q.events) == 0 {
		return q.tail
	}
	return q.events[0].id
}

// keepLast drops all but the last n.
func (q *queue) keepLast(n int64) {
	if int64(len(q.events)) > n {
		q.events = slices.Clone(q.events[int64(len(q.events))-n:])
	}
}

// expire drops what is too old.
func (q *queue) expire(now time.Time) {
	q.events = slices.DeleteFunc(q.events, func(u update) bool { return u.expires.Before(now) })
}

// drop forgets one update.
func (q *queue) drop(id int64) {
	q.events = slices.DeleteFunc(q.events, func(u update) bool { return u.id == id })
}

// from turns a getUpdates offset into the id to begin with, and deletes what the offset confirms. Zero and nonsense mean the
// head, a negative offset counts from the end and drops the rest.
func (q *queue) from(offset int64) int64 {
	if offset < 0 {
		q.keepLast(-offset)
	}
	if offset <= 0 || offset >= maxUpdateID || offset > q.tail+farAhead || offset < q.tail-farBehind {
		return q.head()
	}
	q.events = slices.DeleteFunc(q.events, func(u update) bool { return u.id < offset })
	return offset
}

// next returns the first updates, at most limit and at most about 4 MiB of them.
func (q *queue) next(limit int) []update {
	room := maxBatchSize
	for i, u := range q.events {
		room -= 50 + len(u.body)
		if i == limit || room <= 0 {
			return slices.Clone(q.events[:i])
		}
	}
	return slices.Clone(q.events)
}
