package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/retrydrill/drill/harness"
)

// effectVoice tells each effect of a served fake, one line at a time.
type effectVoice struct {
	mu sync.Mutex
	w  io.Writer
	n  int
}

func (v *effectVoice) effect(e harness.Effect) {
	v.mu.Lock()
	v.n++
	v.mu.Unlock()
	v.say("effect %d: %s %s of %s, key %q", e.Seq, e.Kind, e.Resource, e.BusinessKey, e.Key)
}

func (v *effectVoice) say(format string, args ...any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fmt.Fprintf(v.w, format+"\n", args...)
}

// count is how many effects were told, over all resets.
func (v *effectVoice) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.n
}
