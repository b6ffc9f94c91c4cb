package scenarios

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

const settled = `name: x
story: A story.
trials:
  - name: a
    settings: {stale-read: true, key-mode: ignore, lookup: several, async: {after: past-lease, then: fail}, latency: 5ms,
      throttle: 3, maintenance: {after: 1s, for: 2s}, present: goods, foreign-delete-after: 1s, forget-key: true, foreign-object: true}
`

// TestEverySettingReachesTheSchedule: none is read and dropped. Another span for
// forget-key has no place in a scenario, which uses only what drill.yaml declares.
func TestEverySettingReachesTheSchedule(t *testing.T) {
	s, err := Parse("x.yaml", []byte(settled))
	require.NoError(t, err)
	got := s.Trials[0].Settings.In(harness.Promises{Lookup: harness.FindPromise{Lag: harness.Duration(time.Second)}})
	v := reflect.ValueOf(got)
	for i := range v.NumField() {
		assert.Equal(t, v.Type().Field(i).Name == "ForgetAfter", v.Field(i).IsZero(), v.Type().Field(i).Name)
	}
	_, err = Parse("x.yaml", []byte("name: x\nstory: A story.\ntrials:\n  - name: a\n    settings: {lookup: never}\n"))
	require.ErrorContains(t, err, `lookup is "never"`)
}
