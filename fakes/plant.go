package fakes

import (
	"net/http"
	"net/url"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// foreign is the write of somebody who does not know our action ID.
func (f *Fake) foreign(a harness.Action) targets.Write {
	w := targets.Write{BusinessKey: a.BusinessKey, Arguments: a.Arguments}
	if f.p.Idempotency.Key.Missing == "refuse" {
		w.Key = "somebody-else"
	}
	return w
}

// request is a raw request as the engine reads it.
func request(r harness.RawRequest) *http.Request {
	return &http.Request{Method: r.Method, URL: &url.URL{Path: r.Path, RawQuery: r.Query}, Header: r.Header}
}
