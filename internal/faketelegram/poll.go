package faketelegram

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	maxPollWait   = 50 // seconds
	conflictPause = 3 * time.Second

	byOtherPoll  = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	byWebhook    = "Conflict: terminated by setWebhook request"
	webhookOnNow = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)

// poll is a getUpdates call that waits.
type poll struct {
	offset int64
	limit  int
	stop   chan string // the text of the conflict that ends it; has room for one
}

// pollMark is the last getUpdates call, by which hasty repetitions are slowed down.
type pollMark struct {
	offset int64
	at     time.Time
}

// getUpdates confirms what lies before the offset and answers what follows, waiting for it up to the timeout.
func (s *Server) getUpdates(ctx context.Context, p Params) (result, *Refusal) {
	s.mu.Lock()
	if s.hook != nil {
		s.mu.Unlock()
		return result{}, s.conflict(ctx, webhookOnNow)
	}
	s.setAllowed(p["allowed_updates"])
	offset, limit, wait := s.pollArgs(p)
	offset = s.queue.from(offset)
	if batch := s.batch(limit); batch != nil || wait == 0 {
		s.bump() // something may have been confirmed
		s.mu.Unlock()
		return result{raw: joinUpdates(batch)}, nil
	}
	s.endPoll(byOtherPoll)
	mine := &poll{offset: offset, limit: limit, stop: make(chan string, 1)}
	s.poll = mine
	s.bump()
	s.mu.Unlock()
	return s.waitForUpdates(ctx, mine, wait)
}

// pollArgs clamps the numbers as the server does, and slows down a client that asks the same again at once.
func (s *Server) pollArgs(p Params) (offset int64, limit int, wait time.Duration) {
	offset = p.Int("offset")
	limit = 100
	if n := p.Int("limit"); p["limit"] != "" {
		limit = int(min(max(n, 1), 100))
	}
	seconds := min(max(p.Int("timeout"), 0), maxPollWait)
	now := s.cfg.Now()
	if last := s.lastPoll; !last.at.IsZero() && offset == last.offset {
		if seconds < 3 && now.Before(last.at.Add(3*time.Second)) {
			seconds = 3
		}
		if now.Before(last.at.Add(500 * time.Millisecond)) {
			limit = 1
		}
	}
	s.lastPoll = pollMark{offset, now}
	return offset, limit, time.Duration(seconds) * time.Second
}

// batch is what a poll would get now, nil for nothing.
func (s *Server) batch(limit int) []update {
	s.queue.expire(s.cfg.Now())
	if len(s.queue.events) == 0 {
		return nil
	}
	return s.queue.next(limit)
}

func (s *Server) waitForUpdates(ctx context.Context, mine *poll, wait time.Duration) (result, *Refusal) {
	timeout := s.cfg.After(wait)
	for over := false; ; {
		s.mu.Lock()
		changed := s.changed
		if s.poll == mine {
			if batch := s.batch(mine.limit); batch != nil || over {
				s.poll = nil
				s.mu.Unlock()
				return result{raw: joinUpdates(batch)}, nil
			}
		}
		s.mu.Unlock()
		select {
		case text := <-mine.stop:
			return result{}, s.conflict(ctx, text)
		case <-changed:
		case <-timeout:
			over, timeout = true, nil
		case <-ctx.Done():
			s.forgetPoll(mine)
			return result{}, &Refusal{Code: http.StatusInternalServerError, Description: "Internal Server Error: restart"}
		case <-s.done:
			return result{}, &Refusal{Code: http.StatusInternalServerError, Description: "Internal Server Error: restart"}
		}
	}
}

// endPoll ends the poll that waits, if there is one, with a conflict.
func (s *Server) endPoll(text string) {
	if s.poll != nil {
		s.poll.stop <- text
		s.poll = nil
	}
}

func (s *Server) forgetPoll(mine *poll) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.poll == mine {
		s.poll = nil
	}
}

// conflict answers 409: at once, or late when the last one is less than three seconds ago.
func (s *Server) conflict(ctx context.Context, text string) *Refusal {
	s.mu.Lock()
	now := s.cfg.Now()
	late := now.Before(s.nextConflict)
	if !late {
		s.nextConflict = now.Add(conflictPause)
	}
	s.mu.Unlock()
	if late {
		select {
		case <-s.cfg.After(conflictPause):
		case <-ctx.Done():
		case <-s.done:
		}
	}
	return &Refusal{Code: http.StatusConflict, Description: text}
}

// updateKinds are the kinds that allowed_updates may name. Those marked false come only when they are named.
func updateKinds() map[string]bool {
	return map[string]bool{
		"message": true, "edited_message": true, "channel_post": true, "edited_channel_post": true, "inline_query": true,
		"chosen_inline_result": true, "callback_query": true, "shipping_query": true, "pre_checkout_query": true, "poll": true,
		"poll_answer": true, "my_chat_member": true, "chat_member": false, "chat_join_request": true, "chat_boost": true,
		"removed_chat_boost": true, "message_reaction": false, "message_reaction_count": false, "business_connection": true,
		"business_message": true, "edited_business_message": true, "deleted_business_messages": true,
		"purchased_paid_media": true, "managed_bot": true, "guest_message": true, "subscription": true,
		"stopped_message_generation": true,
	}
}

// setAllowed takes over a call's allowed_updates. Without one, or with one that is not a list of strings, the setting stays;
// a list without a known kind restores the default. Updates that are queued already stay.
func (s *Server) setAllowed(list string) {
	var names []string
	if list == "" || json.Unmarshal([]byte(list), &names) != nil || names == nil {
		return
	}
	kinds := updateKinds()
	allowed := make(map[string]bool)
	for _, name := range names {
		name = strings.ToLower(name)
		if _, known := kinds[name]; known {
			allowed[name] = true
		}
	}
	s.allowed = allowed
	if len(allowed) == 0 {
		s.allowed = nil
	}
}

func (s *Server) wants(kind string) bool {
	if s.allowed == nil {
		return updateKinds()[kind]
	}
	return s.allowed[kind]
}

// publish queues an update of a known kind, unless the bot does not want it.
func (s *Server) publish(kind string, of lane, keep time.Duration, body any) {
	if s.wants(kind) {
		inner := slices.Concat(encode(kind), json.RawMessage(":"), encode(body))
		s.enqueue(update{body: inner, expires: s.cfg.Now().Add(keep), lane: of})
	}
}

func (s *Server) enqueue(u update) int64 {
	id := s.queue.push(u)
	s.bump()
	s.pump()
	return id
}

func joinUpdates(batch []update) json.RawMessage {
	parts := make([][]byte, 0, len(batch))
	for _, u := range batch {
		parts = append(parts, u.wire())
	}
	return slices.Concat(json.RawMessage("["), bytes.Join(parts, []byte(",")), json.RawMessage("]"))
}
