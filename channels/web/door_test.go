package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"steady/channels/web"
	"steady/core"
)

func TestNewChecksTheConfiguration(t *testing.T) {
	for _, test := range []struct {
		why, listen, token string
		noReader           bool
		want               string // part of the error, "" for none
	}{
		{why: "the default", listen: "127.0.0.1:8080"},
		{why: "all of 127/8 is this machine", listen: "127.9.8.7:80"},
		{why: "IPv6 loopback", listen: "[::1]:8080"},
		{why: "by name", listen: "LocalHost:8080"},
		{why: "every address", listen: "0.0.0.0:8080", want: "set a token"},
		{why: "every address, in short", listen: ":8080", want: "set a token"},
		{why: "every address, IPv6", listen: "[::]:8080", want: "set a token"},
		{why: "a name of the network", listen: "steady.local:8080", want: "set a token"},
		{why: "with a token", listen: "0.0.0.0:8080", token: "t"},
		{why: "no port", listen: "127.0.0.1", want: "listen address"},
		{why: "nothing", listen: "", want: "listen address"},
		{why: "nothing to show", listen: "127.0.0.1:8080", noReader: true, want: "reader"},
	} {
		cfg := web.Config{Listen: test.listen, Token: test.token, Reader: newWorld()}
		if test.noReader {
			cfg.Reader = nil
		}
		_, err := web.New(cfg)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.why, err)
		}
		if err != nil && test.token != "" && strings.Contains(err.Error(), test.token) {
			t.Errorf("%s: the token is in the error", test.why)
		}
	}
}

func TestRunSaysThatItCannotListen(t *testing.T) {
	taken := start(t, newWorld(), nil)
	c, err := web.New(web.Config{Listen: taken, Reader: newWorld()})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), newWorld().accept); err == nil {
		t.Error("two pages on one address")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Run(ended, newWorld().accept); err != nil {
		t.Errorf("stopped before it began: %v", err)
	}
}

// request makes a request and returns its answer, with the body read.
func request(t testing.TB, method, url string, change func(*http.Request)) (*http.Response, string) {
	t.Helper()
	ctx, done := context.WithTimeout(context.Background(), patience)
	defer done()
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

// Without a token a page of another site must not reach us by making its name resolve to 127.0.0.1.
func TestHostsOnLoopback(t *testing.T) {
	address := start(t, newWorld(), nil)
	_, port, _ := strings.Cut(address, ":")
	for _, test := range []struct {
		host string
		ok   bool
	}{
		{address, true}, {"localhost:" + port, true}, {"LOCALHOST:" + port, true}, {"[::1]:" + port, true}, {"127.0.0.1", true},
		{"evil.example", false}, {"evil.example:" + port, false}, {"127.0.0.1.evil.example", false}, {"localhost.", false},
		{"0.0.0.0:" + port, false}, {"192.168.1.2:" + port, false},
	} {
		for _, path := range []string{"/", "/login", "/ws", "/app.js"} {
			resp, _ := request(t, "GET", "http://"+address+path, host(test.host))
			if (resp.StatusCode == http.StatusMisdirectedRequest) == test.ok {
				t.Errorf("host %s, %s: %s", test.host, path, resp.Status)
			}
		}
	}
}

// With a token the cookie decides, so that the page can stand behind a proxy.
func TestHostsWithToken(t *testing.T) {
	address := start(t, newWorld(), func(c *web.Config) { c.Token = "secret" })
	resp, _ := request(t, "GET", "http://"+address+"/", host("steady.example"))
	if resp.StatusCode != http.StatusOK {
		t.Errorf("got %s", resp.Status)
	}
}

func TestOrigins(t *testing.T) {
	address := start(t, newWorld(), nil)
	_, port, _ := strings.Cut(address, ":")
	for _, test := range []struct {
		origin, why string
		ok          bool
	}{
		{"", "no browser", true},
		{"http://" + address, "our page", true},
		{"http://localhost:" + port, "our page by another loopback name", true},
		{"https://127.0.0.1:" + port, "our page behind TLS", true},
		{"http://localhost:1", "another program of this machine", false},
		{"http://localhost", "another port", false},
		{"http://evil.example", "another site", false},
		{"http://127.0.0.1:" + port + ".evil.example", "a name that begins like ours", false},
		{"http://127.0.0.1:" + port + "@evil.example", "a user that looks like ours", false},
		{"null", "a sandboxed frame or a file", false},
		{"file://", "a file", false},
		{"chrome-extension://" + address, "an extension", false},
	} {
		header := http.Header{}
		if test.origin != "" {
			header.Set("Origin", test.origin)
		}
		ctx, done := context.WithTimeout(t.Context(), patience)
		conn, resp, err := websocket.Dial(ctx, "ws://"+address+"/ws", &websocket.DialOptions{HTTPHeader: header})
		done()
		if err == nil {
			conn.CloseNow()
		}
		if (err == nil) != test.ok || !test.ok && (resp == nil || resp.StatusCode != http.StatusForbidden) {
			t.Errorf("%s (%s): %v", test.origin, test.why, err)
		}
		resp, _ = request(t, "POST", "http://"+address+"/login", func(r *http.Request) { r.Header = header })
		if (resp.StatusCode != http.StatusForbidden) != test.ok && resp.StatusCode != http.StatusTooManyRequests {
			t.Errorf("sign-in from %s (%s): %s", test.origin, test.why, resp.Status)
		}
	}
}

// login tries a token and returns the answer.
func login(t testing.TB, address, token string, change func(*http.Request)) *http.Response {
	t.Helper()
	resp, _ := request(t, "POST", "http://"+address+"/login", func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Body = io.NopCloser(strings.NewReader(url.Values{"token": {token}}.Encode()))
		if change != nil {
			change(r)
		}
	})
	return resp
}

