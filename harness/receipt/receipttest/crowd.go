package receipttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/retrydrill/drill/harness/receipt"
)

// The environment that makes a test binary one process of a crowd: where the store
// is, how many actions there are, and whether this one brings them to their end.
const (
	crowdStore   = "DRILL_TEST_CROWD_STORE"
	crowdActions = "DRILL_TEST_CROWD_ACTIONS"
	crowdLast    = "DRILL_TEST_CROWD_LAST"
)

// crowdLease is short, so that what a killed member held is taken over soon.
const crowdLease = 20 * time.Millisecond

// JoinCrowd ends the process as a member of a crowd if [Crowd] started it, and
// otherwise returns. It stands first in TestMain.
func JoinCrowd(open func(ctx context.Context, where string) (receipt.Store, error)) {
	where := os.Getenv(crowdStore)
	if where == "" {
		return
	}
	actions, err := strconv.Atoi(os.Getenv(crowdActions))
	if err == nil {
		err = join(context.Background(), open, where, actions, os.Getenv(crowdLast) == "true")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// join claims one action after the other and writes it as sent a few times, telling
// what it was given and what was acknowledged. The last members confirm instead, and
// end when all is confirmed; the others go on until they are killed, or all is done.
func join(ctx context.Context, open func(context.Context, string) (receipt.Store, error), where string, actions int, last bool) error {
	s, err := open(ctx, where)
	if err != nil {
		return err
	}
	defer s.Close()
	for left := actions; left > 0; {
		left = actions
		for n := range actions {
			c := NewClaim(fmt.Sprintf("a%d", n), 1)
			c.Now, c.Lease, c.Owner = time.Now(), crowdLease, fmt.Sprint(os.Getpid())
			r, _, err := s.Claim(ctx, c)
			switch {
			case errors.Is(err, receipt.ErrHeld):
				continue
			case err != nil:
				return err
			case r.State.Settled():
				left--
				continue
			}
			say("claim", r, c.Now)
			if err := push(ctx, s, r, last); err != nil && !errors.Is(err, receipt.ErrStale) {
				return err
			}
		}
	}
	return nil
}

// turns is how often a member writes an action before it lets go.
const turns = 5

// push writes sent, a few times or once, and lets go or confirms.
func push(ctx context.Context, s receipt.Store, r receipt.Receipt, last bool) error {
	for i := range turns {
		from, next := r.State, r
		next.Attempt++
		now := time.Now()
		next = next.To(receipt.Sent, now).Leased(now, crowdLease)
		switch {
		case last && i > 0:
			next = next.To(receipt.Confirmed, now)
		case i == turns-1:
			next = next.Released()
		}
		// One entry a write: what is compared is what was written.
		next.History = next.History[len(next.History)-1:]
		next.RequestID = fmt.Sprint(next.Fence, "/", next.Attempt)
		if next.LeaseUntil.IsZero() {
			// A member killed at its write may have given the lease back and not said so.
			say("gives", next, now)
		}
		if err := s.Write(ctx, from, next); err != nil {
			return err
		}
		r = next
		say("write", r, now)
		if r.State.Settled() {
			break
		}
	}
	return nil
}

func say(what string, r receipt.Receipt, now time.Time) {
	until := int64(0)
	if !r.LeaseUntil.IsZero() {
		until = r.LeaseUntil.UnixNano()
	}
	fmt.Println(what, r.ActionID, r.Fence, r.Attempt, r.State, now.UnixNano(), until)
}
