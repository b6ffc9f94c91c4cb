package receipttest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/retrydrill/drill/harness/receipt"
)

// setBack: a clock that was set back takes no live lease away, lets no fence shrink
// and loses nothing of the history.
func setBack(t *testing.T, s receipt.Books) {
	c := NewClaim("a", 1)
	r := At(t, s, c, receipt.Sent)
	c.Now, c.Owner = Start.Add(-time.Hour), "w2"
	_, _, err := s.Claim(t.Context(), c)
	require.ErrorIs(t, err, receipt.ErrHeld)

	r = write(t, s, receipt.Sent, r.To(receipt.Unknown, c.Now).Leased(c.Now, Lease))
	c.Now = c.Now.Add(Lease)
	next := claim(t, s, c)
	assert.Equal(t, r.Fence+1, next.Fence)
	require.ErrorIs(t, s.Write(t.Context(), receipt.Unknown, r), receipt.ErrStale)
	assert.Equal(t, receipt.Unknown, next.History[len(next.History)-1].State, "in the order of what happened, not of the clock")
	assert.Equal(t, Start, next.Changed(), "and no older than its latest time")
}

func archives(t *testing.T, s receipt.Books) {
	for state := range path {
		c := NewClaim(string(state), 1)
		r := At(t, s, c, state)
		err := s.Archive(t.Context(), r, Start)
		if state != receipt.Confirmed && state != receipt.Rejected {
			require.ErrorIs(t, err, receipt.ErrOpen, state)
			continue
		}
		require.NoError(t, err, state)
		require.ErrorIs(t, s.Archive(t.Context(), r, Start), receipt.ErrMissing, "it is there already")
	}
	for _, state := range []receipt.State{receipt.Confirmed, receipt.Rejected} {
		missing := At(t, s, NewClaim("other"+string(state), 1), state)
		missing.ActionID = "nowhere"
		require.ErrorIs(t, s.Archive(t.Context(), missing, Start), receipt.ErrMissing)
	}
	assert.Len(t, listed(t, s, receipt.Query{Archived: true}), 2)
	assert.Len(t, listed(t, s, receipt.Query{}), len(path), "moved, not copied, not lost")
}

// archiveTells: what is archived answers as before; a rejection goes on under a new
// approval, and its approval stays spent.
func archiveTells(t *testing.T, s receipt.Books) {
	done, refused := NewClaim("done", 1), NewClaim("refused", 1)
	first := At(t, s, NewClaim("first", 1), receipt.Approved)
	for state, c := range map[receipt.State]receipt.Claim{receipt.Confirmed: done, receipt.Rejected: refused} {
		r := At(t, s, c, state)
		require.NoError(t, s.Archive(t.Context(), r, Start))
		got, err := s.Get(t.Context(), c.ActionID)
		require.NoError(t, err)
		assert.Equal(t, r, got)
		all, err := s.ByTrigger(t.Context(), c.TriggerKey)
		require.NoError(t, err)
		assert.Equal(t, []receipt.Receipt{r}, all)
		assert.Equal(t, r, claim(t, s, c))
		twin := c
		twin.ActionID = "minted again for " + c.ActionID
		assert.Equal(t, r, claim(t, s, twin), "one intent stays one receipt")
		other := NewClaim(c.ActionID, 2)
		other.Approval, other.Covered = c.Approval, false
		_, _, err = s.Claim(t.Context(), other)
		require.ErrorIs(t, err, receipt.ErrChanged)
		spent := NewClaim("spends "+c.ActionID, 1)
		spent.Approval = c.Approval
		_, _, err = s.Claim(t.Context(), spent)
		require.ErrorIs(t, err, receipt.ErrSpent)
		require.ErrorIs(t, s.Write(t.Context(), state, r), receipt.ErrTransition)
	}
	again := refused
	again.Approval.ID = "another approval"
	r := claim(t, s, again)
	assert.Equal(t, receipt.Approved, r.State)
	write(t, s, receipt.Approved, r.To(receipt.Sent, Start))
	last := At(t, s, NewClaim("last", 1), receipt.Approved)
	var order []string
	for _, r := range listed(t, s, receipt.Query{}) {
		order = append(order, r.ActionID)
	}
	assert.Contains(t, [][]string{{first.ActionID, "refused", last.ActionID}}, order, "in the order of their making")
}

