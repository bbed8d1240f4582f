package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"steady/internal/fakemodel"
	"steady/internal/faketelegram"
)

// The conversation that many tests hold: a request, an answer that grows, a question, a tool, and an answer to its result.
const (
	request   = "please add a steady wake-up"
	preamble1 = "That is a good one."
	preamble2 = " Shall I put it on your list?"
	answer1   = "It is on your list now:"
	answer2   = " a steady wake-up, every day."
	undone    = "It stays off your list."
	habitName = "Steady wake-up"
)

func addHabit(text string) string {
	args, _ := json.Marshal(map[string]string{"protocol_id": "sleep_steady_wake", "frame_level": "process",
		"framed_text": text, "title": habitName, "anchor_when": "07:00"}) // texts always encode
	return string(args)
}

// converse teaches the model the conversation. The pauses let the platform show each part before the next.
func (w *world) converse(chat int64) {
	w.bot.hide(preamble1, preamble2, answer1, answer2, undone, habitName)
	w.on(request, func(r fakemodel.Request) fakemodel.Reply {
		switch {
		case r.Last().Role == fakemodel.ToolRole && strings.Contains(r.Last().Content, `"cancelled"`):
			return fakemodel.Text(undone)
		case r.Last().Role != fakemodel.ToolRole:
			return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say(preamble1), w.shows(chat, preamble1), fakemodel.Say(preamble2),
				fakemodel.Call{ID: "call_add", Name: "add_habit", Arguments: addHabit("I get up when it rings"), Pieces: 3}}}
		}
		return fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say(answer1), w.shows(chat, answer1), fakemodel.Say(answer2)}}
	})
}

// conversed checks what a chat shows after the conversation: each text once, the question settled.
func conversed(ms []faketelegram.Message) error {
	if len(ms) != 3 {
		return fmt.Errorf("the chat shows %d messages", len(ms))
	}
	if ms[0].Text != preamble1+preamble2 {
		return fmt.Errorf("the text before the question is %q", ms[0].Text)
	}
	if q := ms[1]; !strings.Contains(q.Text, "Shall I do this?") || !strings.HasSuffix(q.Text, "✓ Approved") || len(q.Buttons) != 0 {
		return fmt.Errorf("the question is not settled: %q with %d rows of buttons", q.Text, len(q.Buttons))
	}
	if ms[2].Text != answer1+answer2 {
		return fmt.Errorf("the answer is %q", ms[2].Text)
	}
	return nil
}

// habits asks for the person's habits and returns how many have the title.
func (w *world) habits(user int64) int {
	w.t.Helper()
	text := w.ask(user, "/habits", "Free places", "No habits yet")
	return strings.Count(text, habitName)
}

func TestAMessageBecomesAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.converse(user)
	p, _ := w.bot.up()

	w.say(user, request)
	preview := w.visible(user, preamble1)
	if preview.Text != preamble1 {
		t.Errorf("the first preview shows %q", preview.Text)
	}
	q := w.question(user)
	labels := []string{}
	for _, row := range q.Buttons {
		for _, b := range row {
			labels = append(labels, b.Text)
			if len(b.Data) > 64 {
				t.Errorf("the button carries %d bytes", len(b.Data))
			}
		}
	}
	if strings.Join(labels, "|") != "Do it|Cancel" {
		t.Errorf("the buttons are %q", labels)
	}
	for _, want := range []string{"Shall I do this?", habitName, "I get up when it rings", "sleep_steady_wake", "/approve"} {
		if !strings.Contains(q.Text, want) {
			t.Errorf("the question lacks %q: %s", want, q.Text)
		}
	}
	press := w.press(user, q, 0)
	w.visible(user, answer2)
	w.settled(user)
	if err := conversed(w.tg.FromBot(user)); err != nil {
		t.Error(err)
	}
	if p, _ := w.tg.PressOf(press); !p.Answered || p.Text != "Got it." {
		t.Errorf("the press was answered with %+v", p)
	}
	if n := w.habits(user); n != 1 {
		t.Errorf("the habit is there %d times", n)
	}
	if n := len(w.attempts(user, "sendMessage", preamble1)) + len(w.attempts(user, "sendMessage", answer1)); n != 2 {
		t.Errorf("the two texts took %d sends: each is one message that grows", n)
	}
	if n := len(w.model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}
