package dnsform

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadRefuses(t *testing.T) {
	for what, body := range map[string]string{
		"no object":               `[]`,
		"an unknown rule":         `{"zone":"a.","requires":{"NOSUCH":"www.a."}}`,
		"a name rule with a type": `{"zone":"a.","requires":{"NXDOMAIN":"www.a. A"}}`,
		"a set rule without one":  `{"zone":"a.","requires":{"NXRRSET":"www.a."}}`,
		"a TTL that is none":      `{"zone":"a.","records":{"A":{"ttl":"soon"}}}`,
	} {
		_, err := Read([]byte(body))
		require.Error(t, err, what)
	}
}

// TestTemplateMeansWhatListsSay: the form that a profile's template fills, and the lists
// of a message, say the same.
func TestTemplateMeansWhatListsSay(t *testing.T) {
	u, err := Read([]byte(`{"zone":"A.test","requires":{"NXDOMAIN":"WWW.a.test"},"deletes":{"ANY":{"name":"old.a.test"},"A":{"name":"x.a.test"}},
		"records":{"A":{"name":"www.a.test","ttl":"60","data":"192.0.2.1"},"TXT":{"name":"www.a.test","data":"a \"b\" \\ü"},"AAAA":{"name":"www.a.test","data":""}}}`))
	require.NoError(t, err)
	require.Equal(t, []Prerequisite{{Rule: NameUnused, Name: "www.a.test."}}, u.Prerequisites)
	require.Equal(t, []Change{
		{DeleteSet, Record{Name: "x.a.test.", Type: "A"}},
		{DeleteName, Record{Name: "old.a.test."}},
		{Add, Record{Name: "www.a.test.", Type: "A", TTL: 60, Data: "192.0.2.1"}},
		{Add, Record{Name: "www.a.test.", Type: "TXT", Data: `"a \"b\" \\\195\188"`}},
	}, u.Changes)
	require.Equal(t, PathAdd, u.Path())
	require.Equal(t, "www.a.test.", u.Resource())
	back := u.Complete()
	require.Equal(t, `a "b" \ü`, back.Records["TXT"].Data)
	require.Equal(t, map[string]string{"NXDOMAIN": "www.a.test."}, back.Requires)
	require.Equal(t, "old.a.test.", back.Deletes["ANY"].Name)
	only := Update{Changes: u.Changes[:1]}
	require.Equal(t, PathDelete, only.Path())
	require.Equal(t, "x.a.test.", only.Resource())
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"zone":"a.test.","requires":{"NXDOMAIN":"www.a.test."},"records":{"TXT":{"name":"www.a.test.","ttl":60,"data":"x"}}}`))
	f.Add([]byte(`{"zone":"a.test.","deletes":{"ANY":{"name":"www"},"TXT":{"name":"www","data":"\\200\""}}}`))
	f.Add([]byte(`{"changes":[{"op":"add","name":"a.","type":"TXT","data":"\"a\" \"b"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		u, err := Read(b)
		if err != nil {
			return
		}
		whole, err := json.Marshal(u.Complete())
		require.NoError(t, err)
		back, err := Read(whole)
		require.NoError(t, err)
		require.Equal(t, len(u.Changes), len(back.Changes))
		require.Equal(t, u.Path(), back.Path())
	})
}
