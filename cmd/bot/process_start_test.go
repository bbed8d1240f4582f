package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// page is the configuration of a bot that only has its page.
const page = "channels: {web: {listen: \"127.0.0.1:0\"}}\n"

// fetch gets what is at an address of the page.
func fetch(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := http.Client{Timeout: patience}
	defer client.CloseIdleConnections()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// The program as people get it: built, on a fresh machine, without a configuration, a key or a token.
func TestTheBuiltBinaryOnAFreshMachine(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program := filepath.Join(t.TempDir(), "bot")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b := newBot(t, "")
	if err := os.Remove(filepath.Join(b.dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	b.program, b.args = program, nil
	p, address := b.up("STEADY_WEB_LISTEN=127.0.0.1:0")
	t.Logf("the page is there after %s", time.Since(p.begun).Round(time.Millisecond))
	if status, body := fetch(t, "http://"+address+"/-/healthz"); status != http.StatusOK || strings.TrimSpace(body) != "ok" {
		t.Errorf("healthz: %d %q", status, body)
	}
	if status, body := fetch(t, "http://"+address+"/"); status != http.StatusOK || !strings.Contains(body, "<title>") {
		t.Errorf("page: %d, %d bytes", status, len(body))
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes on disk, stripped; %s resident when idle", info.Size(), resident(p.cmd.Process.Pid))
	if got := p.output(); len(got) != 1 {
		t.Errorf("it prints %q", got)
	}
	if data, err := os.Stat(filepath.Join(b.dir, "data", dataFile)); err != nil || data.Mode().Perm() != 0o600 {
		t.Errorf("data: %v, %v", data, err)
	}
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if code, out, _ := b.runOnce("version"); code != exitOK || !strings.HasPrefix(out, "steady ") {
		t.Errorf("version: %d %q", code, out)
	}
}

// resident is the memory that a process really has, as the system tells it.
func resident(pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "unknown"
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return "unknown"
	}
	kb, _ := strconv.Atoi(string(m[1])) // digits
	return fmt.Sprintf("%d MiB", kb>>10)
}

func TestTheFirstPollComesSoon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	p, _ := w.bot.up()
	w.until("wait for a poll", w.tg.Polling)
	t.Logf("the first poll came after %s", time.Since(p.begun).Round(time.Millisecond))
	if menu := w.tg.Menu(w.user("ko"), firstUser, "ko"); len(menu) == 0 {
		w.until("wait for the menu", func() bool { return len(w.tg.Menu(firstUser, firstUser, "ko")) > 0 })
	}
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// Two bots on the same data would answer everything twice.
func TestASecondProcessOnTheSameData(t *testing.T) {
	t.Parallel()
	b := newBot(t, page)
	first, address := b.up()
	second := b.start()
	if code := second.wait(t); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	oneLine(t, second, "another bot is using ./data: stop it first, or set data_dir to another folder")
	if status, _ := fetch(t, "http://"+address+"/-/healthz"); status != http.StatusOK {
		t.Errorf("the first one answers %d", status)
	}
	if code := first.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
}

// oneLine checks that a failure at the start is one line for the operator, beside the log.
func oneLine(t *testing.T, p *process, want string) {
	t.Helper()
	var said []string
	for _, line := range p.errors() {
		if !strings.HasPrefix(line, "time=") {
			said = append(said, line)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], want) {
		t.Errorf("it says %q, want one line with %q", said, want)
	}
}

func TestThePortIsInUse(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	for _, key := range []string{"channels: {web: {listen: %q}}\n", page + "admin: {listen: %q}\n"} {
		b := newBot(t, fmt.Sprintf(key, ln.Addr()))
		p := b.start()
		if code := p.wait(t); code != exitFailed {
			t.Errorf("exit code %d", code)
		}
		oneLine(t, p, "listen: another program listens on "+ln.Addr().String())
		if code := p.code; code == exitFailed && len(p.output()) != 0 {
			t.Errorf("it prints %q", p.output())
		}
	}
}

func TestAWrongConfiguration(t *testing.T) {
	t.Parallel()
	b := newBot(t, "agent:\n  workers: many\nlanguage: fr\nchannels:\n  telegram:\n    tokn: 1:secretsecret\n")
	b.hide("secretsecret")
	p := b.start()
	if code := p.wait(t); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	got := strings.Join(p.errors(), "\n")
	for _, want := range []string{"config.yaml:2: agent.workers", "config.yaml:3: language", "config.yaml:6: channels.telegram.tokn: unknown key"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	if len(p.errors()) != 3 {
		t.Errorf("%d lines for 3 problems", len(p.errors()))
	}
}

// A token of the wrong form is a failure at the start, and is not shown.
func TestATokenOfTheWrongForm(t *testing.T) {
	t.Parallel()
	b := newBot(t, page+"model: {provider: offline}\n")
	b.hide("not-a-token")
	p := b.start("TELEGRAM_BOT_TOKEN=not-a-token")
	if code := p.wait(t); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	oneLine(t, p, "token: not of the form ID:SECRET")
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"fly"}, {"-config"}, {"-nonsense"}, {"version", "please"}} {
		b := newBot(t, page)
		if code, _, stderr := b.runOnce(args...); code != exitUsage || !strings.Contains(stderr, "usage:") {
			t.Errorf("%q: exit code %d, %q", args, code, stderr)
		}
	}
}

// SIGTERM ends everything cleanly, also with pages open and a poll waiting; what is left behind is closed data.
func TestSignalsStopTheBot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.on("hello", saying("Hello."))
	p, _ := w.bot.up()
	w.say(user, "hello")
	w.visible(user, "Hello.")
	begun := time.Now()
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	t.Logf("it stopped within %s", time.Since(begun).Round(time.Millisecond))
	p, _ = w.bot.up()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := p.wait(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	for _, line := range p.errors() {
		if strings.Contains(line, "was not closed") {
			t.Errorf("after a clean stop: %s", line)
		}
	}
}

// A turn that is running gets its grace, and goes on at the next start where the grace was too short.
func TestATurnGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	user := w.user("en")
	w.on("long story", endless("Once upon"))
	p, _ := w.bot.up()
	w.say(user, "long story")
	w.visible(user, "Once upon")
	w.on("long story", saying("Once upon a time it ended."))
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	w.bot.up()
	w.visible(user, "Once upon a time it ended.")
	w.settled(user)
	if got := w.texts(user); len(got) != 1 {
		t.Errorf("the chat shows %q", got)
	}
}

// Nobody is heard until somebody sends the code that is shown at the start; then that account is, also after a restart.
func TestPairing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{allow: "[]"})
	w.on("hello", saying("Hello."))
	owner, stranger := w.user("en"), w.user("en")
	p, _ := w.bot.up()
	code := ""
	for _, line := range p.output() {
		if c, ok := strings.CutPrefix(line, "To pair Telegram, send your bot: "); ok {
			code = c
		}
	}
	if code == "" {
		t.Fatalf("no code in %q", p.output())
	}
	w.bot.hide(strings.TrimPrefix(code, "/start "))
	w.say(stranger, "hello")
	w.tg.Say(stranger, stranger, "/start WRONGCODE1")
	w.say(owner, "hello before the code")
	w.tg.Say(owner, owner, code)
	w.visible(owner, "Hello! I am Steady")
	w.tg.Say(stranger, stranger, code) // it was used
	w.say(owner, "hello")
	w.visible(owner, "Hello.")
	if code := p.stop(t); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	w.bot.up()
	w.say(stranger, "hello again")
	w.say(owner, "hello again")
	w.until("wait for the second answer", func() bool { return strings.Count(strings.Join(w.texts(owner), "\n"), "Hello.") == 2 })
	if got := w.texts(stranger); len(got) != 0 {
		t.Errorf("the stranger is told %q", got)
	}
	if n := len(w.model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
}

