// Package background starts goroutines that cannot end the process. Nothing recovers a panic of a goroutine but the
// goroutine itself, and Traefik's interpreter panics where it mistranslates: `go` statements are allowed here alone.
package background

import (
	"fmt"
	"os"
	"time"
)

// Go runs f in a goroutine. A panic ends f and is written to standard error.
func Go(f func()) {
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				fmt.Fprintf(os.Stderr, "guard: a background task failed: %+q\n", fmt.Sprint(fault))
			}
		}()
		f()
	}()
}

// After runs f in a goroutine when delay has passed.
func After(delay time.Duration, f func()) {
	Go(func() {
		time.Sleep(delay)
		f()
	})
}
