package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// InProcess runs a Go executor in this process: built once an incarnation, which
// lives until Close. It can not be killed.
type InProcess struct {
	New  New
	run  Func
	stop func() error
}

// Deliver calls the executor.
func (p *InProcess) Deliver(ctx context.Context, h Handover, on Listener) (end End) {
	if p.run == nil {
		run, stop, err := p.New(h.Env)
		if err != nil {
			return End{Note: "not started", Err: err}
		}
		p.run, p.stop = run, stop
	}
	job, err := h.job()
	if err != nil {
		return End{Note: "not started", Err: err}
	}
	defer func() {
		if v := recover(); v != nil {
			end = End{Note: "panic", Err: fmt.Errorf("executor panicked: %v", v)}
			end.Err = errors.Join(end.Err, p.Close())
		}
	}()
	report := on.Report
	if report == nil {
		report = func(harness.Report) {}
	}
	ctx, stop := untilGivenUp(ctx, h.GivenUp)
	defer stop()
	err = p.run(ctx, h.Env, job, report)
	if err != nil {
		return End{Note: "error", Alive: true, Err: err}
	}
	return End{Note: "returned", Clean: true, Alive: true}
}

// Alive implements [Runner].
func (p *InProcess) Alive() bool { return p.run != nil }

// Close ends the incarnation.
func (p *InProcess) Close() error {
	stop := p.stop
	p.run, p.stop = nil, nil
	if stop == nil {
		return nil
	}
	return stop()
}
