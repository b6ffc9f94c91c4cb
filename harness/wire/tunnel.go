package wire

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// tunnels carry the HTTPS of workers to the slot that they stand in for: the TLS ends
// here, and what is inside passes the proxy and the tap as any other connection does.
type tunnels struct {
	mu   sync.Mutex
	open map[net.Conn]bool
	shut bool
}

// serve answers a CONNECT. The target's side is opened first: where it refuses, so does
// the tunnel.
func (t *tunnels) serve(w http.ResponseWriter, cert *tls.Certificate, target string) {
	up, err := net.Dial("tcp", target)
	if err != nil {
		w.Header().Set("Connection", "close")
		http.Error(w, "the target refuses connections", http.StatusBadGateway)
		return
	}
	down, early, err := w.(http.Hijacker).Hijack()
	if err != nil {
		_ = up.Close()
		return
	}
	if !t.enter(up, down) {
		return
	}
	defer t.leave(up, down)
	if _, err := io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	inside := tls.Server(&eager{down, early.Reader}, &tls.Config{Certificates: []tls.Certificate{*cert}, NextProtos: []string{"http/1.1"}})
	if inside.Handshake() != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(up, inside)
		// The worker is through, or gone.
		_ = up.Close()
	})
	_, err = io.Copy(inside, up)
	if errors.Is(err, syscall.ECONNRESET) {
		forget(down)
	}
	// Closed without the word that TLS has for it, which a cut leaves out too.
	_ = down.Close()
	both.Wait()
}

// enter notes a pair of connections, or closes them where all have been closed.
func (t *tunnels) enter(conns ...net.Conn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range conns {
		if t.shut {
			_ = c.Close()
			continue
		}
		t.open[c] = true
	}
	return !t.shut
}

func (t *tunnels) leave(conns ...net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range conns {
		_ = c.Close()
		delete(t.open, c)
	}
}

// close ends every tunnel.
func (t *tunnels) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shut = true
	for c := range t.open {
		_ = c.Close()
	}
}

// eager reads first what came together with the CONNECT.
type eager struct {
	net.Conn
	early io.Reader
}

// Read implements net.Conn.
func (e *eager) Read(p []byte) (int, error) { return e.early.Read(p) }
