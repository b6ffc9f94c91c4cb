// Package deliver is the queue that stands in front of the workers: which
// hand-over is due, what the schedule's deliver lines make of it ([Message]), and
// what its end means ([Hearing], [Queue.End]). It knows no goroutine, no socket
// and no clock of its own: a world asks [Queue.Next] and tells how it ended.
//
// plan.go shapes the hand-overs that are planned, ends.go and acks.go make others due
// again, expire.go gives to another what ran out, notice.go hands over what the target
// told by itself. A message has actions (handed.go) and is read as a job (job.go).
//
// Beside it stands what the two worlds do alike: who is let go first and who is held
// ([Rendezvous], [Holds]), the executor's own writes ([Records]), what a client gets of a
// target that is not there (unreachable.go), and what a worker is told of its surroundings
// ([Declare]).
package deliver
