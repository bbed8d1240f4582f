package faketelegram_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	tg "steady/internal/faketelegram"
)

// got is an update as a bot reads it.
type got struct {
	ID      int64 `json:"update_id"`
	Message *struct {
		ID       int64           `json:"message_id"`
		Text     string          `json:"text"`
		Caption  string          `json:"caption"`
		Album    string          `json:"media_group_id"`
		Thread   int64           `json:"message_thread_id"`
		Topic    bool            `json:"is_topic_message"`
		Entities json.RawMessage `json:"entities"`
		ReplyTo  *struct {
			ID int64 `json:"message_id"`
		} `json:"reply_to_message"`
		Photo     []struct{}      `json:"photo"`
		Document  *struct{}       `json:"document"`
		Voice     *struct{}       `json:"voice"`
		MovedTo   int64           `json:"migrate_to_chat_id"`
		MovedFrom int64           `json:"migrate_from_chat_id"`
		Chat      tg.Chat         `json:"chat"`
		From      tg.User         `json:"from"`
		Quote     json.RawMessage `json:"quote"`
	} `json:"message"`
	Edited *struct {
		Text string `json:"text"`
		Date int64  `json:"edit_date"`
	} `json:"edited_message"`
	Callback *struct {
		ID      string  `json:"id"`
		Data    string  `json:"data"`
		From    tg.User `json:"from"`
		Message struct {
			ID   int64 `json:"message_id"`
			Date int64 `json:"date"`
		} `json:"message"`
	} `json:"callback_query"`
	Member *struct {
		Old struct {
			Status string `json:"status"`
		} `json:"old_chat_member"`
		New struct {
			Status string `json:"status"`
		} `json:"new_chat_member"`
	} `json:"my_chat_member"`
	Reaction *struct {
		New []struct {
			Emoji string `json:"emoji"`
		} `json:"new_reaction"`
	} `json:"message_reaction"`
}

// poll asks for updates and fails the test on a refusal.
func (s *site) poll(a args) []got {
	s.t.Helper()
	answer := s.do("getUpdates", a)
	if !answer.OK {
		s.t.Fatalf("getUpdates: %d %s", answer.Code, answer.Description)
	}
	return decode[[]got](s.t, answer.Result)
}

func ids(us []got) []int64 {
	all := []int64{}
	for _, u := range us {
		all = append(all, u.ID)
	}
	return all
}

const first = 700000001 // the first update's id

// TestOffsets follows the server's queue: an offset confirms, a negative one counts from the end, nonsense means the head.
func TestOffsets(t *testing.T) {
	for _, c := range []struct {
		why    string
		offset int64
		limit  int
		want   []int64 // numbered from 0
		left   int     // updates that stay in the queue
	}{
		{"none: from the head, nothing confirmed", 0, 0, []int64{0, 1, 2, 3, 4}, 5},
		{"the head", first, 0, []int64{0, 1, 2, 3, 4}, 5},
		{"confirms what lies before", first + 2, 0, []int64{2, 3, 4}, 3},
		{"a limit", first + 1, 2, []int64{1, 2}, 4},
		{"the last one, the rest is dropped", -1, 0, []int64{4}, 1},
		{"more than there are", -9, 0, []int64{0, 1, 2, 3, 4}, 5},
		{"up to ten beyond the end confirms all", first + 5 + 10, 0, []int64{}, 0},
		{"further beyond is taken for nonsense: the head again", first + 5 + 11, 0, []int64{0, 1, 2, 3, 4}, 5},
		{"far below is nonsense too", first - 2_100_000, 0, []int64{0, 1, 2, 3, 4}, 5},
		{"beyond every id", 2_000_000_000, 0, []int64{0, 1, 2, 3, 4}, 5},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := start(t, tg.Config{})
			for i := range 5 {
				s.Say(s.chat, s.user.ID, fmt.Sprint(i))
			}
			a := args{"offset": c.offset}
			if c.limit > 0 {
				a["limit"] = c.limit
			}
			want := []int64{}
			for _, n := range c.want {
				want = append(want, first+n)
			}
			if got := ids(s.poll(a)); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if n := len(s.Pending()); n != c.left {
				t.Errorf("%d left, want %d", n, c.left)
			}
		})
	}
}

