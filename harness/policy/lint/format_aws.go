package lint

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/retrydrill/drill/harness/policy"
)

var awsFormat = Format{
	ID:     "aws",
	Doc:    "retry_mode and max_attempts of the AWS SDKs: the shared config file, environment variables, JVM properties",
	Source: "https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html",
	is:     func(c content) bool { return awsLine.Match(c.text) },
	read:   readAWS,
}

var (
	awsLine    = regexp.MustCompile(`(?m)^\s*(?:export\s+|-D)?(?:retry_mode|max_attempts|AWS_RETRY_MODE|AWS_MAX_ATTEMPTS|aws\.retryMode|aws\.maxAttempts)\s*=`)
	awsSetting = regexp.MustCompile(`^(?:export\s+|-D)?([A-Za-z_.]+)\s*=\s*(.*?)\s*$`)
)

// readAWS reads lines of name = value, in sections or not.
func readAWS(d *document, c content) ([]Policy, error) {
	var out []Policy
	var p *Policy
	section := ""
	for i, raw := range strings.Split(string(c.text), "\n") {
		line := strings.TrimSpace(raw)
		at := Place{i + 1, strings.Index(raw, line) + 1}
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
			continue
		case line[0] == '[':
			if !strings.HasSuffix(line, "]") {
				return nil, d.errorf(at, "the section does not end with ]")
			}
			section, p = strings.Trim(line, "[] "), nil
			continue
		}
		m := awsSetting.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		mode, attempts := false, false
		switch m[1] {
		case "retry_mode", "AWS_RETRY_MODE", "aws.retryMode":
			mode = true
		case "max_attempts", "AWS_MAX_ATTEMPTS", "aws.maxAttempts":
			attempts = true
		default:
			continue
		}
		if p == nil {
			out = append(out, awsPolicy(section, at))
			p = &out[len(out)-1]
		}
		value := strings.Trim(m[2], `"'`)
		if mode {
			if !awsMode(p, value, at) {
				return nil, d.errorf(at, "%s is %q: expected standard, adaptive or legacy", m[1], value)
			}
		}
		if attempts {
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > 1_000_000 {
				return nil, d.errorf(at, "%s is %q: expected a number greater than 0", m[1], value)
			}
			p.Attempts, p.AttemptsAt = n, at
		}
	}
	return out, nil
}

// awsPolicy is the standard mode, in which three attempts are made, with what every
// mode repeats: errors of the connection, 500, 502, 503, 504 and throttling.
// https://docs.aws.amazon.com/sdk-for-python/v1/guide/config-retries.html
func awsPolicy(section string, at Place) Policy {
	return Policy{Name: section, Place: at, Attempts: 3,
		Repeats: []Repeat{{What: "a transient error or throttling", Place: at,
			Statuses: []int{500, 502, 503, 504, 429},
			Mishaps:  []string{"connect_timeout", "timeout", "reset_before_answer"}}},
		Backoff: Backoff{Waits: Yes, Jitter: Yes, Place: at,
			Curve: policy.Backoff{Initial: time.Second, Factor: 2, Max: 20 * time.Second, Jitter: policy.Full}}}
}

func awsMode(p *Policy, mode string, at Place) bool {
	p.Repeats[0].Place = at
	switch mode {
	case "legacy":
		// Its numbers are each SDK's own.
		p.Bounded, p.Backoff.Waits, p.Backoff.Jitter = true, Unsaid, Unsaid
		if p.AttemptsAt.Line == 0 {
			p.Attempts = 0
		}
	case "standard", "adaptive":
	default:
		return false
	}
	return true
}
