package store_test

import (
	"path/filepath"
	"testing"

	"steady/core"
	"steady/store"
	"steady/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, storetest.Factory{
		Fresh: func(t *testing.T) func() core.Store {
			path := filepath.Join(t.TempDir(), "data", "steady.db")
			return func() core.Store { return open(t, path) }
		},
		Depose: func(t *testing.T, s core.Store, chat core.ChatKey) { s.(*store.Store).Depose(t, chat) },
		Crash:  func(t *testing.T, s core.Store) { s.(*store.Store).Crash(t) },
	})
}

func open(t testing.TB, path string) *store.Store {
	t.Helper()
	s, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