func TestSignIn(t *testing.T) {
	const token = "correct horse"
	w := newWorld()
	address := start(t, w, func(c *web.Config) { c.Listen, c.Token = "0.0.0.0:0", token })
	_, port, _ := strings.Cut(address[strings.LastIndex(address, "]")+1:], ":")
	address = "127.0.0.1:" + port
	if resp, _ := request(t, "GET", "http://"+address+"/ws", nil); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("the socket without a cookie: %s", resp.Status)
	}
	if resp, _ := request(t, "GET", "http://"+address+"/login", nil); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("not signed in: %s", resp.Status)
	}
	if resp := login(t, address, "wrong", nil); resp.StatusCode != http.StatusUnauthorized || len(resp.Cookies()) != 0 {
		t.Errorf("a wrong token: %s", resp.Status)
	}
	resp := login(t, address, token, nil)
	if resp.StatusCode != http.StatusNoContent || len(resp.Cookies()) != 1 {
		t.Fatalf("the token: %s, %v", resp.Status, resp.Cookies())
	}
	cookie := resp.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Secure || cookie.Path != "/" || cookie.MaxAge <= 0 || strings.Contains(cookie.Value, token) {
		t.Errorf("cookie %v", cookie)
	}
	resp = login(t, address, token, func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") })
	if !resp.Cookies()[0].Secure {
		t.Error("behind TLS the cookie stays there")
	}
	with := func(value string) http.Header { return http.Header{"Cookie": {cookie.Name + "=" + value}} }
	c := dial(t, address, with(cookie.Value))
	c.send(send{Type: "hello"})
	c.until("sessions")
	expiry, mac, _ := strings.Cut(cookie.Value, ".")
	for _, test := range []struct{ why, value string }{
		{"a longer life", "9" + expiry + "." + mac},
		{"an expired one with its own MAC", "1." + mac},
		{"no MAC", expiry + "."},
		{"half of it", expiry},
		{"another MAC", expiry + "." + strings.Repeat("A", len(mac))},
		{"nothing", ""},
	} {
		resp, _ := request(t, "GET", "http://"+address+"/ws", func(r *http.Request) { r.Header = with(test.value) })
		if resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", test.why, resp.Status)
		}
	}
	other := start(t, w, func(c *web.Config) { c.Token = "another" })
	if resp, _ := request(t, "GET", "http://"+other+"/ws", func(r *http.Request) { r.Header = with(cookie.Value) }); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a changed token ends all sign-ins, got %s", resp.Status)
	}
}

