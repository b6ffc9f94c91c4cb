package fakes

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness"
	"github.com/retrydrill/drill/targets"
)

// What each domain has of its own, beside the rules that [TestConformance] walks.

func domainOf(t *testing.T, name string, shape ...func(*Options)) *walk {
	t.Helper()
	p, err := targets.Builtin(name)
	require.NoError(t, err)
	return walkOf(t, p, p.Steps()[0], shape...)
}

// TestTicketsAreFoundLate: the search finds nothing until it has caught up, and that
// is no proof; the key tells at once.
func TestTicketsAreFoundLate(t *testing.T) {
	w := domainOf(t, "tickets", func(o *Options) { o.Settings.StaleRead = harness.Span{D: 3 * time.Minute} })
	client := targets.NewClient(w.p, w.url, token, w.client)
	first := w.create(t, w.write("key-1", "act-1"))
	w.done(t, first)
	found, out := client.Look(context.Background(), harness.CreateOp, w.write("", "act-1"))
	require.Equal(t, harness.Confirmed, out.Class)
	assert.Empty(t, found)
	assert.False(t, w.p.Promises().Lookup.Authoritative)
	w.repeats(t, first, w.create(t, w.write("key-1", "act-1")))
	w.clock.add(3 * time.Minute)
	found, _ = client.Look(context.Background(), harness.CreateOp, w.write("", "act-1"))
	require.Len(t, found, 1)
	assert.Equal(t, first.Resource, found[0].Resource)
}

// TestTicketsHoldTheirShape: the one field that holds a request, and nothing beside it.
func TestTicketsHoldTheirShape(t *testing.T) {
	w := domainOf(t, "tickets")
	for _, body := range []string{`{}`, `{"ticket": "x"}`, `{"subject": "x"}`, `{"ticket": {"subject": "x", "requester": {}}, "more": 1}`, `{"ticket": {"requester": {"email": "a"}}}`} {
		r := w.do(t, "POST", "/api/v2/tickets", body, asJSON)
		assert.GreaterOrEqual(t, r.status, 400, body)
		assert.NotEmpty(t, r.body["error"], body)
	}
	assert.Empty(t, w.Effects())
}

func asJSON(r *http.Request) { r.Header.Set("Content-Type", "application/json") }

// TestConversationIsNoKey: the conversation goes on with each start; only the
// idempotency key makes two starts one.
func TestConversationIsNoKey(t *testing.T) {
	w := domainOf(t, "agent-runs")
	first := w.create(t, w.write("key-1", "act-1"))
	w.done(t, first)
	w.repeats(t, first, w.create(t, w.write("key-1", "act-1")))
	second := w.create(t, w.write("key-2", "act-2"))
	w.done(t, second)
	assert.NotEqual(t, first.Resource, second.Resource)
	w.done(t, w.create(t, w.write("", "act-3")))
	w.done(t, w.create(t, w.write("", "act-3")))
	require.Len(t, w.Effects(), 4, "without a key each is a start of its own")
	for _, e := range w.Effects() {
		assert.Equal(t, w.action.BusinessKey, e.BusinessKey, "one conversation")
	}
}

// TestRecipientsAreASet: two orders are one message under one key.
func TestRecipientsAreASet(t *testing.T) {
	w := domainOf(t, "mail-http")
	first := w.create(t, w.write("key-1", "act-1"))
	other := w.write("key-1", "act-1")
	other.Arguments = other.Arguments.Clone()
	list := slices.Clone(other.Arguments["recipients"].([]any))
	slices.Reverse(list)
	other.Arguments["recipients"] = list
	w.repeats(t, first, w.create(t, other))
	other.Arguments["recipients"] = append(list, "eve@example.com")
	w.refuses(t, w.create(t, other), w.p.Idempotency.Other.Refusal)
	assert.Len(t, w.Effects(), 1)
}

// TestAPurchaseOrderNumberIsTaken: the refusal does not tell whose the first is, and
// so is no answer to the question whether it is ours.
func TestAPurchaseOrderNumberIsTaken(t *testing.T) {
	w := domainOf(t, "purchase-orders", func(o *Options) {
		p, err := targets.Builtin("purchase-orders")
		require.NoError(t, err)
		o.Settings.ForeignObject, o.Action = true, p.DefaultAction()
	})
	client := targets.NewClient(w.p, w.url, token, w.client)
	out := client.Create(context.Background(), w.write("", "act-1"))
	assert.Equal(t, harness.Unknown, out.Class, "%+v", out)
	found, _ := client.Look(context.Background(), harness.CreateOp, w.write("", "act-1"))
	require.Len(t, found, 1)
	assert.NotEqual(t, "act-1", found[0].Reference)
}

// TestDeploymentsAreListedByAnotherName: the list calls an ID uid.
func TestDeploymentsAreListedByAnotherName(t *testing.T) {
	w := domainOf(t, "deployments")
	r := w.create(t, w.write("", "act-1"))
	client := targets.NewClient(w.p, w.url, token, w.client)
	found, out := client.Find(context.Background(), w.action.BusinessKey)
	require.Equal(t, harness.Confirmed, out.Class, "%+v", out)
	require.Len(t, found, 1)
	assert.Equal(t, harness.Found{Resource: r.Resource, Reference: "act-1", Arguments: w.p.Namer().Digest(w.action.Arguments)}, found[0])
}

// TestARecordComesWithItsMarker: one batch commits both, and a name that a stranger
// has is neither given twice nor listed as ours.
func TestARecordComesWithItsMarker(t *testing.T) {
	w := domainOf(t, "dns-http")
	w.done(t, w.create(t, w.write("", "act-1")))
	var parts []string
	for _, e := range w.Fake.Effects() {
		parts = append(parts, e.Part)
	}
	assert.Equal(t, []string{"record", "marker"}, parts)
	again := w.create(t, w.write("", "act-2"))
	w.refuses(t, again, w.p.Operations[harness.CreateOp].Exists)
	promises := w.p.Promises()
	assert.Equal(t, harness.Unknown, promises.Classify(again.status, again.Code), "it is there; whose, only a look-up tells")
	found, _ := targets.NewClient(w.p, w.url, token, w.client).Find(context.Background(), w.action.BusinessKey)
	require.Len(t, found, 1)
	assert.Equal(t, "act-1", found[0].Reference)
}
