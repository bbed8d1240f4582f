package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

const (
	// lockWait is how long Open waits for another process.
	lockWait = 2 * time.Second
	// mapped is address space, not memory: while the file is smaller, no writer waits for readers to map it anew.
	mapped = 256 << 20
	// compactFrom is how much of a file has to be unused, beside half of it, to be worth rewriting it.
	compactFrom = 64 << 20
)

// openFile opens the file for writing, after it made sure that it is whole and of a format that it knows.
func openFile(path string, log *slog.Logger) (*bbolt.DB, error) {
	if err := makeFile(path); err != nil {
		return nil, err
	}
	if err := inspect(path, log); err != nil {
		return nil, err
	}
	if err := mark(path); err != nil {
		return nil, err
	}
	db, err := lock(path)
	if err != nil {
		return nil, err
	}
	free, size := unused(db)
	if free <= compactFrom || free <= size/2 {
		return db, nil
	}
	log.Info("rewriting the data file, most of it is unused", "bytes", size, "unused", free)
	if err := compact(db, path); err != nil {
		log.Warn("could not rewrite the data file; going on with it as it is", "err", err)
		return db, nil
	}
	if err := db.Close(); err != nil {
		return nil, fmt.Errorf("close the old data file: %w", err)
	}
	return lock(path)
}

// markerOf is the path of an empty file beside the data file. It stays when that one is lost, and so tells a loss from a fresh
// start.
func markerOf(path string) string { return path + ".marker" }

// makeFile makes the file if there is none and never was one.
func makeFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(markerOf(path)); err == nil {
			if _, err := os.Stat(path); err == nil { // another process made both just now
				return nil
			}
			return fmt.Errorf("%w: %s is gone; put a backup in its place, or remove %s to start anew", ErrDamaged, path, markerOf(path))
		}
		if err := createFile(path); err != nil {
			return fmt.Errorf("create %s: %w", path, err)
		}
	case err != nil:
		return err
	case info.Size() == 0:
		// bbolt would silently begin anew. A crash cannot cause this: createFile never shows an unfinished file.
		return fmt.Errorf("%w: %s is empty; put a backup in its place", ErrDamaged, path)
	}
	return nil
}

// mark makes the marker, if it is not there.
func mark(path string) error {
	f, err := os.OpenFile(markerOf(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close(), syncDir(filepath.Dir(path)))
}

// createFile makes the directory, and the file beside its place, whole, before it appears there.
func createFile(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // gone already where it was renamed
	if err := errors.Join(tmp.Close(), fill(tmp.Name())); err != nil {
		return err
	}
	// A link, unlike a rename, never replaces the file of a process that started at the same time. Not every file system has
	// links.
	if err := os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		if err := os.Rename(tmp.Name(), path); err != nil {
			return err
		}
	}
	return errors.Join(syncDir(dir), syncDir(filepath.Dir(dir)))
}

// fill makes an empty store of an empty file.
func fill(path string) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for name := range new(txn).tables() {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		return errors.Join(
			tx.Bucket([]byte(tableMeta)).Put([]byte(keyFormat), []byte{format}),
			tx.Bucket([]byte(tableMeta)).Put([]byte(keyClean), []byte{1}))
	})
	return errors.Join(err, db.Sync(), db.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// inspect looks at the file and changes nothing. After an unclean end, when a disk may have lost or torn pages, it reads all of
// it: bbolt is about to do the same to find the free pages, and does it where its panics cannot be recovered from. After a clean
// end the sizes, both roots and the format have to do; a page that rots later is an error when it is read.
func inspect(path string, log *slog.Logger) error {
	warnOfRoots(path, log)
	var file *os.File
	db, err := boltOpen(path, &bbolt.Options{ReadOnly: true, Timeout: lockWait, OpenFile: existing(&file)})
	if err != nil {
		return err
	}
	err = guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			info, err := file.Stat()
			if err != nil {
				return err
			}
			if info.Size() < tx.Size() {
				return fmt.Errorf("%w: it was cut off at %d of %d bytes", ErrDamaged, info.Size(), tx.Size())
			}
			clean, err := checkMeta(tx.Bucket([]byte(tableMeta)))
			if err != nil || clean {
				return err
			}
			log.Info("the data file was not closed, checking it", "bytes", info.Size())
			return checkAll(tx)
		})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("%w: %s", err, path)
	}
	return nil
}

// existing opens a file for bbolt, which would also make one, and keeps it in file.
func existing(file **os.File) func(string, int, os.FileMode) (*os.File, error) {
	return func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
		f, err = os.OpenFile(name, flag&^os.O_CREATE, mode)
		*file = f
		return f, err
	}
}

