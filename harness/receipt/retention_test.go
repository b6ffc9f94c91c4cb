package receipt_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var midnight = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func drawRetention(t *rapid.T) receipt.Retention {
	out := receipt.Retention{}
	for _, p := range receipt.Paths {
		out[p] = time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, string(p)))
	}
	return out
}

func drawReceipt(t *rapid.T) receipt.Receipt {
	r := receipt.Receipt{ActionID: "a", State: rapid.SampledFrom(receipt.States).Draw(t, "state")}
	for range rapid.IntRange(1, 5).Draw(t, "entries") {
		at := midnight.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "at")))
		r.History = append(r.History, receipt.Entry{State: r.State, At: at})
	}
	if rapid.Bool().Draw(t, "sent") {
		r.Key.Since = midnight.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(time.Hour)).Draw(t, "since")))
	}
	return r
}

// TestRetention: a receipt is let go exactly when it is terminal and the longest
// path, counted from the latest time that it tells, is over.
func TestRetention(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		retention, r := drawRetention(t), drawReceipt(t)
		require.NoError(t, retention.Check())
		at, ends := retention.Expires(r)
		require.True(t, ends)
		for p, d := range retention {
			for _, e := range r.History {
				require.False(t, at.Before(e.At.Add(d)), "%s can bring it after that", p)
			}
			require.False(t, at.Before(r.Key.Since.Add(d)), "%s counts from the request too", p)
		}
		before, after := retention.Expired(r, at.Add(-1)), retention.Expired(r, at)
		if !r.State.Terminal() {
			require.ErrorIs(t, before, receipt.ErrOpen)
			require.ErrorIs(t, after, receipt.ErrOpen)
			require.ErrorIs(t, retention.Expired(r, at.Add(1e6*time.Hour)), receipt.ErrOpen, "at no time")
			return
		}
		require.ErrorIs(t, before, receipt.ErrKept)
		require.NoError(t, after)
	})
}

// TestRetentionGrows: a longer path, a path without end, one more entry and a clock
// that was set back never make a receipt expire sooner.
func TestRetentionGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		retention, r := drawRetention(t), drawReceipt(t)
		at, _ := retention.Expires(r)
		longer := maps.Clone(retention)
		longer[rapid.SampledFrom(receipt.Paths).Draw(t, "path")] += time.Duration(rapid.Int64Range(0, 1e15).Draw(t, "more"))
		later, _ := longer.Expires(r)
		require.False(t, later.Before(at))

		r.History = append(r.History, receipt.Entry{State: r.State, At: midnight.Add(-1000 * time.Hour)})
		same, _ := retention.Expires(r)
		require.Equal(t, at, same, "an entry of a clock that was set back changes nothing")

		endless := maps.Clone(retention)
		endless[rapid.SampledFrom(receipt.Paths).Draw(t, "endless")] = receipt.Forever
		_, ends := endless.Expires(r)
		require.False(t, ends)
		r.State = receipt.Confirmed
		require.ErrorIs(t, endless.Expired(r, midnight.Add(1e6*time.Hour)), receipt.ErrKept)
	})
}

func TestRetentionIsDeclared(t *testing.T) {
	whole := receipt.Retention{}
	for _, p := range receipt.Paths {
		whole[p] = time.Hour
	}
	confirmed := receipt.Receipt{ActionID: "a", State: receipt.Confirmed, History: []receipt.Entry{{State: receipt.Confirmed, At: midnight}}}
	require.NoError(t, whole.Expired(confirmed, midnight.Add(time.Hour)))
	for _, p := range receipt.Paths {
		r := maps.Clone(whole)
		delete(r, p)
		err := r.Expired(confirmed, midnight.Add(1e6*time.Hour))
		require.ErrorIs(t, err, receipt.ErrUndeclared)
		require.ErrorContains(t, err, string(p))
		r[p] = -1
		require.ErrorContains(t, r.Check(), "expected 0 or more")
		r[p] = 2 * time.Hour
		longest, d := r.Longest()
		assert.Equal(t, p, longest)
		assert.Equal(t, 2*time.Hour, d)
	}
	whole["carrier-pigeon"] = 1
	require.ErrorContains(t, whole.Check(), "carrier-pigeon")
	require.False(t, errors.Is(whole.Check(), receipt.ErrUndeclared))
}
