// Package ordered has a test that passes however slow its places are.
package ordered

import "testing"

func TestOrdered(t *testing.T) {
	came := make(chan string, 2)
	arrived := make(chan struct{})
	go func() {
		came <- "first"
		close(arrived)
	}()
	<-arrived
	came <- "second"
	if who := <-came; who != "first" {
		t.Fatalf("%s came first", who)
	}
}
