package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"steady/internal/fakemodel"
	"steady/internal/faketelegram"
)

const (
	head = "The first half of it."
	tail = " And the second half."
	full = head + tail
)

// A trouble is what a platform does when the answer is to be edited into its preview.
type trouble struct {
	name string
	why  string
	// do strikes the nth attempt at the final edit; 0 is each of them.
	do  faketelegram.Fault
	nth int
	// act happens when the preview is shown and the answer is not.
	act func(w *world, chat, preview int64)
	// shows is what the bot's messages say in the end.
	shows []string
	// edits and sends count the attempts to show the whole answer by each.
	edits, sends int
	gap          time.Duration // least time between the first two edits
	check        func(t *testing.T, w *world, chat int64)
}

func bad(text string) faketelegram.Refusal {
	return faketelegram.Refusal{Code: http.StatusBadRequest, Description: "Bad Request: " + text}
}

// The column "edit" of the delivery table (architecture, hop 8), over the real adapter.
func TestTheFinalEditMeetsTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{interval: "10m"}) // no second preview comes between
	w.bot.hide(head, tail, full)
	w.bot.up()
	for _, c := range []trouble{
		{name: "nothing", shows: []string{full}, edits: 1},
		{name: "throttled", why: "the same edit after the wait, in place", do: faketelegram.TooMany(1), nth: 1,
			shows: []string{full}, edits: 2, gap: time.Second},
		{name: "throttled longer", why: "a long wait becomes the chat's timer", do: faketelegram.TooMany(3), nth: 1,
			shows: []string{full}, edits: 2, gap: 3 * time.Second},
		{name: "deleted", why: "one plain send; there is nothing to delete", act: func(w *world, chat, preview int64) { w.tg.DeleteMessage(chat, preview) },
			shows: []string{full}, edits: 1, sends: 1},
		{name: "cannot be edited", why: "one plain send, and the stale preview goes", do: bad("message can't be edited"),
			shows: []string{full}, edits: 1, sends: 1, check: deletedOnce},
		{name: "not found", why: "the same in other words", do: bad("message to edit not found"),
			shows: []string{full}, edits: 1, sends: 1, check: deletedOnce},
		{name: "not modified", why: "that is success", do: bad("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message"), nth: 1,
			shows: []string{head}, edits: 1},
		{name: "502 before", why: "the same edit again", do: faketelegram.BadGateway{}, nth: 1, shows: []string{full}, edits: 2},
		{name: "502 after", why: "again; not modified means that it landed", do: faketelegram.BadGateway{Applied: true}, nth: 1, shows: []string{full}, edits: 2},
		{name: "request lost", why: "the same edit again", do: faketelegram.Drop{}, nth: 1, shows: []string{full}, edits: 2},
		{name: "answer lost", why: "the same edit again", do: faketelegram.Drop{Applied: true}, nth: 1, shows: []string{full}, edits: 2},
		{name: "garbage", why: "nobody knows what it means: the same edit again", do: faketelegram.Garbage{Applied: true}, nth: 1, shows: []string{full}, edits: 2},
		{name: "500", why: "again", do: faketelegram.Refusal{Code: 500, Description: "Internal Server Error"}, nth: 1, shows: []string{full}, edits: 2},
		{name: "markup", why: "the same edit without markup", do: bad("can't parse entities: unexpected end"), nth: 1, shows: []string{full}, edits: 2},
		{name: "markup twice", why: "then it is refused: one plain send", do: bad("can't parse entities: unexpected end"),
			shows: []string{full}, edits: 2, sends: 1},
		{name: "401", why: "kept until the platform knows the bot again", do: faketelegram.Refusal{Code: 401, Description: "Unauthorized"}, nth: 1,
			shows: []string{full}, edits: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := w.in(t)
			user := w.user("en")
			c.play(w, user)
			w.until("wait for the attempts", func() bool {
				return w.finished(user, "editMessageText", full) >= c.edits && w.finished(user, "sendMessage", full) >= c.sends
			})
			w.settled(user)
			c.verify(t, w, user)
		})
	}
}

