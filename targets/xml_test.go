package targets

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/retrydrill/drill/harness"
)

func ec2(t testing.TB) *Profile {
	t.Helper()
	p, err := Builtin("aws-client-token")
	require.NoError(t, err)
	return p
}

func TestReadXML(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`<a/>`, `{"a":""}`},
		{`<?xml version="1.0"?><a xmlns="urn:x" b="1"> x &amp; y </a>`, `{"a":"x \u0026 y"}`},
		{`<a><b>1</b><b>2</b><c/></a>`, `{"a":{"b":["1","2"],"c":""}}`},
		{`<a><set><item><id>1</id></item></set></a>`, `{"a":{"set":[{"id":"1"}]}}`},
		{`<a><set><item>1</item><item>2</item></set></a>`, `{"a":{"set":["1","2"]}}`},
		{`<a><item>1</item><other/></a>`, `{"a":{"item":"1","other":""}}`},
		{`<x:a xmlns:x="urn:x"><x:b/></x:a>`, `{"a":{"b":""}}`},
		{``, ``}, {`text`, ``}, {`<a>`, ``}, {`<a></b>`, ``}, {`<a/><b/>`, ``}, {`<a/><a/>`, ``}, {`<a/>text`, ``},
		{`{"a": 1}`, ``}, {`<a>` + strings.Repeat("<b>", 100) + strings.Repeat("</b>", 100) + `</a>`, ``},
		{"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>", ``},
		{`<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, ``},
	} {
		got, err := readXML([]byte(c.in), "item")
		if c.want == "" {
			assert.ErrorIs(t, err, errXML, c.in)
			continue
		}
		require.NoError(t, err, c.in)
		assert.Equal(t, c.want, string(got), c.in)
	}
}

// TestXMLRoundTrip: what is written is read back, as texts.
func TestXMLRoundTrip(t *testing.T) {
	text := rapid.StringMatching(`[ -~é]{0,8}`).Filter(func(s string) bool { return strings.TrimSpace(s) == s })
	name := rapid.StringMatching(`[a-h][a-z0-9]{0,3}`)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		kinds := []*rapid.Generator[any]{text.AsAny()}
		if depth > 0 {
			below := value(depth - 1)
			kinds = append(kinds,
				rapid.SliceOfN(below, 1, 3).AsAny(),
				rapid.MapOfN(name, below, 1, 3).AsAny())
		}
		return rapid.OneOf(kinds...)
	}
	rapid.Check(t, func(r *rapid.T) {
		v := rapid.MapOfN(name, value(3), 1, 1).Filter(func(m map[string]any) bool {
			for _, v := range m {
				_, list := v.([]any)
				return !list
			}
			return false
		}).Draw(r, "document")
		in, err := json.Marshal(v)
		require.NoError(r, err)
		wire, err := writeXML(in, "urn:x", "item")
		require.NoError(r, err)
		out, err := readXML(wire, "item")
		require.NoError(r, err, "%s", wire)
		require.JSONEq(r, string(in), string(out), "%s", wire)
	})
}

func FuzzReadXML(f *testing.F) {
	for _, s := range []string{"<a/>", "<a><b>1</b><b>2</b></a>", "<a><item/></a>", "<a xmlns='x'>&lt;</a>", "<a", "<!--", "<a><![CDATA[x]]></a>"} {
		f.Add([]byte(s))
	}
	p := ec2(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		doc, err := readXML(b, "item")
		if err != nil {
			return
		}
		require.True(t, json.Valid(doc), "%q", doc)
		again, err := writeXML(doc, "", "item")
		require.NoError(t, err)
		_, err = readXML(again, "item")
		require.NoError(t, err, "%q", again)
		for op := range p.Operations {
			p.Namer().Answer(op, harness.RawAnswer{Status: 200, Body: b})
			p.Namer().Answer(op, harness.RawAnswer{Status: 500, Body: b})
		}
	})
}

// TestOperationsByAction: one path, and a constant of the form says which.
func TestOperationsByAction(t *testing.T) {
	n := ec2(t).Namer()
	named := func(body string) harness.Named {
		return *n.Name(harness.RawRequest{Method: "POST", Path: "/", Body: []byte(body)})
	}
	run := named("Action=RunInstances&ClientToken=k1&SubnetId=subnet-1&TagSpecification.1.Tag.1.Value=act-1")
	assert.Equal(t, "create", run.Op)
	assert.True(t, run.Changes)
	assert.Equal(t, []string{"k1", "subnet-1", "act-1"}, []string{run.Key, run.BusinessKey, run.Reference})
	find := named("Filter.1.Value.1=k1&Action=DescribeInstances")
	assert.Equal(t, "find", find.Op)
	assert.False(t, find.Changes)
	assert.Equal(t, "k1", find.Key)
	for _, body := range []string{"", "Action=TerminateInstances", "Version=1"} {
		assert.Empty(t, named(body).Op, body)
		assert.True(t, named(body).Changes, "what nobody knows may change something")
	}
}

func TestXMLAnswers(t *testing.T) {
	n := ec2(t).Namer()
	answer := func(op string, status int, body string) harness.Answered {
		return *n.Answer(op, harness.RawAnswer{Status: status, Body: []byte(body)})
	}
	const instance = `<item><instanceId>i-1</instanceId><imageId>ami-1</imageId><tagSet><item><key>action_id</key><value>act-1</value></item></tagSet></item>`
	made := answer("create", 200, `<RunInstancesResponse><instancesSet>`+instance+`</instancesSet></RunInstancesResponse>`)
	assert.Equal(t, "i-1", made.Resource)
	found := answer("find", 200, `<DescribeInstancesResponse><reservationSet><item><instancesSet>`+instance+instance+
		`</instancesSet></item><item><instancesSet>`+instance+`</instancesSet></item></reservationSet></DescribeInstancesResponse>`)
	require.Len(t, found.Found, 3)
	assert.Equal(t, "act-1", found.Found[2].Reference)
	none := answer("find", 200, `<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>`)
	assert.Empty(t, none.Found)
	assert.False(t, none.Opaque)
	refused := answer("create", 400, `<Response><Errors><Error><Code>IdempotentParameterMismatch</Code></Error></Errors><RequestID>1</RequestID></Response>`)
	assert.Equal(t, "IdempotentParameterMismatch", refused.Code)
	for _, c := range []struct {
		op, body string
		status   int
	}{
		{"create", `<html><body>Bad gateway</body></html>`, 200}, {"create", `<html><body>Bad gateway</body></html>`, 502},
		{"find", `<html><body>Bad gateway</body></html>`, 200}, {"find", `{"reservationSet": []}`, 200}, {"create", ``, 200},
	} {
		assert.True(t, answer(c.op, c.status, c.body).Opaque, c.body)
	}
}

// TestXMLRequests: a body is written and read by the same template.
func TestXMLRequests(t *testing.T) {
	p, err := Parse([]byte(`name: orders
idempotency:
  key: {body: Order.Key, malformed: refuse, missing: accept}
  scope: account
  same_arguments: replay
  other_arguments: replay
answers: {format: xml}
operations:
  create:
    method: POST
    path: /orders
    changes: true
    xml: {Order.Name: "${business_key}", Order.Amount.Value: "${arguments.amount}", Order.Reference: "${action_id}"}
    object: Order
    id: ID
reference: Order.Reference
`), "orders.yaml")
	require.NoError(t, err)
	w := Write{Key: "k<1", ActionID: "act", BusinessKey: "a & b", Arguments: harness.Arguments{"amount": int64(5)}}
	r, err := p.Request("create", "", w)
	require.NoError(t, err)
	assert.Contains(t, string(r.Body), "<Order><Amount><Value>5</Value></Amount><Key>k&lt;1</Key>")
	assert.Equal(t, []string{"application/xml"}, r.Header["Content-Type"])
	named := p.Namer().Name(r)
	assert.Equal(t, []string{"create", "k<1", "a & b", "act"}, []string{named.Op, named.Key, named.BusinessKey, named.Reference})
	assert.Equal(t, p.Namer().Digest(w.Arguments), named.Arguments)
}

func TestOperationsThatNothingTellsApart(t *testing.T) {
	const doc = "name: x\noperations:\n  create: {method: POST, path: /, changes: true, form: {Action: A}}\n  find: {method: POST, path: /, form: {%s}}\n"
	_, err := Parse([]byte(strings.Replace(doc, "%s", "Action: A", 1)), "f.yaml")
	assert.ErrorContains(t, err, "f.yaml:4:30: create and find have one method and path")
	_, err = Parse([]byte(strings.Replace(doc, "%s", "Action: B", 1)), "f.yaml")
	assert.NoError(t, err)
}

func TestAccessKeyID(t *testing.T) {
	for in, want := range map[string]string{
		"AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=00": "AKID",
		"AWS4-HMAC-SHA256 SignedHeaders=host,Credential=AKID/x":                                                  "AKID",
		"AWS4-HMAC-SHA256 SignedHeaders=host":                                                                    "",
		"Bearer AKID":                                                                                            "", "": "", "Credential=AKID": "",
	} {
		assert.Equal(t, want, AccessKeyID(in), in)
	}
}
