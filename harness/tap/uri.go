package tap

import "net/url"

// requestURI is [url.URL.RequestURI]. In most paths nothing is spelled in another way.
func requestURI(u *url.URL) string {
	if u.Opaque != "" || u.RawPath != "" || u.ForceQuery || u.Path == "" {
		return u.RequestURI()
	}
	for i := range len(u.Path) {
		if !asItIs[u.Path[i]] {
			return u.RequestURI()
		}
	}
	if u.RawQuery == "" {
		return u.Path
	}
	return u.Path + "?" + u.RawQuery
}

// asItIs are the bytes that stand in a path as they are, whatever is beside them.
var asItIs = func() (out [256]bool) {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/" {
		out[c] = true
	}
	return out
}()
