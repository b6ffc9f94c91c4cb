package harness

import (
	"fmt"
	"regexp"
	"strconv"
)

// Side is the part of an operation's crossing at which a fault strikes.
type Side string

const (
	// Request: the target never sees it.
	Request Side = "request"
	// Target: the target itself answers otherwise.
	Target Side = "target"
	// Response: after the commit, on the way back.
	Response Side = "response"
)

// The boundaries that are no operation of the target.
const (
	Deliver  = "deliver"
	AtReport = "report"
	Record   = "record"
	Lease    = "lease"
	Ack      = "ack"
	AtEvent  = "event"
)

// The operation names that count across operations: every one, and every one
// that changes something.
const (
	AnyOp    = "any"
	MutateOp = "mutate"
)

// Roles of a profile's operations; other names are a profile's own.
const (
	CreateOp = "create"
	FindOp   = "find"
	GetOp    = "get"
	CancelOp = "cancel"
)

// Where names one crossing, or a range of them: create#1 response, deliver#2,
// mutate#2..4@w1 request, create#1..@B target.
type Where struct {
	// Point is deliver, report, record, lease, ack, event, or an operation.
	Point string
	// From and To bound the count, both inclusive; To is 0 where the range is open.
	From, To int
	// Worker is the slot whose counter is meant, or 0.
	Worker int
	// Action is the action whose counter is meant, or empty.
	Action string
	// Side is empty at points that are no operation.
	Side Side
}

var whereRE = regexp.MustCompile(`^([a-z][a-z0-9_]*(?:[.-][a-z0-9_]+)*)#([1-9][0-9]{0,5})(\.\.([1-9][0-9]{0,5})?)?(?:@(w[1-9][0-9]?|[A-Z][A-Za-z0-9_]*))?$`)

// IsOperation reports whether the point is an operation of the target.
func (w Where) IsOperation() bool {
	switch w.Point {
	case Deliver, AtReport, Record, Lease, Ack, AtEvent:
		return false
	}
	return true
}

// String prints the place as it is parsed.
func (w Where) String() string { return string(w.append(nil)) }

func (w Where) append(b []byte) []byte {
	b = append(append(b, w.Point...), '#')
	b = strconv.AppendInt(b, int64(w.From), 10)
	if w.To != w.From {
		b = append(b, ".."...)
		if w.To != 0 {
			b = strconv.AppendInt(b, int64(w.To), 10)
		}
	}
	if w.Worker != 0 {
		b = strconv.AppendInt(append(b, "@w"...), int64(w.Worker), 10)
	}
	if w.Action != "" {
		b = append(append(b, '@'), w.Action...)
	}
	if w.Side != "" {
		b = append(append(b, ' '), w.Side...)
	}
	return b
}

// Counts reports whether the n-th crossing is inside the range.
func (w Where) Counts(n int) bool {
	return n >= w.From && (w.To == 0 || n <= w.To)
}

// parsePlace reads all of a Where but its side.
func parsePlace(s string) (Where, error) {
	m := whereRE.FindStringSubmatch(s)
	if m == nil {
		return Where{}, fmt.Errorf("%q is no place: expected one like create#1, deliver#2 or create#1..3@w2", s)
	}
	w := Where{Point: m[1]}
	w.From, _ = strconv.Atoi(m[2])
	w.To = w.From
	if m[3] != "" {
		w.To, _ = strconv.Atoi(m[4])
		if w.To != 0 && w.To < w.From {
			return Where{}, fmt.Errorf("%q ends before it begins", s)
		}
	}
	if at := m[5]; at != "" {
		if at[0] == 'w' {
			w.Worker, _ = strconv.Atoi(at[1:])
		} else {
			w.Action = at
		}
	}
	return w, nil
}

// ParseWhere reads a place with its side, as EVENT is written in hold and at.
func ParseWhere(s string) (Where, error) {
	t := tokenize(s)
	if len(t) == 0 {
		return Where{}, fmt.Errorf("a place is missing")
	}
	w, rest, err := takeWhere(t)
	if err == nil && len(rest) > 0 {
		err = rest[0].errorf("%q is too much after the place %q", rest[0].text, w)
	}
	return w, err
}