// check says what works and what does not, and never polls.
func TestCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t, options{})
	code, out, _ := w.bot.runOnce("check", "-config", "config.yaml")
	if code != exitOK || strings.Count(out, "✓") != 4 || !strings.Contains(out, "@steady_bot") || !strings.Contains(out, "fake") {
		t.Errorf("%d\n%s", code, out)
	}
	if n := len(w.tg.CallsTo("getUpdates")); n != 0 {
		t.Errorf("it polled %d times", n)
	}
	w.bot.args = []string{"-config", "config.yaml"}
	p, _ := w.bot.up()
	code, out, _ = w.bot.runOnce("check", "-config", "config.yaml", "-local")
	if !strings.Contains(out, "running bot") {
		t.Errorf("beside a running bot: %d\n%s", code, out)
	}
	if p.stop(t) != exitOK {
		t.Error("the bot did not survive it")
	}
	w.model.Close()
	w.tg.Close()
	code, out, stderr := w.bot.runOnce("check", "-config", "config.yaml")
	if code != exitFailed || strings.Count(out, "✗") != 2 || stderr != "" {
		t.Errorf("without a model and a platform: %d\n%s\n%s", code, out, stderr)
	}
	if _, secret, _ := strings.Cut(w.tg.Token(), ":"); strings.Contains(out, secret) || strings.Contains(out, modelKey) {
		t.Error("it shows a secret")
	}
}
