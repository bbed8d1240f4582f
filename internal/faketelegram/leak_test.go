package faketelegram_test

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"testing"

	tg "steady/internal/faketelegram"
)

// TestNoGoroutineIsLeft: with a poll, a hanging call and an unanswered delivery under way, Close leaves nothing behind.
func TestNoGoroutineIsLeft(t *testing.T) {
	h := newHook(t)
	s := start(t, tg.Config{})
	s.Break(tg.Rule{Method: "getMe", Do: tg.Hang{}})
	ended := make(chan error, 2)
	call := func(method string, a args) {
		_, err := s.try(bounded(t), method, a)
		ended <- err
	}
	go call("getUpdates", args{"timeout": 50})
	go call("getMe", nil)
	s.wait("both", func() bool { return s.Polling() && len(s.CallsTo("getMe")) == 1 })
	wantOK(t, s.do("setWebhook", args{"url": h.url}))
	s.Say(s.chat, s.user.ID, "hi")
	h.next(t)
	s.Close()
	<-ended
	<-ended
	for ctx := bounded(t); ; runtime.Gosched() {
		var stacks bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(stacks.Bytes(), []byte("faketelegram.(*Server)")) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("left behind:\n%s", stacks.Bytes())
		}
	}
}
