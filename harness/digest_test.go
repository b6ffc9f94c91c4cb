package harness_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/retrydrill/drill/harness"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// vector is one line of testdata/digests/arguments.json.
type vector struct {
	Name      string `json:"name"`
	Input     string `json:"input"`
	Hex       string `json:"input_hex"`
	Parts     [][2]any
	Canonical string `json:"canonical"`
	SHA256    string `json:"sha256"`
}

func (v vector) bytes(t testing.TB) []byte {
	t.Helper()
	b := []byte(v.Input)
	if v.Hex != "" {
		var err error
		b, err = hex.DecodeString(v.Hex)
		require.NoError(t, err)
	}
	for _, p := range v.Parts {
		b = append(b, strings.Repeat(p[0].(string), int(p[1].(float64)))...)
	}
	return b
}

func vectors(t testing.TB) (out struct{ Accepted, Refused []vector }) {
	t.Helper()
	b, err := os.ReadFile("../testdata/digests/arguments.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &out))
	require.NotEmpty(t, out.Accepted)
	require.NotEmpty(t, out.Refused)
	return out
}

// TestDigestVectors: the published digests are those of this code, and what must be
// refused is, wherever arguments are read.
func TestDigestVectors(t *testing.T) {
	v := vectors(t)
	for _, c := range v.Accepted {
		a, err := harness.ReadArguments(c.bytes(t))
		require.NoError(t, err, c.Name)
		canonical, err := a.Canonical()
		require.NoError(t, err, c.Name)
		assert.Equal(t, c.Canonical, string(canonical), c.Name)
		assert.Equal(t, c.SHA256, a.Digest(), c.Name)
	}
	for _, c := range v.Refused {
		raw := c.bytes(t)
		_, err := harness.ReadArguments(raw)
		if assert.Error(t, err, c.Name) {
			assert.True(t, strings.Contains(err.Error(), harness.ErrArguments.Error()) || strings.Contains(err.Error(), harness.ErrAmbiguous.Error()), "%s: %v", c.Name, err)
			assert.Less(t, len(err.Error()), 400, "%s: an error does not repeat the whole input", c.Name)
		}
		var whole struct {
			Arguments harness.Arguments `json:"arguments"`
		}
		wrapped := append(append([]byte(`{"arguments":`), raw...), '}')
		assert.Error(t, json.Unmarshal(wrapped, &whole), c.Name)
	}
}

func TestNormalVectors(t *testing.T) {
	b, err := os.ReadFile("../testdata/digests/normal.json")
	require.NoError(t, err)
	var doc struct {
		Sets []struct {
			Name  string
			Rules harness.Normal
			Cases []struct {
				Input, Canonical, SHA256 string
				Refused                  bool
			}
		}
	}
	require.NoError(t, json.Unmarshal(b, &doc))
	require.NotEmpty(t, doc.Sets)
	for _, s := range doc.Sets {
		for _, c := range s.Cases {
			in, err := harness.ReadArguments([]byte(c.Input))
			require.NoError(t, err, c.Input)
			before := in.Clone()
			out, err := s.Rules.Apply(in)
			assert.Equal(t, before, in, "what came in is not changed")
			if c.Refused {
				require.ErrorIs(t, err, harness.ErrArguments, "%s: %s", s.Name, c.Input)
				continue
			}
			require.NoError(t, err, "%s: %s", s.Name, c.Input)
			canonical, err := out.Canonical()
			require.NoError(t, err)
			assert.Equal(t, c.Canonical, string(canonical), s.Name)
			assert.Equal(t, c.SHA256, out.Digest(), s.Name)
			again, err := s.Rules.Apply(out)
			require.NoError(t, err)
			assert.Equal(t, out, again, "the normal form is its own")
		}
	}
	_, err = harness.Normal{Unordered: []string{"labels"}}.Apply(harness.Arguments{})
	require.ErrorContains(t, err, "does not begin with /")
}

// TestAnyOrderIsOne: however a list without an order comes, it has one digest, and a
// list with an order has two.
func TestAnyOrderIsOne(t *testing.T) {
	member := rapid.OneOf(rapid.String().AsAny(), rapid.Int64Range(-9, 9).AsAny(), rapid.Bool().AsAny())
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(member, 1, 6).Draw(t, "list")
		other := rapid.Permutation(list).Draw(t, "other")
		unordered := harness.Normal{Unordered: []string{"/l"}}
		a, err := unordered.Apply(harness.Arguments{"l": list})
		require.NoError(t, err)
		b, err := unordered.Apply(harness.Arguments{"l": other})
		require.NoError(t, err)
		require.Equal(t, a.Digest(), b.Digest())
		same, err := json.Marshal(list)
		require.NoError(t, err)
		spelled, err := json.Marshal(other)
		require.NoError(t, err)
		require.Equal(t, bytes.Equal(same, spelled), harness.Arguments{"l": list}.Digest() == harness.Arguments{"l": other}.Digest())
	})
}

