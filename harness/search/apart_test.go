package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// What shows nothing at one request is tried at two.
func TestApartAtOneRequest(t *testing.T) {
	keyed := harness.Promises{Key: harness.KeyPromise{Kept: true, Same: "replay"}, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}}
	for _, c := range []struct {
		one, other string
		apart      bool
	}{
		{"create#1 target restart", "create#1 response close", true},
		{"create#1 target restart", "create#1.. response reset", true},
		{"create#1 target restart", "create#1 response kill", false},
		{"create#1 target restart", "create#2 response close", false},
		{"create#1 target restart", "find#1 response close", false},
	} {
		one, err := harness.ParseFault(c.one)
		require.NoError(t, err)
		other, err := harness.ParseFault(c.other)
		require.NoError(t, err)
		assert.Equal(t, c.apart, Apart(keyed, []harness.Fault{one}, other) != "", "%s; %s", c.one, c.other)
		assert.Equal(t, c.apart, Apart(keyed, []harness.Fault{other}, one) != "", "%s; %s", c.other, c.one)
	}
}
