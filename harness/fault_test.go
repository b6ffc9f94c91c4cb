package harness_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

// examples has one line for each word of the vocabulary, as it prints.
var examples = []string{
	"deliver#1 times 3", "deliver#2 at create#1 request", "deliver#2 after past-retention", "deliver#1 brings A, B",
	"deliver#2 change", "deliver#2 change /amount=1299", `deliver#2@B change /note="two words"`, "deliver#2 respell", "deliver#2 equivalent", "deliver#2 new-trigger",
	"deliver#2 new-action", "deliver#1@B approval of A", "deliver#1 approval none", "deliver#1 approval stale", "deliver#1 approval denied",
	"deliver#1 approval spent", "deliver#2 re-approve", "deliver#2 answer yes", "deliver#1 down", "deliver#1 no-name", "deliver#1 no-tls",
	"deliver#2 recover", "deliver#2 elsewhere",
	"create#1 request close", "create#1 request reset", "create#1 request hang", "create#1 request cut 5", "create#1 request status 429 retry-after 1s",
	"create#1..3 request status 503", "find#1.. request delay past-deadline", "create#1 request duplicate", "create#1 request kill",
	"create#1 request stop 50ms", "create#1 request cancel", "create#1 request hold until report#1 or 2s", "mutate#2@w1 request close",
	"create#1 target reject 402 card_declined", "create#1 target fail 500", "create#1 target swallow", "create#1 target restart",
	"create#1 target hold until deliver#2", "create#1@B response close", "create#1 response reset", "create#1 response hang",
	"create#1 response truncate 5", "create#1 response truncate head 12", "create#1.. response status 504", "create#1 response html",
	"create#1 response delay past-lease", "create#1 response kill", "create#1 response stop 1s", "create#1 response cancel",
	"create#1 response kill-after", "create#1 response pause past-lease", "create#1 response hold until create#2 response",
	"record#2 fail", "record#2 conflict", "record#2 lose", "record#2 kill-before", "record#2 kill-after", "record#3 hold until report#1",
	"report#1 lose", "report#1 kill", "lease#1 expire", "lease#1 lose", "lease#1 refuse", "lease#1 late", "ack#1 expire", "ack#1 lose",
	"ack#1 refuse", "ack#1 late", "event#1 early", "event#1 late", "event#1 lose", "event#1 twice", "event#1 new-id", "event#1 foreign",
	"model.turn#2 request status 500", "create#1 response close?", "any#4 response reset",
}

func TestEveryWordParsesAndPrints(t *testing.T) {
	seen := map[string]bool{}
	for _, line := range examples {
		f, err := harness.ParseFault(line)
		require.NoError(t, err, line)
		require.Equal(t, line, f.String())
		seen[f.Kind().Key()] = true
	}
	for _, k := range harness.Vocabulary {
		require.True(t, seen[k.Key()], "%s has no example", k.Key())
		require.NotEmpty(t, k.Doc)
	}
}

func TestParseErrorsShowWhere(t *testing.T) {
	for _, c := range []struct {
		line   string
		column int
		reason string
	}{
		{"", 1, "nothing is written"},
		{"create response reset", 1, `"create" is no place`},
		{"create#0 response reset", 1, `"create#0" is no place`},
		{"create#3..1 response reset", 1, "ends before it begins"},
		{"create#1 respnse reset", 10, `"respnse" is no side`},
		{"create#1", 9, "needs a side"},
		{"create#1 response", 18, "is missing: expected one of close, reset"},
		{"create#1 response rest", 19, `"rest" is no fault at create#1 response`},
		{"create#1 response truncate x", 28, `"x" is no number`},
		{"create#1 response truncate -1", 28, `"-1" is no number`},
		{"create#1 response delay", 24, "a duration is missing"},
		{"create#1 response delay -5s", 25, `"-5s" is no duration`},
		{"create#1 response delay soon", 25, `"soon" is no duration`},
		{"create#1 request status 200", 25, "is no number from 400 to 599"},
		{"create#1 response hold until", 29, "EVENT is missing"},
		{"create#1 response hold report#1", 24, "until is missing"},
		{"deliver#1 request close", 11, "deliver has no request side"},
		{"deliver#1@w2 respell", 14, "@w2 is not meant here"},
		{"deliver#2 change amount=1", 18, "is no change"},
		{"deliver#2 change /amount=1.5", 26, "integers below 2^53"},
		{"deliver#2 change /amount=", 26, "is no JSON value"},
		{"deliver#1 brings A,", 20, "an action is missing"},
		{"deliver#1 brings a", 18, `"a" is no action`},
		{"deliver#1 approval maybe", 20, `"maybe" is no kind of approval`},
		{"create#1 response reset now", 25, `"now" is too much`},
		{"create#1 response reset\n", 24, "one line of printable ASCII"},
	} {
		_, err := harness.ParseFault(c.line)
		var pe *harness.ParseError
		require.ErrorAs(t, err, &pe, c.line)
		require.Contains(t, pe.Reason, c.reason, c.line)
		if c.reason != "until is missing" {
			require.Equal(t, c.column, pe.Column, c.line)
		}
		require.Equal(t, 3, len(strings.Split(err.Error(), "\n"))-strings.Count(c.line, "\n"), "line and caret are shown")
	}
}

// TestPrintedFaultsParse: printing and parsing are each other's inverse, whatever
// stands in the places.
func TestPrintedFaultsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := harness.ParseFault(rapid.SampledFrom(examples).Draw(t, "line"))
		require.NoError(t, err)
		f.Where.From = rapid.IntRange(1, 999).Draw(t, "from")
		f.Where.To = f.Where.From
		if rapid.Bool().Draw(t, "range") {
			f.Where.To = rapid.SampledFrom([]int{0, f.Where.From + 3}).Draw(t, "to")
		}
		if f.Where.IsOperation() {
			f.Where.Worker = rapid.IntRange(0, 9).Draw(t, "worker")
		}
		f.Where.Action = ""
		if f.Where.Worker == 0 {
			f.Where.Action = rapid.SampledFrom([]string{"", "A", "Other_1"}).Draw(t, "action")
		}
		f.Optional = rapid.Bool().Draw(t, "optional")
		got, err := harness.ParseFault(f.String())
		require.NoError(t, err, f.String())
		require.Equal(t, f, got)
	})
}

func FuzzParseFault(f *testing.F) {
	for _, e := range examples {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, err := harness.ParseFault(line)
		if err != nil {
			return
		}
		again, err := harness.ParseFault(got.String())
		require.NoError(t, err, "%q prints as %q", line, got)
		require.Equal(t, got, again)
	})
}

// TestNoneOf: what is no operation of the target is named, wherever the line says it.
func TestNoneOf(t *testing.T) {
	for line, want := range map[string]string{
		"create#1 response close":                     "",
		"any#1 request close":                         "",
		"creat#1 response close":                      "creat",
		"create#1 target hold until find#1":           "",
		"create#1 target hold until fnd#1":            "fnd",
		"create#1 target hold until report#1":         "",
		"deliver#2 at create#1 request":               "",
		"deliver#2 at creat#1 request":                "creat",
		"record#1 lose":                               "",
		"event#1 twice":                               "",
		"create#1 target hold until creat#1 or 300ms": "creat",
	} {
		f, err := harness.ParseFault(line)
		require.NoError(t, err)
		require.Equal(t, want, f.NoneOf([]string{"create", "find", "any", "mutate"}), line)
	}
}
