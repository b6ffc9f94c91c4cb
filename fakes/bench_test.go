package fakes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/splitmix"
	"github.com/retrydrill/drill/targets"
)

// BenchmarkNew: a benchmark of trials builds one fake a trial.
func BenchmarkNew(b *testing.B) {
	p := stripe(b)
	o := Options{Token: token, Limits: harness.DefaultLimits(), Start: time.Now()}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(p, o); err != nil {
			b.Fatal(err)
		}
	}
}

// leastRatio is the part of an empty handler's speed that a fake has to reach.
const leastRatio = 0.5

// BenchmarkCreate sends creates by turns to a fake and to an empty handler that does
// the same work in form and JSON, both over real HTTP, so that both see the same
// machine. ratio is the fake's speed over the empty handler's.
func BenchmarkCreate(b *testing.B) {
	for _, name := range []string{"stripe-v1", "square"} {
		p, err := targets.Builtin(name)
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) { benchmarkCreate(b, p) })
	}
}

func benchmarkCreate(b *testing.B, p *targets.Profile) {
	f, err := New(p, Options{Token: token, Seed: 1, Limits: harness.DefaultLimits()})
	require.NoError(b, err)
	a := p.DefaultAction()
	one := func(h http.Handler) func(n int) time.Duration {
		s := httptest.NewServer(h)
		b.Cleanup(s.Close)
		return func(n int) time.Duration {
			name := fmt.Sprint(a.BusinessKey, n)
			args := a.Arguments.Clone()
			if _, has := args["charge"]; has {
				args["charge"] = name
			}
			raw, err := p.Request(harness.CreateOp, "", targets.Write{Key: fmt.Sprint("act-", n), ActionID: fmt.Sprint("act-", n), BusinessKey: name, Arguments: args})
			require.NoError(b, err)
			r, err := http.NewRequest(raw.Method, s.URL+raw.Path, strings.NewReader(string(raw.Body)))
			require.NoError(b, err)
			r.Header = raw.Header
			r.Header["Authorization"] = []string{"Bearer " + token}
			began := time.Now()
			resp, err := s.Client().Do(r)
			if err != nil || resp.StatusCode >= 300 {
				b.Fatal(err, resp)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return time.Since(began)
		}
	}
	fake, bare := one(f), one(http.HandlerFunc(empty))
	var fakeTime, bareTime time.Duration
	n := 0
	for b.Loop() {
		n++
		fakeTime += fake(n)
		bareTime += bare(n)
	}
	ratio := bareTime.Seconds() / fakeTime.Seconds()
	b.ReportMetric(float64(n)/fakeTime.Seconds(), "fake/s")
	b.ReportMetric(float64(n)/bareTime.Seconds(), "bare/s")
	b.ReportMetric(ratio, "ratio")
	if n > 1000 && ratio < leastRatio {
		b.Errorf("the fake has %.2f of an empty handler's speed: at least %.2f is wanted", ratio, leastRatio)
	}
}

// empty reads a form or a JSON object and answers with what it read.
func empty(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	out := map[string]any{"id": "re_1"}
	if r.Header.Get("Content-Type") == jsonType {
		_ = json.Unmarshal(body, &out)
	} else {
		form, _ := url.ParseQuery(string(body))
		for name, v := range form {
			out[name] = v[0]
		}
	}
	b, _ := json.Marshal(out)
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write(b)
}

// mostGrowth is how much slower a look-up may be in the largest ledger than in the
// smallest: what a cache of the machine makes of it, and no more.
const mostGrowth = 4

// BenchmarkLookUp: by key and by business key the time does not grow with the ledger,
// up to a million effects (with -short, a tenth). The ledgers of all sizes are asked
// by turns, for other effects each time; ns at each size and the growth are metrics.
func BenchmarkLookUp(b *testing.B) {
	sizes := []int{1_000, 10_000, 100_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	ledgers := make([]*Fake, len(sizes))
	for i, size := range sizes {
		ledgers[i], _ = direct(b)
		for n := range size {
			if w := ask(ledgers[i], "POST", "/v1/refunds", bodyOf(n), fmt.Sprint("k", n)); w.Code != 200 {
				b.Fatal(w.Body)
			}
		}
		require.Len(b, ledgers[i].Effects(), size)
	}
	for name, look := range map[string]func(f *Fake, n int) int{
		"key": func(f *Fake, n int) int { return ask(f, "POST", "/v1/refunds", bodyOf(n), fmt.Sprint("k", n)).Code },
		"business-key": func(f *Fake, n int) int {
			return ask(f, "GET", fmt.Sprint("/v1/refunds?charge=ch_", n/10), "", "").Code
		},
	} {
		b.Run(name, func(b *testing.B) { curve(b, sizes, ledgers, look) })
	}
	for i, size := range sizes {
		require.Len(b, ledgers[i].Effects(), size, "a look-up writes nothing")
	}
}

func curve(b *testing.B, sizes []int, ledgers []*Fake, look func(f *Fake, n int) int) {
	spent := make([]time.Duration, len(sizes))
	state, n := uint64(1), 0
	runtime.GC()
	for b.Loop() {
		n++
		draw := int(splitmix.Next(&state) >> 1)
		for i, f := range ledgers {
			began := time.Now()
			code := look(f, draw%sizes[i])
			spent[i] += time.Since(began)
			if code != 200 {
				b.Fatal(code)
			}
		}
	}
	for i, size := range sizes {
		b.ReportMetric(float64(spent[i].Nanoseconds())/float64(n), fmt.Sprintf("ns@%d", size))
	}
	growth := spent[len(spent)-1].Seconds() / spent[0].Seconds()
	b.ReportMetric(growth, "growth")
	if n > 1000 && growth > mostGrowth {
		b.Errorf("a look-up in %d effects takes %.1f times as long as in %d: at most %d are wanted", sizes[len(sizes)-1], growth, sizes[0], mostGrowth)
	}
}

func bodyOf(n int) string { return fmt.Sprintf("charge=ch_%d&amount=1", n/10) }
