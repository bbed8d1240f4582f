package fakemodel_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"steady/internal/fakemodel"
)

// desk is a running server.
type desk struct {
	*fakemodel.Server
	t   *testing.T
	url string
}

func start(t *testing.T, c fakemodel.Config) *desk {
	t.Helper()
	s := fakemodel.New(c)
	url := s.Start()
	t.Cleanup(s.Close)
	return &desk{s, t, url}
}

// answer is a whole response.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // of reading the body
}

// hello is the smallest valid request.
const hello = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`

// streamed is hello as a stream.
const streamed = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`

func (d *desk) post(path, key, body string) answer {
	d.t.Helper()
	got, err := d.try(bounded(d.t), path, key, body)
	if err != nil {
		d.t.Fatal(err)
	}
	return got
}

func (d *desk) try(ctx context.Context, path, key, body string) (answer, error) {
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, d.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if key != "" {
		req.Header.Set("Authorization", key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(data), err}, nil
}

func (d *desk) chat(body string) answer {
	d.t.Helper()
	return d.post("/v1/chat/completions", "", body)
}

func (d *desk) wait(what string, ok func() bool) {
	d.t.Helper()
	if err := d.WaitFor(bounded(d.t), ok); err != nil {
		d.t.Fatalf("%s: %v", what, err)
	}
}

// bounded is a context for one wait of a test.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// refusal is the API's error object.
type refusal struct {
	Error struct {
		Message, Type string
		Param, Code   *string
	}
}

func wantRefusal(t *testing.T, got answer, status int, param, message string) {
	t.Helper()
	var r refusal
	if err := json.Unmarshal([]byte(got.body), &r); err != nil {
		t.Fatalf("body %q: %v", got.body, err)
	}
	at := ""
	if r.Error.Param != nil {
		at = *r.Error.Param
	}
	if got.status != status || at != param || r.Error.Message != message || r.Error.Type == "" {
		t.Errorf("got %d %s: %s\nwant %d %s: %s", got.status, at, r.Error.Message, status, param, message)
	}
}

// compact is JSON without the parts that tests do not fix.
func compact(s string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(s)) != nil {
		return s
	}
	return b.String()
}

func isCut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }
