package deliver

import "slices"

// turns is how often a trigger was delivered, and in which delivery last: those that
// get one at once get the same.
type turns struct {
	trigger     string
	times, last int
}

// turn counts a delivery of the trigger.
func (q *Queue) turn(trigger string, delivery int) int {
	i := slices.IndexFunc(q.turns, func(t turns) bool { return t.trigger == trigger })
	if i < 0 {
		i = len(q.turns)
		q.turns = append(q.turns, turns{trigger: trigger})
	}
	t := &q.turns[i]
	if t.last != delivery {
		t.times, t.last = t.times+1, delivery
	}
	return t.times
}
