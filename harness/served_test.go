package harness_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

func TestAnswerFits(t *testing.T) {
	done := harness.Answer{Outcome: harness.Done, ResourceID: "/made/0/id"}
	for _, c := range []struct {
		name   string
		answer harness.Answer
		status int
		body   string
		want   *harness.Report
	}{
		{"any of 2xx", done, 201, `{"made": [{"id": "re_1"}]}`, &harness.Report{Outcome: harness.Done, Resource: "re_1"}},
		{"a number", done, 299, `{"made": [{"id": 12345678901234567}]}`, &harness.Report{Outcome: harness.Done, Resource: "12345678901234567"}},
		{"nothing there", done, 200, `{"made": []}`, &harness.Report{Outcome: harness.Done}},
		{"null", done, 200, `{"made": [{"id": null}]}`, &harness.Report{Outcome: harness.Done}},
		{"no JSON", done, 200, ``, &harness.Report{Outcome: harness.Done}},
		{"no 2xx", done, 300, `{}`, nil},
		{"status", harness.Answer{Status: 422, Outcome: harness.Rejected, ErrorClass: "rejected_permanent"}, 422, `[]`,
			&harness.Report{Outcome: harness.Rejected, ErrorClass: "rejected_permanent"}},
		{"another status", harness.Answer{Status: 422, Outcome: harness.Rejected}, 200, `{}`, nil},
		{"field", harness.Answer{Field: "/a~1b/~0", Is: "x", Outcome: harness.Rejected, ErrorClass: "/why"}, 200, `{"a/b": {"~": "x"}, "why": "old"}`,
			&harness.Report{Outcome: harness.Rejected, ErrorClass: "old"}},
		{"a field that says otherwise", harness.Answer{Field: "/a", Is: "x", Outcome: harness.Rejected}, 200, `{"a": "y"}`, nil},
		{"a field that is not there", harness.Answer{Field: "/a", Outcome: harness.Rejected}, 200, `{"b": 1}`, nil},
		{"a field that is there", harness.Answer{Field: "/a", Outcome: harness.Waiting, WaitsFor: "worker"}, 202, `{"a": false}`,
			&harness.Report{Outcome: harness.Waiting, WaitsFor: "worker"}},
		{"a number that YAML said", harness.Answer{Field: "/a", Is: uint64(3), Outcome: harness.Rejected}, 200, `{"a": 3}`, &harness.Report{Outcome: harness.Rejected}},
		{"a truth that YAML said", harness.Answer{Field: "/a", Is: true, Outcome: harness.Rejected}, 200, `{"a": true}`, &harness.Report{Outcome: harness.Rejected}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := c.answer.Fits(c.status, decode(c.body))
			require.Equal(t, c.want != nil, ok)
			if ok {
				require.Equal(t, *c.want, got)
			}
		})
	}
}

// decode reads JSON as a worker's answer is read; what is none is nil.
func decode(s string) (v any) {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

func FuzzAt(f *testing.F) {
	f.Add(`{"a": [{"b": 1}]}`, "/a/0/b")
	f.Add(`[1]`, "/-1")
	f.Fuzz(func(t *testing.T, body, pointer string) {
		v := decode(body)
		got, ok := harness.At(v, pointer)
		if pointer == "" {
			require.True(t, ok)
			require.Equal(t, v, got)
		}
		if !ok {
			require.Nil(t, got)
		}
	})
}
