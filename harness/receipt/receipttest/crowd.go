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
// is, and how many actions there are.
const (
	crowdStore   = "DRILL_TEST_CROWD_STORE"
	crowdActions = "DRILL_TEST_CROWD_ACTIONS"
)

// sends is how often an action is written as sent before it is confirmed: enough
// that members meet on it.
func sends(actions int) int { return 160 / actions }

// JoinCrowd ends the process as a member of a crowd if [Crowd] started it, and
// otherwise returns. It stands first in TestMain.
func JoinCrowd(open func(ctx context.Context, where string) (receipt.Store, error)) {
	where := os.Getenv(crowdStore)
	if where == "" {
		return
	}
	actions, err := strconv.Atoi(os.Getenv(crowdActions))
	if err == nil {
		err = join(context.Background(), open, where, actions)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// join moves actions along until all are confirmed, telling each fence that it got
// and each write that was acknowledged.
func join(ctx context.Context, open func(context.Context, string) (receipt.Store, error), where string, actions int) error {
	s, err := open(ctx, where)
	if err != nil {
		return err
	}
	defer s.Close()
	for left := actions; left > 0; {
		left = actions
		for n := range actions {
			c := NewClaim(fmt.Sprintf("a%d", n), 1)
			c.Now, c.Lease, c.Owner = time.Now(), 20*time.Millisecond, fmt.Sprint(os.Getpid())
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
			fmt.Println("fence", r.ActionID, r.Fence)
			if err := push(ctx, s, r, sends(actions)); err != nil && !errors.Is(err, receipt.ErrStale) {
				return err
			}
		}
	}
	return nil
}

// push writes sent until there were sends attempts, then confirmed.
func push(ctx context.Context, s receipt.Store, r receipt.Receipt, sends int) error {
	for !r.State.Settled() {
		from, to := r.State, receipt.Sent
		if r.Attempt >= sends {
			to = receipt.Confirmed
		}
		r.Attempt++
		r = r.To(to, time.Now())
		if err := s.Write(ctx, from, r); err != nil {
			return err
		}
		fmt.Println("wrote", r.ActionID, r.Fence, r.State, r.Attempt)
	}
	return nil
}
