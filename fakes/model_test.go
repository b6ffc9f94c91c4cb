package fakes

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

// model is what Stripe's page says, in as few lines as it takes.
type model struct {
	spent map[string]int
	keys  map[string]kept
	count int
}

type kept struct {
	form, answer string
	status       int
	since        time.Time
}

// TestAgainstAModel walks the fake and the model side by side.
func TestAgainstAModel(t *testing.T) {
	p := stripe(t)
	rapid.Check(t, func(t *rapid.T) {
		clock := newClock()
		f, err := New(p, Options{Now: clock.now, Seed: 1, Settings: harness.Settings{ForgetKey: true}, Limits: harness.DefaultLimits()})
		require.NoError(t, err)
		m := model{spent: map[string]int{}, keys: map[string]kept{}}
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				clock.add(time.Duration(rapid.IntRange(1, 400).Draw(t, "ms")) * time.Millisecond)
			},
			"refund": func(t *rapid.T) {
				charge := rapid.SampledFrom([]string{"ch_1", "ch_2"}).Draw(t, "charge")
				amount := rapid.SampledFrom([]int{0, 1, 1099, 60000, 100000}).Draw(t, "amount")
				key := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key")
				m.refund(t, f, clock.now(), charge, amount, key)
			},
			"": func(t *rapid.T) {
				require.Len(t, f.Effects(), m.count)
				w := ask(f, "GET", "/v1/refunds?limit=100", "", "")
				var list struct{ Data []struct{ Amount int } }
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &list))
				sum := 0
				for _, r := range list.Data {
					sum += r.Amount
				}
				if m.count <= 100 {
					require.Equal(t, m.spent["ch_1"]+m.spent["ch_2"], sum)
				}
			},
		})
	})
}

func (m *model) refund(t *rapid.T, f *Fake, now time.Time, charge string, amount int, key string) {
	form := fmt.Sprintf("charge=%s&amount=%d", charge, amount)
	w := ask(f, "POST", "/v1/refunds", form, key)
	replayed := w.Header().Get("Idempotent-Replayed") == "true"
	old, known := m.keys[key]
	known = known && now.Sub(old.since) < 600*time.Millisecond
	switch {
	case amount == 0:
		require.Equal(t, 400, w.Code)
	case known && old.form == form:
		require.True(t, replayed)
		require.Equal(t, old.status, w.Code)
		require.Equal(t, old.answer, w.Body.String())
	case known:
		require.Equal(t, 400, w.Code)
		require.Contains(t, w.Body.String(), "idempotency_error")
	default:
		require.False(t, replayed)
		want := 200
		if m.spent[charge]+amount > 100000 {
			want = 400
		} else {
			m.spent[charge] += amount
			m.count++
		}
		require.Equal(t, want, w.Code)
		if key != "" {
			m.keys[key] = kept{form, w.Body.String(), w.Code, now}
		}
	}
}
