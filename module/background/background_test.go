package background

import (
	"testing"
	"time"
)

func TestAPanicEndsItsGoroutineAlone(t *testing.T) {
	done := make(chan bool)
	for _, run := range []func(f func()){Go, func(f func()) { After(time.Nanosecond, f) }} {
		run(func() {
			defer func() { done <- true }()
			panic("on purpose")
		})
		<-done
	}
}
