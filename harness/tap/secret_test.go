package tap

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestASecretIsHiddenEachTime: whatever requests said before, with it or without, and
// however often they say the same.
func TestASecretIsHiddenEachTime(t *testing.T) {
	var x secret
	for _, token := range []string{"sk_test_one", "sk_test_two", "sk_test_one"} {
		x.is(token)
		for i := range 40 {
			e := harness.Event{Kind: harness.EvRequest, Path: fmt.Sprint("/v1/refunds?charge=ch_", i%11),
				Key: fmt.Sprint("sk_test_one-", i%3), Reference: fmt.Sprint(i%5, "-sk_test_two-and-more")}
			where := x.redact(&e)
			require.Equal(t, fmt.Sprint("/v1/refunds?charge=ch_", i%11), e.Path)
			if token == "sk_test_one" {
				require.Equal(t, "an idempotency key", where)
				require.Equal(t, fmt.Sprint(Redacted, "-", i%3), e.Key)
				require.Equal(t, fmt.Sprint(i%5, "-sk_test_two-and-more"), e.Reference)
				continue
			}
			require.Equal(t, "a reference", where)
			require.Equal(t, fmt.Sprint("sk_test_one-", i%3), e.Key)
			require.Equal(t, fmt.Sprint(i%5, "-", Redacted, "-and-more"), e.Reference)
		}
	}
}
