package receipt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrydrill/drill/harness/receipt"
	"github.com/retrydrill/drill/harness/receipt/receipttest"
	"github.com/stretchr/testify/require"
)

// FuzzDecode: whatever stands where a receipt should is refused as damaged, or is a
// receipt that is written as it was read, whose arguments are those of its digest.
func FuzzDecode(f *testing.F) {
	c := receipttest.NewClaim("a", 1)
	d, err := receipt.Decide(c, nil, "")
	require.NoError(f, err)
	for _, to := range []receipt.State{receipt.Sent, receipt.Unknown, receipt.NeedsReview} {
		b, err := receipt.Encode(d.Receipt)
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)/2])
		f.Add([]byte(strings.Replace(string(b), `"amount":1`, `"amount":1,"amount":1`, 1)))
		f.Add([]byte(strings.Replace(string(b), `"charge"`, `"\ud800"`, 1)))
		d.Receipt = d.Receipt.To(to, c.Now)
	}
	f.Add([]byte(`null`))
	f.Add([]byte(`{"arguments":null,"arguments_sha256":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := receipt.Decode(b)
		if err != nil {
			require.ErrorIs(t, err, receipt.ErrDamaged)
			return
		}
		require.Equal(t, r.Digest, r.Arguments.Digest())
		out, err := receipt.Encode(r)
		require.NoError(t, err)
		again, err := receipt.Decode(out)
		require.NoError(t, err)
		twice, err := receipt.Encode(again)
		require.NoError(t, err)
		require.Equal(t, string(out), string(twice))
		_, _ = receipt.Tell(r, receipttest.Start), r.Changed()
	})
}

// TestStoredFormStays: what version 1 of the stores wrote is written the same today.
func TestStoredFormStays(t *testing.T) {
	sql, err := os.ReadFile(filepath.Join("postgres", "testdata", "version1.sql"))
	require.NoError(t, err)
	seen := 0
	for line := range strings.Lines(string(sql)) {
		i, j := strings.Index(line, "'{"), strings.LastIndex(line, "}'")
		if i < 0 || !strings.HasPrefix(line, "INSERT INTO drill_receipts") {
			continue
		}
		seen++
		text := line[i+1 : j+1]
		r, err := receipt.Decode([]byte(text))
		require.NoError(t, err)
		b, err := receipt.Encode(r)
		require.NoError(t, err)
		require.Equal(t, text, string(b))
		require.True(t, json.Valid(b))
	}
	require.Equal(t, 3, seen)
}
