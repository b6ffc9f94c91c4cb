package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/retrydrill/drill/harness/search"
)

// errSpan ends a search whose time is up; what is known by then is its result.
var errSpan = errors.New("the time is up")

func timeIsUp(err error) error {
	if errors.Is(err, errSpan) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// meter says on a terminal how far a search has come, how fast it goes and how long
// it may take; elsewhere it is silent.
type meter struct {
	w     io.Writer
	start time.Time
	span  time.Duration
	last  time.Time
}

func newMeter(w io.Writer, start time.Time, span time.Duration) *meter {
	if !isTerminal(w) {
		w = nil
	}
	return &meter{w: w, start: start, span: span}
}

func (m *meter) show(p search.Progress) {
	now := time.Now()
	if m.w == nil || now.Sub(m.last) < 100*time.Millisecond {
		return
	}
	m.last = now
	took := now.Sub(m.start)
	rate := float64(p.Ran) / took.Seconds()
	left := min(m.span-took, time.Duration(float64(p.Known-p.Ran)/rate*float64(time.Second)))
	fmt.Fprintf(m.w, "\r\x1b[K%d of %d schedules known, %.0f a second, %d found, at most %s left",
		p.Ran, p.Known, rate, p.Findings, max(0, left).Round(time.Second))
}

func (m *meter) clear() {
	if m.w != nil && !m.last.IsZero() {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
