package openai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"steady/core"
)

const (
	// usageGrace is how long a server may take to send the usage, which comes after the end of a reply.
	usageGrace = 500 * time.Millisecond
	// closeGrace is how long it may take to end the stream. Without that the connection cannot be used again.
	closeGrace = 50 * time.Millisecond
)

var (
	errSilent = errors.New("no content in time")
	errCut    = errors.New("stream ended without a finish reason")
)

// attempt makes one request. It starts no goroutine; what it opens is closed when it returns. After an error the caller
// looks at ctx first.
func (m *Model) attempt(ctx context.Context, body []byte, out *screen) (*accumulator, *core.Error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(m.first, func() { cancel(errSilent) })
	defer alarm.Stop()

	out.begin()
	acc, err := m.exchange(ctx, body, out, alarm)
	if err == nil {
		return acc, nil
	}
	if context.Cause(ctx) == errSilent {
		err = errSilent
	}
	return nil, m.explain(err, out.shown)
}

// exchange sends the request and reads the answer; alarm ends it when there was no content for too long.
func (m *Model) exchange(ctx context.Context, body []byte, out *screen, alarm *time.Timer) (*accumulator, error) {
	resp, err := m.send(ctx, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	acc := &accumulator{}
	err = read(resp.Body, acc, func(p piece) {
		alarm.Stop() // a slow listener is not the server's silence
		out.show(p)
		alarm.Reset(m.patience(acc))
	})
	if err == nil {
		err = acc.verdict()
	}
	if err != nil {
		return nil, err
	}
	out.show(acc.flush())
	out.settle()
	return acc, nil
}

// patience is how long the server may now be silent.
func (m *Model) patience(acc *accumulator) time.Duration {
	switch {
	case acc.done && acc.counted:
		return closeGrace
	case acc.ended():
		return usageGrace
	}
	return m.idle
}

// read feeds acc until the body ends, and tells heard of every piece that is more than a sign of life.
func read(body io.Reader, acc *accumulator, heard func(piece)) error {
	in := newStream(body)
	for {
		ev, err := in.next()
		switch {
		case err != nil && acc.ended():
			return nil // the server kept the connection open, or broke it, after the reply
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return errCut
		case err != nil:
			return err
		}
		p, err := acc.add(ev)
		if err != nil {
			return err
		}
		if p.news {
			heard(p)
		}
	}
}

// send returns a response whose status says success; the caller closes its body.
func (m *Model) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(body))
	if err != nil {
		return nil, &failure{status: http.StatusBadRequest, text: plain(err)}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "steady")
	if m.key != "" {
		req.Header.Set("Authorization", "Bearer "+string(m.key))
	}
	resp, err := m.client.Do(req)
	if err != nil {
		return nil, &failure{text: plain(err)}
	}
	if resp.StatusCode >= 200 && resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	// Half a body still tells more than none.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	f := parseFailure(text)
	f.status = resp.StatusCode
	f.wait = retryAfter(resp.Header, time.Now())
	return nil, &f
}

// plain returns the text of an error of the HTTP client without the URL, which may hold secrets.
func plain(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// explain makes the error that leaves the package.
func (m *Model) explain(err error, shown bool) *core.Error {
	var f *failure
	switch {
	case errors.As(err, &f):
		return &core.Error{Kind: f.kind(), Wait: f.pause(), Err: errors.New(m.secrets.clean(f.Error()))}
	case errors.Is(err, errSilent) && !shown:
		return &core.Error{Kind: core.Transient, Err: errSilent}
	case errors.Is(err, errSilent), errors.Is(err, errCut), errors.Is(err, errTooLong), errors.Is(err, errLength):
		return &core.Error{Kind: core.Truncated, Err: err}
	default:
		return &core.Error{Kind: core.Transient, Err: errors.New(m.secrets.clean(plain(err)))}
	}
}
