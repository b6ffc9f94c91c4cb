package tap_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/harness/tap"
)

func TestFailureOf(t *testing.T) {
	read := func(what string, err error) error {
		return &url.Error{Op: "Post", URL: "http://x", Err: &net.OpError{Op: what, Net: "tcp", Err: os.NewSyscallError(what, err)}}
	}
	malformed := func() error {
		_, err := http.ReadResponse(bufio.NewReader(strings.NewReader("H")), nil)
		return fmt.Errorf("broken: %w", err)
	}
	told := map[harness.Failure]bool{}
	for _, c := range []struct {
		err  error
		want harness.Failure
	}{
		{nil, ""},
		{read("connect", syscall.ECONNREFUSED), harness.FailRefused},
		{&net.OpError{Op: "dial", Err: &net.DNSError{IsNotFound: true}}, harness.FailName},
		{read("read", syscall.ECONNRESET), harness.FailReset},
		{&url.Error{Op: "Post", Err: io.EOF}, harness.FailClosed},
		{fmt.Errorf("broken: %w", io.ErrUnexpectedEOF), harness.FailCut},
		{malformed(), harness.FailMalformed},
		{context.DeadlineExceeded, harness.FailGaveUp},
		{context.Canceled, harness.FailGaveUp},
		{errors.New("net/http: request canceled"), harness.FailGaveUp},
		{errors.New("else"), harness.FailOther},
	} {
		require.Equal(t, c.want, tap.FailureOf(c.err), "%v", c.err)
		told[c.want] = true
	}
	for _, f := range harness.Failures {
		require.True(t, told[f], "%s is never told", f)
	}
}

// TestFailuresOfRealCalls: what net/http itself answers is told apart.
func TestFailuresOfRealCalls(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		if r.URL.Path == "/reset" {
			require.NoError(t, conn.(*net.TCPConn).SetLinger(0))
		}
		_, _ = rw.WriteString(map[string]string{"/cut": "HTTP/1.1 200 OK\r\n", "/malformed": "H"}[r.URL.Path])
		_ = rw.Flush()
		_ = conn.Close()
	}))
	defer srv.Close()
	for _, want := range []harness.Failure{harness.FailClosed, harness.FailReset, harness.FailCut, harness.FailMalformed} {
		_, err := http.Get(srv.URL + "/" + string(want))
		require.Equal(t, want, tap.FailureOf(err), "%v", err)
	}
}
