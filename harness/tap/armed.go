package tap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retrydrill/drill/harness"
)

// Armed is a line that was armed while the session ran. Its numbers count from that
// moment: create#1 is the next create.
type Armed struct {
	// ID counts the lines of one session from 1.
	ID int `json:"id"`
	// Fault is the line as it was written.
	Fault harness.Fault `json:"fault"`
	// State is how far it got.
	State State `json:"state"`
	// Attempts are the requests at which it was carried out, in that order.
	Attempts []int `json:"attempts,omitempty"`
	// Note says how the holding of a request ended.
	Note string `json:"note,omitempty"`

	// line is the fault with its numbers counted from the session's start.
	line harness.Fault
}

// State is how far an armed line got: each one is further than those before it.
type State int

// The states of an armed line.
const (
	// Waiting: no request of its number has come.
	Waiting State = iota
	// Struck: such a request came, and the fault is not, or not yet, carried out.
	Struck
	// Holding: the first such request, or its answer, is held.
	Holding
	// Fired: it was carried out, at least once.
	Fired
)

var states = []string{"waiting", "struck", "holding", "fired"}

// String is the state's word.
func (s State) String() string { return states[s] }

// MarshalText writes the word.
func (s State) MarshalText() ([]byte, error) { return []byte(states[s]), nil }

// UnmarshalText reads it.
func (s *State) UnmarshalText(word []byte) error {
	i := slices.Index(states, string(word))
	if i < 0 {
		return fmt.Errorf("state is %q: expected %s", word, strings.Join(states, ", "))
	}
	*s = State(i)
	return nil
}

// ClashError is returned when a line can not be armed beside another one.
type ClashError struct {
	First, Second harness.Fault
	Reason        string
}

// Error names both lines as they were written.
func (e *ClashError) Error() string {
	return fmt.Sprintf("faults %q and %q clash: %s", e.First, e.Second, e.Reason)
}

// ErrNotServed is what an error is where a line needs more than a served target has.
var ErrNotServed = errors.New("a served target does not carry it out")

// Arm adds lines, all or none. They strike requests that arrive from now on; those of
// one call count from one moment. Only places at operations can be counted from a
// moment, those over the whole session, and EVENT is one of them too.
func (s *Session) Arm(lines []harness.Fault) ([]Armed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh, err := s.beside(lines)
	if err != nil {
		return nil, err
	}
	s.lastID += len(lines)
	out := make([]Armed, len(lines))
	for i, a := range fresh {
		s.armed = append(s.armed, a)
		// Those in force stand where they stood, for whoever is struck by one.
		s.lines.all = append(slices.Clip(s.lines.all), a.line)
		out[i] = *a
	}
	s.signal()
	return out, nil
}

// Check says whether lines could be armed now.
func (s *Session) Check(lines []harness.Fault) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.beside(lines)
	return err
}

// beside returns the lines as they would be armed, or the clash with another one.
func (s *Session) beside(lines []harness.Fault) ([]*Armed, error) {
	// What is over clashes with nothing.
	open := slices.DeleteFunc(slices.Clone(s.armed), func(a *Armed) bool { return s.over(a.line.Where) })
	fresh := make([]*Armed, len(lines))
	for i, f := range lines {
		fresh[i] = &Armed{ID: s.lastID + i + 1, Fault: f, State: Waiting, line: s.fromNow(f)}
	}
	all := append(open, fresh...)
	counted := make([]harness.Fault, len(all))
	for i, a := range all {
		counted[i] = a.line
	}
	if i, j, reason := harness.Clash(counted); reason != "" {
		return nil, &ClashError{all[i].Fault, all[j].Fault, reason}
	}
	return fresh, nil
}

// fromNow is the line with its numbers counted from the session's start.
func (s *Session) fromNow(f harness.Fault) harness.Fault {
	f.Where = shift(f.Where, s.soFar(&f.Where))
	if f.Event != nil {
		w := shift(*f.Event, s.Recorder.soFar(f.Event))
		f.Event = &w
	}
	return f
}

// soFar is how many things the lines have counted at a place.
func (s *Session) soFar(w *harness.Where) int {
	return s.struck.soFar(w, s.counts.of(w))
}

func shift(w harness.Where, by int) harness.Where {
	w.From += by
	if w.To != 0 {
		w.To += by
	}
	return w
}

// over reports whether no later request can be the place.
func (s *Session) over(w harness.Where) bool {
	return w.To != 0 && w.To <= s.soFar(&w)
}

// Disarm takes an armed line away; what it has begun it carries out. It reports
// whether there was such a line.
func (s *Session) Disarm(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.armed, func(a *Armed) bool { return a.ID == id })
	if i < 0 {
		return false
	}
	text := s.armed[i].line.String()
	s.armed = slices.Delete(s.armed, i, i+1)
	j := slices.IndexFunc(s.lines.all, func(f harness.Fault) bool { return f.String() == text })
	s.lines.all = append(slices.Clone(s.lines.all[:j]), s.lines.all[j+1:]...)
	s.signal()
	return true
}

// Armed lists the armed lines in the order in which they were armed, and returns a
// channel that is closed once one of them fires, comes or goes.
func (s *Session) Armed() ([]Armed, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Armed, len(s.armed))
	for i, a := range s.armed {
		out[i] = *a
		out[i].Attempts = slices.Clone(a.Attempts)
		if a.State == Waiting && s.soFar(&a.line.Where) >= a.line.Where.From {
			out[i].State = Struck
		}
	}
	return out, s.changed
}

// Pending reports whether a line that can still strike is such a one.
func (s *Session) Pending(is func(harness.Fault) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.armed, func(a *Armed) bool { return is(a.Fault) && !s.over(a.line.Where) })
}

// Holds tells that a line holds a request, or its answer, from now on, until
// [Session.Fired].
func (s *Session) Holds(f *harness.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.find(f.String()); a != nil && a.State == Waiting {
		a.State = Holding
		s.signal()
	}
}

// heldBy keeps how the holding of a request ended, for the line that held it.
func (s *Session) heldBy(line, note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.find(line); a != nil {
		a.Note = note
	}
}

func (s *Session) fired(f *harness.Fault, attempt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.armed) == 0 {
		return
	}
	if a := s.find(f.String()); a != nil {
		a.State = Fired
		a.Attempts = append(a.Attempts, attempt)
		s.signal()
	}
}

func (s *Session) find(line string) *Armed {
	i := slices.IndexFunc(s.armed, func(a *Armed) bool { return a.line.String() == line })
	if i < 0 {
		return nil
	}
	return s.armed[i]
}

// signal tells that the armed lines are others, or in another state.
func (s *Session) signal() {
	s.lines.sort()
	close(s.changed)
	s.changed = make(chan struct{})
}
