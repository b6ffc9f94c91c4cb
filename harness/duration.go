package harness

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Span is a duration of a schedule: either written out, or 1.2 times a deadline
// that drill.yaml declares, so that a schedule means the same at every setting.
type Span struct {
	// Symbol is past-deadline, past-lease, past-retention, or empty.
	Symbol string
	// D is the duration where there is no symbol.
	D time.Duration
}

// The symbolic spans: 1.2 times the declared client deadline, lease or retention.
const (
	PastDeadline  = "past-deadline"
	PastLease     = "past-lease"
	PastRetention = "past-retention"
)

// ParseSpan reads a duration (Go's form, not negative) or a symbol.
func ParseSpan(s string) (Span, error) {
	switch s {
	case PastDeadline, PastLease, PastRetention:
		return Span{Symbol: s}, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return Span{}, fmt.Errorf("%q is no duration: expected one like 200ms, or past-deadline, past-lease, past-retention", s)
	}
	return Span{D: d}, nil
}

// String prints the span as it is parsed.
func (s Span) String() string {
	if s.Symbol != "" {
		return s.Symbol
	}
	return s.D.String()
}

// IsZero reports whether the span was left out.
func (s Span) IsZero() bool { return s.Symbol == "" && s.D == 0 }

// In resolves the span against declared limits.
func (s Span) In(l Limits) time.Duration {
	past := func(d Duration) time.Duration { return time.Duration(d) * 12 / 10 }
	switch s.Symbol {
	case PastDeadline:
		return past(l.ClientDeadline)
	case PastLease:
		return past(l.Lease)
	case PastRetention:
		return past(l.Retention)
	}
	return s.D
}

// MarshalText and UnmarshalText make a span a string in YAML and JSON.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Span) UnmarshalText(b []byte) error {
	v, err := ParseSpan(string(b))
	*s = v
	return err
}

// Duration is a time.Duration that is written like 300ms in YAML and JSON.
type Duration time.Duration

// D returns the plain duration.
func (d Duration) D() time.Duration { return time.Duration(d) }

// String prints Go's form.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes Go's form.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads Go's form; a negative duration is refused.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is no duration: expected one like 300ms", string(b))
	}
	*d = Duration(v)
	return nil
}

// RetryAfter reads a Retry-After in whole seconds (RFC 9110 section 10.2.3). The other
// form, a date, is measured on a clock that the reader does not have; it, what is no
// number, and what is longer than twelve days is 0.
func RetryAfter(text string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return time.Duration(n) * time.Second
}
