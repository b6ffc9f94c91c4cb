package main

import (
	"github.com/retrydrill/drill/harness/config"
	"github.com/retrydrill/drill/harness/policy"
	"github.com/retrydrill/drill/targets"
)

// schemaPages are the JSON Schemas of drill's documents, for editors.
func schemaPages() []page {
	text := func(b []byte) func() string { return func() string { return string(b) } }
	return []page{
		{name: "drill.yaml", short: "JSON Schema of drill.yaml: drill explain drill.yaml > drill.schema.json", long: text(config.Schema), whole: true},
		{name: "profile-schema", short: "JSON Schema of a profile: drill explain profile-schema > profile.schema.json", long: text(targets.Schema), whole: true},
		{name: "policy-schema", short: "JSON Schema of a retry policy: drill explain policy-schema > policy.schema.json", long: text(policy.Schema), whole: true},
	}
}
