package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retrydrill/drill/harness/report"
)

func reportCommand() *cobra.Command {
	var format, output string
	c := &cobra.Command{
		Use:   "report FILE...",
		Short: "Tell results that were written as JSON, and put those of shards together",
		Long: `Read what drill run, explore or fuzz wrote with --format json, and tell it anew.
The parts of a run or search that was split with --shard are put together: the
answer, with its exit status, is that of the run or search that was not split.
Parts of different ones are refused, as are parts that are missing or stand there
twice.

Exit status: 0 safe, 1 unsafe, 2 unknown, 3 the files are no results, or not all
parts of one.`,
		Example: `  drill explore --world sim --shard 1/2 --format json --output one.json
  drill explore --world sim --shard 2/2 --format json --output two.json
  drill report one.json two.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("drill report takes the files that drill run, explore or fuzz wrote with --format json")
			}
			return nil
		},
		RunE: func(c *cobra.Command, files []string) error { return retell(c, files, format, output) },
	}
	c.Flags().StringVar(&format, "format", "text", formUsage)
	c.Flags().StringVar(&output, "output", "", "write the result to this file instead of standard output")
	return c
}

func retell(c *cobra.Command, files []string, format, output string) (err error) {
	if err := checkForm(format); err != nil {
		return err
	}
	r, err := together(files)
	if err != nil {
		return err
	}
	out, err := openOutput(output, c.OutOrStdout())
	if err != nil {
		return err
	}
	defer func() { err = worse(err, out.close()) }()
	if err := writeAs(out, format, r, 0); err != nil {
		return err
	}
	return judged(r.verdict())
}

// together reads one result, or the parts of one.
func together(files []string) (result, error) {
	var texts [][]byte
	schema := ""
	for i, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("report: %w", err)
		}
		var head struct {
			Schema string `json:"schema"`
		}
		if err := json.Unmarshal(b, &head); err != nil {
			return nil, fmt.Errorf("%s: %w; expected what drill wrote with --format json", f, err)
		}
		switch {
		case kinds[head.Schema] == nil:
			return nil, fmt.Errorf("%s: schema is %q: expected %s", f, head.Schema, schemas())
		case i > 0 && head.Schema != schema:
			return nil, fmt.Errorf("%s is a %s and %s a %s: they are no parts of one", files[0], schema, f, head.Schema)
		}
		schema = head.Schema
		texts = append(texts, b)
	}
	return kinds[schema](files, texts)
}

// kinds are the results that are read, by schema.
var kinds = map[string]func(files []string, texts [][]byte) (result, error){
	report.Schema: readRuns,
	exploreSchema: readExplored,
	fuzzSchema:    readFuzzed,
}

func schemas() string {
	var out []string
	for s := range kinds {
		out = append(out, s)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// read reads files of one kind.
func read[T any](files []string, texts [][]byte) ([]*T, error) {
	var out []*T
	for i, b := range texts {
		r := new(T)
		if err := json.Unmarshal(b, r); err != nil {
			return nil, fmt.Errorf("%s: %w", files[i], err)
		}
		out = append(out, r)
	}
	return out, nil
}

// unsplit refuses a result that is no part beside others.
func unsplit(files []string, i int) error {
	return fmt.Errorf("%s and %s are no parts of one: %s was not split", files[0], files[max(i, 1)], files[i])
}

// trait is something that all parts of one run or search have in common.
type trait struct{ name, value string }

// oneOf refuses what was not split, and parts that differ in a trait; it names the first
// that they differ in.
func oneOf[T any](files []string, parts []*T, split func(*T) bool, traits func(*T) []trait) error {
	for i, p := range parts {
		if !split(p) {
			return unsplit(files, i)
		}
	}
	first := traits(parts[0])
	for i, p := range parts[1:] {
		for k, t := range traits(p) {
			if t.value != first[k].value {
				return fmt.Errorf("%s and %s are no parts of one: the %s is %s in the one and %s in the other", files[0], files[i+1], t.name,
					first[k].value, t.value)
			}
		}
	}
	return nil
}
