package worker

import "context"

// Record is one write of an executor's own durable store.
type Record struct {
	ActionID string `json:"action_id"`
	// State is what the store holds of the action once the write is made.
	State string `json:"state"`
	// Attempt counts the requests that it allows so far.
	Attempt int `json:"attempt"`
}

// RecordOrder is what a world wants of a write.
type RecordOrder string

const (
	// RecordPass: it is made.
	RecordPass RecordOrder = "pass"
	// RecordFail: it fails, and nothing is stored.
	RecordFail RecordOrder = "fail"
	// RecordConflict: it meets another write, and nothing is stored.
	RecordConflict RecordOrder = "conflict"
	// RecordLose: it is acknowledged and seen by this life, and no other one sees it.
	RecordLose RecordOrder = "lose"
)

// RecordEnd is what became of a write.
type RecordEnd string

const (
	// RecordWritten: it is durable.
	RecordWritten RecordEnd = "written"
	// RecordRefused: the store itself refused it.
	RecordRefused RecordEnd = "refused"
	// RecordFailed, RecordConflicted, RecordLost: the order was carried out.
	RecordFailed     RecordEnd = "failed"
	RecordConflicted RecordEnd = "conflict"
	RecordLost       RecordEnd = "lost"
	// RecordGone: the life ended in between, and nobody knows.
	RecordGone RecordEnd = "gone"
)

// RecordGate stands before and after each write of an executor's own store, where a
// world can strike. Stores that drill brings ask it.
type RecordGate interface {
	// Write calls commit once, with what the world wants, unless the life is ended
	// before. When it returns, the world knows what became of the write.
	Write(ctx context.Context, r Record, commit func(RecordOrder) RecordEnd) error
}
