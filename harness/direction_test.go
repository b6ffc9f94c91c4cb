package harness_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/retrydrill/drill"

// mayImport says which of drill's packages each package may import, and why no
// more. Nothing points back up.
var mayImport = map[string]struct {
	packages []string
	reason   string
}{
	"internal/located":            {nil, "positions in YAML know no vocabulary"},
	"internal/schema":             {[]string{"internal/located"}, "a schema knows no document of drill's"},
	"internal/memo":               {nil, "a memory knows nothing of what it keeps"},
	"internal/reuse":              {nil, "memory knows nothing of what stands in it"},
	"internal/lone":               {nil, "a lock knows nobody who takes it"},
	"internal/port":               {nil, "a port knows nobody who listens"},
	"internal/splitmix":           {nil, "numbers know nothing of what is drawn by them"},
	"internal/shake":              {[]string{"internal/shake/point"}, "a tool reads what it builds as text"},
	"internal/shake/point":        {[]string{"internal/splitmix"}, "what stands in every package may import none of them"},
	"harness":                     {[]string{"internal/memo"}, "the vocabulary is below everything but a memory of what it has worked out"},
	"harness/tap":                 {[]string{"harness", "internal/lone", "internal/reuse"}, "the tap gets a handler and a namer, and knows neither fakes nor targets"},
	"harness/worker":              {[]string{"harness", "internal/port"}, "workers know no world"},
	"harness/check":               {[]string{"harness", "internal/reuse"}, "checks read a history and nothing else"},
	"harness/deliver":             {[]string{"harness", "harness/worker", "internal/lone", "internal/reuse"}, "a queue knows no world"},
	"harness/wire":                {[]string{"harness", "harness/deliver", "harness/tap", "harness/worker", "internal/port"}, "a world gets its target and is judged by others"},
	"harness/sim":                 {[]string{"harness", "harness/deliver", "harness/tap", "harness/worker", "internal/lone", "internal/reuse"}, "a world gets its target and is judged by others"},
	"harness/receipt":             {[]string{"harness", "internal/reuse"}, "receipts know no executor"},
	"harness/receipt/sqlite":      {[]string{"harness", "harness/receipt"}, "a store implements the interface"},
	"harness/receipt/postgres":    {[]string{"harness/receipt"}, "a store implements the interface"},
	"harness/receipt/receipttest": {[]string{"harness", "harness/receipt"}, "one suite for every store"},
	"harness/policy":              {[]string{"harness", "internal/located", "internal/schema"}, "a policy is a document: it sends nothing"},
	"harness/policy/lint":         {[]string{"harness", "harness/policy", "internal/located"}, "findings come from documents and promises alone"},
	"harness/reference":           {[]string{"harness", "harness/policy", "harness/receipt", "harness/receipt/postgres", "harness/receipt/sqlite", "harness/worker", "targets"}, "an executor knows neither worlds nor checks"},
	"harness/search":              {[]string{"harness", "harness/check"}, "a search gets its world, and knows neither executors nor scenarios"},
	"harness/search/random":       {[]string{"harness", "harness/check", "harness/search", "internal/splitmix"}, "a plan is drawn from the same menu"},
	"harness/search/policyfuzz":   {[]string{"harness", "harness/check", "harness/policy", "harness/policy/lint", "harness/search"}, "policies are drawn and judged twice; the executor that follows them comes with the world"},
	"harness/search/linear":       {[]string{"harness", "harness/check"}, "a second opinion reads the same history"},
	"harness/report":              {[]string{"harness", "harness/check"}, "a report tells what was judged"},
	"harness/selftest":            {[]string{"harness", "harness/check", "harness/reference", "harness/report", "harness/search", "harness/suite"}, "a measurement gets its worlds, and judges nothing itself"},
	"harness/suite":               {[]string{"harness", "harness/check", "harness/report", "harness/worker", "scenarios"}, "a run gets its world"},
	"harness/config":              {[]string{"harness", "harness/worker", "internal/located", "internal/schema", "scenarios", "targets"}, "drill.yaml names things and starts none"},
	"harness/drilltest": {[]string{"fakes", "harness", "harness/check", "harness/deliver", "harness/report", "harness/search", "harness/search/random", "harness/sim",
		"harness/suite", "harness/tap", "harness/wire", "harness/worker", "scenarios", "targets"}, "an adapter for go test brings no database, MCP or container package; only it has a testing.T for a bubble, which the sim does not know"},
	"scenarios":     {[]string{"harness", "internal/located"}, "a catalogue is data"},
	"targets":       {[]string{"harness", "internal/located", "internal/memo", "internal/schema", "targets/dnsform", "targets/viadns", "targets/viasmtp"}, "a profile knows no fake"},
	"fakes":         {[]string{"fakes/dns", "fakes/smtp", "harness", "harness/tap", "internal/lone", "internal/memo", "internal/reuse", "internal/splitmix", "targets", "targets/dnsform"}, "a fake says what a tap stands before, and knows no world"},
	"fakes/control": {[]string{"harness", "harness/tap"}, "an API is handed what it controls"},

	"targets/dnsform": {nil, "a shape knows no wire and no zone"},
	"targets/viadns":  {[]string{"targets/dnsform"}, "a transport knows a shape, and no profile"},
	"targets/viasmtp": {[]string{"harness"}, "a transport knows a shape, and no profile"},
	"fakes/smtp":      {[]string{"harness/tap", "targets/viasmtp"}, "a protocol asks a handler, and knows no fake"},
	"fakes/dns":       {[]string{"harness/tap", "targets/dnsform", "targets/viadns"}, "a protocol asks a handler, and knows no fake"},

	"harness/receipt/postgres/cluster": {nil, "a server knows no receipts"},
}

