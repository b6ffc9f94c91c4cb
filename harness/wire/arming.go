package wire

import (
	"context"
	"fmt"
	"slices"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// MaxArmed bounds the lines that are armed between two resets.
const MaxArmed = 1000

// ErrTooManyArmed is returned when more than [MaxArmed] lines would be armed.
var ErrTooManyArmed = fmt.Errorf("more than %d lines would be armed: reset, or take some away", MaxArmed)

// NotServedError is returned for a line that needs more than a stand has: a worker
// that drill owns, or a count of its own.
type NotServedError struct {
	Fault  harness.Fault
	Reason string
}

// Error names the line and the reason.
func (e *NotServedError) Error() string { return fmt.Sprintf("fault %q: %s", e.Fault, e.Reason) }

// Is lets errors.Is find [tap.ErrNotServed].
func (e *NotServedError) Is(target error) bool { return target == tap.ErrNotServed }

// Arm adds lines, all or none. They count from now on: create#1 is the next create.
// It returns once every link that a later request comes on is of the kind that the
// lines need. The error is a [*NotServedError], a [*tap.ClashError],
// [ErrTooManyArmed], or tells that links did not give way.
func (s *Stand) Arm(ctx context.Context, lines []harness.Fault) ([]tap.Armed, error) {
	for _, f := range lines {
		if reason := notServed(f); reason != "" {
			return nil, &NotServedError{f, reason}
		}
	}
	s.arming.Lock()
	defer s.arming.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	session := s.current().session
	if held, _ := session.Armed(); len(held)+len(lines) > MaxArmed {
		return nil, ErrTooManyArmed
	}
	if err := session.Check(lines); err != nil {
		return nil, err
	}
	if err := s.fit(ctx, session, lines); err != nil {
		return nil, err
	}
	return session.Arm(lines)
}

// fit lets the links be of the kind that the lines need, beside those that wait.
func (s *Stand) fit(ctx context.Context, session *tap.Session, lines []harness.Fault) error {
	switch {
	case slices.ContainsFunc(lines, harness.Fault.Resets) || session.Pending(harness.Fault.Resets):
		return s.slot.turn(ctx, true)
	case slices.ContainsFunc(lines, harness.Fault.Closes):
		return s.slot.turn(ctx, false)
	}
	s.slot.relax()
	return nil
}

// notServed says why a stand does not carry the line out; empty where it does.
func notServed(f harness.Fault) string {
	key := f.Kind().Key()
	if !slices.Contains(Served(), key) {
		if f.Where.IsOperation() {
			return key + " needs a worker that drill owns, and a served target has none"
		}
		return f.Where.Point + " is no boundary of a served target: it has operations alone"
	}
	if f.Where.Worker != 0 || f.Where.Action != "" {
		return "a served target knows neither workers nor actions: leave the @ out"
	}
	if w := f.Event; w != nil && (!w.IsOperation() || w.Point == harness.MutateOp || w.Worker != 0 || w.Action != "") {
		return "a served target waits for an operation by its name, or any, without @"
	}
	return ""
}

// Disarm takes an armed line away; what it has begun it carries out. It reports
// whether there was such a line.
func (s *Stand) Disarm(id int) bool {
	s.arming.Lock()
	defer s.arming.Unlock()
	session := s.current().session
	defer s.fit(context.Background(), session, nil)
	return session.Disarm(id)
}

// Await waits until the line of this ID, or with 0 every armed line, got as far as a
// state, holding or fired, or until the round or ctx ends. It returns the lines as they
// are then.
func (s *Stand) Await(ctx context.Context, id int, state tap.State) []tap.Armed {
	r := s.current()
	for {
		lines, changed := r.session.Armed()
		if !slices.ContainsFunc(lines, func(a tap.Armed) bool { return (id == 0 || a.ID == id) && a.State < state }) {
			return lines
		}
		select {
		case <-changed:
		case <-r.ctx.Done():
			return s.Armed()
		case <-ctx.Done():
			return lines
		}
	}
}

// carry carries a fault out. After the last reset, later links are for FIN again: a
// long answer can break where its link ends with a RST.
func (s *Stand) carry(r *round, f *harness.Fault) tap.Carrier {
	inner := r.boundary.carry(f)
	if !f.Resets() {
		return inner
	}
	return func(ctx context.Context, x *tap.Exchange, f *harness.Fault) bool {
		defer s.settle(r.session)
		return inner(ctx, x, f)
	}
}

func (s *Stand) settle(session *tap.Session) {
	s.arming.Lock()
	defer s.arming.Unlock()
	if session == s.current().session && !session.Pending(harness.Fault.Resets) {
		s.slot.relax()
	}
}
