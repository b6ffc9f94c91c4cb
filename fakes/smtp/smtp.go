// Package smtp lets a fake speak SMTP: each mail, once its final dot has arrived, is
// a request in the shape of package viasmtp, and the answer is the reply to the dot.
//
// Before the dot nothing is committed: a connection that ends inside DATA leaves a
// torn request. After it the mail is the server's, whether or not the reply arrives
// (RFC 5321 sections 4.1.1.4 and 4.5.3.2.6).
package smtp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/retrydrill/drill/harness/tap"
	"github.com/retrydrill/drill/targets/viasmtp"
)

const (
	// maxMail bounds one mail in bytes.
	maxMail = 4 << 20
	// maxRecipients is what every server has to take (RFC 5321 section 4.5.3.1.8).
	maxRecipients = 100
	// idle is how long a client may be silent (RFC 5321 section 4.5.3.2.7).
	idle = 5 * time.Minute
)

// Protocol is SMTP as a target speaks it.
func Protocol() *tap.Protocol {
	return &tap.Protocol{
		Scheme: "smtp",
		Serve:  serve,
		// The server greets first.
		Probe:     "",
		Transport: &viasmtp.Transport{},
		Form: func(_ *http.Request, a *tap.Answer) (head, body []byte) {
			r := viasmtp.ReplyOf(a.Status, a.Body)
			return []byte(r.Head()), []byte(r.Rest())
		},
	}
}

// serve speaks with one client.
func serve(c net.Conn, h http.Handler) {
	ended := make(chan struct{})
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) {
		return &session{conn: c, handler: h}, nil
	}))
	s.Domain = "drill.invalid"
	s.MaxMessageBytes, s.MaxRecipients = maxMail, maxRecipients
	s.ReadTimeout, s.WriteTimeout = idle, idle
	s.AllowInsecureAuth = true
	s.ErrorLog = log.New(io.Discard, "", 0)
	l := &once{conn: &closing{Conn: c, closed: ended}}
	// It returns when the listener has no second connection to give.
	_ = s.Serve(l)
	<-ended
}

// once is a listener of one connection.
type once struct{ conn net.Conn }

// Accept implements net.Listener.
func (l *once) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, net.ErrClosed
	}
	c := l.conn
	l.conn = nil
	return c, nil
}

// Close implements net.Listener.
func (l *once) Close() error { return nil }

// Addr implements net.Listener.
func (l *once) Addr() net.Addr { return &net.TCPAddr{} }

// session is one client's: SMTP has one mail at a time.
type session struct {
	conn    net.Conn
	handler http.Handler
	user    string
	from    string
	to      []string
}

// AuthMechanisms implements smtp.AuthSession.
func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession. The password is passed on as who sends; the
// target refuses a wrong one when it is asked for something.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, _, password string) error {
		s.user = password
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = append(s.to, to)
	return nil
}

// Reset implements smtp.Session.
func (s *session) Reset() { s.from, s.to = "", nil }

// Logout implements smtp.Session.
func (s *session) Logout() error { return nil }

// Data implements smtp.Session: it hands the mail to the target and replies.
func (s *session) Data(r io.Reader) error {
	body := &data{from: s.from, to: s.to, raw: r}
	req, err := http.NewRequest(viasmtp.Method, viasmtp.Path, body)
	if err != nil {
		return err
	}
	req.Host, req.RequestURI, req.RemoteAddr = "smtp", viasmtp.Path, s.conn.RemoteAddr().String()
	req.Header.Set("Content-Type", "application/json")
	if s.user != "" {
		req.SetBasicAuth(s.user, "")
	}
	a, ok := tap.Ask(s.conn, s.handler, req)
	switch {
	case ok:
		reply := viasmtp.ReplyOf(a.Status, a.Body)
		return &smtp.SMTPError{Code: reply.Code, EnhancedCode: reply.Enhanced, Message: reply.Text}
	case body.refused() != nil:
		return body.refused()
	}
	_ = s.conn.Close()
	return io.ErrClosedPipe
}

// data is a mail that is read when it is asked for: the first Read returns when the
// final dot has arrived.
type data struct {
	from   string
	to     []string
	raw    io.Reader
	parsed *bytes.Reader
	err    error
}

// Read implements io.Reader.
func (d *data) Read(p []byte) (int, error) {
	if d.parsed == nil && d.err == nil {
		var raw, b []byte
		if raw, d.err = io.ReadAll(d.raw); d.err == nil {
			b, d.err = json.Marshal(viasmtp.Parse(d.from, d.to, raw))
		}
		d.parsed = bytes.NewReader(b)
	}
	if d.err != nil {
		return 0, d.err
	}
	return d.parsed.Read(p)
}

// Close implements io.Closer.
func (d *data) Close() error { return nil }

// Raw implements [tap.Torn].
func (d *data) Raw() io.Reader { return d.raw }

// refused is why the server itself did not take the mail (it was too long), or nil.
func (d *data) refused() error {
	if e := (*smtp.SMTPError)(nil); errors.As(d.err, &e) {
		return e
	}
	return nil
}

// closing tells when its connection was closed.
type closing struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

// Close implements net.Conn.
func (c *closing) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { close(c.closed) })
	return err
}
