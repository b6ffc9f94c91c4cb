package tap

import "net/url"

// requestURI is [url.URL.RequestURI]. In most paths nothing is spelled in another way.
func requestURI(u *url.URL) string {
	var x uri
	return x.of(u)
}

// uri remembers what was asked last: the next trial of a search mostly asks the same.
type uri struct{ path, query, text string }

func (x *uri) of(u *url.URL) string {
	if u.Opaque != "" || u.RawPath != "" || u.ForceQuery || u.Path == "" {
		return u.RequestURI()
	}
	if x.path == u.Path && x.query == u.RawQuery {
		return x.text
	}
	for i := range len(u.Path) {
		if !asItIs[u.Path[i]] {
			return u.RequestURI()
		}
	}
	x.path, x.query, x.text = u.Path, u.RawQuery, u.Path
	if u.RawQuery != "" {
		x.text += "?" + u.RawQuery
	}
	return x.text
}

// asItIs are the bytes that stand in a path as they are, whatever is beside them.
var asItIs = func() (out [256]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/" {
		out[c] = true
	}
	return out
}()