// play lets an answer grow, and the trouble come when its first half is shown.
func (c trouble) play(w *world, chat int64) {
	ready := make(chan struct{})
	word := fmt.Sprint("tell me about case ", chat)
	w.on(word, func(fakemodel.Request) fakemodel.Reply {
		return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say(head), fakemodel.Wait(ready), fakemodel.Say(tail)}}
	})
	w.say(chat, word)
	preview := w.visible(chat, head)
	w.until("wait for the answer to the preview", func() bool {
		return slices.ContainsFunc(w.attempts(chat, "sendMessage", head), func(c faketelegram.Call) bool { return c.Outcome.Answered })
	})
	if c.do != nil {
		w.tg.Break(faketelegram.Rule{Method: "editMessageText", Chat: chat, Nth: c.nth, Do: c.do})
	}
	if c.act != nil {
		c.act(w, chat, preview.ID)
	}
	close(ready)
}

func (c trouble) verify(t *testing.T, w *world, chat int64) {
	t.Helper()
	if got := w.texts(chat); !slices.Equal(got, c.shows) {
		t.Errorf("the chat shows %q, want %q: %s", got, c.shows, c.why)
	}
	edits, sends := w.attempts(chat, "editMessageText", full), w.attempts(chat, "sendMessage", full)
	if len(edits) != c.edits || len(sends) != c.sends {
		t.Errorf("%d edits and %d sends, want %d and %d: %s", len(edits), len(sends), c.edits, c.sends, c.why)
	}
	if len(edits) > 1 {
		if gap := edits[1].Time.Sub(edits[0].Time); gap < c.gap {
			t.Errorf("the second edit came after %s, want %s: %s", gap, c.gap, c.why)
		}
	}
	if c.check != nil {
		c.check(t, w, chat)
	}
}

func deletedOnce(t *testing.T, w *world, chat int64) {
	t.Helper()
	n := len(slices.DeleteFunc(w.tg.CallsTo("deleteMessage"), func(c faketelegram.Call) bool { return c.Chat != chat }))
	if n != 1 {
		t.Errorf("the stale preview was deleted %d times", n)
	}
}

// Without markup means without entities.
func TestRefusedMarkupIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{interval: "10m"})
	user := w.user("en")
	w.on("in bold", saying("This is **bold**."))
	w.bot.up()
	w.tg.Break(faketelegram.Rule{Chat: user, When: func(p faketelegram.Params) bool { return p["entities"] != "" && p["entities"] != "[]" },
		Do: bad("can't parse entities: unsupported")})
	w.say(user, "in bold")
	w.visible(user, "This is")
	w.settled(user)
	if got := w.texts(user); !slices.Equal(got, []string{"This is **bold**."}) && !slices.Equal(got, []string{"This is bold."}) {
		t.Errorf("the chat shows %q", got)
	}
}

// The column "send". A command's answer is a plain send from the first.
func TestASendMeetsTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	w.bot.up()
	const said = "No habits yet."
	for _, c := range []struct {
		name, why string
		do        faketelegram.Fault
		nth       int
		attempts  int
		shown     int
	}{
		{"throttled", "the same send after the wait", faketelegram.TooMany(2), 1, 2, 1},
		{"502 before", "again", faketelegram.BadGateway{}, 1, 2, 1},
		{"502 after", "the platform cannot tell: the one case in which it is there twice", faketelegram.BadGateway{Applied: true}, 1, 2, 2},
		{"answer lost", "the same", faketelegram.Drop{Applied: true}, 1, 2, 2},
		{"every answer lost", "three times, not more", faketelegram.Drop{Applied: true}, 0, 3, 3},
		{"markup", "the same send without markup", bad("can't parse entities: x"), 1, 2, 1},
		{"refused", "dropped and logged", bad("message is too long"), 1, 1, 0},
		{"401", "kept until the platform knows the bot again", faketelegram.Refusal{Code: 401, Description: "Unauthorized"}, 1, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := w.in(t)
			user := w.user("en")
			mend := w.tg.Break(faketelegram.Rule{Method: "sendMessage", Chat: user, Nth: c.nth, Do: c.do})
			w.tg.Say(user, user, "/habits")
			w.until("wait for the attempts", func() bool { return w.finished(user, "sendMessage", said) == c.attempts })
			mend()
			w.settled(user)
			if n := w.finished(user, "sendMessage", said); n != c.attempts {
				t.Errorf("%d attempts, want %d: %s", n, c.attempts, c.why)
			}
			if n := len(w.texts(user)); n != c.shown {
				t.Errorf("the chat shows it %d times, want %d: %s", n, c.shown, c.why)
			}
		})
	}
}

// finished counts the ended attempts to send a text, or to edit a message into it.
func (w *world) finished(chat int64, method, words string) int {
	n := 0
	for _, c := range w.attempts(chat, method, words) {
		if c.Outcome.Answered || c.Outcome.Fault != nil {
			n++
		}
	}
	return n
}

