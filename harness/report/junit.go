package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"github.com/retrydrill/drill/harness"
)

// The elements of JUnit's XML that the CI systems read: an unsafe trial is a failure,
// one that is unknown an error.
type junitSuites struct {
	XMLName xml.Name   `xml:"testsuites"`
	Suite   junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string       `xml:"classname,attr"`
	Name    string       `xml:"name,attr"`
	Time    string       `xml:"time,attr,omitempty"`
	Failure *junitResult `xml:"failure"`
	Error   *junitResult `xml:"error"`
	Skipped *junitResult `xml:"skipped"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the cases as one suite of JUnit's XML.
func JUnit(w io.Writer, name string, cases []Case) error {
	s := junitSuite{Name: name, Tests: len(cases)}
	for _, c := range cases {
		j := junitCase{Class: c.Class, Name: c.Name}
		if c.Took > 0 {
			j.Time = strconv.FormatFloat(c.Took.Seconds(), 'f', 3, 64)
		}
		r := &junitResult{Message: c.Reason, Text: c.Text}
		switch c.Verdict {
		case harness.Safe:
		case harness.Unsafe:
			s.Failures, j.Failure, r.Type = s.Failures+1, r, string(c.Verdict)
		case harness.Skipped:
			s.Skipped, j.Skipped = s.Skipped+1, r
		default:
			s.Errors, j.Error, r.Type = s.Errors+1, r, string(c.Verdict)
		}
		s.Cases = append(s.Cases, j)
	}
	b, err := xml.MarshalIndent(junitSuites{Suite: s}, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, b)
	}
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}
