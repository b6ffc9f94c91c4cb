package search

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

// What shows nothing at one request is tried at two.
func TestApartAtOneRequest(t *testing.T) {
	keyed := harness.Promises{Key: harness.KeyPromise{Kept: true, Same: "replay"}, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}}
	for _, c := range []struct {
		one, other string
		apart      bool
	}{
		{"create#1 target restart", "create#1 response close", true},
		{"create#1 target restart", "create#1.. response reset", true},
		{"create#1 target restart", "create#1 response kill", false},
		{"create#1 target restart", "create#2 response close", false},
		{"create#1 target restart", "find#1 response close", false},
	} {
		one, err := harness.ParseFault(c.one)
		require.NoError(t, err)
		other, err := harness.ParseFault(c.other)
		require.NoError(t, err)
		assert.Equal(t, c.apart, Apart(keyed, harness.Schedule{Faults: []harness.Fault{one}}, other) != "", "%s; %s", c.one, c.other)
		assert.Equal(t, c.apart, Apart(keyed, harness.Schedule{Faults: []harness.Fault{other}}, one) != "", "%s; %s", c.other, c.one)
	}
}

// Another machine at a target that forgets its keys: only who can prove absence, and is
// alone, is asked for more than a guess.
func TestApartWhereKeysAreForgotten(t *testing.T) {
	proves := harness.Promises{Key: harness.KeyPromise{Kept: true, Same: "replay"}, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}}
	hints := proves
	hints.Lookup.Authoritative = false
	fault := func(line string) harness.Fault {
		f, err := harness.ParseFault(line)
		require.NoError(t, err)
		return f
	}
	forgets := harness.Schedule{Settings: harness.Settings{ForgetKey: true}}
	several := forgets
	several.Faults = []harness.Fault{fault("deliver#1 times 2")}
	for _, line := range []string{"deliver#2 elsewhere", "record#2 lose"} {
		f := fault(line)
		assert.NotEmpty(t, Apart(hints, forgets, f), line)
		assert.NotEmpty(t, Apart(proves, several, f), line)
		assert.Empty(t, Apart(proves, forgets, f), line)
		assert.Empty(t, Apart(hints, harness.Schedule{}, f), line)
		assert.NotEmpty(t, Apart(harness.Promises{Key: proves.Key}, forgets, f), "no look-up: %s", line)
	}
	assert.Empty(t, Apart(hints, forgets, fault("create#1 response kill")))
}

// A refusal that is not kept shows nothing beside a late request where absence was
// proven before it; it is tried where a key keeps it, where nothing proves absence,
// where it is none for good, and where it is the late one that is refused.
func TestApartBesideALateRequest(t *testing.T) {
	errors := []harness.ErrorClass{{Status: 400, Class: harness.RejectedPermanent}, {Status: 429, Class: harness.RejectedTransient}}
	bare := harness.Promises{Errors: errors, ClientIDs: true, Lookup: harness.FindPromise{By: []string{"id"}, Authoritative: true}}
	lagging, keyed, free := bare, bare, bare
	lagging.Lookup.Authoritative = false
	keyed.Key = harness.KeyPromise{Kept: true, Same: "replay", StoresErrors: true}
	free.Key = harness.KeyPromise{Kept: true, Same: "replay", StoresErrors: true, Unkept: []int{400}}
	for _, c := range []struct {
		promises   harness.Promises
		one, other string
		apart      bool
	}{
		{bare, "create#1 request delay past-deadline", "create#2 target reject 400", true},
		{bare, "create#1@w1 request hold until report#1@w2", "create#1@w2 target reject 400", true},
		{bare, "create#1 request delay past-deadline", "create#1..2 target reject 400", true},
		{free, "create#1 request delay past-deadline", "create#2 target reject 400", true},
		{keyed, "create#1 request delay past-deadline", "create#2 target reject 400", false},
		{lagging, "create#1 request delay past-deadline", "create#2 target reject 400", false},
		{bare, "create#1 request delay past-deadline", "create#2 target reject 429", false},
		{bare, "create#1..3 request delay past-deadline", "create#4..5 target reject 429", true},
		{keyed, "create#1..3 request delay past-deadline", "create#4..5 target reject 429", false},
		{bare, "create#3..4 request delay past-deadline", "record#2 kill-after", true},
		{bare, "create#3..4 request delay past-deadline", "record#2 kill-before", false},
		{bare, "create#2..3 request delay past-deadline", "record#2 kill-after", false},
		{bare, "create#2..3 request delay past-deadline", "record#2..3 kill-after", true},
		{lagging, "create#3..4 request delay past-deadline", "record#2 kill-after", false},
		{bare, "create#1 request delay past-deadline", "create#1 target reject 400", false},
		{bare, "create#1@w1 request hold until report#1@w2", "create#1@w1 target reject 400", false},
		{bare, "find#1@w1 request hold until report#1@w2", "create#1@w1 target reject 400", false},
		{bare, "create#1 response delay past-deadline", "create#2 target reject 400", false},
	} {
		one, err := harness.ParseFault(c.one)
		require.NoError(t, err)
		other, err := harness.ParseFault(c.other)
		require.NoError(t, err)
		assert.Equal(t, c.apart, Apart(c.promises, harness.Schedule{Limits: harness.DefaultLimits(), Faults: []harness.Fault{one}}, other) != "", "%s; %s", c.one, c.other)
		assert.Equal(t, c.apart, Apart(c.promises, harness.Schedule{Limits: harness.DefaultLimits(), Faults: []harness.Fault{other}}, one) != "", "%s; %s", c.other, c.one)
	}
}

