package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		said string
	}{
		{nil, 0, ""},
		{judged(harness.Safe), 0, ""},
		{judged(harness.Unsafe), 1, ""},
		{judged(harness.Inconclusive), 2, ""},
		{errors.New("no"), 3, "drill: no\n"},
		{fmt.Errorf("run: %w", errTimeout), 3, "drill: run: the run did not end in time\n"},
		{context.Canceled, 130, "drill: interrupted\n"},
		// Interrupted counts most, then what drill could not do.
		{worse(judged(harness.Unsafe), errors.New("no")), 3, "drill: no\n"},
		{worse(judged(harness.Unsafe), nil), 1, ""},
		{worse(context.Canceled, nil), 130, "drill: interrupted\n"},
		{errors.Join(context.Canceled, errors.New("close")), 130, "drill: interrupted\n"},
	} {
		require.Equal(t, c.code, exitCode(c.err), "%v", c.err)
		var b strings.Builder
		tell(&b, c.err)
		require.Equal(t, c.said, b.String())
	}
}
