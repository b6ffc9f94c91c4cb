package wire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// authority signs for the hosts that are intercepted. Its key never leaves memory, and
// it is trusted by the workers of one world alone.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
	// file holds its certificate, for workers to trust.
	file string

	mu     sync.Mutex
	issued map[string]*tls.Certificate
}

// authorityLife is longer than any run. A clock that is an hour behind may check.
const authorityLife = 7 * 24 * time.Hour

func newAuthority(dir string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("authority: %w", err)
	}
	tmpl := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "drill, for one run"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(authorityLife),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("authority: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("authority: %w", err)
	}
	a := &authority{key: key, cert: cert, file: filepath.Join(dir, "ca.pem"), issued: map[string]*tls.Certificate{}}
	if err := os.WriteFile(a.file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		return nil, fmt.Errorf("authority: %w", err)
	}
	return a, nil
}

// forHost returns the certificate of a host.
func (a *authority) forHost(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.issued[host]; c != nil {
		return c, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", host, err)
	}
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(int64(len(a.issued) + 2)),
		Subject:      pkix.Name{CommonName: host},
		NotBefore:    a.cert.NotBefore,
		NotAfter:     a.cert.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		tmpl.IPAddresses = []net.IP{ip}
	} else {
		tmpl.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", host, err)
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	a.issued[host] = c
	return c, nil
}

// path is where its certificate stands; empty without one.
func (a *authority) path() string {
	if a == nil {
		return ""
	}
	return a.file
}

// trusting are the variables by which TLS libraries are told whom to trust: Go, OpenSSL
// and what is built on it, Python's requests, curl, Node, the AWS SDKs, gRPC, Deno. A
// worker reaches nobody else, so that it has to trust nobody else.
var trusting = []string{"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE",
	"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "DENO_CERT", "DRILL_CA_FILE"}

// environ is what a worker whose hosts are intercepted gets.
func (a *authority) environ() []string {
	out := []string{"NODE_USE_ENV_PROXY=1"}
	for _, k := range trusting {
		out = append(out, k+"="+a.file)
	}
	return out
}

// certOf is the certificate of a host that the target stands in for, or nil.
func (t *trial) certOf(host string) *tls.Certificate {
	if t.authority == nil || !slices.Contains(t.s.Executor.Intercept, host) {
		return nil
	}
	cert, err := t.authority.forHost(host)
	if err != nil {
		return nil
	}
	return cert
}
