package policy

import _ "embed"

// Schema is the JSON Schema (2020-12) of a policy document, for editors.
//
//go:embed policy.schema.json
var Schema []byte