func TestGuessingIsSlow(t *testing.T) {
	address := start(t, newWorld(), func(c *web.Config) { c.Token = "secret" })
	codes := map[int]int{}
	for i := range 12 {
		codes[login(t, address, fmt.Sprint(i), nil).StatusCode]++
	}
	if codes[http.StatusUnauthorized] > 6 || codes[http.StatusTooManyRequests] < 6 {
		t.Errorf("answers %v", codes)
	}
	if resp := login(t, address, "secret", nil); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("the right one at last is not taken either: %s", resp.Status)
	}
}

func TestSignInBodiesAreBounded(t *testing.T) {
	address := start(t, newWorld(), func(c *web.Config) { c.Token = "secret" })
	if resp := login(t, address, strings.Repeat("x", 1<<20), nil); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("got %s", resp.Status)
	}
}

func TestHeadersAndFiles(t *testing.T) {
	extra := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "extra "+r.URL.Path) })
	address := start(t, newWorld(), func(c *web.Config) { c.Extra = extra })
	for _, test := range []struct{ method, path, kind, body string }{
		{"GET", "/", "text/html; charset=utf-8", "<!doctype html>"},
		{"GET", "/app.js", "text/javascript; charset=utf-8", "import"},
		{"GET", "/style.css", "text/css; charset=utf-8", ":root"},
		{"GET", "/icon.svg", "image/svg+xml", "<svg"},
		{"HEAD", "/app.js", "text/javascript; charset=utf-8", ""},
		{"GET", "/-/healthz", "text/plain; charset=utf-8", "extra /healthz"},
	} {
		resp, body := request(t, test.method, "http://"+address+test.path, nil)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != test.kind || !strings.Contains(body, test.body) {
			t.Errorf("%s %s: %s, %s", test.method, test.path, resp.Status, resp.Header.Get("Content-Type"))
		}
	}
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/nothing", 404}, {"GET", "/index.html", 404}, {"GET", "/page/app.js", 404}, {"GET", "/../web.go", 404},
		{"POST", "/", 405}, {"DELETE", "/login", 405}, {"GET", "/ws", 426},
	} {
		resp, _ := request(t, test.method, "http://"+address+test.path, nil)
		if resp.StatusCode != test.status {
			t.Errorf("%s %s: %s", test.method, test.path, resp.Status)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
				"base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q", test.method, test.path, name, got)
			}
		}
	}
	resp, _ := request(t, "GET", "http://"+address+"/app.js", nil)
	tag := resp.Header.Get("ETag")
	resp, body := request(t, "GET", "http://"+address+"/app.js", func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
	if tag == "" || resp.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("a file that has not changed: %s", resp.Status)
	}
}

// The page has nothing inline, loads nothing from elsewhere, and is small.
func TestPageIsSmallAndSelfContained(t *testing.T) {
	address := start(t, newWorld(), nil)
	total := 0
	for _, path := range []string{"/", "/style.css", "/icon.svg", "/app.js", "/link.js", "/session.js", "/view.js", "/markdown.js", "/texts.js"} {
		resp, body := request(t, "GET", "http://"+address+path, nil)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, resp.Status)
		}
		total += len(body)
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "new Function", "<style", " style=", "onclick=\""} {
			if strings.Contains(body, bad) {
				t.Errorf("%s has %s", path, bad)
			}
		}
		for _, link := range []string{"src=\"http", "href=\"http", "url(http", "@import", "from 'http"} {
			if strings.Contains(body, link) {
				t.Errorf("%s loads from elsewhere: %s", path, link)
			}
		}
	}
	if total > 60_000 {
		t.Errorf("the page has %d bytes", total)
	}
}

func TestPageLanguage(t *testing.T) {
	for _, lang := range []string{"", "ko"} {
		address := start(t, newWorld(), func(c *web.Config) { c.Lang = core.Lang(lang) })
		if _, body := request(t, "GET", "http://"+address+"/", nil); !strings.Contains(body, `<html lang="`+lang+`">`) {
			t.Errorf("language %q is not in the page", lang)
		}
	}
}
