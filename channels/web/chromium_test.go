package web_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// The one browser of all tests of this package, started by the first that needs it and ended by TestMain.
var browser struct {
	once sync.Once
	ctx  context.Context
	end  func()
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(code)
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
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true), chromedp.Flag("process-per-site", true))
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(alloc)
	browser.ctx = ctx
	browser.end = func() {
		end()
		endAlloc()
	}
	browser.err = chromedp.Do(ctx)
}

// look says how a tab shall be.
type look struct {
	lang   string // of the browser; "" is ko
	width  int64  // 0 is 1280
	height int64  // 0 is 800
	dark   bool
	hash   string // session to open
}

// A tab is a page in the browser. Whatever it does, it must not break its own security policy or throw.
type tab struct {
	t       testing.TB
	ctx     context.Context
	address string
	mu      sync.Mutex // guards faults
	faults  []string
}

// browse opens the page. Tabs share nothing but cookies, because each server has a port of its own. Without a browser the test is
// skipped, in CI it fails.
func browse(t *testing.T, address string, l look) *tab {
	t.Helper()
	browser.once.Do(startBrowser)
	if errors.Is(browser.err, errNoChromium) && os.Getenv("CI") != "true" {
		t.Skip("SKIPPED: no chromium")
	}
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	ctx, end := chromedp.NewContext(browser.ctx)
	p := &tab{t: t, ctx: ctx, address: address}
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
	p.emulate(l)
	url := "http://" + address + "/"
	if l.hash != "" {
		url += "#" + l.hash
	}
	p.do(chromedp.Navigate(url))
	return p
}

// watch notes what the browser complains of. Refused and lost connections are part of some tests.
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

func (p *tab) emulate(l look) {
	p.t.Helper()
	if l.lang == "" {
		l.lang = "ko-KR"
	}
	if l.width == 0 {
		l.width, l.height = 1280, 800
	}
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	agent := chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "test", AcceptLanguage: l.lang})
		return err
	})
	media := chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
	violations := chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `document.addEventListener('securitypolicyviolation', e => setTimeout(() => { throw new Error('CSP: ' + e.violatedDirective) }))`})
		return err
	})
	p.do(agent, media, violations, chromedp.EmulateViewport(l.width, l.height))
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

// wait waits until an expression is true. The page itself waits, without anything that its policy forbids.
func (p *tab) wait(expression string) {
	p.t.Helper()
	script := fmt.Sprintf(`new Promise((ok, late) => {
		const end = Date.now() + %d;
		const check = () => (%s) ? ok(true) : Date.now() > end ? late(new Error('not in time')) : setTimeout(check, 15);
		check();
	})`, (patience-5*time.Second)/time.Millisecond, expression)
	ctx, done := context.WithTimeout(p.ctx, patience)
	defer done()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise)); err != nil {
		body := value[string](p, `document.body.innerText + ' | focus: ' + document.activeElement.outerHTML.slice(0, 200)`)
		p.t.Fatalf("wait for %s: %v\n%s", expression, err, body)
	}
}

// texts returns the text of each element that a selector finds.
func (p *tab) texts(selector string) []string {
	p.t.Helper()
	return value[[]string](p, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent)`, selector))
}

// count counts what a selector finds.
func (p *tab) count(selector string) int {
	p.t.Helper()
	return value[int](p, fmt.Sprintf(`document.querySelectorAll(%q).length`, selector))
}

// keys presses keys, one after the other, on whatever has focus.
func (p *tab) keys(keys string, opts ...chromedp.KeyOption) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys, opts...))
}

// say writes a message and sends it with Enter.
func (p *tab) say(text string) {
	p.t.Helper()
	p.wait(`!!document.querySelector('#input')`)
	p.do(chromedp.Focus("#input"))
	p.keys(text + "\r")
}

// click clicks an element with the mouse.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(selector))
}

// online waits for the first frames.
func (p *tab) online() {
	p.t.Helper()
	p.wait(`!document.querySelector('#app').hidden && document.querySelector('#banner').hidden && (document.querySelector('#log').children.length || !document.querySelector('#empty').hidden)`)
}

// shot takes a picture. It is kept where STEADY_SHOTS says, to be looked at.
func (p *tab) shot(name string) []byte {
	p.t.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if dir := os.Getenv("STEADY_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	return png
}
