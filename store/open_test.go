package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"steady/core"
	"steady/store"
)

func TestOpenMakesWhatIsMissing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	path := filepath.Join(dir, "steady.db")
	s := open(t, path)
	closed(t, s)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", e.Name(), info.Mode(), err)
		}
	}
	if len(entries) != 2 {
		t.Errorf("%v, want the data file and its marker", entries)
	}
}

// chats is how many chats fill makes.
const chats = 12

// fill makes a file with some pages of everything, closed or as after kill -9.
func fill(t testing.TB, path string, crash bool) {
	t.Helper()
	s := open(t, path)
	ctx := context.Background()
	for i := range chats {
		chat := core.ChatKey(fmt.Sprint("chat ", i))
		if _, err := s.Ingest(ctx,
			core.Envelope{Chat: chat, ID: "1", Body: bytes.Repeat([]byte("x"), 6000)},
			core.Envelope{Chat: chat, ID: "2"}, core.Envelope{Chat: chat, ID: "3", Urgent: true}); err != nil {
			t.Fatal(err)
		}
		l, err := s.Claim(ctx, core.Urgent)
		if err != nil {
			t.Fatal(err)
		}
		wake := time.Now().Add(time.Hour)
		b := core.Batch{Urgent: 3, Wake: &wake}
		for j := range 10 {
			b.Put = append(b.Put, core.KV{Key: fmt.Sprint(j), Value: bytes.Repeat([]byte("v"), 300)})
			b.Docs = append(b.Docs, core.DocumentWrite{Key: fmt.Sprint(i, "/", j), Body: bytes.Repeat([]byte("d"), 300)})
		}
		if err := l.Commit(ctx, b); err != nil {
			t.Fatal(err)
		}
	}
	if crash {
		s.Crash(t)
	} else {
		closed(t, s)
	}
}

func closed(t testing.TB, s *store.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// page is the size of a page of the test's files.
var page = int64(os.Getpagesize())

func overwrite(t testing.TB, path string, offset int64, with []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(with, offset)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenSaysWhatIsWrongAndChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		want   error
		says   string
		damage func(t *testing.T, path string)
	}{
		{"emptied", store.ErrDamaged, "empty", func(t *testing.T, path string) { truncate(t, path, 0) }},                  // bbolt would begin anew
		{"one page left", store.ErrDamaged, "backup", func(t *testing.T, path string) { truncate(t, path, page) }},        // "file size too small"
		{"cut off", store.ErrDamaged, "cut off", func(t *testing.T, path string) { truncate(t, path, 20*page) }},          // bbolt would panic, or worse later
		{"zeros", store.ErrDamaged, "", func(t *testing.T, path string) { overwrite(t, path, 0, make([]byte, 20*page)) }}, // "invalid database"
		{"both roots damaged", store.ErrDamaged, "", func(t *testing.T, path string) { // "checksum error"
			overwrite(t, path, 30, []byte("xxxx"))
			overwrite(t, path, page+30, []byte("xxxx"))
		}},
		{"a text", store.ErrDamaged, "", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(strings.Repeat("config: yes\n", 2000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"another program's", store.ErrDamaged, "another program", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			edit(t, path, func(*bbolt.Tx) error { return nil })
		}},
		{"a table is missing", store.ErrDamaged, "inbox", func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("inbox")) })
		}},
		{"no format", store.ErrDamaged, "format", func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Delete([]byte("format")) })
		}},
		{"newer", store.ErrNewer, "format 2", func(t *testing.T, path string) {
			edit(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte{2}) })
		}},
		{"gone", store.ErrDamaged, "marker", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for _, crash := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", crash ", crash), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "steady.db")
				fill(t, path, crash)
				c.damage(t, path)
				before, _ := os.ReadFile(path)
				s, err := store.Open(path, store.Options{})
				if err == nil {
					closed(t, s)
				}
				if !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
					t.Fatalf("%v; want one line with %q and the path", err, c.want)
				}
				if !strings.Contains(err.Error(), c.says) && c.says != "backup" {
					t.Errorf("%v; want %q in it", err, c.says)
				}
				if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
					t.Error("the file was changed")
				}
			})
		}
	}
}