// TestDigestsElsewhere runs the checks of docs/digests.md: Python and Node come to the
// same digests.
func TestDigestsElsewhere(t *testing.T) {
	page, err := os.ReadFile("../docs/digests.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```(python|js)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, 2)
	for _, b := range blocks {
		program := map[string][]string{"python": {"python3", "-c"}, "js": {"node", "-e"}}[b[1]]
		if _, err := exec.LookPath(program[0]); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is missing: .ci/run installs it", program[0])
			}
			t.Logf("%s is missing", program[0])
			continue
		}
		for _, broken := range []bool{false, true} {
			cmd := exec.Command(program[0], program[1], b[2])
			cmd.Dir = ".."
			if broken {
				cmd.Dir = t.TempDir()
				text, err := os.ReadFile("../testdata/digests/arguments.json")
				require.NoError(t, err)
				require.NoError(t, os.MkdirAll(cmd.Dir+"/testdata/digests", 0o755))
				text = bytes.Replace(text, []byte(`"sha256:`), []byte(`"sha256:0`), 1)
				require.NoError(t, os.WriteFile(cmd.Dir+"/testdata/digests/arguments.json", text, 0o600))
			}
			out, err := cmd.CombinedOutput()
			assert.Equal(t, broken, err != nil, "%s: %s", program[0], out)
		}
	}
}

func FuzzReadArguments(f *testing.F) {
	v := vectors(f)
	for _, c := range append(v.Accepted, v.Refused...) {
		if b := c.bytes(f); len(b) < 1000 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := harness.ReadArguments(raw)
		if err != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q is no JSON and was read", raw)
		}
		canonical, err := a.Canonical()
		require.NoError(t, err)
		again, err := harness.ReadArguments(canonical)
		require.NoError(t, err)
		require.Equal(t, a, again, "the canonical form reads as what it came from")
		require.Equal(t, a.Digest(), again.Digest())
	})
}

func FuzzNormal(f *testing.F) {
	f.Add([]byte(`{"amount":"10.99","currency":"EUR","labels":["b","a"],"id":"cus_1"}`), 2)
	f.Fuzz(func(t *testing.T, raw []byte, digits int) {
		a, err := harness.ReadArguments(raw)
		if err != nil {
			return
		}
		n := harness.Normal{Unordered: []string{"/labels", "/labels/*"}, Pinned: []harness.Pin{{Pointer: "/id", Prefix: "cus_"}},
			Money: []harness.Money{{Amount: "/amount", Currency: "/currency", Digits: map[string]int{"EUR": max(0, digits) % 6}}}}
		out, err := n.Apply(a)
		if err != nil {
			require.ErrorIs(t, err, harness.ErrArguments)
			return
		}
		again, err := n.Apply(out)
		require.NoError(t, err)
		require.Equal(t, out.Digest(), again.Digest())
	})
}

// TestDigestsAreKeptRight: many texts, more than are kept, asked for by several at
// once, each get the digest that is theirs.
func TestDigestsAreKeptRight(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 5000 {
				text := []byte(strings.Repeat(strconv.Itoa(i%3000), 1+i%400))
				if want := fmt.Sprintf("sha256:%x", sha256.Sum256(text)); harness.Digest(text) != want {
					t.Errorf("%q has digest %s, expected %s", text, harness.Digest(text), want)
					return
				}
			}
		})
	}
	wg.Wait()
}
