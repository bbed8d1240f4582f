package core_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"steady/core"
	"steady/store"
)

// counted counts the durable transactions that an engine asks for.
type counted struct {
	core.Store
	ingests, commits atomic.Int64
}

func (c *counted) Ingest(ctx context.Context, in ...core.Envelope) ([]core.Fate, error) {
	c.ingests.Add(1)
	return c.Store.Ingest(ctx, in...)
}

func (c *counted) Claim(ctx context.Context, lane core.Lane) (core.Lease, error) {
	l, err := c.Store.Claim(ctx, lane)
	return &countedLease{l, c}, err
}

type countedLease struct {
	core.Lease
	c *counted
}

func (l *countedLease) Commit(ctx context.Context, b core.Batch) error {
	l.c.commits.Add(1)
	return l.Lease.Commit(ctx, b)
}

// sink is a channel that shows everything at once, and tells when.
type sink struct {
	accept chan core.Accept
	shown  func(to core.ChannelContext, at time.Time)
}

func (s *sink) Run(ctx context.Context, accept core.Accept) error {
	s.accept <- accept
	<-ctx.Done()
	return nil
}

func (s *sink) Send(_ context.Context, to core.ChannelContext, _ string, b core.Body) (core.MessageID, error) {
	s.shown(to, time.Now())
	return "1", nil
}

func (s *sink) Edit(context.Context, core.ChannelContext, core.MessageID, core.Body) error {
	return nil
}

// instant is a model that answers at once; when it is asked and when it has answered can be seen.
type instant struct{ asked func(p core.Prompt) }

func (m instant) Reply(_ context.Context, p core.Prompt, sink func(core.Delta)) (core.Reply, error) {
	if m.asked != nil {
		m.asked(p)
	}
	sink(core.Delta{Text: "ok"})
	return core.Reply{Text: "ok"}, nil
}

