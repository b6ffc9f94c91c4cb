package fakes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/smtp"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/internal/port"
	"github.com/retrydrill/drill/targets"
)

// need looks for a program. In CI a missing one is no reason to skip.
func need(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name+" is missing: .ci/run installs it")
	}
	return path
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// TestNetSMTP: Go's own client, with AUTH. The answer that is lost after the dot is an
// error like any other to it, and who then sends again has sent twice.
func TestNetSMTP(t *testing.T) {
	s := stand(t, "mail-smtp", token)
	send := func() error {
		host, _, err := net.SplitHostPort(s.address())
		require.NoError(t, err)
		return smtp.SendMail(s.address(), smtp.PlainAuth("", "anybody", token, host), "orders@shop.test", []string{"ann@customer.test"}, []byte(letter))
	}
	require.NoError(t, send())
	require.Len(t, s.Effects(), 1)
	s.arm("create#1 response close")
	require.Error(t, send())
	s.fired()
	require.Len(t, s.Effects(), 2, "it heard of a failure, and the mail is sent")
	require.NoError(t, send())
	require.Len(t, s.Effects(), 3)
	for _, e := range s.Effects() {
		require.Equal(t, "act-A", e.Reference)
	}
	s.arm("create#1 target reject 550 5.1.1")
	require.ErrorContains(t, send(), "550")
	require.Len(t, s.Effects(), 3)
}

// TestNodemailer: the same with nodemailer.
func TestNodemailer(t *testing.T) {
	node := need(t, "node")
	const dir = "../testdata/clients/node"
	if _, err := os.Stat(dir + "/node_modules/nodemailer"); err != nil {
		missing(t, dir+" has no modules: npm ci there")
	}
	s := stand(t, "mail-smtp", token)
	type heard struct {
		Response, ID, Code string
		Status             *int
		Accepted           []string
	}
	send := func(tries int) []heard {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		cmd := exec.CommandContext(ctx, node, "mail.mjs", s.URL(), token, fmt.Sprint(tries))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		var all []heard
		require.NoError(t, json.Unmarshal(out, &all), "%s", out)
		return all
	}
	got := send(1)
	require.Len(t, got, 1)
	require.Contains(t, got[0].Response, "250 2.0.0 Ok: queued as ")
	require.ElementsMatch(t, []string{"ann@customer.test", "bob@customer.test"}, got[0].Accepted)
	effects := s.Effects()
	require.Len(t, effects, 1)
	require.Equal(t, "act-A", effects[0].Reference)
	require.Equal(t, "order-1001", effects[0].BusinessKey)
	p, err := targets.Builtin("mail-smtp")
	require.NoError(t, err)
	require.Equal(t, p.Namer().Digest(harness.Arguments{"subject": "Grüße", "text": "Two lamps.\n.\nOn their way.",
		"recipients": []any{"ann@customer.test", "bob@customer.test"}}), effects[0].Arguments, "the text part of two, decoded")

	s.arm("create#1 response reset")
	got = send(2)
	s.fired()
	require.Len(t, got, 2)
	require.NotEmpty(t, got[0].Code)
	require.Nil(t, got[0].Status, "no reply code: nothing tells that it was not sent")
	require.Len(t, s.Effects(), 3, "tried again, and sent twice")

	s.arm("create#1 target reject 451 4.7.1")
	got = send(1)
	require.Equal(t, 451, *got[0].Status)
	require.Len(t, s.Effects(), 3)
}

// TestNsupdate: BIND's own client over TCP. Where the answer is lost, the prerequisite
// keeps whoever tries again from a second effect.
func TestNsupdate(t *testing.T) {
	nsupdate := need(t, "nsupdate")
	s := stand(t, "dns-update", "")
	_, port, err := net.SplitHostPort(s.address())
	require.NoError(t, err)
	run := func(lines ...string) (string, error) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		cmd := exec.CommandContext(ctx, nsupdate, "-v", "-t", "5")
		cmd.Stdin = strings.NewReader("server 127.0.0.1 " + port + "\nzone shop.test\n" + strings.Join(lines, "\n") + "\nsend\n")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	add := func(name string) []string {
		return []string{"prereq nxdomain " + name, "update add " + name + " 300 A 192.0.2.10", "update add " + name + ` 300 TXT "act-A"`}
	}
	out, err := run(add("www.shop.test")...)
	require.NoError(t, err, out)
	effects := s.Effects()
	require.Len(t, effects, 2)
	require.Equal(t, []string{"record", "marker"}, []string{effects[0].Part, effects[1].Part})
	require.Equal(t, "www.shop.test.", effects[0].BusinessKey)
	require.Equal(t, "act-A", effects[0].Reference)
	p, err := targets.Builtin("dns-update")
	require.NoError(t, err)
	require.Equal(t, p.Namer().Digest(p.DefaultAction().Arguments), effects[0].Arguments)

	out, err = run(add("www.shop.test")...)
	require.Error(t, err)
	require.Contains(t, out, "YXDOMAIN")

	s.arm("create#1 response close")
	out, err = run(add("lost.shop.test")...)
	require.Error(t, err, out)
	s.fired()
	require.Len(t, s.Effects(), 4, "done once, whatever it heard: %s", out)
	out, err = run(add("lost.shop.test")...)
	require.Error(t, err)
	require.Contains(t, out, "YXDOMAIN")
	require.Len(t, s.Effects(), 4)

	out, err = run("prereq yxrrset lost.shop.test TXT \"act-A\"", "update delete lost.shop.test")
	require.NoError(t, err, out)
	kinds := []string{}
	for _, e := range s.Effects()[4:] {
		kinds = append(kinds, e.Kind+" "+e.Part+" "+e.Resource)
	}
	require.Equal(t, []string{"undo record lost.shop.test.", "undo marker lost.shop.test."}, kinds)
}

