package channels_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"steady/channels"
)

var pace = channels.PaceConfig{
	Bot:     channels.Limit{Every: time.Second / 30, Burst: 30},
	Private: channels.Limit{Every: time.Second, Burst: 3},
	Group:   channels.Limit{Every: 3 * time.Second, Burst: 3},
	IsGroup: func(chat string) bool { return strings.HasPrefix(chat, "-") },
}

func newPacer(t *testing.T, c channels.PaceConfig) *channels.Pacer {
	t.Helper()
	p, err := channels.NewPacer(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPacerConfig(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(*channels.PaceConfig)
		ok     bool
	}{
		{"as it is", func(*channels.PaceConfig) {}, true},
		{"no limit at all", func(c *channels.PaceConfig) { c.Bot = channels.Limit{} }, true},
		{"a burst of none lets nothing through", func(c *channels.PaceConfig) { c.Bot.Burst = 0 }, false},
		{"a burst without a time never fills up", func(c *channels.PaceConfig) { c.Private.Every = 0 }, false},
		{"a negative time", func(c *channels.PaceConfig) { c.Group.Every = -1 }, false},
		{"nobody knows what a group is", func(c *channels.PaceConfig) { c.IsGroup = nil }, false},
	} {
		c := pace
		tt.change(&c)
		if _, err := channels.NewPacer(c); (err == nil) != tt.ok {
			t.Errorf("%s: error %v", tt.why, err)
		}
	}
}

func TestPacerTake(t *testing.T) {
	type call struct {
		chat  string
		class channels.Class
		want  time.Duration
	}
	const a, b, group = "1", "2", "-1"
	ms := time.Millisecond
	for _, tt := range []struct {
		why   string
		calls []call // all at once
	}{
		{"a chat may have a burst and waits then", []call{
			{a, channels.Final, 0}, {a, channels.Final, 0}, {a, channels.Final, 0}, {a, channels.Final, 1000 * ms}}},
		{"a refused call is not counted", []call{
			{a, channels.Final, 0}, {a, channels.Final, 0}, {a, channels.Final, 0}, {a, channels.Final, 1000 * ms}, {a, channels.Final, 1000 * ms}}},
		{"another chat does not wait", []call{
			{a, channels.Final, 0}, {a, channels.Final, 0}, {a, channels.Final, 0}, {b, channels.Final, 0}}},
		{"a group waits longer", []call{
			{group, channels.Final, 0}, {group, channels.Final, 0}, {group, channels.Final, 0}, {group, channels.Final, 3000 * ms}}},
		{"previews leave one call for the answer", []call{
			{a, channels.Preview, 0}, {a, channels.Preview, 0}, {a, channels.Preview, 1000 * ms}, {a, channels.Final, 0}}},
		{"so does typing", []call{
			{a, channels.Typing, 0}, {a, channels.Typing, 0}, {a, channels.Typing, 1000 * ms}, {a, channels.Question, 0}}},
		{"the answer to a press is no message", []call{
			{a, channels.Final, 0}, {a, channels.Final, 0}, {a, channels.Final, 0}, {a, channels.Callback, 0}, {a, channels.Final, 1000 * ms}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPacer(t, pace)
			for i, c := range tt.calls {
				if got := p.Take(c.chat, c.class); got != c.want {
					t.Errorf("%s: call %d waits %v, want %v", tt.why, i, got, c.want)
				}
			}
		})
	}
}

// TestPacerGivesWay uses up the bot's budget in many chats: the lower the class, the earlier it stops, and a press is answered
// to the end.
func TestPacerGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for class, want := range map[channels.Class]int{
			channels.Typing: 12, channels.Preview: 18, channels.Question: 24, channels.Final: 27, channels.Callback: 30,
		} {
			p, made := newPacer(t, pace), 0
			for p.Take(fmt.Sprint(made), class) == 0 {
				made++
			}
			if made != want {
				t.Errorf("class %d is let through %d times, want %d", class, made, want)
			}
			if wait := p.Take("x", channels.Callback); class != channels.Callback && wait != 0 {
				t.Errorf("after those of class %d a press waits %v", class, wait)
			}
		}
	})
}

func TestPacerBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(t, pace)
		p.Block("a", time.Now().Add(30*time.Second))
		p.Block("a", time.Now().Add(10*time.Second)) // never shortens
		if got := p.Take("a", channels.Final); got != 30*time.Second {
			t.Errorf("a blocked chat waits %v", got)
		}
		if got := p.Take("b", channels.Final); got != 0 {
			t.Errorf("another chat waits %v", got)
		}
		if got := p.Take("a", channels.Callback); got != 0 {
			t.Errorf("the answer to a press waits %v", got)
		}
		time.Sleep(30 * time.Second)
		if got := p.Take("a", channels.Final); got != 0 {
			t.Errorf("after the block the chat waits %v", got)
		}
	})
}

