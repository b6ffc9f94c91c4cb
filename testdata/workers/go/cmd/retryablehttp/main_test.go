package main

import (
	"testing"

	"github.com/retrydrill/drill/testdata/workers/go/lossy"
)

func TestALostAnswerIsSentAgain(t *testing.T) {
	for key, want := range map[bool]int{false: 2, true: 1} {
		target := lossy.New(t)
		got, err := refund(t.Context(), target.Env(), lossy.Action(), key)
		if err != nil || got.Outcome != "done" {
			t.Errorf("key %t: reported %+v, error %v", key, got, err)
		}
		if n := len(target.Requests()); n != 2 {
			t.Errorf("key %t: %d requests: expected 2", key, n)
		}
		if r := target.Refunds(); len(r) != want {
			t.Errorf("key %t: refunds %q: expected %d", key, r, want)
		}
	}
}
