package fakes_test

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
)

const token = "sk_test_spoken"

const letter = "From: orders@shop.test\r\nTo: ann@customer.test\r\nMessage-ID: <act-A@shop.test>\r\nSubject: Hello\r\n\r\nTwo lamps.\r\n"

// rawMail speaks SMTP line by line.
type rawMail struct {
	*rawConn
	lines *bufio.Reader
}

func (s *stood) mail() *rawMail {
	c := s.dial()
	m := &rawMail{c, bufio.NewReader(c)}
	m.wants("220 ")
	m.says("EHLO client.test")
	m.wants("250 ")
	return m
}

func (m *rawMail) says(line string) {
	m.t.Helper()
	_, err := io.WriteString(m, line+"\r\n")
	require.NoError(m.t, err)
}

// wants reads one reply, whose last line begins so.
func (m *rawMail) wants(prefix string) string {
	m.t.Helper()
	_ = m.SetReadDeadline(time.Now().Add(patience))
	for {
		line, err := m.lines.ReadString('\n')
		require.NoError(m.t, err)
		if len(line) > 3 && line[3] == '-' {
			continue
		}
		require.True(m.t, strings.HasPrefix(line, prefix), "%q", line)
		return line
	}
}

// data goes as far as the body without its final dot.
func (m *rawMail) data() {
	m.t.Helper()
	m.says("MAIL FROM:<orders@shop.test>")
	m.wants("250 ")
	m.says("RCPT TO:<ann@customer.test>")
	m.wants("250 ")
	m.says("DATA")
	m.wants("354 ")
	_, err := io.WriteString(m, letter)
	require.NoError(m.t, err)
}

func (m *rawMail) dot() { m.says(".") }

// TestMailFaultsStrikeExactly sends a mail under each fault, on a connection that
// carried one before and on one that did not, and then one more: the first is struck
// at the final dot, the second is not.
func TestMailFaultsStrikeExactly(t *testing.T) {
	const reply = "250 2.0.0 Ok: queued as "
	for _, c := range []struct {
		line    string
		bytes   string
		end     string
		commits int
	}{
		{"create#1 request close", "", "eof", 0},
		{"create#1 request reset", "", "reset", 0},
		{"create#1 request hang", "", "silence", 0},
		{"create#1 request cut 40", "", "eof", 0},
		{"create#1 response close", "", "eof", 1},
		{"create#1 response reset", "", "reset", 1},
		{"create#1 response hang", "", "silence", 1},
		{"create#1 response truncate head 3", "250", "eof", 1},
		{"create#1 response truncate 0", "250 ", "eof", 1},
		{"create#1 response truncate 5", "250 2.0.0", "eof", 1},
		{"create#1 target reject 451 4.7.1", "451 4.7.1 Not now\r\n", "silence", 0},
		{"create#1 target reject 550 5.1.1", "550 5.1.1 Refused\r\n", "silence", 0},
		{"create#1 request status 421", "421 4.0.0 Not now\r\n", "silence", 0},
		{"create#1 target fail 451", "451 4.0.0 Not now\r\n", "silence", 1},
	} {
		for _, warm := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/warm=%v", c.line, warm), func(t *testing.T) {
				s := stand(t, "mail-smtp", "")
				m, before := (*rawMail)(nil), 0
				if strings.HasSuffix(c.line, "reset") {
					// Links of the other kind give way: a warm one has to be opened after.
					s.arm(strings.Replace(c.line, "#1", "#2", 1))
					m = s.mail()
					if !warm {
						m.data()
						m.dot()
						m.wants(reply)
						m, before = s.mail(), 1
					}
				} else if m = s.mail(); !warm {
					s.arm(c.line)
				}
				if warm {
					m.data()
					m.dot()
					m.wants(reply)
					before = 1
					if !strings.HasSuffix(c.line, "reset") {
						s.arm(c.line)
					}
				}
				m.data()
				require.Len(t, s.Effects(), before, "nothing is accepted before the dot")
				m.dot()
				due := len(c.bytes)
				if c.end != "silence" {
					due = 1 << 30
				}
				require.Equal(t, saw{c.bytes, c.end}, m.rest(due))
				require.Len(t, s.Effects(), before+c.commits)
				s.fired()
				again := s.mail()
				again.data()
				again.dot()
				again.wants(reply)
				require.Len(t, s.Effects(), before+c.commits+1, "the next mail passes")
				require.Len(t, events(s.Events(), harness.EvFault), 1, "it fires once")
			})
		}
	}
}

// TestTornMail ends connections inside DATA, and after the dot: only what had its dot
// was sent.
func TestTornMail(t *testing.T) {
	s := stand(t, "mail-smtp", "")
	m := s.mail()
	m.data()
	require.NoError(t, m.Close())
	require.Eventually(t, func() bool { return len(events(s.Events(), harness.EvTorn)) == 1 }, patience, time.Millisecond)
	require.Empty(t, s.Effects())

	m = s.mail()
	m.data()
	m.dot()
	require.NoError(t, m.Close())
	require.Eventually(t, func() bool { return len(s.Effects()) == 1 }, patience, time.Millisecond, "nobody heard of it, and it is sent")
	e := s.Effects()[0]
	require.Equal(t, "act-A", e.Reference)
	require.Equal(t, harness.Do, e.Kind)

	m = s.mail()
	m.data()
	m.says("not the dot: ..")
	m.says("..")
	require.Equal(t, saw{"", "silence"}, m.rest(0), "a dot-stuffed line ends nothing")
	m.dot()
	m.wants("250 2.0.0")
	m.says("RSET")
	m.wants("250 ")
	m.says("QUIT")
	m.wants("221 ")
	require.Len(t, s.Effects(), 2, "the same Message-ID is no reason to drop a mail")
}

func TestMailProvesWhoSends(t *testing.T) {
	s := stand(t, "mail-smtp", "sesame")
	m := s.mail()
	m.data()
	m.dot()
	m.wants("530 5.7.0")
	require.Empty(t, s.Effects())
	m.says("AUTH PLAIN AHNob3AAc2VzYW1l")
	m.wants("235 ")
	m.data()
	m.dot()
	m.wants("250 2.0.0")
	require.Len(t, s.Effects(), 1)
}

func TestMailThatIsTooLong(t *testing.T) {
	s := stand(t, "mail-smtp", "")
	m := s.mail()
	m.data()
	line := strings.Repeat("x", 998) + "\r\n"
	for range 1100 {
		_, err := io.WriteString(m, line)
		require.NoError(t, err)
	}
	m.dot()
	m.wants("552 5.3.4")
	require.Empty(t, s.Effects())
}
