package tap

import "sync"

// lock is a mutex for a session that many may be at, and nothing where its world lets
// one go at a time: a trial there takes some hundred locks that nobody else wants.
type lock struct {
	mu    sync.Mutex
	alone bool
}

func (l *lock) Lock() {
	if !l.alone {
		l.mu.Lock()
	}
}

func (l *lock) Unlock() {
	if !l.alone {
		l.mu.Unlock()
	}
}
