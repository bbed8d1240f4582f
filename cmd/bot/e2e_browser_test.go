package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The one browser of these tests, started by the first that needs it and ended by TestMain.
var browser struct {
	once sync.Once
	ctx  context.Context
	end  func()
	err  error
}

var errNoChromium = errors.New("no chromium")

func startBrowser() {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		browser.err = errNoChromium
		return
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true))
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(alloc)
	browser.ctx = ctx
	browser.end = func() {
		end()
		endAlloc()
	}
	browser.err = chromedp.Do(ctx)
}

func closeBrowser() {
	if browser.end != nil {
		browser.end()
	}
}

// A tab is the page of a bot in the browser. Whatever it does, it must not throw.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex // guards faults
	faults []string
}

// browse opens the page, beside another tab of the same person or, with nil, as a new one. Without a browser the test is skipped;
// in CI it fails.
func browse(t *testing.T, address, lang string, beside *tab) *tab {
	t.Helper()
	browser.once.Do(startBrowser)
	if errors.Is(browser.err, errNoChromium) && os.Getenv("CI") != "true" {
		t.Skip("SKIPPED: no chromium")
	}
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	parent, opts := browser.ctx, []chromedp.ContextOption{chromedp.WithNewBrowserContext()}
	if beside != nil {
		parent, opts = beside.ctx, nil
	}
	ctx, end := chromedp.NewContext(parent, opts...)
	p := &tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, f := range p.faults {
			t.Errorf("page: %s", f)
		}
		end()
	})
	if err := chromedp.Listen(ctx, p.watch); err != nil {
		t.Fatal(err)
	}
	agent := chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "test", AcceptLanguage: lang})
		return err
	})
	p.do(agent, chromedp.EmulateViewport(1100, 760), chromedp.Navigate("http://"+address+"/"))
	p.online()
	return p
}

// watch notes what the browser complains of. Lost connections are part of a restart.
func (p *tab) watch(ev any) {
	fault := ""
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		fault = (&chromedp.ExceptionError{ExceptionDetails: ev.ExceptionDetails}).Error()
	case *log.EventEntryAdded:
		if ev.Entry.Source != "network" && (ev.Entry.Level == "error" || ev.Entry.Source == "security") {
			fault = fmt.Sprintf("%s: %s", ev.Entry.Source, ev.Entry.Text)
		}
	}
	if fault != "" && !strings.Contains(fault, "WebSocket connection") {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults = append(p.faults, fault)
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, done := context.WithTimeout(p.ctx, patience)
	defer done()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// value evaluates an expression.
func value[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, done := context.WithTimeout(p.ctx, patience)
	defer done()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits, within the page, until an expression is true.
func (p *tab) wait(expression string) {
	p.t.Helper()
	script := fmt.Sprintf(`new Promise((ok, late) => {
		const end = Date.now() + %d;
		const check = () => (%s) ? ok(true) : Date.now() > end ? late(new Error('not in time')) : setTimeout(check, 15);
		check();
	})`, (patience/2)/time.Millisecond, expression)
	ctx, done := context.WithTimeout(p.ctx, patience)
	defer done()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise)); err != nil {
		p.t.Fatalf("wait for %s: %v\n%s", expression, err, value[string](p, `document.body.innerText`))
	}
}

// online waits for the first frames of a connection.
func (p *tab) online() {
	p.t.Helper()
	p.wait(`!document.querySelector('#app').hidden && document.querySelector('#banner').hidden &&
		(document.querySelector('#log').children.length || !document.querySelector('#empty').hidden)`)
}

// texts returns the text of each element that a selector finds.
func (p *tab) texts(selector string) []string {
	p.t.Helper()
	return value[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent)`, selector))
}

// says waits until one of the elements that a selector finds contains some words.
func (p *tab) says(selector, words string) {
	p.t.Helper()
	p.wait(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))`, selector, words))
}

// say writes a message and sends it with Enter.
func (p *tab) say(text string) {
	p.t.Helper()
	p.wait(`!!document.querySelector('#input')`)
	p.do(chromedp.Focus("#input"), chromedp.KeyEvent(text+"\r"))
}

// shot takes a picture into artifacts/ at the root of the repository, to be looked at.
func (p *tab) shot(name string) {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll("../../artifacts", 0o750)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join("../../artifacts", name+".png"), png, 0o600)
	}
	if err != nil {
		p.t.Error(err)
	}
}

// freshBot is a bot without a configuration, at an address that stays the same when it is started again.
func freshBot(t *testing.T) (b *bot, start func() *process, address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	b = newBot(t, "")
	b.args = nil
	if err := os.Remove(filepath.Join(b.dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	return b, func() *process {
		p, _ := b.up("STEADY_WEB_LISTEN=" + address)
		return p
	}, address
}
