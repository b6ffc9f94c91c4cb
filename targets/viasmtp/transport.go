package viasmtp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/smtp"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// ErrBeforeDot is returned for a connection that ended before the final dot was
// sent: until then the server has no mail to be responsible for (RFC 5321 section
// 4.1.1.4), so that nothing can have happened.
var ErrBeforeDot = errors.New("the connection ended before the final dot")

// Transport carries requests of the shape DATA / over SMTP, one connection each. A
// request's basic authorization becomes AUTH PLAIN with the user as the password.
type Transport struct {
	// User is the name that goes with the password; empty is "drill".
	User string
}

// RoundTrip implements [http.RoundTripper]. It never sends a mail twice. A trace
// hears GotConn when the final dot is about to leave, since only from then on
// something may have happened.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	m, err := mailOf(r)
	if err != nil {
		return nil, err
	}
	raw, err := m.Compose(time.Now())
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address(r.URL.Host))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	defer conn.Close()
	s := &sending{conn: conn, host: r.URL.Hostname(), mail: m, raw: raw}
	if user, _, ok := r.BasicAuth(); ok {
		s.auth = smtp.PlainAuth("", orDrill(t.User), user, s.host)
	}
	if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.GotConn != nil {
		s.dot = func() { trace.GotConn(httptrace.GotConnInfo{Conn: conn}) }
	}
	code, text, err := s.run()
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		return nil, err
	}
	return response(r, code, text), nil
}

func orDrill(user string) string {
	if user == "" {
		return "drill"
	}
	return user
}

// address adds SMTP's port where none is given.
func address(host string) string {
	if _, _, err := net.SplitHostPort(host); err != nil {
		return net.JoinHostPort(strings.Trim(host, "[]"), "25")
	}
	return host
}

func mailOf(r *http.Request) (Mail, error) {
	var m Mail
	if r.Method != Method || r.Body == nil {
		return m, fmt.Errorf("smtp: %s %s is no mail: expected %s %s", r.Method, r.URL.Path, Method, Path)
	}
	defer r.Body.Close()
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("smtp: the request is no mail: %w", err)
	}
	return m, nil
}

// sending is one mail on its way.
type sending struct {
	conn net.Conn
	host string
	auth smtp.Auth
	mail Mail
	raw  []byte
	dot  func()
}

// run returns the reply that decided: the first that refuses, or that to the final
// dot.
func (s *sending) run() (code int, text string, err error) {
	c, err := smtp.NewClient(s.conn, s.host)
	if err == nil {
		err = s.envelope(c)
	}
	if err == nil {
		err = command(c, 354, "DATA")
	}
	if refused := (*textproto.Error)(nil); errors.As(err, &refused) {
		return refused.Code, refused.Msg, nil
	}
	var w io.WriteCloser
	if err == nil {
		w = c.Text.DotWriter()
		_, err = w.Write(s.raw)
	}
	if err != nil {
		return 0, "", fmt.Errorf("%w: %w", ErrBeforeDot, err)
	}
	if s.dot != nil {
		s.dot()
	}
	if err := w.Close(); err != nil {
		return 0, "", fmt.Errorf("the final dot: %w", err)
	}
	code, text, err = readReply(c.Text.R)
	if err != nil {
		return 0, "", fmt.Errorf("the reply to the final dot: %w", err)
	}
	// The reply counts, whatever becomes of the farewell.
	_, _ = c.Text.Cmd("QUIT")
	return code, text, nil
}

func (s *sending) envelope(c *smtp.Client) error {
	if ok, _ := c.Extension("STARTTLS"); ok {
		if err := c.StartTLS(&tls.Config{ServerName: s.host}); err != nil {
			return err
		}
	}
	if s.auth != nil {
		if ok, _ := c.Extension("AUTH"); ok {
			if err := c.Auth(s.auth); err != nil {
				return err
			}
		}
	}
	if err := c.Mail(s.mail.From); err != nil {
		return err
	}
	for _, to := range s.mail.To {
		if err := c.Rcpt(to); err != nil {
			return err
		}
	}
	return nil
}

// command sends a line and wants a reply with that code.
func command(c *smtp.Client, want int, line string) error {
	id, err := c.Text.Cmd("%s", line)
	if err != nil {
		return err
	}
	c.Text.StartResponse(id)
	defer c.Text.EndResponse(id)
	_, _, err = c.Text.ReadResponse(want)
	return err
}

// readReply reads one reply, of one line or more, to its end. net/textproto takes a
// last line without an end for a whole one, so that a reply that was cut after its
// code would be believed: here it is none.
func readReply(r *bufio.Reader) (code int, text string, err error) {
	var lines []string
	for range maxReplyLines {
		line, err := r.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, "", err
		}
		line = strings.TrimRight(line, "\r\n")
		if len(line) < 3 || len(line) > 3 && line[3] != ' ' && line[3] != '-' {
			return 0, "", textproto.ProtocolError("no reply: " + strconv.Quote(line))
		}
		if code, err = strconv.Atoi(line[:3]); err != nil || code < 200 || code > 599 {
			return 0, "", textproto.ProtocolError("no reply code: " + strconv.Quote(line))
		}
		lines = append(lines, strings.TrimPrefix(line[3:], line[3:min(4, len(line))]))
		if len(line) == 3 || line[3] == ' ' {
			return code, strings.Join(lines, "\n"), nil
		}
	}
	return 0, "", textproto.ProtocolError("a reply that does not end")
}

// maxReplyLines bounds one reply.
const maxReplyLines = 100

func response(r *http.Request, code int, text string) *http.Response {
	status, body := answerOf(code, text)
	return &http.Response{
		Status: fmt.Sprint(status), StatusCode: status, Proto: "SMTP", Request: r,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}
}
