package targets

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

// TestWhatIsRememberedIsWhatIsRead: requests and answers that differ in one place alone
// are read by turns, each as if it were the first.
func TestWhatIsRememberedIsWhatIsRead(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		require.NoError(t, err)
		n := namer{p}
		a := p.DefaultAction()
		made := map[string]string{}
		for _, step := range p.Steps() {
			made[step] = "made-1"
		}
		var seeds []harness.RawRequest
		for op := range p.Operations {
			r, err := p.Request(op, "id-1", Write{Key: "k", ActionID: "act-1", BusinessKey: a.BusinessKey, Arguments: a.Arguments, Made: made})
			require.NoError(t, err)
			seeds = append(seeds, r)
		}
		rapid.Check(t, func(t *rapid.T) {
			few := func(label, usual string) string {
				return rapid.SampledFrom([]string{usual, usual, "", "x", usual + "x"}).Draw(t, label)
			}
			r := rapid.SampledFrom(seeds).Draw(t, "request")
			r.Method, r.Path, r.Query = few("method", r.Method), few("path", r.Path), few("query", r.Query)
			h := map[string][]string{}
			for name, v := range r.Header {
				if rapid.Bool().Draw(t, name) {
					h[name] = []string{few("header", v[0])}
				}
			}
			r.Header = h
			r.Body = rapid.SampledFrom([][]byte{nil, {}, r.Body, append(r.Body[:len(r.Body):len(r.Body)], "&x=1"...)}).Draw(t, "body")
			for range 2 {
				require.Equal(t, n.readName(r), *n.Name(r))
			}
			header := map[string][]string{}
			if rapid.Bool().Draw(t, "replayed") && p.marker[0] != "" {
				header[p.marker[0]] = []string{p.marker[1]}
			}
			raw := harness.RawAnswer{Status: rapid.SampledFrom([]int{200, 201, 204, 400, 404}).Draw(t, "status"), Header: header,
				Body: []byte(rapid.SampledFrom([]string{"", "{", `{"id":"a"}`, `{"id":"b"}`, `{"data":[{"id":"a"}]}`, `{"error":{"code":"c"}}`}).Draw(t, "answer"))}
			op := rapid.SampledFrom([]string{"", "create", "find", "get"}).Draw(t, "op")
			want := p.readAnswer(op, &raw)
			want.Replayed = len(header) > 0
			for range 2 {
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(*n.Answer(op, raw)))
			}
		})
	}
}

// BenchmarkName is one reading of a write that was read before, and one that was not.
func BenchmarkName(b *testing.B) {
	n, r := benchmarked(b)
	b.Run("again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n.Name(r)
		}
	})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n.readName(r)
		}
	})
}

// BenchmarkAnswer is the same of an answer: a page with one refund.
func BenchmarkAnswer(b *testing.B) {
	n, _ := benchmarked(b)
	a := harness.RawAnswer{Status: 200, Body: []byte(`{"object":"list","data":[{"id":"re_JoACtWiXPfMa5Hxrx3wGJNJe","object":"refund","amount":1099,` +
		`"balance_transaction":"txn_JoACtWiXPfMa5Hxrx3wGJNJe","charge":"ch_3PartialRefund1001","created":1767225600,"currency":"usd",` +
		`"metadata":{"action_id":"act-1"},"payment_intent":"pi_3PartialRefund1001","reason":null,"receipt_number":null,` +
		`"source_transfer_reversal":null,"status":"succeeded","transfer_reversal":null}],"has_more":false,"url":"/v1/refunds"}`)}
	b.Run("again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n.Answer(harness.FindOp, a)
		}
	})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n.p.readAnswer(harness.FindOp, &a)
		}
	})
}

func benchmarked(b *testing.B) (namer, harness.RawRequest) {
	p, err := Builtin("stripe-v1")
	require.NoError(b, err)
	a := p.DefaultAction()
	r, err := p.Request(harness.CreateOp, "", Write{Key: "act-1", ActionID: "act-1", BusinessKey: a.BusinessKey, Arguments: a.Arguments})
	require.NoError(b, err)
	return namer{p}, r
}
