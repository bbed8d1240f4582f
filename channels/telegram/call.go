package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"steady/core"
)

const (
	// callTimeout bounds every call but a poll.
	callTimeout = 15 * time.Second
	// maxAnswer bounds what is read of an answer; the platform cuts a batch of updates at about 4 MiB.
	maxAnswer = 8 << 20
)

// A caller is the one way to the platform: the library sends through it, and the poll loop too. Its errors are [*core.Error],
// whatever went wrong, and never hold the token. It may be used concurrently.
type caller struct {
	client *http.Client
	api    string // without a slash at the end
	token  Secret
}

// Do sends a request and returns only an answer that says ok, read whole.
func (c *caller) Do(req *http.Request) (*http.Response, error) {
	// The headers are handed to the connection before the body that makes the call complete, so as long as they were not, the
	// platform cannot have acted.
	var written atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { written.Store(true) }}
	resp, err := c.client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, lost(err, written.Load(), string(c.token))
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, lost(err, true, string(c.token))
	}
	if err := verdict(resp.StatusCode, resp.Header.Get("Retry-After"), body); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// ask calls a method for which the library has no untyped form, and decodes the result.
func (c *caller) ask(ctx context.Context, method string, params, result any) error {
	body, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encode parameters: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.api+"/bot"+string(c.token)+"/"+method, bytes.NewReader(body))
	if err != nil {
		return lost(err, false, string(c.token))
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	answer := struct {
		Result any `json:"result"`
	}{result}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return &core.Error{Kind: core.Uncertain, Err: fmt.Errorf("decode the result of %s", method)}
	}
	return nil
}

// A Secret is a string that no format prints.
type Secret string

// Format writes ***, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// MarshalText writes ***, for the encoders of logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }
