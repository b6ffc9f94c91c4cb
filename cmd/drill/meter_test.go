package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/search"
)

// TestProgress: the rate, what is known, and the time left, which the span bounds.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		p    search.Progress
		took time.Duration
		want string
	}{
		{search.Progress{Ran: 300, Known: 1200, Findings: 2}, 10 * time.Second, "300 of 1200 schedules known, 30 a second, 2 found, about 30s left, at most 50s"},
		{search.Progress{Ran: 10, Known: 1200}, 10 * time.Second, "10 of 1200 schedules known, 1 a second, 0 found, about 50s left, at most 50s"},
		{search.Progress{Ran: 1200, Known: 1200}, 40 * time.Second, "1200 of 1200 schedules known, 30 a second, 0 found, about 0s left, at most 20s"},
		// Nobody says how many there are.
		{search.Progress{Ran: 50}, 10 * time.Second, "50 schedules, 5 a second, 0 found, 50s left"},
		{search.Progress{Ran: 50}, 61 * time.Second, "50 schedules, 1 a second, 0 found, 0s left"},
	} {
		require.Equal(t, c.want, progressed(c.p, "schedules", c.took, time.Minute))
	}
}
