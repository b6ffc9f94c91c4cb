package deliver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestADeliveryIsCountedByItsTrigger: the worker is told how often its trigger came, as
// a queue would tell it, and not what else the trial delivered. Those that get one at
// once get the same.
func TestADeliveryIsCountedByItsTrigger(t *testing.T) {
	q := &Queue{}
	for _, c := range []struct {
		trigger  string
		delivery int
		want     int
	}{
		{"a", 1, 1}, {"b", 2, 1}, {"a", 3, 2}, {"a", 3, 2}, {"b", 4, 2}, {"c", 5, 1},
	} {
		h := &Hand{Message: &Message{trigger: c.trigger}, Delivery: c.delivery, Worker: 1}
		q.start(h, 0)
		require.Equal(t, c.want, h.Again, "%+v", c)
	}
}
