package targets

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// TestExamplesAreNormal: what a profile shows is in its own normal form, and reads the
// same on the wire in every spelling of it.
func TestExamplesAreNormal(t *testing.T) {
	spelled := 0
	for _, name := range Names() {
		p, err := Builtin(name)
		require.NoError(t, err)
		args := p.DefaultAction().Arguments
		out, err := p.Normal().Apply(args)
		require.NoError(t, err, name)
		require.Equal(t, args, out, name)
		if other, ok := p.Normal().Otherwise(args); ok {
			spelled++
			require.NotEqual(t, args.Digest(), other.Digest(), name)
			back, err := p.Normal().Apply(other)
			require.NoError(t, err)
			require.Equal(t, args, back, name)
			require.Equal(t, p.Namer().Digest(args), p.Namer().Digest(back))
		}
	}
	require.GreaterOrEqual(t, spelled, 3)
}

// TestNormalOfProfile: sets, units and prefixes are what makes it.
func TestNormalOfProfile(t *testing.T) {
	p, err := Builtin("payments")
	require.NoError(t, err)
	args := p.DefaultAction().Arguments
	for _, c := range []struct {
		change  harness.Arguments
		same    bool
		refused string
	}{
		{harness.Arguments{"amount": "10.99"}, true, ""},
		{harness.Arguments{"amount": "10.990"}, false, "at most 2 digits"},
		{harness.Arguments{"amount": "12.99"}, false, ""},
		{harness.Arguments{"amount": "1099", "currency": "jpy"}, false, ""},
		{harness.Arguments{"amount": "10.99", "currency": "xau"}, false, "minor unit is not declared"},
		{harness.Arguments{"payment_method": "my usual card"}, false, "expected the ID of one record, which begins with pm_"},
	} {
		in := args.Clone()
		for k, v := range c.change {
			in[k] = v
		}
		out, err := p.Normal().Apply(in)
		if c.refused != "" {
			require.ErrorContains(t, err, c.refused)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.same, out.Digest() == args.Digest(), "%v", c.change)
	}
	mail, err := Builtin("mail-http")
	require.NoError(t, err)
	require.Equal(t, []string{"/recipients"}, mail.Normal().Unordered)
}

// TestWhatIsRememberedOfArguments: it is of those arguments alone, whatever their owner
// makes of them later, and is what the profile reads.
func TestWhatIsRememberedOfArguments(t *testing.T) {
	for _, name := range Names() {
		p, err := Builtin(name)
		require.NoError(t, err)
		a := p.DefaultAction().Arguments.Clone()
		free := anyText(p, a)
		for range 3 {
			n, err := p.Normalise("act", a)
			require.NoError(t, err)
			require.Equal(t, a.Digest(), n.Came, name)
			require.Equal(t, n.Arguments.Digest(), n.Digest, name)
			for _, step := range p.Steps() {
				want := p.Namer().Digest(n.Arguments)
				if d, several := p.Namer().Digests(n.Arguments)[step]; several {
					want = d
				}
				require.Equal(t, want, n.Read(step), "%s at %s", step, name)
			}
			a[free] = fmt.Sprint(a[free], "x")
		}
		a[free] = "\xff"
		_, err = p.Normalise("act", a)
		require.ErrorIs(t, err, harness.ErrArguments)
		a["more"] = "x"
		_, err = p.Normalise("act", a)
		require.EqualError(t, err, p.CheckAction(harness.Action{Name: "act", Arguments: a}).Error())
	}
}

// anyText names an argument that may be any text.
func anyText(p *Profile, a harness.Arguments) string {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		other := a.Clone()
		other[name] = "any"
		if _, err := p.Normal().Apply(other); err == nil {
			return name
		}
	}
	panic(p.Name + " takes no text")
}
