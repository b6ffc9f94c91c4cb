package targets

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// Authorize proves who sends a request, in the first of the profile's schemes.
func (p *Profile) Authorize(r *http.Request, token string) {
	if v := p.authorization(token); v != "" {
		r.Header.Set("Authorization", v)
	}
}

// authorization is the header's value, or empty where nothing is proven.
func (p *Profile) authorization(token string) string {
	if token == "" || len(p.Auth.Schemes) == 0 {
		return ""
	}
	switch p.Auth.Schemes[0] {
	case "basic":
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(token+":"))
	case "sigv4":
		// The signature is not verified, and so is none.
		return sigv4 + " Credential=" + token + "/20260101/us-east-1/service/aws4_request, SignedHeaders=host, Signature=none"
	}
	return "Bearer " + token
}

const sigv4 = "AWS4-HMAC-SHA256"

// AccessKeyID returns the access key ID of an Authorization header in Signature
// Version 4, or nothing. The signature is not verified.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
func AccessKeyID(authorization string) string {
	rest, ok := strings.CutPrefix(authorization, sigv4+" ")
	for part := range strings.SplitSeq(rest, ",") {
		if credential, is := strings.CutPrefix(strings.TrimSpace(part), "Credential="); ok && is {
			id, _, _ := strings.Cut(credential, "/")
			return id
		}
	}
	return ""
}