func truncate(t testing.TB, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// edit changes the file behind the store's back.
func edit(t testing.TB, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(fn), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestDamageOfAnyPageIsAnErrorAndNoCrash(t *testing.T) {
	garbage := bytes.Repeat([]byte{0xff, 0x00, 0x5a, 0x01}, int(page)/4)
	for _, crash := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "steady.db")
		fill(t, path, crash)
		data := used(t, path)
		noticed := 0
		for at := 2 * page; at < int64(len(data)); at += page {
			if at/page > 20 && at/page%11 != 0 { // every kind of page is among these
				continue
			}
			for _, with := range [][]byte{garbage, make([]byte, page), garbage[:24]} {
				if useAll(t, rewrite(t, path, data, at, with)) {
					noticed++
				}
			}
		}
		if noticed == 0 {
			t.Errorf("crash %v: no damage was noticed", crash)
		}
	}
}

// rewrite puts a new file at path: data, but for what begins at an offset.
func rewrite(t *testing.T, path string, data []byte, offset int64, with []byte) string {
	t.Helper()
	damaged := bytes.Clone(data)
	copy(damaged[offset:], with)
	if err := errors.Join(os.Remove(path), os.WriteFile(path, damaged, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// used returns the file without the room that it has to grow.
func used(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		data = data[:tx.Size()]
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

// useAll opens a damaged file and reads and writes everything. It says whether the damage was noticed.
func useAll(t *testing.T, path string) (noticed bool) {
	t.Helper()
	s, err := store.Open(path, store.Options{})
	if err != nil {
		if !errors.Is(err, store.ErrDamaged) {
			t.Fatalf("open: %v", err)
		}
		return true
	}
	ctx := t.Context()
	var failed atomic.Int32
	note := func(err error) {
		if err != nil {
			failed.Add(1)
		}
	}
	_, err = s.Documents(ctx, "", "", 1000)
	note(err)
	var all sync.WaitGroup
	for i := range chats {
		_, err := s.Scan(ctx, core.ChatKey(fmt.Sprint("chat ", i)), "", "", 1000)
		note(err)
		all.Go(func() {
			_, err := s.Ingest(ctx, core.Envelope{Chat: core.ChatKey(fmt.Sprint("chat ", i)), ID: "4", Urgent: true})
			note(err)
			l, err := s.Claim(ctx, core.Urgent)
			note(err)
			if err != nil {
				return
			}
			_, err = l.Inbox(ctx, 0, 100)
			note(err)
			note(l.Commit(ctx, core.Batch{Urgent: 4, Put: []core.KV{{Key: "k", Value: []byte("v")}}}))
		})
	}
	all.Wait()
	_ = s.Close() // may fail
	return failed.Load() > 0
}

func TestAFileThatIsCutOffWhileItIsOpenIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steady.db")
	fill(t, path, false)
	s := open(t, path)
	truncate(t, path, 4*page)
	if _, err := s.Documents(t.Context(), "", "", 1000); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a read of what is not there: %v", err)
	}
	if _, err := s.Ingest(t.Context(), core.Envelope{Chat: "a", ID: "1"}); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a write on top of what is not there: %v", err)
	}
	if _, err := s.Ingest(t.Context(), core.Envelope{Chat: "a", ID: "1"}); !errors.Is(err, core.ErrClosed) {
		t.Errorf("another write after that: %v", err)
	}
	_ = s.Close() // bbolt may complain
}

func TestADamagedRootIsToldAndTheOtherUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steady.db")
	fill(t, path, false)
	for i := range int64(2) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		copy(data[i*page+30:], "xxxx")
		one := filepath.Join(t.TempDir(), "steady.db")
		if err := os.WriteFile(one, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		s, err := store.Open(one, store.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		if !strings.Contains(log.String(), "newest transaction may be missing") {
			t.Errorf("root %d: the log says %q", i, log.String())
		}
	}
}

func TestOnlyOneProcessHasTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "steady.db")
		s := open(t, path)
		start := time.Now()
		_, err := store.Open(path, store.Options{})
		if !errors.Is(err, store.ErrLocked) || !strings.Contains(err.Error(), "another process is using") {
			t.Fatalf("%v, want %v", err, store.ErrLocked)
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Fatalf("it took %v to say so", d)
		}
		time.AfterFunc(time.Second, func() { closed(t, s) })
		closed(t, open(t, path)) // it waits for one that is about to end
	})
}

// race opens path several times at once, and returns who got it.
func race(t *testing.T, path string) *store.Store {
	t.Helper()
	var got atomic.Pointer[store.Store]
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s, err := store.Open(path, store.Options{})
			if err == nil && !got.CompareAndSwap(nil, s) {
				t.Error("two have it")
				_ = s.Close()
			} else if err != nil && !errors.Is(err, store.ErrLocked) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got.Load() == nil {
		t.Fatal("nobody has it")
	}
	return got.Load()
}

