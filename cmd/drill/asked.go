package main

import (
	"encoding/json"
	"fmt"

	"github.com/retrydrill/drill/harness"
)

// asked says of a part of a search what it is a part of, so that it is put together
// with nothing else.
type asked struct {
	// Drill is the version that ran it, Asked the digest of all that was asked for.
	Drill string `json:"drill,omitempty"`
	Asked string `json:"asked,omitempty"`
}

// askedFor is empty of what was not split.
func askedFor(shards int, what ...any) asked {
	if shards < 2 {
		return asked{}
	}
	return asked{version(), digestOf(what...)}
}

func digestOf(what ...any) string {
	b, err := json.Marshal(what)
	if err != nil {
		// Schedules, numbers and words always have a JSON form.
		panic(fmt.Sprintf("digest: %v", err))
	}
	return harness.Digest(b)
}
