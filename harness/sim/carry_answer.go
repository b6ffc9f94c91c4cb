package sim

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryInstead answers in place of the target or of its answer.
func carryInstead(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	t.handler.Instead(x, f)
	return true
}

// carryDuplicate lets the target get the request a second time.
func carryDuplicate(_ *trial, x *tap.Exchange, f *harness.Fault) bool {
	x.Twice = f
	return true
}
