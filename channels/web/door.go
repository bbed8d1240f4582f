package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	cookieName = "steady"
	cookieLife = 30 * 24 * time.Hour
	maxLogin   = 4 << 10 // bytes of a sign-in request

	// Tries to sign in from one address, and how many addresses are watched at a time.
	loginBurst   = 5
	loginEvery   = 10 * time.Second
	maxAddresses = 1024
)

// A door decides who comes in. Without a token everybody who reaches the address is the owner, which is why it then has to be a
// loopback address, and why a request must name it as one: a page of another site can make its own name resolve to 127.0.0.1
// (DNS rebinding), but it cannot make the browser send a loopback name as Host. With a token a browser gets a cookie for it.
// The cookie holds an expiry and its MAC under the token, so it survives a restart and dies with the token.
type door struct {
	token string
	host  string // of the address that was asked for
	tries tries
}

// knowsHost tells whether the request's Host can be ours.
func (d *door) knowsHost(r *http.Request) bool {
	if d.token != "" {
		return true // a foreign name has no cookie of ours
	}
	name, _ := splitHost(r.Host)
	return isLoopbackName(name) || name == d.host
}

// sameOrigin tells whether a page of ours, or no page at all, makes the request. Names of the loopback are equal.
func (d *door) sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" { // browsers always send it with WebSockets and with POST
		return true
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	ours, ourPort := splitHost(r.Host)
	theirs, theirPort := splitHost(u.Host)
	return ourPort == theirPort && (ours == theirs || isLoopbackName(ours) && isLoopbackName(theirs))
}

// signedIn tells whether the request may use the chat.
func (d *door) signedIn(r *http.Request, now time.Time) bool {
	if d.token == "" {
		return true
	}
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	expiry, mac, _ := strings.Cut(c.Value, ".")
	until, err := strconv.ParseInt(expiry, 10, 64)
	return err == nil && hmac.Equal([]byte(mac), []byte(d.mac(expiry))) && now.Unix() < until
}

func (d *door) mac(expiry string) string {
	h := hmac.New(sha256.New, []byte(d.token))
	h.Write([]byte("steady web cookie until " + expiry))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// login answers GET with whether the browser is signed in (204 or 401), and exchanges the form value token of a POST for a cookie.
func (d *door) login(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	switch {
	case r.Method == http.MethodGet:
		answerSignedIn(w, d.signedIn(r, now))
	case r.Method == http.MethodPost:
		d.exchange(w, r, now)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (d *door) exchange(w http.ResponseWriter, r *http.Request, now time.Time) {
	if !d.sameOrigin(r) {
		http.Error(w, "forbidden", http.StatusForbidden)
		return
	}
	if d.token == "" {
		answerSignedIn(w, true)
		return
	}
	if !d.tries.allow(r.RemoteAddr, now) {
		w.Header().Set("Retry-After", strconv.Itoa(int(loginEvery/time.Second)))
		http.Error(w, "too many tries", http.StatusTooManyRequests)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	if !sameSecret(r.PostFormValue("token"), d.token) {
		answerSignedIn(w, false)
		return
	}
	http.SetCookie(w, d.cookie(r, now.Add(cookieLife)))
	answerSignedIn(w, true)
}

func (d *door) cookie(r *http.Request, until time.Time) *http.Cookie {
	expiry := strconv.FormatInt(until.Unix(), 10)
	return &http.Cookie{
		Name: cookieName, Value: expiry + "." + d.mac(expiry), Path: "/", MaxAge: int(cookieLife / time.Second),
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	}
}

func answerSignedIn(w http.ResponseWriter, ok bool) {
	if ok {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Error(w, "sign in", http.StatusUnauthorized)
}

// sameSecret compares in a time that tells neither length nor place of a difference.
func sameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// tries limits guesses by address; of IPv6, by the network that one customer has. The zero value is ready.
type tries struct {
	mu     sync.Mutex // guards byAddr
	byAddr map[netip.Prefix]*rate.Limiter
}

func (t *tries) allow(remote string, now time.Time) bool {
	from := network(remote)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byAddr == nil {
		t.byAddr = map[netip.Prefix]*rate.Limiter{}
	}
	l, ok := t.byAddr[from]
	if !ok {
		if len(t.byAddr) >= maxAddresses && !t.forget(now) {
			return false
		}
		l = rate.NewLimiter(rate.Every(loginEvery), loginBurst)
		t.byAddr[from] = l
	}
	return l.AllowN(now, 1)
}

// forget drops the addresses that have waited long enough to have all their tries again, and tells whether there were any.
func (t *tries) forget(now time.Time) bool {
	before := len(t.byAddr)
	for a, l := range t.byAddr {
		if l.TokensAt(now) >= loginBurst {
			delete(t.byAddr, a)
		}
	}
	return len(t.byAddr) < before
}

// network is the part of a remote address that tries are counted for; the zero Prefix for what is none.
func network(remote string) netip.Prefix {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr, bits := ap.Addr().Unmap().WithZone(""), 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // the bits fit
	return p
}

// splitHost returns the name, in lower case and without brackets, and the port of a Host or an Origin's host.
func splitHost(hostport string) (name, port string) {
	name, port, err := net.SplitHostPort(hostport)
	if err != nil {
		name, port = strings.Trim(hostport, "[]"), ""
	}
	return strings.ToLower(name), port
}

func isLoopbackName(name string) bool {
	return name == "localhost" || name == "127.0.0.1" || name == "::1"
}

// isLoopback tells whether only this machine can reach the host of a listen address.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
