package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"steady/internal/fakemodel"
	"steady/internal/faketelegram"
)

const (
	modelKey = "sk-process-test-0123456789abcdef"
	// firstUser is a number that is not in a log by chance.
	firstUser = 7_355_608_001
)

// A world is a bot between a platform and a model, both on loopback.
type world struct {
	t     *testing.T
	tg    *faketelegram.Server
	model *fakemodel.Server
	bot   *bot
	life  context.Context // of whatever waits; ends with the test

	*script
}

// A script is what a test has arranged so far.
type script struct {
	mu      sync.Mutex // guards what follows
	answers []answering
	onCall  func(faketelegram.Call, faketelegram.Phase)
	users   int64
}

// answering is what the model says to messages that contain a word.
type answering struct {
	word string
	says func(fakemodel.Request) fakemodel.Reply
}

// options change a world before it begins.
type options struct {
	more     string // further lines of the configuration's agent
	interval string // between two previews
	allow    string // who may speak; everybody if ""
	apiURL   func(string) string
}

// newWorld makes the surroundings and the configuration of a bot; w.bot.up starts it.
func newWorld(t *testing.T, o options) *world {
	t.Helper()
	life, end := context.WithCancel(context.Background())
	w := &world{t: t, life: life, script: &script{}}
	w.tg = faketelegram.New(faketelegram.Config{OnCall: w.called})
	w.model = fakemodel.New(fakemodel.Config{Key: modelKey, Handler: w.reply})
	api, llm := w.tg.Start(), w.model.Start()
	if o.apiURL != nil {
		api = o.apiURL(api)
	}
	if o.interval == "" {
		o.interval = "1s"
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(w.story())
		}
		end()
		w.tg.Close()
		w.model.Close()
	})
	if o.allow == "" {
		o.allow = `["*"]`
	}
	w.bot = newBot(t, fmt.Sprintf(`
data_dir: ./data
shutdown_grace: 5s
model: {base_url: %q, api_key: %q, name: fake, retries: 0}
agent: {%s}
channels:
  web: {listen: "127.0.0.1:0"}
  telegram: {token: %q, api_url: %q, poll_timeout: 50s, stream_interval: %s, allow: %s, groups: {allow: ["*"], require_mention: false}}
`, llm+"/v1", modelKey, o.more, w.tg.Token(), api, o.interval, o.allow))
	_, secret, _ := strings.Cut(w.tg.Token(), ":")
	w.bot.hide(secret, modelKey)
	return w
}

// in is the same world for a part of its test.
func (w *world) in(t *testing.T) *world {
	part := *w
	part.t = t
	return &part
}

// user makes a person with a private chat, whose id is the person's.
func (w *world) user(lang string) int64 {
	w.mu.Lock()
	id := firstUser + w.users
	w.users++
	w.mu.Unlock()
	w.tg.AddUser(faketelegram.User{ID: id, FirstName: "Mina", LanguageCode: lang})
	w.tg.Open(id)
	w.bot.hide(fmt.Sprint(id))
	return id
}

// say makes a person write into their private chat. The text must not be in the log.
func (w *world) say(user int64, text string) faketelegram.Message {
	if !strings.HasPrefix(text, "/") {
		w.bot.hide(text)
	}
	return w.tg.Say(user, user, text)
}

// group makes a group of which the bot is a member.
func (w *world) group() int64 {
	id := w.tg.AddGroup(faketelegram.Chat{Type: faketelegram.Group, Title: "Walkers"}).ID
	w.tg.Promote(id, firstUser)
	return id
}

// sayIn makes a person write into a group.
func (w *world) sayIn(group, user int64, text string) faketelegram.Message {
	w.bot.hide(text)
	return w.tg.Post(faketelegram.Post{Chat: group, User: user, Text: text})
}

// on tells the model what to say to messages with a word in them, rather than what it was told before.
func (w *world) on(word string, says func(fakemodel.Request) fakemodel.Reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers = append([]answering{{word, says}}, w.answers...)
}

// saying is a model that says one thing.
func saying(pieces ...string) func(fakemodel.Request) fakemodel.Reply {
	return func(fakemodel.Request) fakemodel.Reply { return fakemodel.Text(pieces...) }
}

func (w *world) reply(r fakemodel.Request) fakemodel.Reply {
	w.mu.Lock()
	answers := w.answers
	w.mu.Unlock()
	for _, a := range answers {
		if strings.Contains(r.LastUser(), a.word) {
			return a.says(r)
		}
	}
	return nil
}

// watch calls f at every phase of every call of the platform from now on.
func (w *world) watch(f func(faketelegram.Call, faketelegram.Phase)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.onCall = f
}

func (w *world) called(c faketelegram.Call, p faketelegram.Phase) {
	w.mu.Lock()
	f := w.onCall
	w.mu.Unlock()
	if f != nil {
		f(c, p)
	}
}

// until waits until ok, which is asked after every change on the platform.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.life, patience)
	defer cancel()
	if err := w.tg.WaitFor(ctx, ok); err != nil {
		w.t.Fatalf("%s: %v\n%s", what, err, w.story())
	}
}