// TestThreeStreams is the repro of pains S16: three chats stream at once to a platform that takes one call a second for each;
// one of them is then refused for hours, and the others go on.
func TestThreeStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pace
		c.Private = channels.Limit{Every: time.Second, Burst: 1}
		p := newPacer(t, c)
		start, ban := time.Now(), 13000*time.Second
		var calls [3]int
		var last [3]time.Time
		for tick := 0; tick < 600; tick++ {
			for i, chat := range []string{"a", "b", "c"} {
				if p.Take(chat, channels.Preview) > 0 {
					continue
				}
				if since := time.Since(last[i]); calls[i] > 0 && since < time.Second {
					t.Fatalf("chat %s is called after %v", chat, since)
				}
				calls[i], last[i] = calls[i]+1, time.Now()
			}
			if tick == 300 {
				p.Block("a", time.Now().Add(ban))
			}
			time.Sleep(100 * time.Millisecond)
		}
		if calls[0] > 31 || calls[1] < 60 || calls[2] < 60 {
			t.Errorf("calls in a minute: %v", calls)
		}
		wait := p.Take("a", channels.Final)
		if until := start.Add(30*time.Second + ban); !time.Now().Add(wait).Equal(until) {
			t.Errorf("the answer waits until %v, want %v", time.Now().Add(wait), until)
		}
		time.Sleep(wait)
		if wait := p.Take("a", channels.Final); wait != 0 {
			t.Errorf("after the ban the answer waits %v more", wait)
		}
	})
}

func TestPacerWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(t, pace)
		for range 3 {
			p.Take("a", channels.Final)
			p.Take("-b", channels.Final)
		}
		start := time.Now()
		if d, err := p.Wait(t.Context(), "a", channels.Final); d != 0 || err != nil || time.Since(start) != time.Second {
			t.Errorf("a short wait is waited: got %v, %v after %v", d, err, time.Since(start))
		}
		start = time.Now()
		if d, err := p.Wait(t.Context(), "-b", channels.Final); d != 2*time.Second || err != nil || time.Since(start) != 0 {
			t.Errorf("a long one is told: got %v, %v after %v", d, err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if _, err := p.Wait(ctx, "a", channels.Final); err != context.DeadlineExceeded {
			t.Errorf("the caller's end ends the wait: got %v", err)
		}
	})
}

// TestPacerForgets shows that memory is bounded by the chats of the last minute.
func TestPacerForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(t, pace)
		p.Block("blocked", time.Now().Add(24*time.Hour))
		for i := range 20000 {
			p.Take(fmt.Sprint(i), channels.Final)
			time.Sleep(20 * time.Millisecond)
		}
		if n := p.Remembered(); n > 2000 {
			t.Errorf("%d chats are remembered", n)
		}
		time.Sleep(time.Hour)
		p.Take("x", channels.Final)
		if n := p.Remembered(); n != 2 {
			t.Errorf("%d chats are remembered after an hour, want the blocked one and the new one", n)
		}
		if p.Take("blocked", channels.Final) == 0 {
			t.Error("the block is forgotten")
		}
		for i := range 10000 { // all at once: refused calls leave nothing behind
			p.Take(fmt.Sprint(i), channels.Final)
		}
		if n := p.Remembered(); n > 40 {
			t.Errorf("%d chats are remembered", n)
		}
	})
}

// TestPacerNeverExceeds makes calls at random and counts: in no stretch of time are there more than the burst and what the time
// allows; and who comes back after the wait that was told is let through if nobody else came.
func TestPacerNeverExceeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rapid.SyncTest(t, func(t *rapid.T) {
			for chat, times := range randomCalls(t) {
				limit := pace.Private
				if pace.IsGroup(chat) {
					limit = pace.Group
				}
				checkLimit(t, times, limit)
			}
		})
	})
}

func randomCalls(t *rapid.T) map[string][]time.Time {
	p, err := channels.NewPacer(pace)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string][]time.Time{}
	for range rapid.IntRange(1, 200).Draw(t, "calls") {
		chat := rapid.SampledFrom([]string{"a", "b", "-c"}).Draw(t, "chat")
		class := channels.Class(rapid.IntRange(int(channels.Typing), int(channels.Final)).Draw(t, "class"))
		wait := p.Take(chat, class)
		if wait > 0 && rapid.Bool().Draw(t, "patient") {
			time.Sleep(wait)
			if again := p.Take(chat, class); again != 0 {
				t.Fatalf("told %v, then %v more", wait, again)
			}
			wait = 0
		}
		if wait == 0 {
			made[chat] = append(made[chat], time.Now())
		}
		time.Sleep(time.Duration(rapid.IntRange(0, 1500).Draw(t, "pause")) * time.Millisecond)
	}
	return made
}

func checkLimit(t *rapid.T, times []time.Time, limit channels.Limit) {
	for i := range times {
		for k := i; k < len(times); k++ {
			took := times[k].Sub(times[i]) + time.Millisecond // the waits are rounded
			if n, most := k-i+1, limit.Burst+int(took/limit.Every); n > most {
				t.Fatalf("%d calls in %v", n, took)
			}
		}
	}
}

func TestPacerConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer(t, pace)
		var made atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for i := range 200 {
					if p.Take(fmt.Sprint(i%20), channels.Callback) == 0 {
						made.Add(1)
					}
					p.Block(fmt.Sprint(i), time.Now())
				}
			})
		}
		wg.Wait()
		if made.Load() != 30 {
			t.Errorf("%d calls at once, want 30", made.Load())
		}
	})
}
