package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync/atomic"

	"steady/core"
)

// A pairing is the accounts that were let in by the code. They are documents, so that no upgrade and no configuration forgets
// them.
type pairing struct {
	store core.Store
	used  atomic.Bool // the code of this start has let somebody in
}

func pairingKey(a core.AccountID) string { return "paired/" + string(a) }

// IsPaired tells whether a was let in.
func (p *pairing) IsPaired(ctx context.Context, a core.AccountID) (bool, error) {
	docs, err := p.store.Documents(ctx, pairingKey(a), "", 1)
	if err != nil {
		return false, fmt.Errorf("read pairing: %w", err)
	}
	return len(docs) == 1 && docs[0].Key == pairingKey(a), nil
}

// Pair lets a in.
func (p *pairing) Pair(ctx context.Context, a core.AccountID) error {
	if ok, err := p.IsPaired(ctx, a); ok || err != nil {
		return err
	}
	lease, err := p.store.Hold(ctx, "pairing")
	if err != nil {
		return fmt.Errorf("pair: %w", err)
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx), 0) }() // it holds nothing back
	err = lease.Commit(ctx, core.Batch{Docs: []core.DocumentWrite{{Key: pairingKey(a), Body: []byte(`{"v":1}`)}}})
	if err != nil {
		return fmt.Errorf("pair: %w", err)
	}
	p.used.Store(true)
	return nil
}

// pairCode is a code for one start: long enough that five guesses an hour find nothing, short enough to type.
func pairCode() string { return strings.ToUpper(rand.Text()[:10]) }
