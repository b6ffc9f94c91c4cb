package config

import (
	"time"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/located"
)

// limits are pointers, so that what is left out can be told from what is 0. The
// durations are strings, so that a wrong one has a place of its own.
type limits struct {
	ClientDeadline *string `yaml:"client_deadline"`
	Lease          *string `yaml:"lease"`
	Retention      *string `yaml:"retention"`
	Delivery       *string `yaml:"delivery"`
	Trial          *string `yaml:"trial"`
	Quiet          *string `yaml:"quiet"`
	Deliveries     *int    `yaml:"deliveries"`
	Waits          *int    `yaml:"waits"`
	MaxAttempts    *int    `yaml:"max_attempts"`
	PolicyVersion  *string `yaml:"policy_version"`
}

// limits puts what is declared over the defaults.
func (raw *file) limits(f *located.File, c *Config) error {
	l, r := &c.Limits, raw.Limits
	for _, d := range []struct {
		key string
		in  *string
		out *harness.Duration
	}{
		{"client_deadline", r.ClientDeadline, &l.ClientDeadline}, {"lease", r.Lease, &l.Lease}, {"retention", r.Retention, &l.Retention},
		{"delivery", r.Delivery, &l.Delivery}, {"trial", r.Trial, &l.Trial}, {"quiet", r.Quiet, &l.Quiet},
	} {
		if d.in == nil {
			continue
		}
		if err := d.out.UnmarshalText([]byte(*d.in)); err != nil {
			return f.Errorf([]any{"limits", d.key}, "%s: %w", d.key, err)
		}
		if d.out.D() < time.Millisecond {
			return f.Errorf([]any{"limits", d.key}, "%s is %s: expected at least 1ms", d.key, *d.in)
		}
	}
	c.Attempts = r.MaxAttempts != nil
	c.Deadlines = r.ClientDeadline != nil || r.Lease != nil || r.Retention != nil
	for _, n := range []struct {
		in, out *int
	}{{r.Deliveries, &l.Deliveries}, {r.Waits, &l.Waits}, {r.MaxAttempts, &l.MaxAttempts}} {
		if n.in != nil {
			*n.out = *n.in
		}
	}
	if r.PolicyVersion != nil {
		l.PolicyVersion = *r.PolicyVersion
	}
	return nil
}
