package policy

import (
	_ "embed"
	"sync"

	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/internal/schema"
)

// Schema is the JSON Schema (2020-12) of a policy document. [Parse] tells by it what is
// wrong in the form of one, and an editor may.
//
//go:embed policy.schema.json
var Schema []byte

// compiled is made at the first mistake: who reads a right document does not need it.
var compiled = sync.OnceValue(func() *schema.Schema { return schema.Must(Schema) })

// ofForm returns every mistake of form at once, in the order of their places, or nil.
func ofForm(name string, b []byte) error {
	f, err := located.Read(name, b)
	if err != nil {
		return nil
	}
	var all []error
	for _, m := range compiled().Check(f) {
		all = append(all, m.Err)
	}
	return located.Join(all)
}