// A refusal that the key holds is none that speaks for what comes late, where keys are
// forgotten within a trial.
func TestApartBesideALateRequestAndAForgottenKey(t *testing.T) {
	p := harness.Promises{ClientIDs: true, Errors: []harness.ErrorClass{{Status: 400, Class: harness.RejectedPermanent}},
		Key: harness.KeyPromise{Kept: true, Same: "replay", StoresErrors: true}, Lookup: harness.FindPromise{By: []string{"id"}, Authoritative: true}}
	late, err := harness.ParseFault("create#1..3 request delay past-deadline")
	require.NoError(t, err)
	refused, err := harness.ParseFault("create#1 target reject 400")
	require.NoError(t, err)
	s := harness.Schedule{Limits: harness.DefaultLimits(), Faults: []harness.Fault{late}}
	assert.Empty(t, Apart(p, s, refused))
	s.Settings.ForgetKey = true
	assert.NotEmpty(t, Apart(p, s, refused))
}

// A repeat that comes as the first shows nothing to who has no record of it, in whatever
// order the lines stand; it is tried where it says that it is one, and on a machine that
// has seen it.
func TestApartAsTheFirst(t *testing.T) {
	proves := harness.Promises{Key: harness.KeyPromise{Kept: true, Same: "replay"}, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}}
	for _, c := range []struct {
		forgets bool
		lines   []string
		apart   bool
	}{
		{false, []string{"create#1 target restart", "deliver#3 elsewhere", "deliver#3 new-trigger"}, true},
		{false, []string{"create#1 target restart", "record#1 lose", "deliver#2 new-trigger"}, true},
		{true, []string{"deliver#2 elsewhere", "deliver#2 new-trigger"}, true},
		{true, []string{"record#2 lose", "deliver#2 new-trigger"}, true},
		{false, []string{"create#1 target reject 400", "record#1 lose", "deliver#2 re-approve"}, true},
		{false, []string{"create#1 target reject 400", "record#1 lose", "deliver#2 respell"}, false},
		{false, []string{"create#1 target restart", "deliver#3 elsewhere", "deliver#2 new-trigger"}, false},
		{true, []string{"deliver#2 elsewhere", "deliver#3 new-trigger"}, false},
		{false, []string{"create#1 target restart", "deliver#3 elsewhere", "deliver#3 respell"}, false},
		{false, []string{"deliver#3 elsewhere", "deliver#3 new-trigger", "create#1 response kill"}, false},
	} {
		for last := range c.lines {
			s := harness.Schedule{Settings: harness.Settings{ForgetKey: c.forgets}}
			for i, line := range c.lines {
				f, err := harness.ParseFault(line)
				require.NoError(t, err)
				if i != last {
					s.Faults = append(s.Faults, f)
				}
			}
			f, err := harness.ParseFault(c.lines[last])
			require.NoError(t, err)
			assert.Equal(t, c.apart, Apart(proves, s, f) != "", "%q, %q last", c.lines, c.lines[last])
		}
	}
}

// What comes late when no other may follow shows nothing; what comes in time, what another
// may follow and what no look-up proves absent is tried.
func TestApartTheLastOne(t *testing.T) {
	proves := harness.Promises{Key: harness.KeyPromise{Kept: true, Same: "replay"}, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}}
	hints, slow := proves, proves
	hints.Lookup.Authoritative = false
	slow.Lookup.MaxInFlight = harness.Duration(time.Second)
	for _, c := range []struct {
		promises harness.Promises
		line     string
		apart    bool
	}{
		{proves, "create#4..6 request delay 720ms", true},
		{proves, "create#5 request delay past-deadline", true},
		{proves, "create#2.. request delay past-deadline", true},
		{proves, "create#3..4 request delay 720ms", false},
		{proves, "create#4..6 request delay 270ms", false},
		{proves, "create#4..6 response delay 720ms", false},
		{hints, "create#4..6 request delay 720ms", false},
		{slow, "create#4..6 request delay 720ms", false},
	} {
		f, err := harness.ParseFault(c.line)
		require.NoError(t, err)
		assert.Equal(t, c.apart, Apart(c.promises, harness.Schedule{Limits: harness.DefaultLimits()}, f) != "", c.line)
	}
}