// rig runs an engine for a benchmark and returns its intake and the transactions it makes.
func rig(b *testing.B, model core.Model, shown func(core.ChannelContext, time.Time), entries int) (core.Accept, *counted) {
	s, err := store.Open(filepath.Join(b.TempDir(), "steady.db"), store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	fill(b, s, entries)
	c := &counted{Store: s}
	ch := &sink{accept: make(chan core.Accept, 1), shown: shown}
	e, err := core.New(core.Options{Store: c, Model: model, Log: slog.New(slog.DiscardHandler), Limits: core.Limits{SoftHistoryTurns: 1 << 30}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx, map[string]core.Channel{"bench": ch}) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return <-ch.accept, c
}

func message(chat, n int, text string) core.Inbound {
	return core.Inbound{ID: fmt.Sprint("m", n), Channel: "bench", Chat: core.ChatKey(fmt.Sprint("bench:", chat)), Direct: true,
		Sender: core.Sender{Account: core.AccountID(fmt.Sprint("bench:", chat))}, Context: core.ChannelContext(fmt.Sprint(chat)), Event: core.Said{Text: text}}
}

// BenchmarkPlainTurn is a whole plain turn: update in, commit, answer out, settled. 256 chats at once share their fsyncs.
// turns/s is for this machine; commits/turn must be 3 at most with the ingest.
func BenchmarkPlainTurn(b *testing.B) {
	const chats = 256
	waits := make([]chan struct{}, chats)
	for i := range waits {
		waits[i] = make(chan struct{}, 1)
	}
	accept, c := rig(b, instant{}, func(to core.ChannelContext, _ time.Time) {
		var chat int
		_, _ = fmt.Sscan(string(to), &chat)
		waits[chat] <- struct{}{}
	}, 0)
	b.ReportAllocs()
	b.ResetTimer()
	var next atomic.Int64
	var wg sync.WaitGroup
	for chat := range chats {
		wg.Go(func() {
			for n := int(next.Add(1)); n <= b.N; n = int(next.Add(1)) {
				in := message(chat, n, "hello")
				in.Sender.Account = core.AccountID(fmt.Sprint("bench:", n)) // nobody writes that fast
				if _, err := accept(context.Background(), in); err != nil {
					b.Error(err)
					return
				}
				<-waits[chat]
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
	b.ReportMetric(float64(c.ingests.Load()+c.commits.Load())/float64(b.N), "commits/turn")
}

// BenchmarkLatency is one chat alone: from the update to the model's request, and from its last token to the final call.
func BenchmarkLatency(b *testing.B) {
	shown, asked := make(chan time.Time, 1), make(chan time.Time, 1)
	accept, _ := rig(b, instant{func(core.Prompt) { asked <- time.Now() }}, func(_ core.ChannelContext, at time.Time) { shown <- at }, 0)
	var toModel, toChat []time.Duration
	b.ResetTimer()
	for n := range b.N {
		in := message(1, n, "hello")
		in.Sender.Account = core.AccountID(fmt.Sprint("bench:", n))
		began := time.Now()
		if _, err := accept(context.Background(), in); err != nil {
			b.Fatal(err)
		}
		at := <-asked
		toModel = append(toModel, at.Sub(began))
		toChat = append(toChat, (<-shown).Sub(at))
	}
	b.StopTimer()
	b.ReportMetric(p95(toModel), "p95-to-model-µs")
	b.ReportMetric(p95(toChat), "p95-to-chat-µs")
}

func p95(ds []time.Duration) float64 {
	sorted := append([]time.Duration(nil), ds...)
	for i := range sorted { // insertion is enough for a benchmark
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return float64(sorted[len(sorted)*95/100].Microseconds())
}

// BenchmarkHistory compares a turn in a new chat with one in a chat of 100,000 entries: they must cost the same.
func BenchmarkHistory(b *testing.B) {
	for _, entries := range []int{0, 100_000} {
		b.Run(fmt.Sprint(entries, "-entries"), func(b *testing.B) {
			shown := make(chan struct{}, 1)
			accept, _ := rig(b, instant{}, func(core.ChannelContext, time.Time) { shown <- struct{}{} }, entries)
			b.ResetTimer()
			for n := range b.N {
				in := message(1, n, "hello")
				in.Sender.Account = core.AccountID(fmt.Sprint("bench:", n))
				if _, err := accept(context.Background(), in); err != nil {
					b.Fatal(err)
				}
				<-shown
			}
		})
	}
}

// fill gives chat 1 a long history.
func fill(b *testing.B, s core.Store, entries int) {
	if entries == 0 {
		return
	}
	ctx := context.Background()
	row := core.Envelope{Chat: "bench:1", ID: "fill"}
	if _, err := s.Ingest(ctx, row); err != nil {
		b.Fatal(err)
	}
	l, err := s.Claim(ctx, core.Normal)
	if err != nil {
		b.Fatal(err)
	}
	row.Seq = 1
	ack := []core.Envelope{row}
	for _, batch := range core.LongHistory(entries) {
		if err := l.Commit(ctx, core.Batch{Ack: ack, Put: batch}); err != nil {
			b.Fatal(err)
		}
		ack = nil
	}
	if err := l.Release(ctx, 1); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWaitingChats is the memory of 10,000 chats with one message each waiting, 1,000 of them being worked on.
func BenchmarkWaitingChats(b *testing.B) {
	const chats = 10_000
	for range b.N {
		gate := make(chan struct{})
		var done sync.WaitGroup
		done.Add(chats)
		accept, _ := rig(b, instant{func(core.Prompt) { <-gate }}, func(core.ChannelContext, time.Time) { done.Done() }, 0)
		for n := 0; n < chats; n += 100 {
			var ins []core.Inbound
			for i := range 100 {
				ins = append(ins, message(n+i, n+i, "hello"))
			}
			if _, err := accept(context.Background(), ins...); err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse+m.StackInuse)/(1<<20), "MB")
		close(gate)
		done.Wait()
	}
}
