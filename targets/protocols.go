package targets

import (
	"net/http"

	"github.com/retrydrill/drill/targets/dnsform"
	"github.com/retrydrill/drill/targets/viadns"
	"github.com/retrydrill/drill/targets/viasmtp"
)

// protocols are what a target may speak beside HTTP. Requests and answers keep their
// shape (method, path, body, status): a transport turns them into the protocol's own.
var protocols = []struct {
	name    string
	methods []string
	via     http.RoundTripper
}{
	{"smtp", []string{viasmtp.Method}, &viasmtp.Transport{}},
	{"dns", []string{dnsform.MethodUpdate, dnsform.MethodQuery}, &viadns.Transport{}},
}

// methods are those that operations may have.
func (d *Document) methods() []string {
	for _, p := range protocols {
		if p.name == d.Protocol {
			return p.methods
		}
	}
	return []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
}

// transportFor is what carries requests to a URL: the client's own transport, unless
// the URL is of another protocol and the transport does not say that it speaks it.
func transportFor(u root, own http.RoundTripper) http.RoundTripper {
	if u.err != nil {
		return own
	}
	for _, p := range protocols {
		if p.name != u.Scheme {
			continue
		}
		if s, ok := own.(interface{ Speaks(scheme string) bool }); ok && s.Speaks(u.Scheme) {
			return own
		}
		return p.via
	}
	return own
}
