package harness

import "slices"

// Fault is one line of a schedule: WHERE WHAT.
type Fault struct {
	Where Where
	// Name is the word of the vocabulary.
	Name string
	// N is a count, a status, or a number of bytes.
	N int
	// Head: N counts bytes of the head (truncate).
	Head bool
	// D is the fault's own span.
	D Span
	// RetryAfter goes with a status.
	RetryAfter Span
	// Event is what at and hold wait for.
	Event *Where
	// Or bounds a hold.
	Or Span
	// Code is the target's error code.
	Code string
	// Actions are what a delivery brings.
	Actions []string
	// Pointer and Value say what changes (RFC 6901, JSON).
	Pointer string
	Value   any
	// Word is an approval's kind or an answer.
	Word string
	// Of is the action whose approval is carried.
	Of string
	// Optional: the line may stay unfired.
	Optional bool

	// spelling and key are what String and Key return, where they were asked before.
	spelling, key string
}

// Kind returns the fault's word of the vocabulary.
func (f Fault) Kind() FaultKind { return f.word().kind }

// word is that of the vocabulary.
func (f *Fault) word() *word {
	point := f.Where.Point
	if f.Where.IsOperation() {
		point = operationsPoint
	}
	return wordAt(point, f.Where.Side, f.Name)
}

// Key is the word of the vocabulary that the fault is, as [FaultKind.Key] names it.
func (f Fault) Key() string {
	return f.WordKey()
}

// WordKey is Key without a copy of the fault.
func (f *Fault) WordKey() string {
	if f.key != "" {
		return f.key
	}
	return f.word().key
}

// Is reports whether the fault is the word key of the vocabulary ("response close").
func (f Fault) Is(key string) bool { return f.Key() == key }

// MarshalText and UnmarshalText make a fault one string in YAML and JSON.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (f *Fault) UnmarshalText(b []byte) error {
	v, err := ParseFault(string(b))
	*f = v
	return err
}

// Kills reports whether the fault needs a worker that can be SIGKILLed.
func (f *Fault) Kills() bool {
	switch f.Name {
	case "lose":
		// What was acknowledged is gone at the next start: there has to be one.
		return f.Where.Point == Record
	case "kill", "kill-after", "kill-before", "stop", "pause":
		return true
	}
	return false
}

// Resets reports whether the fault ends a connection with a RST.
func (f Fault) Resets() bool { return f.resets() }

func (f *Fault) resets() bool { return f.Name == "reset" }

// Closes reports whether the fault ends a connection with a FIN.
func (f Fault) Closes() bool {
	switch f.Name {
	case "close", "cut", "truncate":
		return f.Where.IsOperation()
	}
	return false
}

// recovers reports whether the fault hands over nothing, so that what was left is taken up.
func (f *Fault) recovers() bool { return f.Where.Point == Deliver && f.Name == "recover" }

// shapes reports whether the fault says otherwise what a delivery brings.
func (f *Fault) shapes() bool {
	switch f.Name {
	case "brings", "change", "respell", "equivalent", "new-trigger", "new-action", "approval", "re-approve", "answer":
		return f.Where.Point == Deliver
	}
	return false
}

// NoneOf is the operation that the line, or the event that it waits for, names and that
// is none of these; empty where there is no such.
func (f Fault) NoneOf(operations []string) string {
	for _, w := range []*Where{&f.Where, f.Event} {
		if w != nil && w.IsOperation() && !slices.Contains(operations, w.Point) {
			return w.Point
		}
	}
	return ""
}
