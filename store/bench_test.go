package store_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"steady/core"
	"steady/store"
)

var text = bytes.Repeat([]byte("x"), 300)

func report(b *testing.B, what string) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), what+"/s")
}

// BenchmarkIngest has one caller and many.
func BenchmarkIngest(b *testing.B) {
	for _, callers := range []int{1, 1000} {
		b.Run(fmt.Sprint("callers=", callers), func(b *testing.B) {
			s, err := store.Open(filepath.Join(b.TempDir(), "steady.db"), store.Options{Limits: store.Limits{Normal: 1 << 30}})
			if err != nil {
				b.Fatal(err)
			}
			defer closed(b, s)
			var n atomic.Int64
			b.SetParallelism(max(1, callers/runtime.GOMAXPROCS(0)))
			work := func(next func() bool) {
				chat := core.ChatKey(fmt.Sprint("telegram:", n.Add(1)))
				for next() {
					if _, err := s.Ingest(b.Context(), core.Envelope{Chat: chat, ID: fmt.Sprint(n.Add(1)), Body: text}); err != nil {
						b.Error(err)
					}
				}
			}
			b.ResetTimer()
			if callers == 1 {
				work(b.Loop)
			} else {
				b.RunParallel(func(pb *testing.PB) { work(pb.Next) })
			}
			report(b, "rows")
		})
	}
}

// hold gives each of n chats a holder.
func hold(b *testing.B, s *store.Store, n int) []core.Lease {
	b.Helper()
	in := make([]core.Envelope, n)
	for i := range in {
		in[i] = core.Envelope{Chat: core.ChatKey(fmt.Sprint("telegram:", i)), ID: "1"}
	}
	if _, err := s.Ingest(b.Context(), in...); err != nil {
		b.Fatal(err)
	}
	leases := make([]core.Lease, n)
	for i := range leases {
		l, err := s.Claim(b.Context(), core.Normal)
		if err != nil {
			b.Fatal(err)
		}
		leases[i] = l
	}
	return leases
}

// BenchmarkCommitParallel has 1,000 chats that each append an entry and rewrite a small row at once.
func BenchmarkCommitParallel(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "steady.db"))
	defer closed(b, s)
	leases := hold(b, s, 1000)
	var next atomic.Int64
	b.SetParallelism(len(leases) / runtime.GOMAXPROCS(0))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		l := leases[next.Add(1)-1]
		for i := 0; pb.Next(); i++ {
			batch := core.Batch{Put: []core.KV{{Key: fmt.Sprintf("e/%08d", i), Value: text}, {Key: "turn", Value: text[:40]}}}
			if err := l.Commit(b.Context(), batch); err != nil {
				b.Error(err)
			}
		}
	})
	report(b, "commits")
}

// BenchmarkCommitToAChatOf has one chat that is new, or has 100,000 keys.
func BenchmarkCommitToAChatOf(b *testing.B) {
	for _, keys := range []int{0, 100_000} {
		b.Run(fmt.Sprint("keys=", keys), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "steady.db"))
			defer closed(b, s)
			l := hold(b, s, 1)[0]
			for from := 0; from < keys; from += 10_000 {
				var batch core.Batch
				for i := range 10_000 {
					batch.Put = append(batch.Put, core.KV{Key: fmt.Sprintf("e/%08d", from+i), Value: text})
				}
				if err := l.Commit(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			i := keys
			for b.Loop() {
				if err := l.Commit(b.Context(), core.Batch{Put: []core.KV{{Key: fmt.Sprintf("e/%08d", i), Value: text}}}); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// BenchmarkClaimReleaseIdle is what the desk costs: a chat is claimed and released among 10,000 that wait.
func BenchmarkClaimReleaseIdle(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "steady.db"))
	defer closed(b, s)
	before := heap()
	for _, l := range hold(b, s, 10_000) {
		_ = l.Release(b.Context(), 0)
	}
	perChat := float64(heap()-before) / 10_000
	defer func() { b.ReportMetric(perChat, "B/waiting-chat") }()
	for b.Loop() {
		l, err := s.Claim(b.Context(), core.Normal)
		if err != nil {
			b.Fatal(err)
		}
		_ = l.Release(b.Context(), 0)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkOpen100kChats opens a file of 100,000 chats with two rows each: all of them waiting, or none.
func BenchmarkOpen100kChats(b *testing.B) {
	for _, waiting := range []bool{true, false} {
		for _, crash := range []bool{false, true} {
			b.Run(fmt.Sprintf("waiting=%v/crash=%v", waiting, crash), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "steady.db")
				make100k(b, path, waiting, crash)
				var took time.Duration
				var memory int64
				n := 0
				for b.Loop() {
					start := time.Now()
					s := open(b, path)
					took += time.Since(start)
					n++
					b.StopTimer()
					memory = heap()
					if crash {
						s.Crash(b)
					} else {
						closed(b, s)
					}
					s = nil
					memory -= heap()
					b.StartTimer()
				}
				b.ReportMetric(float64(took.Milliseconds())/float64(n), "ms/open")
				b.ReportMetric(float64(memory)/(1<<20), "MiB/open")
				b.ReportMetric(float64(size(b, path))/(1<<20), "MiB/file")
			})
		}
	}
}

func make100k(b *testing.B, path string, waiting, crash bool) {
	b.Helper()
	s := open(b, path)
	const each = 10_000
	for from := 0; from < 100_000; from += each {
		var in []core.Envelope
		for i := range each {
			chat := core.ChatKey(fmt.Sprint("telegram:", from+i))
			in = append(in, core.Envelope{Chat: chat, ID: "1", Body: text}, core.Envelope{Chat: chat, ID: "2", Body: text})
		}
		if _, err := s.Ingest(b.Context(), in...); err != nil {
			b.Fatal(err)
		}
	}
	if !waiting {
		answerAll(b, s, 100_000)
	}
	if crash {
		s.Crash(b)
	} else {
		closed(b, s)
	}
}

func answerAll(b *testing.B, s *store.Store, n int64) {
	b.Helper()
	var done atomic.Int64
	var all sync.WaitGroup
	for range 500 {
		all.Go(func() {
			for done.Add(1) <= n {
				l, err := s.Claim(b.Context(), core.Normal)
				if err != nil {
					b.Error(err)
					return
				}
				rows, _ := l.Inbox(b.Context(), 0, 10)
				if err := l.Commit(b.Context(), core.Batch{Ack: rows}); err != nil {
					b.Error(err)
				}
				_ = l.Release(b.Context(), 0)
			}
		})
	}
	all.Wait()
}
