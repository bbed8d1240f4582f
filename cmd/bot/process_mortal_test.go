package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"

	"steady/core"
	"steady/tools/habit"
)

// deathAt makes the bot kill itself at a transaction: "after 3" when the third is durable and nobody knows it yet, "before 3"
// instead of making it.
const deathAt = "STEADY_TEST_DEATH_AT"

// transactionMark begins the lines that count the transactions on the standard output.
const transactionMark = "transaction "

// runMortal is run with a store that kills the process at a transaction, or only counts them.
func runMortal(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("bot", flag.ContinueOnError)
	file := flags.String("config", "", "")
	if err := flags.Parse(args); err != nil {
		return exitUsage
	}
	c, err := loadConfig(*file, os.LookupEnv)
	if err == nil {
		err = serveMortal(ctx, c, logger(c, stderr), stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bot:", err)
		return exitFailed
	}
	return exitOK
}

// serveMortal is serve with a mortal store.
func serveMortal(ctx context.Context, c Config, log *slog.Logger, out io.Writer) (err error) {
	inner, err := openStore(c, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inner.Close()) }()
	s := &mortal{Store: inner, out: out}
	if _, err := fmt.Sscanf(os.Getenv(deathAt), "%s %d", &s.when, &s.at); err != nil {
		return fmt.Errorf("%s: %w", deathAt, err)
	}
	coach, err := habit.New()
	if err != nil {
		return err
	}
	e, err := newEngine(c, s, coach, log)
	if err != nil {
		return err
	}
	channels, err := newChannels(c, s, e, coach, log, out)
	if err != nil {
		return err
	}
	return e.Run(ctx, channels)
}

// A mortal store makes one transaction at a time, counts them, and kills the process at one of them.
type mortal struct {
	core.Store
	out  io.Writer
	when string
	at   int

	mu   sync.Mutex // held while a transaction is made; guards made
	made int
}

// transact makes a transaction; do says whether it wrote anything.
func (m *mortal) transact(do func() (wrote bool, err error)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.when == "before" && m.made+1 == m.at {
		die()
	}
	wrote, err := do()
	if err != nil || !wrote {
		return err
	}
	m.made++
	fmt.Fprintf(m.out, "%s%d\n", transactionMark, m.made)
	if m.when == "after" && m.made == m.at {
		die()
	}
	return nil
}

// die does not return.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

func (m *mortal) Ingest(ctx context.Context, in ...core.Envelope) (fates []core.Fate, err error) {
	err = m.transact(func() (wrote bool, err error) {
		fates, err = m.Store.Ingest(ctx, in...)
		for _, f := range fates {
			wrote = wrote || f != core.Seen
		}
		return wrote, err
	})
	return fates, err
}

func (m *mortal) Claim(ctx context.Context, lane core.Lane) (core.Lease, error) {
	l, err := m.Store.Claim(ctx, lane)
	if err != nil {
		return nil, err
	}
	return mortalLease{l, m}, nil
}

type mortalLease struct {
	core.Lease
	store *mortal
}

func (l mortalLease) Commit(ctx context.Context, b core.Batch) error {
	return l.store.transact(func() (bool, error) {
		err := l.Lease.Commit(ctx, b)
		return err == nil, err
	})
}
