package harness

import "time"

// Limits bound a trial and are what drill.yaml declares to the worker.
type Limits struct {
	ClientDeadline Duration `json:"client_deadline" yaml:"client_deadline"`
	Lease          Duration `json:"lease" yaml:"lease"`
	Retention      Duration `json:"retention" yaml:"retention"`
	// Deliveries bounds failed hand-overs, Waits those that report waiting.
	Deliveries int `json:"deliveries" yaml:"deliveries"`
	Waits      int `json:"waits" yaml:"waits"`
	// MaxAttempts bounds the mutations for one action; 0 is not declared.
	MaxAttempts int `json:"max_attempts,omitempty" yaml:"max_attempts,omitempty"`
	// Delivery bounds one life of a worker; Trial bounds the whole trial.
	Delivery Duration `json:"delivery" yaml:"delivery"`
	Trial    Duration `json:"trial" yaml:"trial"`
	// Quiet is how long the tap has to be idle at the end while a link is open.
	Quiet Duration `json:"quiet" yaml:"quiet"`
	// PolicyVersion is what an approval has to be given under.
	PolicyVersion string `json:"policy_version" yaml:"policy_version"`
}

// DefaultLimits are those of a drill.yaml that declares none.
func DefaultLimits() Limits {
	return Limits{
		ClientDeadline: Duration(300 * time.Millisecond),
		Lease:          Duration(400 * time.Millisecond),
		Retention:      Duration(600 * time.Millisecond),
		Deliveries:     5,
		Waits:          20,
		MaxAttempts:    5,
		Delivery:       Duration(10 * time.Second),
		Trial:          Duration(60 * time.Second),
		Quiet:          Duration(50 * time.Millisecond),
		PolicyVersion:  "1",
	}
}

// Patience is how many times as long every deadline is, one after the other, where
// something is carried out again since the machine was slow.
var Patience = [...]int{4, 16}

// Scaled are the limits with every span of time n times as long; what is counted
// stays.
func (l Limits) Scaled(n int) Limits {
	for _, d := range []*Duration{&l.ClientDeadline, &l.Lease, &l.Retention, &l.Delivery, &l.Trial, &l.Quiet} {
		*d *= Duration(n)
	}
	return l
}

// Matters is how late something may come without a deadline passing that the
// schedule did not let pass: a quarter of the shorter of client deadline and lease,
// since a few such steps follow one another within either.
func (l Limits) Matters() Duration { return min(l.ClientDeadline, l.Lease) / 4 }

// Visibility is how long an unacknowledged delivery stays hidden: 1.2 leases.
func (l Limits) Visibility() time.Duration { return Span{Symbol: PastLease}.In(l) }
