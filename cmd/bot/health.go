package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sort"
	"time"

	"steady/core"
)

// health answers whether the process works. It says nothing of chats or people.
func health() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// An admin is the channel-like part that serves health on an address of its own.
type admin struct {
	server *http.Server
	ln     net.Listener
	done   chan error
}

func startAdmin(listen string) (*admin, error) {
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, inUse(fmt.Errorf("admin.listen: %w", err), "admin.listen", listen)
	}
	a := &admin{server: &http.Server{Handler: health(), ReadHeaderTimeout: 5 * time.Second}, ln: ln, done: make(chan error, 1)}
	go func() { a.done <- a.server.Serve(ln) }() // stop waits for it
	return a, nil
}

func (a *admin) stop() error {
	err := a.server.Close()
	if served := <-a.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// names lists the channels in a steady order.
func names(channels map[string]core.Channel) []string {
	var out []string
	for name := range channels {
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}
