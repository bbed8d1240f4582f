package store_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"syscall"
	"testing"
	"time"

	"steady/core"
	"steady/store"
)

// The test binary is also the child that these tests run: what it does, and with which file, is said by these.
const (
	envChild = "STEADY_STORE_TEST_CHILD"
	envPath  = "STEADY_STORE_TEST_PATH"
)

func TestMain(m *testing.M) {
	children := map[string]func(string) error{"work": work, "fill the disk": fillDisk}
	if child := children[os.Getenv(envChild)]; child != nil {
		if err := child(os.Getenv(envPath)); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if left := goroutines(); code == 0 && left != "" {
		fmt.Println("goroutines of the store are left:\n", left)
		code = 1
	}
	os.Exit(code)
}

// goroutines returns the stacks that are the store's or bbolt's. Each open store has one, so at the end there is none.
func goroutines() string {
	var all bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&all, 1)
	var ours []string
	for _, stack := range strings.Split(all.String(), "\n\n") {
		if strings.Contains(stack, "store.(*Store)") {
			ours = append(ours, stack)
		}
	}
	return strings.Join(ours, "\n\n")
}

func child(t *testing.T, does, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envChild+"="+does, envPath+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

const workChats = 5

// work appends rows to a few chats and answers them, in a document that counts and a pair for each, until it is killed. It says
// what was acknowledged to it.
func work(path string) error {
	s, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	failed := make(chan error)
	for c := range workChats {
		go func() {
			chat := core.ChatKey(fmt.Sprint("chat ", c))
			for {
				id := fmt.Sprint(os.Getpid(), "/", time.Now().UnixNano())
				fates, err := s.Ingest(ctx, core.Envelope{Chat: chat, ID: id}, core.Envelope{Chat: chat, ID: id})
				if err != nil || fates[1] != core.Seen {
					failed <- fmt.Errorf("ingest: %v, %w", fates, err)
					return
				}
				if fates[0] == core.Fresh {
					fmt.Println("ingested", chat, id)
				}
			}
		}()
		go func() {
			for {
				if err := answer(ctx, s); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

func answer(ctx context.Context, s core.Store) error {
	l, err := s.Claim(ctx, core.Normal)
	if err != nil {
		return err
	}
	rows, err := l.Inbox(ctx, 0, 4)
	if err != nil {
		return err
	}
	docs, err := s.Documents(ctx, string(l.Chat()), "", 1)
	if err != nil {
		return err
	}
	count := core.DocumentWrite{Key: string(l.Chat()), Body: []byte("0")}
	n := 0
	if len(docs) > 0 {
		count.Revision = docs[0].Revision
		if _, err := fmt.Sscan(string(docs[0].Body), &n); err != nil {
			return err
		}
	}
	count.Body = []byte(fmt.Sprint(n + len(rows)))
	b := core.Batch{Ack: rows, Docs: []core.DocumentWrite{count}}
	for i, e := range rows {
		b.Put = append(b.Put, core.KV{Key: e.ID, Value: fmt.Append(nil, n+i)})
	}
	if err := l.Commit(ctx, b); err != nil {
		return err
	}
	for _, e := range rows {
		fmt.Println("answered", l.Chat(), e.ID)
	}
	return l.Release(ctx, 0)
}

func TestKillLosesNothingAndDoublesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steady.db")
	said := make(map[string]map[string]bool) // "ingested" or "answered" → chat and id
	for round := range 4 {
		cmd := child(t, "work", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for in := bufio.NewScanner(out); in.Scan(); {
			does, what, _ := strings.Cut(in.Text(), " ")
			if does == "error" {
				t.Errorf("the child failed: %s", what)
			}
			if said[does] == nil {
				said[does] = make(map[string]bool)
			}
			if said[does][what] {
				t.Errorf("%s twice", in.Text())
			}
			said[does][what] = true
			if lines++; lines == 300+100*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // it was killed
	}
	s := open(t, path)
	defer closed(t, s)
	there := make(map[string]int) // chat and id → how often it is answered or still waits
	for c := range workChats {
		chat := core.ChatKey(fmt.Sprint("chat ", c))
		for _, id := range answers(t, s, chat) {
			there[fmt.Sprint(chat, " ", id)]++
			delete(said["answered"], fmt.Sprint(chat, " ", id))
		}
	}
	for what := range said["answered"] {
		t.Errorf("%s was answered, and the answer is not there", what)
	}
	for l := range due(t, s) {
		rows, err := l.Inbox(t.Context(), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range rows {
			there[fmt.Sprint(e.Chat, " ", e.ID)]++
		}
	}
	if len(said["ingested"]) < 500 {
		t.Fatalf("only %d rows were ingested", len(said["ingested"]))
	}
	for what := range said["ingested"] {
		if there[what] != 1 {
			t.Errorf("%s was ingested, and is there %d times", what, there[what])
		}
	}
}

// answers returns the ids that a chat has answered, and expects that they were counted one by one.
func answers(t *testing.T, s core.Store, chat core.ChatKey) (ids []string) {
	t.Helper()
	kvs, err := s.Scan(t.Context(), chat, "", "", 1e6)
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[string]bool)
	for _, kv := range kvs {
		ids = append(ids, kv.Key)
		numbers[string(kv.Value)] = true
	}
	docs, err := s.Documents(t.Context(), string(chat), "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != 1 || string(docs[0].Body) != fmt.Sprint(len(ids)) || len(numbers) != len(ids) {
		t.Errorf("%q answered %d rows, numbered %d of them, and counted %v", chat, len(ids), len(numbers), docs)
	}
	return ids
}

// due claims every chat that is due.
func due(t *testing.T, s core.Store) map[core.Lease]bool {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	all := make(map[core.Lease]bool)
	for {
		l, err := s.Claim(ctx, core.Normal)
		if err != nil {
			return all
		}
		all[l] = true
	}
}

// fillDisk writes until it may not, as on a full disk, and says what the store says then.
func fillDisk(path string) error {
	s, err := store.Open(path, store.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	l, err := s.Hold(ctx, "filler")
	if err != nil {
		return err
	}
	idle, err := s.Hold(ctx, "idle")
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 24 << 20, Max: 24 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	last := -1
	for i := range 100 {
		if err = l.Commit(ctx, core.Batch{Put: []core.KV{{Key: fmt.Sprintf("%03d", i), Value: make([]byte, 1<<20)}}}); err != nil {
			break
		}
		last = i
	}
	if err == nil || errors.Is(err, core.ErrFenced) || errors.Is(err, core.ErrClosed) {
		return fmt.Errorf("the first failure was %w; it must leave open what was written", err)
	}
	<-idle.Context().Done()
	_, ingest := s.Ingest(ctx, core.Envelope{Chat: "a", ID: "1"})
	_, claim := s.Claim(ctx, core.Normal)
	_, scan := s.Scan(ctx, "a", "", "", 1)
	for _, err := range []error{ingest, claim, scan} {
		if !errors.Is(err, core.ErrClosed) || !strings.Contains(err.Error(), "too large") {
			return fmt.Errorf("after the failure: %w; want the cause in it, and that the store is closed", err)
		}
	}
	for _, l := range []core.Lease{l, idle} {
		if err := l.Commit(ctx, core.Batch{}); !errors.Is(err, core.ErrFenced) {
			return fmt.Errorf("commit after the failure: %w", err)
		}
	}
	fmt.Println("last", last)
	return s.Close()
}

func TestAFullDiskStopsTheStoreAndHarmsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "steady.db")
	out, err := child(t, "fill the disk", path).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var last int
	if _, err := fmt.Sscanf(string(out), "last %d", &last); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := open(t, path)
	defer closed(t, s)
	kvs, err := s.Scan(t.Context(), "role/filler", "", "", 1000)
	if err != nil || len(kvs) < last+1 || len(kvs) > last+2 {
		t.Fatalf("%d values, %v; want the %d that were acknowledged, or the one that failed, too", len(kvs), err, last+1)
	}
	if _, err := s.Ingest(t.Context(), core.Envelope{Chat: "a", ID: "1"}); err != nil {
		t.Fatal(err)
	}
}
