package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/sim"
)

func TestSlice(t *testing.T) {
	s, p := lostAnswer(t, "sim")
	w := sim.New(sim.Options{Builtins: builtins(), Target: fakeOf(p)})
	defer w.Close()
	h, err := w.Run(t.Context(), s)
	require.NoError(t, err)
	h.Write(os.Stdout)
	j := check.Judge(h)
	require.Equal(t, harness.Safe, j.Verdict, j.Reason)
}
