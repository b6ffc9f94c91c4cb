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
	what  string
	start time.Time
	span  time.Duration
	last  time.Time
}

// newMeter counts what, which has the plural's name.
func newMeter(w io.Writer, what string, start time.Time, span time.Duration) *meter {
	if !isTerminal(w) {
		w = nil
	}
	return &meter{w: w, what: what, start: start, span: span}
}

func (m *meter) show(p search.Progress) {
	now := time.Now()
	if m.w == nil || now.Sub(m.last) < 100*time.Millisecond {
		return
	}
	m.last = now
	fmt.Fprint(m.w, "\r\x1b[K"+progressed(p, m.what, now.Sub(m.start), m.span))
}

// progressed is how far a search is that took so long of a span.
func progressed(p search.Progress, what string, took, span time.Duration) string {
	rate := float64(p.Ran) / took.Seconds()
	end := max(0, span-took)
	if p.Known == 0 {
		return fmt.Sprintf("%d %s, %.0f a second, %d found, %s left", p.Ran, what, rate, p.Findings, end.Round(time.Second))
	}
	left := min(end, time.Duration(float64(p.Known-p.Ran)/rate*float64(time.Second)))
	return fmt.Sprintf("%d of %d %s known, %.0f a second, %d found, about %s left, at most %s", p.Ran, p.Known, what, rate, p.Findings,
		left.Round(time.Second), end.Round(time.Second))
}

func (m *meter) clear() {
	if m.w != nil && !m.last.IsZero() {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}
