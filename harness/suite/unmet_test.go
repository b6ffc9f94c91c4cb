package suite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func TestReconnected(t *testing.T) {
	fault := func(s string) harness.Fault {
		f, err := harness.ParseFault(s)
		require.NoError(t, err)
		return f
	}
	closes := fault("create#1@A response close")
	request := func(op, action string, warm bool) harness.Event {
		return harness.Event{Kind: harness.EvRequest, Op: op, Action: action, Warm: warm, Changes: op == harness.CreateOp}
	}
	for _, c := range []struct {
		name, connection string
		faults           []harness.Fault
		events           []harness.Event
		want             bool
	}{
		{"new each time", "warm", []harness.Fault{closes}, []harness.Event{request("create", "A", false)}, true},
		{"another action's was warm", "warm", []harness.Fault{closes}, []harness.Event{request("create", "B", true), request("create", "A", false)}, true},
		{"any condition", "", []harness.Fault{closes}, []harness.Event{request("create", "A", false)}, false},
		{"it was there to be struck", "warm", []harness.Fault{closes}, []harness.Event{request("create", "A", true)}, false},
		{"by its kind", "warm", []harness.Fault{fault("mutate#1 response close")}, []harness.Event{request("create", "A", true)}, false},
		{"struck", "warm", []harness.Fault{closes}, []harness.Event{{Kind: harness.EvFault, Fault: closes.String()}}, false},
		{"a delivery that was not made", "warm", []harness.Fault{closes, fault("deliver#2 respell")}, []harness.Event{request("create", "A", false)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, reconnected(&harness.History{Schedule: harness.Schedule{Connection: c.connection, Faults: c.faults}, Events: c.events}))
		})
	}
}
