package lint

import "fmt"

var beyondRetention = Rule{
	ID:     "beyond-retention",
	Doc:    "What may have had its effect is repeated for longer than the target keeps a key: the last requests are new ones, and have an effect of their own.",
	Do:     "set a time budget below the retention; after it reconcile, and send no key that is older than its retention",
	Source: "https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header-07#section-2.3",
	check: func(p Policy, t *Target) []note {
		if t == nil || !p.repeats() || !p.risky(t) || !t.Key.Kept || t.Key.Retention == 0 || t.ClientIDs || t.UniqueNames {
			return nil
		}
		longest, known := p.longest()
		switch {
		case !known && p.Attempts == 0 && !p.Bounded:
			return []note{{p.AttemptsAt, fmt.Sprintf("nothing ends the attempts, and %s keeps a key for %s", t.Profile, t.Key.Retention)}}
		case p.Resumes && p.Budget == 0:
			return []note{{p.BudgetAt, fmt.Sprintf("no time budget ends the attempts, a delivery can come again at any time, and %s keeps a key for %s", t.Profile, t.Key.Retention)}}
		case known && longest >= t.Key.Retention.D():
			return []note{{p.BudgetAt.or(p.AttemptsAt), fmt.Sprintf("attempts go on for up to %s, and %s keeps a key for %s", longest, t.Profile, t.Key.Retention)}}
		}
		return nil
	},
}