// An answer that the platform never took is told of in the next turn.
func TestARefusedAnswerIsToldOfInTheNextTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.on("one two", func(fakemodel.Request) fakemodel.Reply {
		return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say("The answer that"), w.shows(user, "The answer that"), fakemodel.Say(" nobody saw.")}}
	})
	w.on("three four", saying("The next answer."))
	w.bot.up()
	mend := w.tg.Break(faketelegram.Rule{Method: "sendMessage", Chat: user, Do: bad("message is too long")})
	w.say(user, "one two")
	w.until("wait for the refusal", func() bool { return w.finished(user, "sendMessage", "nobody saw") == 1 })
	mend()
	w.settled(user)
	w.say(user, "three four")
	w.visible(user, "The next answer.")
	w.settled(user)
	texts := w.texts(user)
	slices.Sort(texts) // the answer stands above if it was growing already
	if len(texts) != 2 || !strings.Contains(texts[0], "An earlier message could not be delivered:") || !strings.Contains(texts[0], "nobody saw") {
		t.Errorf("the chat shows %q", texts)
	}
}

// Who blocked the bot gets nothing more, and is answered again after they come back. What was refused is dropped.
func TestBlockedAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{interval: "10m"})
	user := w.user("en")
	w.bot.up()
	trouble{do: faketelegram.Refusal{Code: http.StatusForbidden, Description: "Forbidden: bot was blocked by the user"}, nth: 1}.play(w, user)
	w.until("wait for the refused edit", func() bool { return w.finished(user, "editMessageText", full) == 1 })
	w.on("are you there", saying("Here I am."))
	w.say(user, "are you there")
	w.visible(user, "Here I am.")
	w.settled(user)
	if got := w.texts(user); !slices.Equal(got, []string{head, "Here I am."}) {
		t.Errorf("the chat shows %q", got)
	}
	if n := len(w.attempts(user, "editMessageText", full)) + len(w.attempts(user, "sendMessage", full)); n != 1 {
		t.Errorf("%d attempts to show what was refused", n)
	}
}

// Who blocks the bot in the middle of an answer is left alone, and answered again when they come back and write.
func TestBlockedInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{interval: "10m"})
	user := w.user("en")
	w.bot.up()
	trouble{act: func(w *world, chat, _ int64) {
		w.tg.Block(chat)
		w.until("wait until the bot is told", func() bool { return len(w.tg.Pending()) == 0 })
	}}.play(w, user)
	w.untilModel("wait for the model", func() bool { return w.model.Exchanges()[0].End == fakemodel.Finished })
	w.tg.Unblock(user)
	w.on("are you there", saying("Here I am."))
	w.say(user, "are you there")
	w.visible(user, "Here I am.")
	w.settled(user)
	got := w.texts(user) // the answer is dropped, unless it was only ready when they were back
	if len(got) != 2 || got[0] != head && got[0] != full || got[1] != "Here I am." {
		t.Errorf("the chat shows %q", got)
	}
	if n := len(w.attempts(user, "sendMessage", full)); n != 0 {
		t.Errorf("%d plain sends", n)
	}
}

// A group that becomes a supergroup in the middle of an answer gets it there, and goes on as the same chat: whether the answer is
// an edit, which is refused because the message stayed behind, or a send.
func TestAGroupMovesInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after string }{{"edit", head, tail}, {"send", "", full}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{interval: "10m"})
			user, group := w.user("en"), w.group()
			ready := make(chan struct{})
			w.on("tell us", func(fakemodel.Request) fakemodel.Reply {
				return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say(c.before), fakemodel.Wait(ready), fakemodel.Say(c.after)}}
			})
			w.on("and then", saying("The same chat."))
			w.bot.up()
			w.sayIn(group, user, "tell us")
			w.asked("tell us")
			if c.before != "" {
				w.visible(group, c.before)
			}
			to := w.tg.Migrate(group, user).ID
			close(ready)
			w.visible(to, full)
			w.sayIn(to, user, "and then")
			w.visible(to, "The same chat.")
			if got := w.texts(to); !slices.Equal(got, []string{full, "The same chat."}) {
				t.Errorf("the supergroup shows %q", got)
			}
			said := ""
			for _, m := range w.exchange("and then").Request.Messages {
				said += m.Content + "\n"
			}
			if !strings.Contains(said, full) {
				t.Error("the history did not move along")
			}
		})
	}
}