// TestLowerIDs: after a week of silence the ids begin anew, maybe lower; an offset from before still gets the new updates.
func TestLowerIDs(t *testing.T) {
	s := start(t, tg.Config{})
	s.Say(s.chat, s.user.ID, "before")
	if err := s.RestartIDs(42); err == nil {
		t.Error("restarted with an update pending")
	}
	wait := args{"offset": first + 1, "timeout": 1}
	if got := s.poll(args{"offset": first + 11}); len(got) != 0 {
		t.Fatalf("got %v", got)
	}
	if err := s.RestartIDs(42); err != nil {
		t.Fatal(err)
	}
	s.Say(s.chat, s.user.ID, "after")
	if got := ids(s.poll(wait)); !slices.Equal(got, []int64{42}) {
		t.Errorf("got %v, want 42", got)
	}
}

func TestExpiry(t *testing.T) {
	clock := newClock()
	s := start(t, tg.Config{Now: clock.Now})
	id := s.sent(s.chat, "sure?")
	s.Say(s.chat, s.user.ID, "hello")
	s.Press(s.chat, s.user.ID, id, "y")
	clock.advance(150 * time.Second)
	if n := len(s.Pending()); n != 2 {
		t.Errorf("%d pending after 150 s, want 2", n)
	}
	clock.advance(time.Second)
	if n := len(s.Pending()); n != 1 {
		t.Errorf("%d pending, want only the message: a press lives 150 s", n)
	}
	clock.advance(24 * time.Hour)
	if n := len(s.Pending()); n != 0 {
		t.Errorf("%d pending after a day", n)
	}
}

// TestLongPoll: the wait ends with the first update, at the latest after 50 s, however much was asked for.
func TestLongPoll(t *testing.T) {
	clock, timers := newClock(), newTimers()
	s := start(t, tg.Config{Now: clock.Now, After: timers.After})
	polled := make(chan []got)
	ask := func(a args) { go func() { polled <- s.poll(a) }() }

	ask(args{"timeout": 600})
	if timer := timers.next(t); timer.d != 50*time.Second {
		t.Errorf("waits %v, want 50s", timer.d)
	}
	s.wait("polling", s.Polling)
	s.Say(s.chat, s.user.ID, "hi")
	if got := <-polled; len(got) != 1 || got[0].Message.Text != "hi" {
		t.Errorf("got %+v", got)
	}

	ask(args{"offset": first + 1, "timeout": 20})
	timer := timers.next(t)
	timer.fire <- clock.Now()
	if got := <-polled; timer.d != 20*time.Second || len(got) != 0 {
		t.Errorf("after %v got %+v", timer.d, got)
	}
}

// TestHastyPolls: who asks the same again at once waits three seconds, and gets one update at a time.
func TestHastyPolls(t *testing.T) {
	clock, timers := newClock(), newTimers()
	s := start(t, tg.Config{Now: clock.Now, After: timers.After})
	s.poll(args{"offset": 7})
	clock.advance(time.Second)
	polled := make(chan []got)
	go func() { polled <- s.poll(args{"offset": 7}) }()
	timer := timers.next(t)
	timer.fire <- clock.Now()
	if <-polled; timer.d != 3*time.Second {
		t.Errorf("waits %v, want 3s", timer.d)
	}
	s.Say(s.chat, s.user.ID, "a")
	s.Say(s.chat, s.user.ID, "b")
	if got := s.poll(args{"offset": 7}); len(got) != 1 {
		t.Errorf("%d updates, want 1 within half a second", len(got))
	}
	clock.advance(time.Second)
	if got := s.poll(args{"offset": 7}); len(got) != 2 {
		t.Errorf("%d updates, want 2", len(got))
	}
}

// TestTwoPollers: the older one is ended at once, further conflicts come three seconds late.
func TestTwoPollers(t *testing.T) {
	clock, timers := newClock(), newTimers()
	s := start(t, tg.Config{Now: clock.Now, After: timers.After})
	answers := make(chan answer)
	ask := func(offset int64) {
		go func() { answers <- s.do("getUpdates", args{"offset": offset, "timeout": 30}) }()
	}
	ended := "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"

	ask(1)
	timers.next(t)
	ask(2)
	timers.next(t)
	wantRefusal(t, <-answers, 409, ended)
	ask(3)
	for _, want := range []time.Duration{30 * time.Second, 3 * time.Second} {
		// the new poll's own wait and the delay of the conflict, in either order
		switch timer := timers.next(t); timer.d {
		case 3 * time.Second:
			timer.fire <- clock.Now()
		case 30 * time.Second:
		default:
			t.Errorf("waits %v, want %v", timer.d, want)
		}
	}
	wantRefusal(t, <-answers, 409, ended)
	s.Say(s.chat, s.user.ID, "for the last one")
	if got := <-answers; !got.OK {
		t.Errorf("the last poller: %s", got.Description)
	}
}

