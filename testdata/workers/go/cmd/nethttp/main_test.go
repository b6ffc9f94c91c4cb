package main

import (
	"slices"
	"testing"

	"github.com/retrydrill/drill/testdata/workers/go/lossy"
	"github.com/retrydrill/drill/testdata/workers/go/protocol"
)

// One call, two requests: the transport sent the second.
func TestTheTransportSendsAgain(t *testing.T) {
	target := lossy.New(t)
	got, err := refund(t.Context(), target.Env(), lossy.Action())
	if err != nil || got != protocol.Done(lossy.Action(), "re_1") {
		t.Errorf("reported %+v, error %v", got, err)
	}
	if r := target.Requests(); !slices.Equal(r, []string{"action", "action"}) {
		t.Errorf("requests under keys %q: expected two under the action ID", r)
	}
	if r := target.Refunds(); len(r) != 1 {
		t.Errorf("refunds %q: expected one", r)
	}
}
