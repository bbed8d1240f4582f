package fakemodel_test

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"testing"

	"steady/internal/fakemodel"
)

// TestNoGoroutineIsLeft: with a stalled stream under way, Close leaves nothing behind.
func TestNoGoroutineIsLeft(t *testing.T) {
	d := start(t, fakemodel.Config{})
	d.Script(fakemodel.Answer{Steps: []fakemodel.Step{fakemodel.Say("one"), fakemodel.Stall{}}})
	lines, end := d.read(bounded(t))
	<-lines
	d.Close()
	for range lines {
	}
	if <-end == nil {
		t.Error("the stream ended as if whole")
	}
	if e := d.Exchanges()[0]; e.End != fakemodel.Left {
		t.Errorf("ended %v", e.End)
	}
	for ctx := bounded(t); ; runtime.Gosched() {
		var stacks bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(stacks.Bytes(), []byte("fakemodel.(*Server)")) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("left behind:\n%s", stacks.Bytes())
		}
	}
}
