package main

import (
	"fmt"
	"io"
)

// voice says on a terminal how far a run has come; elsewhere it is silent.
type voice struct {
	w           io.Writer
	what        string
	done, total int
	shown       bool
}

// newVoice counts what, which has the plural's name.
func newVoice(w io.Writer, what string, total int) *voice {
	v := &voice{w: w, what: what, total: total}
	if !isTerminal(w) {
		v.w = nil
	}
	v.show()
	return v
}

// step counts one more.
func (v *voice) step() {
	v.done++
	v.show()
}

func (v *voice) show() {
	if v.w == nil || v.done >= v.total {
		return
	}
	fmt.Fprintf(v.w, "\r\x1b[K%d of %d %s", v.done, v.total, v.what)
	v.shown = true
}

// clear takes the line away, so that results can be printed.
func (v *voice) clear() {
	if v.shown {
		fmt.Fprint(v.w, "\r\x1b[K")
		v.shown = false
	}
}

func (v *voice) end() { v.clear() }
