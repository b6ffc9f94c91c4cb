package protocol

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func environ(over ...string) func(string) string {
	m := map[string]string{
		"DRILL_TARGET_URL":         "http://127.0.0.1:1",
		"DRILL_TARGET_TOKEN":       "token",
		"DRILL_STATE_DIR":          "dir",
		"DRILL_CLIENT_DEADLINE_MS": "300",
	}
	for i := 0; i < len(over); i += 2 {
		m[over[i]] = over[i+1]
	}
	return func(k string) string { return m[k] }
}

func TestReadTakesTheJobAndItsSurroundings(t *testing.T) {
	env, job, err := Read(environ(), strings.NewReader(`{"protocol": 1, "deliver": "actions", "delivery": 2,
		"trigger_key": "t", "actions": [{"action_id": "a", "effect": "refund",
		"arguments": {"amount": 1099, "charge": "ch_1"}, "arguments_sha256": "sha256:…"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if env.ClientDeadline != 300*time.Millisecond || env.TargetURL != "http://127.0.0.1:1" || env.Token != "token" {
		t.Errorf("environment: %+v", env)
	}
	a := job.Actions[0]
	if job.Delivery != 2 || a.ID != "a" || a.Arguments.Charge != "ch_1" || a.Arguments.Amount != 1099 {
		t.Errorf("job: %+v", job)
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		env  func(string) string
		job  string
		want string
	}{
		"no target":        {environ("DRILL_TARGET_URL", ""), `{"protocol": 1}`, "DRILL_TARGET_URL is not set"},
		"no deadline":      {environ("DRILL_CLIENT_DEADLINE_MS", "soon"), `{"protocol": 1}`, `"soon": expected milliseconds`},
		"another protocol": {environ(), `{"protocol": 2}`, "protocol is 2: expected 1"},
		"a cut job":        {environ(), `{"protocol"`, "job: unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Read(c.env, strings.NewReader(c.job))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v: expected %q in it", err, c.want)
			}
		})
	}
}

func TestWriteIsOneLine(t *testing.T) {
	var out bytes.Buffer
	a := Action{ID: "a"}
	for _, r := range []Report{Done(a, "re_1"), Rejected(a)} {
		if err := Write(&out, r); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"action_id":"a","outcome":"done","resource_id":"re_1"}` + "\n" +
		`{"action_id":"a","outcome":"rejected","error_class":"rejected_permanent"}` + "\n"
	if out.String() != want {
		t.Errorf("wrote %s: expected %s", out.String(), want)
	}
}
