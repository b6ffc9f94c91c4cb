//go:build !linux && !darwin

package wire

import "github.com/retrydrill/drill/harness/worker"

// reserve is never come to: [New] opens no world here in which workers run.
func (*slot) reserve() error { return worker.ErrSystem }

func (*slot) unreserve() error { return nil }
