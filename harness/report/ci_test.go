package report_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/report"
)

func cases() []report.Case {
	r := &report.Run{}
	r.Add(report.Trial{ID: "control", Scenario: "control", Target: "things", Verdict: harness.Safe, Took: 1234567 * time.Microsecond})
	r.Add(report.Trial{ID: "odd/<a & b>", Scenario: "odd", Target: "things", Verdict: harness.Inconclusive, Reason: "100% of it: \"unfired\""})
	r.Add(judged())
	r.Add(report.Trial{ID: "paged/one", Scenario: "paged", Target: "things"}.Skip("needs lookup"))
	return r.Cases("drill")
}

func TestJUnit(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.JUnit(&b, "drill run some", cases()))
	type result struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	var got struct {
		Suite struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Errors   int    `xml:"errors,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Class   string  `xml:"classname,attr"`
				Name    string  `xml:"name,attr"`
				Time    string  `xml:"time,attr"`
				Failure *result `xml:"failure"`
				Error   *result `xml:"error"`
				Skipped *result `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.True(t, strings.HasPrefix(b.String(), "<?xml version="))
	require.NoError(t, xml.Unmarshal(b.Bytes(), &got))
	s := got.Suite
	require.Equal(t, []int{4, 1, 1, 1}, []int{s.Tests, s.Failures, s.Errors, s.Skipped})
	require.Equal(t, "drill run some", s.Name)
	require.Equal(t, []string{"drill.things.control", "control", "1.235"}, []string{s.Cases[0].Class, s.Cases[0].Name, s.Cases[0].Time})
	require.Nil(t, s.Cases[0].Failure)
	require.Equal(t, "<a & b>", s.Cases[1].Name)
	require.Equal(t, &result{Message: "100% of it: \"unfired\"", Type: "unknown"}, s.Cases[1].Error)
	require.Equal(t, "violates one-effect", s.Cases[2].Failure.Message)
	require.Contains(t, s.Cases[2].Failure.Text, "COMMITS effect 2", "the story")
	require.Contains(t, s.Cases[2].Failure.Text, "again:  drill replay .drill/x.yaml")
	require.Equal(t, "needs lookup", s.Cases[3].Skipped.Message)
}

func TestGitHub(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, report.GitHub(&b, cases()))
	require.Equal(t, "::error title=drill.things.lost%3A one::unsafe: violates one-effect%0Aone-effect (A): expected 1 effect, observed 2 effects%0Aagain: drill replay .drill/x.yaml\n"+
		"::warning title=drill.things.odd%3A <a & b>::unknown: 100%25 of it: \"unfired\"\n", b.String())
}
