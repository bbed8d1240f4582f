package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The process tests run the program as a process of its own and act as the people, the platform and the model around it. The
// process is this test binary, started again: so the race detector looks at it too, and nothing has to be built.

const (
	// asBot makes the test binary run as the bot.
	asBot = "STEADY_TEST_AS_BOT"
	// patience is what a slow machine gets for anything.
	patience = time.Minute
	// atOnce is how many tests run at a time: they wait for a platform's pace rather than for the processor.
	atOnce = "12"
)

func TestMain(m *testing.M) {
	if os.Getenv(asBot) != "" {
		os.Exit(runAsBot())
	}
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	code := m.Run()
	closeBrowser()
	os.Exit(code)
}

// runAsBot is main. It does not outlive the test, which holds the other end of its standard input.
func runAsBot() int {
	go func() { // ends with the process
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(exitUsage)
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if os.Getenv(deathAt) != "" {
		return runMortal(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// A bot is a folder with a configuration and data, and one process after the other that works there.
type bot struct {
	t       testing.TB
	dir     string
	program string // "" is this test binary
	args    []string

	living sync.Mutex // held while a process is started and while the last one is ended; guards over
	over   bool

	mu      sync.Mutex // guards what follows
	log     bytes.Buffer
	logged  chan struct{} // closed and replaced at every line of the log
	secrets []string      // must never be in the log
	now     *process
}

// newBot makes a folder with a configuration. When the test ends, its process is ended and its log is looked through.
func newBot(t testing.TB, config string) *bot {
	t.Helper()
	b := &bot{t: t, dir: t.TempDir(), args: []string{"-config", "config.yaml"}, logged: make(chan struct{})}
	if err := os.WriteFile(filepath.Join(b.dir, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.living.Lock()
		defer b.living.Unlock()
		b.over = true
		if p := b.process(); p != nil {
			p.kill()
		}
		b.checkLog()
	})
	return b
}

// hide registers texts that must not be in the log.
func (b *bot) hide(texts ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.secrets = append(b.secrets, texts...)
}

func (b *bot) process() *process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// logs waits until a line of the log contains some words.
func (b *bot) logs(words string) {
	b.t.Helper()
	for late := time.After(patience); ; {
		b.mu.Lock()
		found, next := strings.Contains(b.log.String(), words), b.logged
		b.mu.Unlock()
		if found {
			return
		}
		select {
		case <-next:
		case <-late:
			b.t.Fatalf("the log does not say %q", words)
		}
	}
}

// checkLog looks for what a log at the level info must not have, and for what no log may have.
func (b *bot) checkLog() {
	b.mu.Lock()
	defer b.mu.Unlock()
	log := b.log.String()
	for _, s := range b.secrets {
		if s != "" && strings.Contains(log, s) {
			b.t.Errorf("the log has %q", s)
		}
	}
	for _, s := range []string{"DATA RACE", "panic:", "goroutine ended by a panic", "level=ERROR"} {
		if strings.Contains(log, s) {
			b.t.Errorf("the log has %q", s)
		}
	}
	if b.t.Failed() {
		b.t.Logf("log:\n%s", log)
	}
}

// A process is one life of a bot.
type process struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	begun   time.Time
	address chan string   // gets the page's address
	done    chan struct{} // closed when the process has ended
	code    int           // exit code, killed after a signal; set before done is closed

	mu     sync.Mutex // guards what follows
	stdout []string   // lines
	stderr []string
}

// start starts the process, without waiting for it. env comes on top of an environment that holds nothing of the tester's.
func (b *bot) start(env ...string) *process {
	b.t.Helper()
	b.living.Lock()
	defer b.living.Unlock()
	return b.spawn(env...)
}

// revive starts the process again as often as it is killed, as its supervisor would. dead is called before each new life and
// returns what is to be in its environment.
func (b *bot) revive(dead func() (env []string)) {
	first := b.process()
	go func() { // ends with a life that nobody killed, and with the test at the latest
		for p := first; ; {
			<-p.done
			b.living.Lock()
			if b.over || p.code != killed {
				b.living.Unlock()
				return
			}
			p = b.spawn(dead()...)
			b.living.Unlock()
		}
	}()
}

// killed is the exit code that a process has after a signal.
const killed = -1

// spawn is called with living held.
func (b *bot) spawn(env ...string) *process {
	program := b.program
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			b.t.Fatal(err)
		}
		program, env = self, append(env, asBot+"=1")
	}
	p := &process{cmd: exec.Command(program, b.args...), begun: time.Now(), address: make(chan string, 1), done: make(chan struct{})}
	p.cmd.Dir = b.dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir, "TMPDIR=" + os.TempDir()}, env...)
	p.cmd.Stdout = &lines{each: p.said}
	p.cmd.Stderr = &lines{each: func(line string) {
		p.mu.Lock()
		p.stderr = append(p.stderr, line)
		p.mu.Unlock()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.log.WriteString(line + "\n")
		close(b.logged)
		b.logged = make(chan struct{})
	}}
	stdin, err := p.cmd.StdinPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	p.stdin = stdin
	go func() { // ends with the process, which the test's cleanup ends
		defer close(p.done)
		var exit *exec.ExitError
		if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) {
			b.t.Errorf("wait for the process: %v", err)
		}
		p.code = p.cmd.ProcessState.ExitCode()
	}()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = p
	return p
}

// up starts the process and returns it with the address of its page, once it answers there.
func (b *bot) up(env ...string) (p *process, address string) {
	b.t.Helper()
	p = b.start(env...)
	select {
	case address = <-p.address:
	case <-p.done:
		b.t.Fatalf("the process ended with %d\n%s", p.code, strings.Join(p.errors(), "\n"))
	case <-time.After(patience):
		b.t.Fatal("the process does not say where it is")
	}
	return p, address
}

// said takes a line of the standard output.
func (p *process) said(line string) {
	if at, ok := strings.CutPrefix(line, "Steady is at http://"); ok {
		p.address <- at
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stdout = append(p.stdout, line)
}

// output returns the lines of the standard output so far.
func (p *process) output() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.stdout...)
}

// errors returns the lines of the standard error so far.
func (p *process) errors() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.stderr...)
}

// kill ends the process as a power cut does, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.done
}

// stop asks the process to end and returns its exit code.
func (p *process) stop(t testing.TB) int {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	return p.wait(t)
}

// wait waits until the process ends by itself and returns its exit code.
func (p *process) wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		t.Fatal("the process does not end")
	}
	return p.code
}

// lines calls each for every line that is written to it.
type lines struct {
	each func(line string)
	rest []byte
}

func (l *lines) Write(b []byte) (int, error) {
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.each(string(line))
		l.rest = append([]byte(nil), rest...)
	}
}

// runOnce runs a command of the program to its end.
func (b *bot) runOnce(args ...string) (code int, stdout, stderr string) {
	b.t.Helper()
	b.args = args
	p := b.start()
	code = p.wait(b.t)
	return code, strings.Join(p.output(), "\n"), strings.Join(p.errors(), "\n")
}
