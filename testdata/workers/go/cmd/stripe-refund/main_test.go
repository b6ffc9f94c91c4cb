package main

import (
	"testing"

	"github.com/retrydrill/drill/testdata/workers/go/lossy"
)

func TestTheSDKKeepsItsKeyWithinACallAndNotBeyond(t *testing.T) {
	target := lossy.New(t)
	for range 2 { // as after a crash
		if got, err := refund(t.Context(), target.Env(), lossy.Action()); err != nil || got.Outcome != "done" {
			t.Fatalf("reported %+v, error %v", got, err)
		}
	}
	r := target.Requests()
	if len(r) != 3 || r[0] == "" || r[0] != r[1] || r[1] == r[2] {
		t.Errorf("requests under keys %q: expected two under one key, and one under another", r)
	}
	if made := target.Refunds(); len(made) != 2 {
		t.Errorf("refunds %q: expected 2", made)
	}
}