func checkMeta(meta *bbolt.Bucket) (clean bool, err error) {
	if meta == nil {
		return false, fmt.Errorf("%w: it is another program's", ErrDamaged)
	}
	switch f := meta.Get([]byte(keyFormat)); {
	case len(f) != 1 || f[0] == 0:
		return false, fmt.Errorf("%w: it says no format", ErrDamaged)
	case f[0] > format:
		return false, fmt.Errorf("%w: it has format %d, and this version knows %d", ErrNewer, f[0], format)
	}
	c := meta.Get([]byte(keyClean))
	return len(c) == 1 && c[0] == 1, nil
}

// checkAll reads every key and the ends of every value.
func checkAll(tx *bbolt.Tx) error {
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		var last string
		first := true
		return b.ForEach(func(k, v []byte) error {
			if !first && string(k) <= last {
				return fmt.Errorf("%w: keys out of order in %q", ErrDamaged, name)
			}
			last, first = string(k), false
			if len(v) > 0 {
				_ = v[0] ^ v[len(v)-1] // a fault if it lies outside the file
			}
			return nil
		})
	})
}

// warnOfRoots says so when one of the two roots is invalid: bbolt goes on with the other, silently, which is right after a power
// cut in the middle of a commit, and a transaction older after any other damage.
func warnOfRoots(path string, log *slog.Logger) {
	f, err := os.Open(path)
	if err != nil {
		return // whoever opens it next says so
	}
	defer func() { _ = f.Close() }()
	size, first := root(f, 0)
	if !first {
		size = int64(os.Getpagesize())
	}
	if _, second := root(f, size); first != second {
		log.Warn("one of the two roots of the data file is invalid, its newest transaction may be missing")
	}
}

// root says whether the page at offset holds a valid root of bbolt, and which page size that one says. After the page's header
// of 16 bytes it has 56 bytes and their checksum.
func root(f io.ReaderAt, offset int64) (pageSize int64, valid bool) {
	var page [16 + 56 + 8]byte
	if _, err := f.ReadAt(page[:], offset); err != nil {
		return 0, false
	}
	sum := fnv.New64a()
	_, _ = sum.Write(page[16 : 16+56])
	return int64(binary.NativeEndian.Uint32(page[16+8:])), binary.NativeEndian.Uint64(page[16+56:]) == sum.Sum64()
}

// lock opens the file for writing. When the file at path is another one by the time that the lock is there, because the process
// that had it rewrote the file, it tries again.
func lock(path string) (*bbolt.DB, error) {
	for {
		var file *os.File
		db, err := boltOpen(path, &bbolt.Options{
			Timeout:         lockWait,
			FreelistType:    bbolt.FreelistMapType,
			NoFreelistSync:  true, // smaller commits, and a slow reader cannot make the file explode
			InitialMmapSize: mapped,
			OpenFile:        existing(&file),
		})
		if err != nil {
			return nil, err
		}
		opened, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, db.Close())
		}
		if now, err := os.Stat(path); err == nil && os.SameFile(now, opened) {
			return db, nil
		}
		if err := db.Close(); err != nil {
			return nil, err
		}
	}
}

// boltOpen opens the file and says what is wrong with it in our words. When bbolt panics, it leaves the file mapped and locked
// until the process ends; a backup that is renamed into its place is another file, and can be opened.
func boltOpen(path string, o *bbolt.Options) (db *bbolt.DB, err error) {
	err = guard(func() error {
		db, err = bbolt.Open(path, 0o600, o)
		return err
	})
	var system syscall.Errno
	switch {
	case err == nil:
		return db, nil
	case errors.Is(err, berrors.ErrTimeout):
		return nil, fmt.Errorf("%w: %s", ErrLocked, path)
	case errors.As(err, &system):
		return nil, err
	case errors.Is(err, ErrDamaged):
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	return nil, fmt.Errorf("%w: %w: %s", ErrDamaged, err, path)
}

// unused returns how many bytes of the file are free pages, and how many it has.
func unused(db *bbolt.DB) (free, size int64) {
	_ = db.View(func(tx *bbolt.Tx) error {
		size = tx.Size()
		return nil
	})
	return int64(db.Stats().FreePageN) * int64(db.Info().PageSize), size
}

// compact puts a copy of db without the free pages in its place. db stays open, and locked, until that is done.
func compact(db *bbolt.DB, path string) error {
	tmp := path + ".compact" // one name: whoever writes it holds the lock of db, and a copy left by a crash is overwritten
	if err := os.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dst, err := bbolt.Open(tmp, 0o600, &bbolt.Options{Timeout: lockWait, NoSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	err = guard(func() error { return bbolt.Compact(dst, db, 4<<20) })
	if err := errors.Join(err, dst.Sync(), dst.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	if err := os.Rename(tmp, path); err != nil {
		return errors.Join(err, os.Remove(tmp))
	}
	return syncDir(filepath.Dir(path))
}
