package targets

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"syscall"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets/viasmtp"
)

// Unanswered is one row of the table that says what it means when no answer came.
type Unanswered struct {
	Name, Doc string
	Class     harness.Class
	is        func(error) bool
}

// WithoutAnswer is that table: the first row that fits counts, and an error that
// fits none (EOF, RST, a cut body, a deadline) is unknown.
//
// A row that says never dispatched holds only while the call never had a
// connection. net/http sends a keyed request again by itself when a used connection
// dies: then the refusal is that of the second sending, and the first may have
// committed.
var WithoutAnswer = []Unanswered{
	{"refused", "nothing listens there", harness.NeverDispatched, is(syscall.ECONNREFUSED)},
	{"name", "the host's name did not resolve", harness.NeverDispatched, as[*net.DNSError]},
	{"tls-certificate", "the certificate was not accepted", harness.NeverDispatched, as[*tls.CertificateVerificationError]},
	{"tls-authority", "the certificate's authority is not known", harness.NeverDispatched, as[x509.UnknownAuthorityError]},
	{"tls-hostname", "the certificate is for another host", harness.NeverDispatched, as[x509.HostnameError]},
	{"tls-invalid", "the certificate is not valid", harness.NeverDispatched, as[x509.CertificateInvalidError]},
	{"tls-record", "the other side does not speak TLS", harness.NeverDispatched, as[tls.RecordHeaderError]},
	{"tls-alert", "the other side refused the handshake", harness.NeverDispatched, alerted},
	{"before-the-dot", "an SMTP connection ended before the final dot", harness.NeverDispatched, is(viasmtp.ErrBeforeDot)},
	{"tls-scheme", "the other side speaks plain HTTP", harness.NeverDispatched, is(http.ErrSchemeMismatch)},
}

// alerted: an alert that the other side sent has a type of its own in crypto/tls, which
// it does not export; what holds it is told by its operation.
func alerted(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error" || as[tls.AlertError](err)
}

// ClassOfError returns the class of a call that got no answer. connected tells
// whether the call ever had a connection on which a byte could leave.
func ClassOfError(err error, connected bool) harness.Class {
	if connected {
		return harness.Unknown
	}
	for _, u := range WithoutAnswer {
		if u.is(err) {
			return u.Class
		}
	}
	return harness.Unknown
}

// UnansweredName is the row of [WithoutAnswer] that an error fits, or empty.
func UnansweredName(err error) string {
	for _, u := range WithoutAnswer {
		if u.is(err) {
			return u.Name
		}
	}
	return ""
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
