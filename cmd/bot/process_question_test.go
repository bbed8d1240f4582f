package main

import (
	"strings"
	"testing"
)

// An open question waits in the data, not in the process.
func TestAQuestionOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.converse(user)
	p, _ := w.bot.up()
	w.say(user, request)
	q := w.question(user)
	w.ask(user, "/status", "Waiting for your answer") // now the bot knows which message its question is
	p.kill()
	p, _ = w.bot.up()
	w.ask(user, "/status", "Waiting for your answer")
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times before the press", n)
	}
	w.press(user, q, 0)
	w.visible(user, answer2)
	w.visible(user, "✓ Approved")
	if n := w.habits(user); n != 1 {
		t.Errorf("the habit is there %d times", n)
	}
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// A press that came while nobody listened counts when somebody does.
func TestAPressWhileTheBotIsDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		button  int
		outcome string
		answer  string
		habits  int
	}{
		{"do it", 0, "✓ Approved", answer2, 1},
		{"cancel", 1, "✗ Cancelled", undone, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, options{})
			user := w.user("en")
			w.converse(user)
			p, _ := w.bot.up()
			w.say(user, request)
			q := w.question(user)
			p.kill()
			w.press(user, q, c.button)
			w.bot.up()
			w.visible(user, c.outcome)
			w.visible(user, c.answer)
			if n := w.habits(user); n != c.habits {
				t.Errorf("the habit is there %d times", n)
			}
		})
	}
}

// A question whose time is up while the bot is down expires at the next start, and the model is told that nobody confirmed.
func TestAQuestionExpiresWhileTheBotIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{more: "confirm_expiry: 8s"})
	user := w.user("en")
	w.converse(user)
	p, _ := w.bot.up()
	w.say(user, request)
	q := w.question(user)
	w.ask(user, "/status", "Waiting for your answer") // now the bot knows which message its question is
	p.kill()
	w.bot.up()
	settled := w.visible(user, "Expired without an answer")
	w.visible(user, undone)
	if settled.ID != q.ID {
		t.Error("another message than the question was settled")
	}
	late := w.tg.Press(user, user, q.ID, q.Buttons[0][0].Data) // an old client still shows the button
	w.until("wait for the answer to the press", func() bool { p, _ := w.tg.PressOf(late); return p.Answered })
	if p, _ := w.tg.PressOf(late); p.Text != "Too late: this question has expired." {
		t.Errorf("the late press is answered %q", p.Text)
	}
	if n := w.habits(user); n != 0 {
		t.Errorf("the habit is there %d times", n)
	}
	last := w.model.Requests()[1].Last().Content
	if last != `{"status":"cancelled","reason":"user did not confirm"}` {
		t.Errorf("the model was told %s", last)
	}
}

// Free text never approves: a message sent after the question withdraws it, and is answered in its turn.
func TestAMessageWithdrawsTheQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.converse(user)
	w.on("yes please do it", saying("There is nothing open."))
	w.bot.up()
	w.say(user, request)
	w.question(user)
	w.ask(user, "/status", "Waiting for your answer") // now the bot knows which message its question is
	w.say(user, "yes please do it")
	w.visible(user, "There is nothing open.")
	w.settled(user)
	texts := w.texts(user)
	if len(texts) != 4 || !strings.HasSuffix(texts[1], "Withdrawn") || texts[2] != "All right, I have left that undone." {
		t.Errorf("the chat shows %q", texts)
	}
	if n := w.habits(user); n != 0 {
		t.Errorf("the habit is there %d times", n)
	}
}

// In a group only the person who asked may answer.
func TestOnlyTheRequesterAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	mina, other := w.user("en"), w.user("en")
	group := w.group()
	w.converse(group)
	w.bot.up()
	w.sayIn(group, mina, request)
	q := w.question(group)
	no := w.press(other, q, 0)
	w.until("wait for the answer to the press", func() bool { p, _ := w.tg.PressOf(no); return p.Answered })
	if p, _ := w.tg.PressOf(no); p.Text != "Only the person who asked can answer this." || !p.Alert {
		t.Errorf("the other person is told %+v", p)
	}
	w.press(mina, q, 0)
	w.visible(group, "✓ Approved · Mina")
	w.visible(group, answer2)
	if n := w.habits(mina) + w.habits(other); n != 1 {
		t.Errorf("the habit is there %d times", n)
	}
}
