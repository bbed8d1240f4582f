package telegram

import (
	"slices"
	"sync"
)

// A progress is what a try to send has done so far.
type progress struct {
	text  post // the zero value: nothing
	files int
}

// maxUnfinished is how many tries are remembered; beyond them the oldest is forgotten, and would begin anew.
const maxUnfinished = 64

// unfinished remembers tries that failed between a text and its files, so that the next one does not post the text twice. The
// zero value is empty and ready, and may be used concurrently.
type unfinished struct {
	mu    sync.Mutex // guards what follows
	tries map[string]progress
	order []string
}

// of returns what a try has done, and forgets it.
func (u *unfinished) of(try string) progress {
	u.mu.Lock()
	defer u.mu.Unlock()
	p := u.tries[try]
	u.forget(try)
	return p
}

func (u *unfinished) keep(try string, p progress) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.tries == nil {
		u.tries = map[string]progress{}
	}
	u.forget(try)
	u.tries[try] = p
	u.order = append(u.order, try)
	if len(u.order) > maxUnfinished {
		u.forget(u.order[0])
	}
}

// forget is called with mu held.
func (u *unfinished) forget(try string) {
	delete(u.tries, try)
	u.order = slices.DeleteFunc(u.order, func(o string) bool { return o == try })
}
