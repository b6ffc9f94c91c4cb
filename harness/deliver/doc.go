// Package deliver is the queue that stands in front of the workers: which
// hand-over is due, what the schedule's deliver lines make of it ([Message]), and
// what its end means ([Hearing], [Queue.End]). It knows no goroutine, no socket
// and no clock of its own: a world asks [Queue.Next] and tells how it ended.
package deliver
