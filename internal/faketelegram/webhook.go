package faketelegram

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	hookTimeout     = 60 * time.Second // for one delivery
	maxHookDelay    = 60 * time.Second // the server draws one of 60 to 120 s
	maxHookWait     = time.Hour        // for what Retry-After asks
	maxHookAnswer   = 1 << 20          // bytes of an answer that are read
	defaultHookConn = 40
	goneForGood     = 23 * time.Hour // of 410 answers remove the webhook
)

// webhook is where updates are delivered while it is set.
type webhook struct {
	url, secret string
	max         int
	life        context.Context // ends with the webhook; deliveries run in it
	cancel      context.CancelFunc
	slots       chan struct{} // as many as connections
	busy        map[lane]bool // lanes with a worker
	client      *http.Client
	goneSince   time.Time // of the first of the 410 answers in a row
	lastErr     string
	lastErrAt   time.Time
}

// setWebhook checks and sets a webhook; without an url it deletes the one that is set.
func (s *Server) setWebhook(ctx context.Context, p Params) (result, *Refusal) {
	address, secret := p["url"], p["secret_token"]
	if address == "" {
		return s.deleteWebhook(p), nil
	}
	now := s.cfg.Now()
	if now.Before(s.nextHook) {
		no := TooMany(1)
		return result{}, &no
	}
	s.nextHook = now.Add(time.Second)
	most := defaultHookConn
	if p["max_connections"] != "" {
		most = int(min(max(p.Int("max_connections"), 1), 100))
	}
	if h := s.hook; h != nil && h.url == address && h.secret == secret && h.max == most && !p.Bool("drop_pending_updates") {
		s.setAllowed(p["allowed_updates"])
		return said("Webhook is already set"), nil
	}
	if no := checkHook(address, secret); no != nil {
		return result{}, no
	}
	s.endPoll(byWebhook)
	s.unhook()
	s.setAllowed(p["allowed_updates"])
	if p.Bool("drop_pending_updates") {
		s.queue.keepLast(0)
	}
	s.hook = newWebhook(context.WithoutCancel(ctx), address, secret, most)
	s.pump()
	return said("Webhook was set"), nil
}

func checkHook(address, secret string) *Refusal {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return badRequest("invalid webhook URL specified")
	case len(secret) > 256:
		return badRequest("secret token is too long")
	case !isBase64URL(secret):
		return badRequest("secret token contains unallowed characters")
	}
	return nil
}

