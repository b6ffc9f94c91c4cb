package policyfuzz

// Unshown are the rules whose harm no schedule of one action shows, each with the
// reason.
var Unshown = map[string]string{
	"no-backoff":  "it burdens a target that many clients ask; one action's effects stay right",
	"no-jitter":   "it brings many clients back at one time; one action's effects stay right",
	"laxer-class": "the line has no effect: the executor keeps the profile's class",
	"hedged":      "drill's own policy has no word for a second copy",
}

// unshown is the reason for which a rule's finding is not looked for at a target, or
// nothing.
func (a Arena) unshown(rule string) string {
	t := a.Promises
	keyless := !t.Key.Kept && t.CanFind()
	switch {
	case rule == "confirmed-repeated" && (t.ClientIDs || t.UniqueNames):
		return "the target refuses a second effect"
	case rule == "confirmed-repeated" && keyless:
		return "without a kept key the executor looks before it sends, and finds the effect"
	case rule == "confirmed-repeated" && t.Key.Kept && !t.CanFind() && a.Depth < 2:
		return "the kept key answers the repeats: it takes two lost answers to spend the attempts on them"
	case rule == "unsent-given-up" && keyless:
		return "without a kept key the executor looks before it sends, and a target that is down refuses the look"
	case rule == "beyond-retention" && !a.Schedule.Settings.ForgetKey:
		return "a trial lasts for seconds, and the target keeps keys for longer; it is shown where trials have forget-key"
	case rule == "left-to-review" && a.Schedule.Settings.ForgetKey && !t.CanFind():
		return "the last delivery of a trial comes when the key is forgotten, and nothing tells any more"
	}
	return Unshown[rule]
}
