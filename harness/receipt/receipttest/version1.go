package receipttest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/receipt"
)

// OfVersion1 holds a store against what stands in the stores' testdata/version1: what
// version 1 wrote is there, and goes on.
func OfVersion1(t *testing.T, s receipt.Books) {
	t.Helper()
	for n, state := range []receipt.State{receipt.Confirmed, receipt.Unknown, receipt.Approved} {
		c := NewClaim(string(state), n+1)
		r, err := s.Get(t.Context(), c.ActionID)
		require.NoError(t, err)
		assert.Equal(t, state, r.State)
		assert.Equal(t, c.Arguments, r.Arguments)
		by, err := s.UsedBy(t.Context(), c.Approval.ID)
		require.NoError(t, err)
		assert.Equal(t, c.ActionID, by)
		c.Now = Start.Add(2 * Lease)
		got, fresh, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		assert.False(t, fresh)
		if state == receipt.Confirmed {
			require.NoError(t, s.Archive(t.Context(), got, c.Now))
			assert.Equal(t, r, claim(t, s, c))
			continue
		}
		assert.Equal(t, r.Fence+1, got.Fence)
	}
}
