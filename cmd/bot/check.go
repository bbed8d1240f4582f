package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"steady/store"
)

// A finding is a line of check.
type finding struct {
	name string
	err  error
	note string
}

// checkTimeout bounds each question that goes over the network.
const checkTimeout = 10 * time.Second

// check says what works and what does not. It never polls: that would take updates away from the bot that runs.
func check(ctx context.Context, c Config, local bool, out io.Writer) int {
	found := []finding{{name: "configuration"}, checkData(ctx, c)}
	if !local {
		found = append(found, checkModel(ctx, c))
		if c.Telegram.Token != "" {
			found = append(found, checkTelegram(ctx, c))
		}
	}
	code := exitOK
	for _, f := range found {
		switch {
		case f.err != nil:
			code = exitFailed
			fmt.Fprintf(out, "✗ %s: %v\n", f.name, f.err)
		case f.note != "":
			fmt.Fprintf(out, "✓ %s: %s\n", f.name, f.note)
		default:
			fmt.Fprintf(out, "✓ %s\n", f.name)
		}
	}
	return code
}

// checkData opens the data if nobody has; a bot that runs is asked itself.
func checkData(ctx context.Context, c Config) finding {
	f := finding{name: "data"}
	path := filepath.Join(c.DataDir, dataFile)
	if found, err := filepath.Glob(path + "*"); err == nil && len(found) == 0 { // a file that went missing has left its marker
		f.note = "none yet in " + c.DataDir
		return f
	}
	s, err := store.Open(path, store.Options{})
	switch {
	case errors.Is(err, store.ErrLocked):
		f.name = "running bot"
		f.note, f.err = askHealth(ctx, c)
	case err != nil:
		f.err = err
	default:
		f.err = s.Close()
	}
	return f
}

// askHealth asks the bot that holds the data whether it works.
func askHealth(ctx context.Context, c Config) (string, error) {
	url := "http://" + c.AdminListen + "/healthz"
	if c.AdminListen == "" {
		if c.Web.Listen == "" {
			return "a bot is running; it listens nowhere, so it cannot be asked", nil
		}
		url = "http://" + c.Web.Listen + "/-/healthz"
	}
	url = strings.Replace(url, "//0.0.0.0:", "//127.0.0.1:", 1)
	url = strings.Replace(url, "//:", "//127.0.0.1:", 1)
	status, _, err := get(ctx, url, "")
	if err != nil {
		return "", errors.New("a bot holds the data but does not answer")
	}
	if status != http.StatusOK {
		return "", fmt.Errorf("a bot is running and says %d", status)
	}
	return "it works", nil
}

func checkModel(ctx context.Context, c Config) finding {
	f := finding{name: "model"}
	if c.offline() {
		f.note = "the offline coach; set model.api_key for a real one"
		return f
	}
	status, _, err := get(ctx, c.Model.BaseURL+"/models", string(c.Model.APIKey))
	switch {
	case err != nil:
		f.err = fmt.Errorf("%s cannot be reached", c.Model.BaseURL)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		f.err = fmt.Errorf("%s refuses model.api_key", c.Model.BaseURL)
	case status >= 500:
		f.err = fmt.Errorf("%s answers %d", c.Model.BaseURL, status)
	default: // a server need not list its models
		f.note = c.Model.Name
	}
	return f
}

func checkTelegram(ctx context.Context, c Config) finding {
	f := finding{name: "telegram"}
	status, body, err := get(ctx, c.Telegram.APIURL+"/bot"+string(c.Telegram.Token)+"/getMe", "")
	var me struct {
		Result struct{ Username string }
	}
	switch {
	case err != nil:
		f.err = fmt.Errorf("%s cannot be reached", c.Telegram.APIURL)
	case status == http.StatusUnauthorized || status == http.StatusNotFound:
		f.err = errors.New("the platform does not know channels.telegram.token")
	case status != http.StatusOK || json.Unmarshal(body, &me) != nil:
		f.err = fmt.Errorf("%s answers %d", c.Telegram.APIURL, status)
	default:
		f.note = "@" + me.Result.Username
	}
	return f
}

// get asks an address. Its error must not be shown: it may hold a token.
func get(ctx context.Context, url, key string) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{}).DialContext, Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return resp.StatusCode, body, err
}
