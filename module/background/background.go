// Package background starts goroutines whose panics do not end the process. Traefik's interpreter panics on code that it
// mistranslates. Only this package may contain `go` statements.
package background

import (
	"fmt"
	"os"
	"runtime"
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

func After(delay time.Duration, f func()) {
	Go(func() {
		time.Sleep(delay)
		f()
	})
}

// OnUnreachable runs f in a goroutine when object, a pointer, is unreachable. f must not refer to object.
func OnUnreachable(object any, f func()) {
	runtime.SetFinalizer(object, func(_ any) { Go(f) })
}
