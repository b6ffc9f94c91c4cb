package clients

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStripeNode: the same list with Stripe's SDK for Node.
func TestStripeNode(t *testing.T) {
	node := need(t, "node")
	if _, err := os.Stat("../node/node_modules/stripe"); err != nil {
		missing(t, "testdata/clients/node has no modules: npm ci there")
	}
	f := serve(t, "stripe-v1")
	cmd := exec.CommandContext(t.Context(), node, "stripe.mjs", f.url, token)
	cmd.Dir = "../node"
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "ok") {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := f.effects(); n != 5 {
		t.Errorf("%d effects, expected 5", n)
	}
}

// TestCurl: a shell and curl, as in a provider's own examples.
func TestCurl(t *testing.T) {
	curl := need(t, "curl")
	f := serve(t, "stripe-v1")
	ask := func(args ...string) string {
		t.Helper()
		args = append([]string{"--silent", "--show-error", "--include", "--noproxy", "*", "--user", token + ":"}, args...)
		out, err := exec.CommandContext(t.Context(), curl, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	create := []string{f.url + "/v1/refunds", "--header", "Idempotency-Key: act-1", "--data", "charge=ch_1", "--data", "metadata[action_id]=act-1", "--data", "amount=500"}
	for _, x := range []struct {
		name string
		args []string
		want []string
	}{
		{"create", create, []string{"HTTP/1.1 200 OK", `"amount":500`}},
		{"again", create, []string{"HTTP/1.1 200 OK", "Idempotent-Replayed: true", `"amount":500`}},
		{"other arguments", append(create[:len(create)-1:len(create)-1], "amount=600"), []string{"HTTP/1.1 400", `"type":"idempotency_error"`}},
		{"list", []string{"--get", f.url + "/v1/refunds", "--data", "charge=ch_1"}, []string{"HTTP/1.1 200 OK", `"has_more":false`, `"action_id":"act-1"`}},
		{"JSON", []string{f.url + "/v1/refunds", "--header", "Content-Type: application/json", "--data", `{"charge":"ch_1"}`}, []string{"HTTP/1.1 400"}},
		{"nobody", []string{"--user", ":", f.url + "/v1/refunds/re_1"}, []string{"HTTP/1.1 401"}},
	} {
		out := ask(x.args...)
		for _, want := range x.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", x.name, want, out)
			}
		}
	}
	if n := f.effects(); n != 1 {
		t.Errorf("%d effects, expected 1", n)
	}
}
