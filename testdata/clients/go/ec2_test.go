package clients

import (
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/smithy-go"
)

// lossy loses the answers of the first requests of an action, after the target
// committed.
type lossy struct {
	lose atomic.Int32
	sent atomic.Int32
}

func (l *lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	l.sent.Add(1)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && l.lose.Add(-1) >= 0 {
		_ = resp.Body.Close()
		return nil, syscall.ECONNRESET
	}
	return resp, err
}

func ec2Client(f fake, id string, wire *lossy) *ec2.Client {
	return ec2.New(ec2.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(f.url), HTTPClient: &http.Client{Transport: wire},
		Credentials: credentials.NewStaticCredentialsProvider(id, "secret", ""),
	})
}

func run(clientToken *string, kind types.InstanceType) *ec2.RunInstancesInput {
	return &ec2.RunInstancesInput{
		ClientToken: clientToken, ImageId: aws.String("ami-0abcdef1234567890"), InstanceType: kind,
		MinCount: aws.Int32(1), MaxCount: aws.Int32(1), SubnetId: aws.String("subnet-0a1b2c3d"),
		TagSpecifications: []types.TagSpecification{{ResourceType: types.ResourceTypeInstance,
			Tags: []types.Tag{{Key: aws.String("action_id"), Value: aws.String("act-1")}}}},
	}
}

// TestEC2 runs instances with AWS's SDK, its own retryer on.
func TestEC2(t *testing.T) {
	ctx := t.Context()
	f := serve(t, "aws-client-token")
	wire := &lossy{}
	c := ec2Client(f, token, wire)

	first, err := c.RunInstances(ctx, run(aws.String("act-1"), types.InstanceTypeT3Micro))
	if err != nil {
		t.Fatal(err)
	}
	i := first.Instances[0]
	if i.State.Name != types.InstanceStateNamePending || i.InstanceType != types.InstanceTypeT3Micro ||
		aws.ToString(i.ClientToken) != "act-1" || aws.ToString(i.Tags[0].Value) != "act-1" || aws.ToString(i.SubnetId) != "subnet-0a1b2c3d" {
		t.Errorf("not what was asked for: %+v", i)
	}
	again, err := c.RunInstances(ctx, run(aws.String("act-1"), types.InstanceTypeT3Micro))
	if err != nil || aws.ToString(again.Instances[0].InstanceId) != aws.ToString(i.InstanceId) {
		t.Fatalf("the token again: %+v, %v", again, err)
	}

	// Two answers are lost; the retryer asks a third time with the same token, which
	// the SDK made up.
	wire.sent.Store(0)
	wire.lose.Store(2)
	own, err := c.RunInstances(ctx, run(nil, types.InstanceTypeT3Micro))
	if err != nil {
		t.Fatal(err)
	}
	if n := wire.sent.Load(); n != 3 {
		t.Errorf("sent %d times, expected 3", n)
	}

	ec2Finds(t, c, []string{"act-1"}, aws.ToString(i.InstanceId))
	ec2Finds(t, c, []string{aws.ToString(own.Instances[0].ClientToken)}, aws.ToString(own.Instances[0].InstanceId))
	ec2Finds(t, c, []string{"act-7"})

	for _, x := range []struct {
		name, code string
		err        error
	}{
		{"the token with other arguments", "IdempotentParameterMismatch", second(c.RunInstances(ctx, run(aws.String("act-1"), types.InstanceTypeT3Large)))},
		{"a token of 65 characters", "InvalidParameterValue", second(c.RunInstances(ctx, run(aws.String(string(slices.Repeat([]byte("x"), 65))), types.InstanceTypeT3Micro)))},
		{"another action", "InvalidAction", second(c.DescribeImages(ctx, &ec2.DescribeImagesInput{}))},
		{"another access key", "AuthFailure", second(ec2Client(f, "AKIDOTHER", wire).DescribeInstances(ctx, byToken("act-1")))},
	} {
		var e smithy.APIError
		if !errors.As(x.err, &e) || e.ErrorCode() != x.code {
			t.Errorf("%s: %v: expected %s", x.name, x.err, x.code)
		}
	}
	if n := f.effects(); n != 2 {
		t.Errorf("%d effects, expected 2", n)
	}
}

func second[T any](_ T, err error) error { return err }

func byToken(tokens ...string) *ec2.DescribeInstancesInput {
	return &ec2.DescribeInstancesInput{Filters: []types.Filter{{Name: aws.String("client-token"), Values: tokens}}}
}

func ec2Finds(t *testing.T, c *ec2.Client, tokens []string, want ...string) {
	t.Helper()
	out, err := c.DescribeInstances(t.Context(), byToken(tokens...))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range out.Reservations {
		for _, i := range r.Instances {
			got = append(got, aws.ToString(i.InstanceId))
		}
	}
	if !slices.Equal(want, got) {
		t.Errorf("%v: found %v, expected %v", tokens, got, want)
	}
}
