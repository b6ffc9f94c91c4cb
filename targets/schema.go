package targets

import (
	_ "embed"
	"sync"

	"github.com/retrydrill/drill/internal/schema"
)

// Schema is the JSON Schema (2020-12) of a profile document. [Parse] holds every
// document to it, and an editor may.
//
//go:embed profile.schema.json
var Schema []byte

var compiledSchema = sync.OnceValue(func() *schema.Schema { return schema.Must(Schema) })

// Keys lists every key of the document, in the schema's order, with what it means.
func Keys() []schema.Key { return compiledSchema().Keys() }
