package deliver

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
)

// AtName are the deliver lines that let nobody come as far as a connection; a world has
// them carried out by what a worker is told of the target, or by what dials for it.
var AtName = []string{"deliver no-name", "deliver no-tls"}

// Unreachable is what a client from Env gets of a connection during a hand-over whose
// lines let nobody come as far as one; nil where they do. It is what net/http gives.
func (h *Hand) Unreachable(name string) error {
	switch {
	case h.Has("no-name"):
		return NoSuchHost(name)
	case h.Has("no-tls"):
		return handshakeFailed()
	}
	return nil
}

// NoSuchHost is what a dialer answers whose name does not resolve.
func NoSuchHost(name string) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}}
}

// handshakeFailed is what a client gets whose handshake the other side refuses: the error
// of crypto/tls itself, as a handshake in memory came to it.
var handshakeFailed = sync.OnceValue(func() error {
	near, far := net.Pipe()
	go func() {
		_ = tls.Server(far, Refusing()).Handshake()
		_ = far.Close()
	}()
	// Who is on the other side does not matter: it refuses before it says.
	err := tls.Client(near, &tls.Config{InsecureSkipVerify: true}).Handshake()
	_ = near.Close()
	return err
})

var errRefusing = errors.New("no handshake succeeds here")

// Refusing is the configuration of a server that answers each handshake with an alert.
func Refusing() *tls.Config {
	return &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return nil, errRefusing }}
}
