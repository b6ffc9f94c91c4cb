package viasmtp

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestComposedIsRead: what a profile says is what a server reads, whatever it is.
func TestComposedIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z][a-z0-9]{0,8}`)
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab .=_?\u00fc\u4e16\n\u0022,:;-")))
		m := Mail{
			From:      word.Draw(t, "from") + "@shop.test",
			To:        NewRecipients(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return word.Draw(t, "to") + "@Customer.test" }), 1, 4).Draw(t, "recipients")...),
			MessageID: MessageID{word.Draw(t, "left"), "shop.test"},
			Subject:   strings.Join(strings.Fields(text.Draw(t, "subject")), " "),
			Headers:   map[string]string{"x-" + word.Draw(t, "name"): "v " + word.Draw(t, "value")},
			Text:      strings.TrimRight(text.Draw(t, "text"), "\n"),
		}
		raw, err := m.Compose(time.Unix(0, 0))
		if err != nil {
			require.Contains(t, err.Error(), "longer than")
			return
		}
		got := Parse(m.From, m.To, raw)
		require.NotEmpty(t, got.BodySHA256)
		got.BodySHA256 = ""
		delete(got.Headers, "from")
		delete(got.Headers, "to")
		require.Equal(t, m, got, "%s", raw)
	})
}

func TestComposeRefuses(t *testing.T) {
	good := func() Mail { return Mail{From: "a@shop.test", To: Recipients{"b@shop.test"}} }
	for what, m := range map[string]func(*Mail){
		"nobody":                  func(m *Mail) { m.To = nil },
		"no address":              func(m *Mail) { m.From = "shop" },
		"a command in one":        func(m *Mail) { m.To = Recipients{"b@shop.test>\r\nRCPT TO:<eve@shop.test"} },
		"a header in a subject":   func(m *Mail) { m.Subject = "hello\r\nBcc: eve@shop.test" },
		"a header in a header":    func(m *Mail) { m.Headers = map[string]string{"x-a": "b\nBcc: eve@shop.test"} },
		"a header in its name":    func(m *Mail) { m.Headers = map[string]string{"x-a: b\r\nBcc": "eve@shop.test"} },
		"one that drill makes":    func(m *Mail) { m.Headers = map[string]string{"Date": "today"} },
		"a line that is too long": func(m *Mail) { m.Subject = strings.Repeat("x", 2000) },
	} {
		x := good()
		m(&x)
		_, err := x.Compose(time.Unix(0, 0))
		require.Error(t, err, what)
	}
	_, err := good().Compose(time.Unix(0, 0))
	require.NoError(t, err)
}

// TestReadReply: a reply counts once its last line has ended.
func TestReadReply(t *testing.T) {
	for in, want := range map[string]int{
		"250 2.0.0 Ok\r\n":               250,
		"250\r\n":                        250,
		"250-one\r\n250 two\r\n":         250,
		"550 5.1.1 no\n":                 550,
		"250 2.0.0 Ok":                   0,
		"250":                            0,
		"250-one\r\n":                    0,
		"25\r\n":                         0,
		"2500\r\n":                       0,
		"999 what\r\n":                   0,
		"":                               0,
		strings.Repeat("250-x\r\n", 200): 0,
	} {
		code, _, err := readReply(bufio.NewReader(strings.NewReader(in)))
		require.Equal(t, want, code, "%q", in)
		require.Equal(t, want == 0, err != nil, "%q", in)
	}
	_, _, err := readReply(bufio.NewReader(strings.NewReader("250 2.0.0")))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// TestRepliesAreAnswers: what is answered is what a client reads.
func TestRepliesAreAnswers(t *testing.T) {
	for _, c := range []struct {
		status     int
		body       string
		line, back string
	}{
		{250, `{"id":"Q1"}`, "250 2.0.0 Ok: queued as Q1\r\n", `{"id":"Q1","message":"Ok: queued as Q1"}`},
		{451, `{"code":"4.7.1","message":"busy"}`, "451 4.7.1 busy\r\n", `{"code":"4.7.1","message":"busy"}`},
		{550, `{"code":"4.7.1"}`, "550 5.0.0 Refused\r\n", `{"code":"5.0.0","message":"Refused"}`},
		{421, `<html>`, "421 4.0.0 Not now\r\n", `{"code":"4.0.0","message":"Not now"}`},
		{302, `{}`, "451 4.0.0 Not now\r\n", `{"code":"4.0.0","message":"Not now"}`},
		{550, `{"message":"a\r\nb\u00fc"}`, "550 5.0.0 a??b?\r\n", `{"code":"5.0.0","message":"a??b?"}`},
	} {
		r := ReplyOf(c.status, []byte(c.body))
		require.Equal(t, c.line, r.String())
		code, text, err := readReply(bufio.NewReader(strings.NewReader(r.String())))
		require.NoError(t, err)
		_, body := answerOf(code, text)
		require.JSONEq(t, c.back, string(body))
	}
	_, body := answerOf(250, "thanks")
	require.JSONEq(t, `{"id":"thanks","message":"thanks"}`, string(body), "a server that names no queue")
	_, body = answerOf(550, "no such user")
	require.JSONEq(t, `{"code":"5.0.0","message":"no such user"}`, string(body))
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "Subject: x\r\n\r\nbody\r\n", "no header at all", "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n\r\n",
		"Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--b--\r\n",
		"Content-Transfer-Encoding: quoted-printable\r\n\r\na=3Db=\r\nc\r\n", "Content-Type: \xff\r\n\r\n\xff\xfe", "X: a\r\n b\r\nX: c\r\nMessage-ID: <a@b>\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		m := Parse("a@shop.test", []string{"b@Shop.test", "b@shop.test"}, raw)
		require.Equal(t, Recipients{"b@shop.test"}, m.To)
		require.NotEmpty(t, m.BodySHA256)
		b, err := json.Marshal(m)
		require.NoError(t, err)
		require.True(t, utf8.Valid(b))
		var again Mail
		require.NoError(t, json.Unmarshal(b, &again))
		require.Equal(t, Parse("a@shop.test", []string{"b@shop.test"}, raw), m, "the same bytes say the same")
	})
}
