package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/check"
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/harness/policy/lint"
	"github.com/retrydrill/drill/harness/search"
	"github.com/retrydrill/drill/harness/search/policyfuzz"
	"github.com/retrydrill/drill/internal/schema"
	"github.com/retrydrill/drill/scenarios"
	"github.com/retrydrill/drill/targets"
)

var update = flag.Bool("update", false, "write the tables of docs/ anew")

// tables are the parts of docs/ that are derived, by the name in their markers.
var tables = map[string]func() string{
	"faults":     faultTable,
	"scenarios":  scenarioTable,
	"needs":      needTable,
	"invariants": invariantTable,
	"control":    controlTable,
	"served":     servedTable,
	"profiles":   profileTable,
	"keys":       func() string { return keyTable(targets.Keys()) },
	"settings":   func() string { return keyTable(config.Keys()) },
	"rules":      ruleTable,
	"tried":      triedTable,
	"conditions": conditionTable,
	"apart":      apartTable,
	"blameless":  blamelessTable,
	"unshown":    unshownTable,
	"formats":    formatTable,
	"mishaps":    mishapTable,
	"classes":    classTable,
	"matrix":     matrixTable,
	"caught":     caughtTable,
	"cases":      caseTable,
	"twins":      twinTable,
	"pairs":      pairTable,
}

// keptElsewhere are the tables of the README that other tests keep.
var keptElsewhere = map[string]bool{"clients": true}

var marked = regexp.MustCompile(`(?s)(<!-- begin ([a-z]+): [^\n]*-->\n).*?(<!-- end ([a-z]+) -->)`)

func TestDocs(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	files = append(files, "../../README.md")
	seen := map[string]bool{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		want := marked.ReplaceAllStringFunc(string(b), func(part string) string {
			m := marked.FindStringSubmatch(part)
			if keptElsewhere[m[2]] {
				return part
			}
			require.Equal(t, m[2], m[4], file)
			require.Contains(t, tables, m[2], file)
			seen[m[2]] = true
			return m[1] + tables[m[2]]() + m[3]
		})
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
			continue
		}
		require.Equal(t, want, string(b), "%s is behind the code: go test ./cmd/drill -run TestDocs -update", file)
	}
	require.Len(t, seen, len(tables))
}

func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	line(head)
	fmt.Fprintln(&b, "|"+strings.Repeat("---|", len(head)))
	for _, r := range rows {
		for i := range r {
			r[i] = strings.ReplaceAll(r[i], "|", `\|`)
		}
		line(r)
	}
	return b.String()
}

func faultTable() string {
	var rows [][]string
	pages := faultPages()
	for i, k := range harness.Vocabulary {
		point := k.Point
		if k.Side != "" {
			point = "operation, " + string(k.Side)
		}
		rows = append(rows, []string{point, "`" + strings.TrimSpace(k.Name+" "+k.Params.Form()) + "`",
			strings.Replace(pages[i].short, "(not yet carried out)", "*(not yet)*", 1)})
	}
	return table([]string{"boundary", "fault", "what happens"}, rows)
}

func scenarioTable() string {
	var rows [][]string
	for _, s := range scenarios.All() {
		rows = append(rows, []string{"`" + s.Name + "`", s.Story, fmt.Sprint(len(s.Trials)), strings.Join(s.Needs, ", ")})
	}
	return table([]string{"scenario", "what happens", "trials", "needs"}, rows)
}

// profileTable is what each target promises, in the groups of drill list.
func profileTable() string {
	var rows [][]string
	group := ""
	for _, page := range profilePages() {
		if page.group != group {
			group = page.group
			rows = append(rows, []string{"**" + group + "**", "", ""})
		}
		p, err := targets.Builtin(page.name)
		if err != nil {
			panic(err)
		}
		rows = append(rows, []string{"`" + page.name + "`", page.short, "[source](" + p.Source + ")"})
	}
	return table([]string{"profile", "what it promises", "read on"}, rows)
}

