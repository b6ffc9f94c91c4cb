package wire

import (
	"context"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryInstead answers in place of the target or of its answer.
func carryInstead(b *boundary, _ context.Context, x *tap.Exchange, f *harness.Fault) bool {
	b.handler.Instead(x, f)
	return true
}

// carryDuplicate lets the target get the request a second time.
func carryDuplicate(_ *boundary, _ context.Context, x *tap.Exchange, f *harness.Fault) bool {
	x.Twice = f
	return true
}