// So does one that comes late where all others that the limits allow are struck.
func TestApartTheOnlyOneLeft(t *testing.T) {
	proves := harness.Promises{UniqueNames: true, Lookup: harness.FindPromise{By: []string{"business_key"}, Authoritative: true}}
	for _, c := range []struct {
		lines []string
		apart bool
	}{
		{[]string{"create#1..3 request delay 1.8s", "create#3..5 request close"}, true},
		{[]string{"create#1 request delay 1.8s", "create#2.. response status 504"}, true},
		{[]string{"create#1..3 request delay 1.8s", "create#4 request close"}, false},
		{[]string{"create#1..3 request delay 1.8s", "create#4..5 response pause past-lease"}, false},
		{[]string{"create#1..3 request delay 1.8s", "find#3..5 request close"}, false},
		{[]string{"create#1..3 response delay 1.8s", "create#3..5 request close"}, false},
	} {
		one, err := harness.ParseFault(c.lines[0])
		require.NoError(t, err)
		other, err := harness.ParseFault(c.lines[1])
		require.NoError(t, err)
		for _, o := range [][]harness.Fault{{one, other}, {other, one}} {
			assert.Equal(t, c.apart, Apart(proves, harness.Schedule{Limits: harness.DefaultLimits(), Faults: o[:1]}, o[1]) != "", "%s; %s", o[0], o[1])
		}
	}
}

// A consent that is shown again shows nothing where its use by the first action is not to
// be seen.
func TestApartAConsentShownAgain(t *testing.T) {
	for _, c := range []struct {
		one, other string
		apart      bool
	}{
		{"deliver#2@B approval spent", "record#1 lose", true},
		{"deliver#2@B approval spent", "record#1 kill-before", true},
		{"deliver#2@B approval spent", "deliver#3 elsewhere", true},
		{"deliver#2@B approval spent", "deliver#1 approval denied", true},
		{"deliver#2@B approval spent", "record#2 lose", false},
		{"deliver#2@B approval spent", "record#1 kill-after", false},
		{"deliver#2@B approval stale", "record#1 lose", false},
		{"deliver#2@B approval spent", "deliver#3@B approval spent", false},
	} {
		one, err := harness.ParseFault(c.one)
		require.NoError(t, err)
		other, err := harness.ParseFault(c.other)
		require.NoError(t, err)
		for _, o := range [][2]harness.Fault{{one, other}, {other, one}} {
			assert.Equal(t, c.apart, Apart(harness.Promises{}, harness.Schedule{Faults: o[:1]}, o[1]) != "", "%s; %s", o[0], o[1])
		}
	}
}

// A refusal whose record is lost shows nothing among several, and where no key tells of it
// once more.
func TestApartARefusalWithoutItsRecord(t *testing.T) {
	errors := []harness.ErrorClass{{Status: 400, Class: harness.RejectedPermanent}, {Status: 401, Class: harness.RejectedPermanent}, {Status: 429, Class: harness.RejectedTransient}}
	keyed := harness.Promises{Errors: errors, Key: harness.KeyPromise{Kept: true, Same: "replay", StoresErrors: true, Unkept: []int{401, 429}}}
	for _, c := range []struct {
		promises harness.Promises
		forgets  bool
		beside   string
		line     string
		apart    bool
	}{
		{keyed, false, "", "create#1 target reject 400", false},
		{keyed, true, "", "create#1 target reject 400", true},
		{keyed, false, "", "create#1 target reject 401", true},
		{keyed, true, "", "create#1 target reject 429", false},
		{keyed, false, "deliver#1 times 2", "create#1 target reject 400", true},
		{keyed, false, "deliver#1 times 2", "create#1 target reject 429", true},
		{harness.Promises{Errors: errors}, false, "", "create#1 target reject 400", true},
	} {
		s := harness.Schedule{Settings: harness.Settings{ForgetKey: c.forgets}}
		for _, line := range []string{"record#2 lose", c.beside} {
			if f, err := harness.ParseFault(line); line != "" {
				require.NoError(t, err)
				s.Faults = append(s.Faults, f)
			}
		}
		f, err := harness.ParseFault(c.line)
		require.NoError(t, err)
		assert.Equal(t, c.apart, Apart(c.promises, s, f) != "", "%+v", c)
	}
}