// TestPollerGoesAway: a poll whose client is gone takes nothing with it.
func TestPollerGoesAway(t *testing.T) {
	s := start(t, tg.Config{})
	ctx, cancel := context.WithCancel(bounded(t))
	gone := make(chan error)
	go func() {
		_, err := s.try(ctx, "getUpdates", args{"timeout": 30})
		gone <- err
	}()
	s.wait("polling", s.Polling)
	cancel()
	if <-gone == nil {
		t.Error("an answer after all")
	}
	s.wait("the poll forgotten", func() bool { return !s.Polling() })
	s.Say(s.chat, s.user.ID, "hi")
	if got := s.poll(args{"timeout": 30}); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}

// TestAllowedUpdates: the setting stays until it is set again, an empty list restores the default, and what was queued stays.
func TestAllowedUpdates(t *testing.T) {
	clock := newClock()
	s := start(t, tg.Config{Now: clock.Now})
	s.Promote(s.grp, s.user.ID)
	kinds := func(a args) (seen []string) {
		clock.advance(time.Minute) // no hasty polls
		id := s.Say(s.grp, s.user.ID, "a").ID
		s.Edit(s.grp, id, "b")
		s.React(s.grp, s.user.ID, id, "👍")
		for _, u := range s.poll(a) {
			switch {
			case u.Message != nil:
				seen = append(seen, "message")
			case u.Edited != nil:
				seen = append(seen, "edited")
			case u.Reaction != nil:
				seen = append(seen, "reaction")
			}
		}
		return seen
	}
	all, std, only := []string{"message", "edited", "reaction"}, []string{"message", "edited"}, []string{"message"}
	for _, c := range []struct {
		why  string
		list any // allowed_updates of the call that follows the events, so it counts for the next row
		want []string
	}{
		{"by default no reactions", []string{"MESSAGE"}, std},
		{"only what is listed", nil, only},
		{"no list: the setting stays", "nonsense", only},
		{"nonsense: the setting stays", []string{"message", "edited_message", "message_reaction"}, only},
		{"reactions when they are listed", []string{}, all},
		{"an empty list is the default", []string{"no_such_kind"}, std},
		{"a list of unknown kinds too", nil, std},
	} {
		a := args{"offset": -3}
		if c.list != nil {
			a["allowed_updates"] = c.list
		}
		if n := len(c.want); n < 3 {
			a["offset"] = -n
		}
		if seen := kinds(a); !slices.Equal(seen, c.want) {
			t.Errorf("%s: got %v, want %v", c.why, seen, c.want)
		}
	}
}

// TestBigBatch: an answer is cut at about 4 MiB, what is left comes with the next call.
func TestBigBatch(t *testing.T) {
	s := start(t, tg.Config{})
	for range 60 {
		if _, err := s.Inject(json.RawMessage(`{"message":{"text":"` + repeat("x", 100_000) + `"}}`)); err != nil {
			t.Fatal(err)
		}
	}
	batch := s.poll(nil)
	if len(batch) != 41 {
		t.Errorf("%d updates in one answer, want 41", len(batch))
	}
	if rest := s.poll(args{"offset": batch[40].ID + 1}); len(rest) != 19 {
		t.Errorf("%d left, want 19", len(rest))
	}
}

// TestInject: updates that no model of a library knows arrive byte for byte, whatever was allowed.
func TestInject(t *testing.T) {
	s := start(t, tg.Config{})
	s.poll(args{"allowed_updates": []string{"message"}, "timeout": 0, "offset": 5})
	raw := `{"message":{"message_id":1,"forward_origin":{"type":"from_the_future"}},"stopped_message_generation":{"draft_id":5,"x":"<&>"}}`
	id, err := s.Inject(json.RawMessage(raw))
	if err != nil || id != first {
		t.Fatalf("%d %v", id, err)
	}
	got := s.do("getUpdates", nil)
	if want := `[{"update_id":700000001,` + "\n" + raw[1:] + `]`; string(got.Result) != want {
		t.Errorf("got  %s\nwant %s", got.Result, want)
	}
	for _, bad := range []string{``, `{}`, `[]`, `"x"`, `{"a":`, `null`} {
		if _, err := s.Inject(json.RawMessage(bad)); err == nil {
			t.Errorf("injected %q", bad)
		}
	}
}