// untilModel waits until ok, which is asked after every change at the model.
func (w *world) untilModel(what string, ok func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.life, patience)
	defer cancel()
	if err := w.model.WaitFor(ctx, ok); err != nil {
		w.t.Fatalf("%s: %v\n%s", what, err, w.story())
	}
}

// when is a model's pause until ok, which is asked after every change on the platform.
func (w *world) when(ok func() bool) fakemodel.Wait {
	gate := make(chan struct{})
	go func() { // ends with the test at the latest
		if w.tg.WaitFor(w.life, ok) == nil {
			close(gate)
		}
	}()
	return gate
}

// shows is a model's pause until the platform has answered an attempt, begun from now on, to show a text.
func (w *world) shows(chat int64, text string) fakemodel.Wait {
	since := len(w.tg.Calls())
	return w.when(func() bool {
		return slices.ContainsFunc(w.tg.Calls()[since:], func(c faketelegram.Call) bool {
			return c.Chat == chat && shownBy(c) && strings.Contains(c.Params["text"], text) && c.Outcome.Answered
		})
	})
}

// shownBy tells whether a call brings a text into a chat.
func shownBy(c faketelegram.Call) bool {
	m := strings.ToLower(c.Method)
	return m == "sendmessage" || m == "editmessagetext"
}

// attempts returns the calls of a chat to send or edit a text that contains some words.
func (w *world) attempts(chat int64, method, words string) []faketelegram.Call {
	return slices.DeleteFunc(w.tg.CallsTo(method), func(c faketelegram.Call) bool {
		return c.Chat != chat || !strings.Contains(c.Params["text"], words)
	})
}

// texts returns what the bot's messages of a chat say.
func (w *world) texts(chat int64) []string {
	var out []string
	for _, m := range w.tg.FromBot(chat) {
		out = append(out, m.Text)
	}
	return out
}

// visible waits until one of the bot's messages in a chat contains some words, and returns it.
func (w *world) visible(chat int64, words string) (found faketelegram.Message) {
	w.t.Helper()
	w.until(fmt.Sprintf("wait for %q", words), func() bool {
		for _, m := range w.tg.FromBot(chat) {
			if strings.Contains(m.Text, words) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// question waits for a message with buttons, and returns the newest.
func (w *world) question(chat int64) (found faketelegram.Message) {
	w.t.Helper()
	w.until("wait for a question", func() bool {
		for _, m := range w.tg.FromBot(chat) {
			if len(m.Buttons) > 0 {
				found = m
			}
		}
		return found.ID != 0
	})
	return found
}

// press presses a button of a message, counted from 0.
func (w *world) press(user int64, m faketelegram.Message, n int) string {
	w.t.Helper()
	id, err := w.tg.PressButton(m.Chat, user, m.ID, n)
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

// settled waits until everything that the bot had to bring into a private chat is there: the answer to a command comes behind it.
func (w *world) settled(user int64) {
	w.t.Helper()
	const idle = "Nothing is running."
	for !strings.Contains(w.ask(user, "/status", idle, "Working on a message"), idle) { // a preview may show the end before the turn has one
	}
}

// ask gives a command, waits for an answer with one of the words in it, takes the answer away again and returns what it said.
func (w *world) ask(user int64, command string, words ...string) string {
	w.t.Helper()
	sent := w.tg.Say(user, user, command)
	var answer faketelegram.Message
	w.until("wait for the answer to "+command, func() bool {
		for _, m := range w.tg.FromBot(user) {
			if m.ID > sent.ID && slices.ContainsFunc(words, func(s string) bool { return strings.Contains(m.Text, s) }) {
				answer = m
				return true
			}
		}
		return false
	})
	w.tg.DeleteMessage(user, answer.ID)
	return answer.Text
}

// story tells for a test that failed what everybody did.
func (w *world) story() string {
	var b strings.Builder
	var start time.Time
	for _, c := range w.tg.Calls() {
		if start.IsZero() {
			start = c.Time
		}
		if m := strings.ToLower(c.Method); m == "setmycommands" || m == "getme" {
			continue
		}
		fmt.Fprintf(&b, "%6dms %s chat=%d msg=%s %q buttons=%d → %d %s %T\n", c.Time.Sub(start).Milliseconds(), c.Method, c.Chat, c.Params["message_id"], c.Params["text"],
			strings.Count(c.Params["reply_markup"], "callback_data"), c.Outcome.Code, c.Outcome.Description, c.Outcome.Fault)
	}
	w.mu.Lock()
	users := w.users
	w.mu.Unlock()
	for id := int64(firstUser); id < firstUser+users; id++ {
		fmt.Fprintf(&b, "--- chat %d\n", id)
		for _, m := range w.tg.Messages(id) {
			fmt.Fprintf(&b, "%d %s deleted=%t edits=%d: %q\n", m.ID, m.From.FirstName, m.Deleted, m.Edits, m.Text)
		}
	}
	for _, e := range w.model.Exchanges() {
		fmt.Fprintf(&b, "model: %s %d, last %s %.60q\n", e.End, e.Status, e.Request.Last().Role, e.Request.Last().Content)
	}
	return b.String()
}
