package policy

import (
	"slices"

	"github.com/retrydrill/drill/harness"
)

// stricter lists, for each class, those that leave an executor less freedom without
// claiming more than is known. Unknown can become nothing else: to call it rejected
// would be a guess. Confirmed and a permanent rejection stay what they are, since
// "unknown" in their place would let a reconciling executor send again.
var stricter = map[harness.Class][]harness.Class{
	harness.NeverDispatched:   {harness.RejectedTransient, harness.RejectedPermanent, harness.Unknown},
	harness.RejectedTransient: {harness.RejectedPermanent, harness.Unknown},
}

// Stricter reports whether a policy may file as to what the profile, or the table
// of mishaps, files as from. The same class is allowed.
func Stricter(from, to harness.Class) bool {
	return from == to || slices.Contains(stricter[from], to)
}

// Override makes one class stricter: of a mishap, or of a (status, code) pair.
type Override struct {
	// Mishap is the ID of a mishap, or empty.
	Mishap string
	// Status is 0 where a mishap is meant; Code is empty where any is meant.
	Status int
	Code   string
	Class  harness.Class
}

// WithoutAnswer is the class of an attempt that ended in a mishap. What the table
// does not list is unknown.
func (p Policy) WithoutAnswer(mishap string) harness.Class {
	class := harness.Unknown
	if m, ok := FindMishap(mishap); ok {
		class = m.Class
	}
	for _, o := range p.Overrides {
		if o.Mishap == mishap && mishap != "" && Stricter(class, o.Class) {
			return o.Class
		}
	}
	return class
}

// OfAnswer is the class of an answer: what the profile says, made stricter where the
// policy does. An override that is laxer has no effect.
func (p Policy) OfAnswer(promises harness.Promises, status int, a harness.Answered) harness.Class {
	class := promises.ClassOf(status, &a)
	for _, o := range p.Overrides {
		if o.Status == status && o.Mishap == "" && (o.Code == "" || o.Code == a.Code) && Stricter(class, o.Class) {
			return o.Class
		}
	}
	return class
}
