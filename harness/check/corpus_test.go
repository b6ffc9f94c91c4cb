package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// corpus holds histories that real trials recorded: for each invariant at least one
// that it convicts and one that it clears, named INVARIANT.convicted.jsonl and
// INVARIANT.cleared.jsonl, or INVARIANT.WORDS.convicted.jsonl where there are more.
const corpus = "../../testdata/histories"

func TestCorpus(t *testing.T) {
	if _, err := os.Stat(corpus); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no recorded histories in %s", corpus)
	}
	files, err := filepath.Glob(filepath.Join(corpus, "*.jsonl"))
	require.NoError(t, err)
	seen := map[string]int{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			id, rest, _ := strings.Cut(name, ".")
			want := rest[strings.LastIndexByte(rest, '.')+1:]
			inv, ok := Find(id)
			require.True(t, ok, "%s: there is no invariant %q", file, id)
			r, err := os.Open(file)
			require.NoError(t, err)
			defer r.Close()
			h, err := harness.ReadHistory(r)
			require.NoError(t, err, file)
			f := inv.Check(NewView(h))
			switch want {
			case "convicted":
				assert.NotEmpty(t, f.Violations)
				assert.Equal(t, harness.Unsafe, Judge(h).Verdict)
			case "cleared":
				assert.Empty(t, f.Violations)
				assert.Positive(t, f.Inspected)
			default:
				t.Fatalf("%s: the name ends in %q, expected convicted or cleared", file, want)
			}
			seen[id+"."+want]++
		})
	}
	for _, i := range Invariants {
		for _, want := range []string{"convicted", "cleared"} {
			assert.Positive(t, seen[i.ID+"."+want], "%s has no history that is %s", i.ID, want)
		}
	}
}
