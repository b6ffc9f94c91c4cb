package search

import "github.com/retrydrill/drill/harness"

// Condition is a target that keeps all that it promises and is not the plain one: a
// setting of the schedule. See [harness.Settings].
type Condition struct {
	// Name is how the schedule spells it.
	Name string
	// Doc says what it may show.
	Doc  string
	make func(s space) (harness.Settings, string)
}

// ForgetKey is the condition of a target that forgets a key once it promised to.
const ForgetKey = "forget-key: true"

// Conditions lists those that are tried.
var Conditions = []Condition{
	{"foreign-object: true", "whose is what stands under the name?",
		func(s space) (harness.Settings, string) {
			return harness.Settings{ForeignObject: true}, unless(s.promises.UniqueNames, "the target has no unique names")
		}},
	{ForgetKey, "a key is no key once it is forgotten",
		func(s space) (harness.Settings, string) {
			return harness.Settings{ForgetKey: true}, unless(s.promises.Key.Kept && s.promises.ProvesAbsence(),
				"the target keeps no key, or no look-up proves absence once it is forgotten")
		}},
	{"stale-read", "absence that a read tells of may be of a time before the effect",
		func(s space) (harness.Settings, string) {
			lag := s.promises.Lookup.Lag.D()
			return harness.Settings{StaleRead: harness.Span{D: lag}}, unless(lag > 0 && s.promises.CanFind(), "the target declares no lag of its reads")
		}},
	{"lookup: paged", "the answer stands on a later page",
		func(s space) (harness.Settings, string) {
			return harness.Settings{Lookup: harness.LookupPaged}, unless(s.promises.CanFind(), "the target offers no look-up")
		}},
	{"lookup: several", "which of them is ours, where a stranger's copy bears the action's reference?",
		func(s space) (harness.Settings, string) {
			return harness.Settings{Lookup: harness.LookupSeveral}, unless(s.promises.CanFind() && s.promises.Reference != "",
				"no look-up shows a reference that a stranger could copy")
		}},
}

// Settings are those of the [Conditions] that say something at a target of these
// promises, in their order.
func Settings(p harness.Promises) []harness.Settings {
	var out []harness.Settings
	for _, c := range Conditions {
		if s, why := c.make(space{promises: p}); why == "" {
			out = append(out, s)
		}
	}
	return out
}

// NotSet are the settings that a search leaves out, each with the reason.
var NotSet = map[string]string{
	"forget-after":         "shorter than what is promised breaks a promise; what is promised is forget-key",
	"foreign-delete-after": "a stranger who takes back what was done leaves what a request that never arrived leaves: no executor could tell",
	"present":              "a part that is there from the start stands under no reference of the action; see the scenarios of a profile with parts",
	"key-mode":             "a target that breaks its own promise",
	"async":                "only where the profile says that work goes on after the answer",
	"latency":              "the same as response delay, at every request",
	"throttle":             "the same as target reject with the status of one who comes too soon",
	"maintenance":          "the same as target reject with the status of one who is closed for a while",
	"lookup: none":         "a target that breaks its own promise",
	"lookup: lagging":      "stale-read within what is promised, and outside of it a broken promise",
}

func unless(met bool, why string) string {
	if met {
		return ""
	}
	return why
}