// outlasts expects what is written to s to be in the file at path.
func outlasts(t *testing.T, s *store.Store, path string) {
	t.Helper()
	e := core.Envelope{Chat: "outlasts", ID: "1"}
	if _, err := s.Ingest(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
	s = open(t, path)
	defer closed(t, s)
	if fates, err := s.Ingest(t.Context(), e); err != nil || fates[0] != core.Seen {
		t.Fatalf("%v, %v: what was written is in another file", fates, err)
	}
}

func TestManyStartAtOnceAndOneGetsTheNewFile(t *testing.T) {
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data", "steady.db")
			outlasts(t, race(t, path), path)
		})
	}
}

func TestManyStartAtOnceAndOneGetsTheRewrittenFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "steady.db")
		waste(t, path)
		outlasts(t, race(t, path), path) // the others wait for the lock of a file that is no longer there
	})
}

func TestAFileThatIsReplacedWhileItsLockIsAwaitedIsNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, other := filepath.Join(t.TempDir(), "steady.db"), filepath.Join(t.TempDir(), "other.db")
		closed(t, open(t, path))
		s := open(t, other)
		e := core.Envelope{Chat: "a", ID: "in the new file"}
		if _, err := s.Ingest(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		closed(t, s)
		holder, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan *store.Store)
		go func() {
			s, err := store.Open(path, store.Options{})
			if err != nil {
				t.Error(err)
			}
			got <- s
		}()
		synctest.Wait() // it has looked at the old file, and waits for its lock
		if err := errors.Join(os.Rename(other, path), holder.Close()); err != nil {
			t.Fatal(err)
		}
		s = <-got
		defer closed(t, s)
		if fates, err := s.Ingest(t.Context(), e); err != nil || fates[0] != core.Seen {
			t.Errorf("%v, %v: the old file is in use", fates, err)
		}
	})
}

// waste makes a file of 80 MiB of which nearly nothing is used.
func waste(t *testing.T, path string) {
	t.Helper()
	s := open(t, path)
	l, err := s.Hold(t.Context(), "big")
	if err != nil {
		t.Fatal(err)
	}
	put, drop := core.Batch{Put: []core.KV{{Key: "kept", Value: []byte{}}}}, core.Batch{}
	for i := range 80 {
		put.Put = append(put.Put, core.KV{Key: fmt.Sprint(i), Value: make([]byte, 1<<20)})
		drop.Put = append(drop.Put, core.KV{Key: fmt.Sprint(i)})
	}
	if err := errors.Join(l.Commit(t.Context(), put), l.Commit(t.Context(), drop)); err != nil {
		t.Fatal(err)
	}
	closed(t, s)
}

func TestAFileThatIsMostlyEmptyIsRewritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steady.db")
	fill(t, path, false)
	waste(t, path)
	ctx := t.Context()
	big := size(t, path)
	s := open(t, path)
	if small := size(t, path); big < 80<<20 || small > 8<<20 {
		t.Fatalf("%d bytes became %d", big, small)
	}
	kvs, err := s.Scan(ctx, "role/big", "", "", 100)
	if err != nil || len(kvs) != 1 || kvs[0].Key != "kept" || kvs[0].Value == nil {
		t.Fatalf("%v, %v", kvs, err)
	}
	if docs, err := s.Documents(ctx, "", "", 1000); err != nil || len(docs) != 10*chats {
		t.Fatalf("%d documents, %v", len(docs), err)
	}
	outlasts(t, s, path)
	if _, err := os.Stat(path + ".compact"); err == nil {
		t.Error("the copy was left behind")
	}
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestOptionsAreChecked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steady.db")
	for _, o := range []store.Options{{Limits: store.Limits{Normal: -1}}, {Limits: store.Limits{Urgent: -1}}, {SeenFor: -1}} {
		if s, err := store.Open(path, o); err == nil {
			closed(t, s)
			t.Errorf("%+v was accepted", o)
		}
	}
	s, err := store.Open(path, store.Options{Limits: store.Limits{Normal: 1, Urgent: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, s)
	fates, err := s.Ingest(t.Context(),
		core.Envelope{Chat: "a", ID: "1"}, core.Envelope{Chat: "a", ID: "2"},
		core.Envelope{Chat: "a", ID: "3", Urgent: true}, core.Envelope{Chat: "a", ID: "4", Urgent: true}, core.Envelope{Chat: "a", ID: "5", Urgent: true})
	if want := []core.Fate{core.Fresh, core.Full, core.Fresh, core.Fresh, core.Full}; err != nil || fmt.Sprint(fates) != fmt.Sprint(want) {
		t.Fatalf("%v, %v; want %v", fates, err, want)
	}
}
