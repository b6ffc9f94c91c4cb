package config

import (
	_ "embed"
	"sync"

	"github.com/retrydrill/drill/internal/located"
	"github.com/retrydrill/drill/internal/schema"
)

// Schema is the JSON Schema (2020-12) of drill.yaml. [Parse] holds every file to it,
// and an editor may.
//
//go:embed config.schema.json
var Schema []byte

var compiledSchema = sync.OnceValue(func() *schema.Schema { return schema.Must(Schema) })

// ofForm returns every mistake of form at once, in the order of their places.
func ofForm(f *located.File) error {
	var all []error
	for _, m := range compiledSchema().Check(f) {
		all = append(all, m.Err)
	}
	return located.Join(all)
}

// Keys lists every key of drill.yaml, in the schema's order, with what it means.
func Keys() []schema.Key { return compiledSchema().Keys() }
