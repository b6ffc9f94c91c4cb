package fakes

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
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

// BenchmarkCreate compares the fake with an empty handler that does the same work
// in JSON, both over real HTTP, in one run.
func BenchmarkCreate(b *testing.B) {
	run := func(h http.Handler) func(*testing.B) {
		return func(b *testing.B) {
			s := httptest.NewServer(h)
			defer s.Close()
			n := 0
			for b.Loop() {
				n++
				body := fmt.Sprintf("charge=ch_%d&amount=1099&metadata%%5Baction_id%%5D=act_%d", n, n)
				r, err := http.NewRequest("POST", s.URL+"/v1/refunds", strings.NewReader(body))
				require.NoError(b, err)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				r.Header["Idempotency-Key"] = []string{fmt.Sprint("act_", n)}
				resp, err := s.Client().Do(r)
				if err != nil || resp.StatusCode != 200 {
					b.Fatal(err, resp)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
	}
	b.Run("bare", run(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		out, _ := json.Marshal(refundJSON{ID: "re_1", Object: "refund", Charge: form.Get("charge"), Metadata: map[string]string{"action_id": form.Get("metadata[action_id]")}})
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(out)
	})))
	f, _ := direct(b)
	b.Run("fake", run(f))
}

// BenchmarkLookUp: by key and by business key the time does not grow with the ledger.
func BenchmarkLookUp(b *testing.B) {
	f, _ := direct(b)
	made := 0
	for _, size := range []int{1_000, 10_000, 100_000} {
		for ; made < size; made++ {
			ask(f, "POST", "/v1/refunds", fmt.Sprintf("charge=ch_%d&amount=1", made/10), fmt.Sprint("k", made))
		}
		b.Run(fmt.Sprintf("key/%d", size), func(b *testing.B) {
			for b.Loop() {
				ask(f, "POST", "/v1/refunds", "charge=ch_5&amount=1", "k50")
			}
		})
		b.Run(fmt.Sprintf("business-key/%d", size), func(b *testing.B) {
			for b.Loop() {
				ask(f, "GET", "/v1/refunds?charge=ch_5", "", "")
			}
		})
	}
}
