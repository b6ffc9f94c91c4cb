// Package unordered has a test that passes as long as no place is slow: nothing but a
// while lets the first one come first.
package unordered

import (
	"runtime"
	"testing"
	"time"
)

func TestUnordered(t *testing.T) {
	came := make(chan string, 2)
	arrived := make(chan struct{})
	go func() {
		close(arrived)
		came <- "first"
	}()
	<-arrived
	for late := time.Now().Add(time.Second); len(came) == 0 && time.Now().Before(late); {
		runtime.Gosched()
	}
	came <- "second"
	if who := <-came; who != "first" {
		t.Fatalf("%s came first", who)
	}
}