func newWebhook(ctx context.Context, address, secret string, most int) *webhook {
	h := &webhook{
		url: address, secret: secret, max: most,
		slots: make(chan struct{}, most),
		busy:  make(map[lane]bool),
		client: &http.Client{
			Timeout:       hookTimeout,
			Transport:     &http.Transport{DisableKeepAlives: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	h.life, h.cancel = context.WithCancel(ctx)
	return h
}

func (s *Server) deleteWebhook(p Params) result {
	note := "Webhook is already deleted"
	if s.hook != nil {
		note = "Webhook was deleted"
	}
	s.unhook()
	if p.Bool("drop_pending_updates") {
		s.queue.keepLast(0)
	}
	return said(note)
}

// unhook ends the webhook; its workers stop by themselves and keep what is not delivered.
func (s *Server) unhook() {
	if s.hook != nil {
		s.hook.cancel()
		s.hook = nil
	}
}

type wireHookInfo struct {
	URL         string   `json:"url"`
	Certificate bool     `json:"has_custom_certificate"`
	Pending     int      `json:"pending_update_count"`
	LastErrorAt int64    `json:"last_error_date,omitempty"`
	LastError   string   `json:"last_error_message,omitempty"`
	Max         int      `json:"max_connections,omitempty"`
	Allowed     []string `json:"allowed_updates,omitempty"`
}

func (s *Server) hookInfo() wireHookInfo {
	info := wireHookInfo{Pending: len(s.queue.events), Allowed: sortedKeys(s.allowed)}
	if h := s.hook; h != nil {
		info.URL, info.Max = h.url, h.max
		info.LastError, info.LastErrorAt = h.lastErr, unixOrZero(h.lastErrAt)
	}
	return info
}

// pump starts a worker for each lane that has updates and none yet. The caller holds mu.
func (s *Server) pump() {
	h := s.hook
	if h == nil || s.closed {
		return
	}
	for _, u := range s.queue.events {
		of := u.lane
		if of == (lane{}) {
			of = lane{"alone", u.id}
		}
		if !h.busy[of] {
			h.busy[of] = true
			s.wg.Go(func() { s.deliverLane(h, of) })
		}
	}
}

// deliverLane delivers one lane in order, the next update only after the last was taken or given up.
func (s *Server) deliverLane(h *webhook, of lane) {
	for {
		u, ok := s.nextFor(h, of)
		if !ok {
			return
		}
		s.deliver(h, u)
		if h.life.Err() != nil {
			return
		}
	}
}

// nextFor finds a lane's first update, or frees the lane.
func (s *Server) nextFor(h *webhook, of lane) (update, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.expire(s.cfg.Now())
	for _, u := range s.queue.events {
		if s.hook == h && (u.lane == of || of == (lane{"alone", u.id})) {
			return u, true
		}
	}
	delete(h.busy, of)
	return update{}, false
}

// deliver tries until the bot takes the update, it expires, or the webhook ends: again at once, then after 2, 4, 8… seconds,
// or when the bot's Retry-After says.
func (s *Server) deliver(h *webhook, u update) {
	delay := time.Second
	for fails := 0; ; fails++ {
		answer, err := h.post(u)
		if err == nil {
			s.delivered(h, u, answer)
			return
		}
		wait := answer.retryAfter
		if wait == 0 && fails > 0 {
			delay = min(2*delay, maxHookDelay)
			wait = delay
		}
		if s.undelivered(h, u, wait, err) {
			return
		}
		if wait == 0 {
			continue
		}
		select {
		case <-s.cfg.After(wait):
		case <-h.life.Done():
			return
		}
	}
}

// hookAnswer is what the bot said to a delivery.
type hookAnswer struct {
	mime       string
	body       []byte
	retryAfter time.Duration
}

// hookStatus is a status that is not 2xx; 410 removes the webhook in the long run.
type hookStatus struct {
	code int
	text string
}

func (e hookStatus) Error() string { return "Wrong response from the webhook: " + e.text }

func (h *webhook) post(u update) (hookAnswer, error) {
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-h.life.Done():
		return hookAnswer{}, h.life.Err()
	}
	req, err := http.NewRequestWithContext(h.life, http.MethodPost, h.url, bytes.NewReader(u.wire()))
	if err != nil {
		return hookAnswer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	if h.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", h.secret)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		return hookAnswer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxHookAnswer))
	if err != nil {
		return hookAnswer{}, err
	}
	answer := hookAnswer{mime: resp.Header.Get("Content-Type"), body: body}
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return answer, nil
	}
	seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
	answer.retryAfter = min(max(time.Duration(seconds)*time.Second, 0), maxHookWait)
	return answer, hookStatus{resp.StatusCode, resp.Status}
}

// delivered forgets an update and runs the method that the answer may name.
func (s *Server) delivered(h *webhook, u update, answer hookAnswer) {
	s.mu.Lock()
	if s.hook == h {
		s.queue.drop(u.id)
		h.goneSince = time.Time{}
		s.bump()
	}
	s.mu.Unlock()
	params, files, no := decode("", answer.mime, answer.body)
	if no != nil || !callable(params["method"]) {
		return
	}
	c := s.begin(Call{Method: params["method"], Params: params, Files: files, ByHook: true})
	s.perform(h.life, c) // nobody hears the result
}

// callable reports whether a webhook's answer may call a method.
func callable(method string) bool {
	method = strings.ToLower(method)
	switch method {
	case "", "setwebhook", "deletewebhook", "close", "logout":
		return false
	}
	return !strings.HasPrefix(method, "get")
}

// undelivered notes a failure and reports whether the update is given up.
func (s *Server) undelivered(h *webhook, u update, wait time.Duration, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hook != h {
		return true
	}
	now := s.cfg.Now()
	h.lastErr, h.lastErrAt = err.Error(), now
	s.bump()
	var status hookStatus
	switch {
	case !errors.As(err, &status) || status.code != http.StatusGone:
		h.goneSince = time.Time{}
	case h.goneSince.IsZero():
		h.goneSince = now
	case now.After(h.goneSince.Add(goneForGood)):
		s.unhook()
		return true
	}
	if now.Add(wait).After(u.expires) {
		s.queue.drop(u.id)
		return true
	}
	return false
}