// keyTable lists the keys of a document.
func keyTable(keys []schema.Key) string {
	var rows [][]string
	for _, k := range keys {
		kind := k.Kind
		if k.Required {
			kind += "; must be there"
		}
		rows = append(rows, []string{"`" + k.Path + "`", kind, k.Doc})
	}
	return table([]string{"key", "value", "what it says"}, rows)
}

func needTable() string {
	var rows [][]string
	for _, n := range scenarios.Needs {
		rows = append(rows, []string{"`" + n.Name + "`", n.Doc})
	}
	return table([]string{"need", "met when"}, rows)
}

func invariantTable() string {
	var rows [][]string
	for _, i := range check.Invariants {
		rows = append(rows, []string{"`" + i.ID + "`", i.Doc, strings.Join(i.Needs, ", ")})
	}
	return table([]string{"invariant", "when", "reads"}, rows)
}

func ruleTable() string {
	var rows [][]string
	for _, r := range lint.Rules {
		rows = append(rows, []string{"`" + r.ID + "`", r.Doc, r.Do, source(r.Source)})
	}
	return table([]string{"rule", "unsafe is", "what helps", ""}, rows)
}

func triedTable() string {
	var rows [][]string
	for _, p := range faultPages() {
		switch why, left := search.NotTried[p.name]; {
		case left:
			rows = append(rows, []string{"`" + p.name + "`", "no", why})
		case slices.Contains(search.Tried(), p.name):
			rows = append(rows, []string{"`" + p.name + "`", "yes", ""})
		}
	}
	return table([]string{"fault", "tried", "why not"}, rows)
}

func conditionTable() string {
	var rows [][]string
	for _, c := range search.Conditions {
		rows = append(rows, []string{"`" + c.Name + "`", "yes", c.Doc})
	}
	for _, name := range slices.Sorted(maps.Keys(search.NotSet)) {
		rows = append(rows, []string{"`" + name + "`", "no", search.NotSet[name]})
	}
	return table([]string{"setting", "tried", "what it may show, or why not"}, rows)
}

func apartTable() string {
	var rows [][]string
	for _, p := range search.Pairs {
		other := "`" + p.Other + "`"
		if p.Other == "" {
			other = "by itself"
		}
		rows = append(rows, []string{"`" + p.One + "`", other, cmp.Or(string(p.Where), "everywhere"), p.Why})
	}
	return table([]string{"fault or setting", "beside", "where", "why"}, rows)
}

func blamelessTable() string {
	var rows [][]string
	for _, u := range policyfuzz.NotTried {
		rows = append(rows, []string{"`" + u.Fault + "`", cmp.Or(u.Where, "everywhere"), u.Why})
	}
	rows = append(rows, []string{"a second fault", policyfuzz.PairlessWhere, policyfuzz.PairlessWhy},
		[]string{"`settles`", policyfuzz.UnendedWhere, policyfuzz.UnendedWhy})
	return table([]string{"not tried", "where", "why"}, rows)
}

func unshownTable() string {
	var rows [][]string
	for _, q := range policyfuzz.Unshown {
		rows = append(rows, []string{"`" + q.Rule + "`", cmp.Or(q.Where, "everywhere"), q.Why})
	}
	return table([]string{"not searched for", "where", "why"}, rows)
}

func formatTable() string {
	var rows [][]string
	for _, f := range lint.Formats {
		rows = append(rows, []string{"`" + f.ID + "`", f.Doc, source(f.Source)})
	}
	return table([]string{"`--as`", "reads", ""}, rows)
}

func mishapTable() string {
	var rows [][]string
	for _, m := range policy.Mishaps {
		rows = append(rows, []string{"`" + m.ID + "`", m.Doc, "`" + policy.Key(m.Class) + "`", source(m.Source)})
	}
	return table([]string{"without an answer", "what happened", "class", ""}, rows)
}

// source is a link from docs/: to a page, or to a file of the repository.
func source(s string) string {
	if !strings.Contains(s, "://") {
		s = "../" + s
	}
	return "[source](" + s + ")"
}
