package suite

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/google/uuid"

	"github.com/retrydrill/drill/scenarios"
)

// trialSeed draws a trial's seed from the run's and from what the trial does; its
// name and what it needs are no part of that.
func trialSeed(run uint64, t scenarios.Trial) uint64 {
	content := struct {
		Run        uint64
		Faults     []string
		Connection string
		Order      string
		Deliveries int
		Settings   scenarios.Settings
		Actions    map[string]scenarios.Derived
	}{Run: run, Connection: t.Connection, Order: t.Order, Deliveries: t.Deliveries, Settings: t.Settings, Actions: t.Actions}
	for _, f := range t.Faults {
		content.Faults = append(content.Faults, f.String())
	}
	b, err := json.Marshal(content)
	if err != nil {
		panic(fmt.Sprintf("a trial of strings and numbers can not be written down: %v", err))
	}
	h := sha256.Sum256(b)
	// A seed is printed and read by programs that hold numbers as doubles.
	return binary.BigEndian.Uint64(h[:8]) >> 11
}

// identity draws IDs that look like those of a real producer (UUID version 7, RFC
// 9562) from one seed.
type identity struct {
	rand   *rand.Rand
	millis uint64
}

func newIdentity(seed uint64) *identity {
	return &identity{rand: rand.New(rand.NewPCG(seed, 0x6472696c6c)), millis: 1_767_225_600_000}
}

func (i *identity) uuid() string {
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:8], i.millis<<16|i.rand.Uint64()&0xffff)
	binary.BigEndian.PutUint64(u[8:], i.rand.Uint64())
	i.millis++
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}
