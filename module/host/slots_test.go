package host

import (
	"context"
	"testing"
)

func TestWaitingForASlotEndsWhenTheClientLeaves(t *testing.T) {
	s := NewSlots(1, 1)
	ctx, leave := context.WithCancel(context.Background())
	if err := s.Acquire(ctx); err != nil {
		t.Fatal(err)
	}
	leave()
	if err := s.Acquire(ctx); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if s.Waiting() != 0 {
		t.Error("it is still in the queue")
	}
}

func TestThereIsAlwaysASlot(t *testing.T) {
	if cap(ProcessorSlots(0).running) < 1 {
		t.Error("there is none")
	}
}
