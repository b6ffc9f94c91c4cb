package sim

import (
	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

// carryCut ends the one connection: FIN, RST, or silence until the client gives up.
func carryCut(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	end := closed
	switch f.Name {
	case "hang":
		end = hung
	case "reset":
		end = aborted
	}
	t.cut(x, f, end, nil)
	return false
}

// carryTruncate lets the first bytes of the answer through and then ends the
// connection.
func carryTruncate(t *trial, x *tap.Exchange, f *harness.Fault) bool {
	t.cut(x, f, cutShort, x.Answer.Cut(f))
	return false
}

func (t *trial) cut(x *tap.Exchange, f *harness.Fault, end ending, passes []byte) {
	t.handler.Lost(x, f)
	x.W.(*exchange).cut(end, passes)
	t.session.Fired(f, x.Event)
}