// TestGoDNS: the public Go library as a client. A query tells what became of an update
// whose answer was lost.
func TestGoDNS(t *testing.T) {
	s := stand(t, "dns-update", "")
	name := "www." + shopZone
	require.Equal(t, dns.RcodeSuccess, s.asks(owned(t, "other."+shopZone, "act-B")).Rcode)
	s.arm("create#1 response reset")
	_, _, err := (&dns.Client{Net: "tcp", Timeout: patience}).Exchange(owned(t, name, "act-A"), s.address())
	require.Error(t, err)
	s.fired()
	require.Len(t, s.Effects(), 4)
	q := new(dns.Msg)
	q.SetQuestion(name, dns.TypeTXT)
	require.Equal(t, []string{"act-A"}, s.asks(q).Answer[0].(*dns.TXT).Txt, "ours")
	require.Equal(t, dns.RcodeYXDomain, s.asks(owned(t, name, "act-A")).Rcode)
	require.Len(t, s.Effects(), 4)
}

// TestClientOfAProfile: the client that any executor uses finds and makes over both
// protocols; what it can not have sent was never dispatched.
func TestClientOfAProfile(t *testing.T) {
	for _, profile := range []string{"mail-smtp", "dns-update"} {
		t.Run(profile, func(t *testing.T) {
			p, err := targets.Builtin(profile)
			require.NoError(t, err)
			secret := ""
			if profile == "mail-smtp" {
				secret = token
			}
			s := stand(t, profile, secret)
			c := targets.NewClient(p, s.URL(), secret, &http.Client{Timeout: patience})
			a := p.DefaultAction()
			w := targets.Write{ActionID: "act-1", BusinessKey: a.BusinessKey, Arguments: a.Arguments}
			out := c.Create(t.Context(), w)
			require.Equal(t, harness.Confirmed, out.Class, "%v", out.Err)
			require.Equal(t, s.Effects()[0].Resource, out.Resource)
			require.Equal(t, p.Namer().Digest(a.Arguments), s.Effects()[0].Arguments)
			made := len(s.Effects())
			if profile == "dns-update" {
				found, seen := c.Look(t.Context(), harness.CreateOp, w)
				require.Equal(t, harness.Confirmed, seen.Class, "%v", seen.Err)
				require.Equal(t, []targets.Object{{Resource: a.BusinessKey, Reference: "act-1", Arguments: p.Namer().Digest(a.Arguments)}}, found)
				again := c.Create(t.Context(), w)
				require.Equal(t, harness.Unknown, again.Class)
				require.Equal(t, "YXDOMAIN", again.Code)
			}
			for _, line := range []string{"create#1 response truncate 5", "create#1 response close", "create#1 request close"} {
				s.arm(line)
				w.BusinessKey = "x" + w.BusinessKey
				out = c.Create(t.Context(), w)
				s.fired()
				require.Equal(t, harness.Unknown, out.Class, "%s: %v", line, out.Err)
			}
			require.Len(t, s.Effects(), 3*made, "two of three were done")
			gone, cancel := context.WithCancel(t.Context())
			cancel()
			require.NotEqual(t, harness.Confirmed, c.Create(gone, w).Class)
			nobody, err := port.Hold()
			require.NoError(t, err)
			defer nobody.Close()
			refused := targets.NewClient(p, p.Protocol+"://"+nobody.Address(), secret, nil).Create(t.Context(), w)
			require.Equal(t, harness.NeverDispatched, refused.Class, "%v", refused.Err)
		})
	}
}