// onlyIn keeps heavy packages out of everything but the one that needs them, and
// what is below it; a space separates several.
var onlyIn = map[string]string{
	"github.com/anishathalye/porcupine": "harness/search/linear",
	"github.com/Shopify/toxiproxy/v2":   "harness/wire",
	"modernc.org/sqlite":                "harness/receipt/sqlite",
	"github.com/jackc/pgx/v5":           "harness/receipt/postgres",
	"pgregory.net/rapid":                "harness/search/random harness/search/policyfuzz harness/drilltest harness/receipt/receipttest",
	"github.com/emersion/go-smtp":       "fakes/smtp",
	"github.com/miekg/dns":              "fakes/dns targets/viadns",
	"github.com/spf13/cobra":            "cmd/drill",
	"testing":                           "harness/receipt/receipttest harness/drilltest",
}

func TestImportsPointOneWay(t *testing.T) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	require.NoError(t, err)
	seen := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name, imports := strings.TrimPrefix(words[0], module+"/"), words[1:]
		rule, ok := mayImport[name]
		if !ok && !strings.HasPrefix(name, "cmd/") {
			t.Errorf("%s has no rule: say what it may import", name)
			continue
		}
		seen++
		for _, i := range imports {
			if own, mine := strings.CutPrefix(i, module+"/"); mine {
				if ok && !slices.Contains(rule.packages, own) {
					t.Errorf("%s imports %s: %s", name, own, rule.reason)
				}
				require.False(t, strings.HasPrefix(own, "cmd/"), "%s imports a command", name)
			}
			below := func(place string) bool { return strings.HasPrefix(name+"/", place+"/") }
			if places, heavy := onlyIn[i]; heavy && !slices.ContainsFunc(strings.Fields(places), below) {
				t.Errorf("%s imports %s, which only %s may", name, i, places)
			}
			if name == "harness" && (i == "net/http" || i == "testing") {
				t.Errorf("the vocabulary imports %s", i)
			}
		}
	}
	require.GreaterOrEqual(t, seen, len(mayImport))
}
