//go:build !linux && !darwin

package point

import "time"

func sleep(d time.Duration) { time.Sleep(d) }
