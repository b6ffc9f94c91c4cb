// Package lone holds the locks of what many may be at in one world and nobody beside
// another in a second one.
package lone

import "sync"

// Mutex is a mutex, and nothing where its world lets one go at a time: a trial there takes
// some hundred locks that nobody else wants. Its zero value is unlocked.
type Mutex struct {
	mu sync.Mutex
	// Alone says that nobody is there while another one is. It changes while nobody is.
	Alone bool
}

// Lock implements [sync.Locker].
func (l *Mutex) Lock() {
	if !l.Alone {
		l.mu.Lock()
	}
}

// Unlock implements [sync.Locker].
func (l *Mutex) Unlock() {
	if !l.Alone {
		l.mu.Unlock()
	}
}