// besideArchive lets a claim that leads on meet the archiving: whichever is first,
// the receipt is there once and the claim has it.
func besideArchive(t *testing.T, s receipt.Books) {
	for round := range rounds {
		c := NewClaim(fmt.Sprint(round), 1)
		r := At(t, s, c, receipt.Rejected)
		c.Approval.ID = fmt.Sprint("another approval ", round)
		var archived, claimed error
		var next receipt.Receipt
		at(2, func(i int) {
			if i == 0 {
				archived = s.Archive(t.Context(), r, Start)
			} else {
				next, _, claimed = s.Claim(t.Context(), c)
			}
		})
		require.NoError(t, claimed)
		if archived != nil {
			require.ErrorIs(t, archived, receipt.ErrStale)
		}
		assert.Equal(t, r.Fence+1, next.Fence)
		write(t, s, receipt.Approved, next.To(receipt.Sent, Start))
	}
	assert.Len(t, listed(t, s, receipt.Query{}), rounds)
	assert.Empty(t, listed(t, s, receipt.Query{Archived: true}))
}

func lists(t *testing.T, s receipt.Books) {
	const many = 1203
	for n := range many {
		c := NewClaim(fmt.Sprint(n), n)
		c.Now = Start.Add(time.Duration(n) * time.Minute)
		claim(t, s, c)
	}
	confirmed := At(t, s, NewClaim("done", 1), receipt.Confirmed)
	all := listed(t, s, receipt.Query{})
	require.Len(t, all, many+1, "no page is left out")
	for n, r := range all[:many] {
		require.Equal(t, fmt.Sprint(n), r.ActionID)
	}
	assert.Equal(t, []receipt.Receipt{confirmed}, listed(t, s, receipt.Query{States: []receipt.State{receipt.Rejected, receipt.Confirmed}}))
	assert.Len(t, listed(t, s, receipt.Query{States: []receipt.State{receipt.Approved}, ChangedBefore: Start.Add(10 * time.Minute)}), 10)
	assert.Len(t, listed(t, s, receipt.Query{ChangedSince: Start.Add((many - 3) * time.Minute)}), 3)

	stop := fmt.Errorf("stop")
	calls := 0
	require.ErrorIs(t, s.Each(t.Context(), receipt.Query{}, func(receipt.Receipt) error { calls++; return stop }), stop)
	assert.Equal(t, 1, calls)
}

func lookUps(t *testing.T, s receipt.Books) {
	_, err := s.Get(t.Context(), "a")
	require.ErrorIs(t, err, receipt.ErrMissing)
	by, err := s.UsedBy(t.Context(), "approval-a")
	require.NoError(t, err)
	assert.Empty(t, by)
	var want []receipt.Receipt
	for i, id := range []string{"b", "a", "c"} {
		c := NewClaim(id, i)
		c.TriggerKey = "batch"
		want = append(want, claim(t, s, c))
	}
	open := claim(t, s, NewClaim("d", 9))
	all, err := s.Unsettled(t.Context())
	require.NoError(t, err)
	assert.Equal(t, append(want[:3:3], open), all, "in the order of their making")
	for _, state := range []receipt.State{receipt.Sent, receipt.Confirmed} {
		next := want[1].To(state, open.LeaseUntil)
		require.NoError(t, s.Write(t.Context(), want[1].State, next))
		want[1] = next
	}
	all, err = s.Unsettled(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []receipt.Receipt{want[0], want[2], open}, all, "what is confirmed has its answer")
	got, err := s.ByTrigger(t.Context(), "batch")
	require.NoError(t, err)
	assert.Equal(t, want, got)
	none, err := s.ByTrigger(t.Context(), "nothing")
	require.NoError(t, err)
	assert.Empty(t, none)
}
