package respond

import (
	"fmt"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

func TestANetworkHasABudgetOfVerifications(t *testing.T) {
	b := &budget{}
	spend := func(client string, now int64) bool { return b.spend(heldNetwork(client), now) }
	const start = 1_800_000_000
	for i := 0; i < limits.CaptchaVerifications; i++ {
		if !spend(fmt.Sprintf("2001:db8:0:%x::1", i), start) {
			t.Fatalf("verification %d of a /56 is refused", i)
		}
	}
	for _, step := range []struct {
		client string
		now    int64
		ok     bool
	}{
		{"2001:db8:0:ff::1", start, false}, {"2001:db8:0:100::1", start, true}, {"192.0.2.1", start, true},
		{"2001:db8::1", start + limits.CaptchaSpanSeconds - 1, false}, {"2001:db8::1", start + limits.CaptchaSpanSeconds, true},
		{"192.0.2.1", start - 7200, true}, // the clock was set back
	} {
		if got := spend(step.client, step.now); got != step.ok {
			t.Errorf("%+v: got %v", step, got)
		}
	}
}

func TestTheNetworksOfABudgetAreBounded(t *testing.T) {
	b := &budget{}
	for i := 0; i < limits.CaptchaNetworks; i++ {
		b.spend(fmt.Sprint(i), 0)
	}
	if b.spend("one more", 0) || !b.spend("1", 0) || len(b.counts) != limits.CaptchaNetworks {
		t.Errorf("%d networks", len(b.counts))
	}
	if !b.spend("one more", limits.CaptchaSpanSeconds) {
		t.Error("the next span does not count afresh")
	}
}

// With one state and many tokens, the provider gets only as many requests as the budget allows.
func TestAClientBeyondItsBudgetGets429(t *testing.T) {
	g := newGate(t, "")
	now := time.Unix(1_800_000_000, 0)
	g.now = func() time.Time { return now }
	state := g.state(g.stopped("/.env", "env-file"))
	for i := 0; i < limits.CaptchaVerifications+5; i++ {
		w := g.post(form(state, "a guess"))
		if isRefused := i >= limits.CaptchaVerifications; (w.Code == 429) != isRefused {
			t.Fatalf("post %d: got %d", i, w.Code)
		} else if isRefused && (w.Header().Get("Retry-After") != "60" || w.Header().Get("Set-Cookie") != "") {
			t.Errorf("got %v", w.Header())
		}
	}
	if len(g.provider.requests) != limits.CaptchaVerifications {
		t.Errorf("the provider was asked %d times", len(g.provider.requests))
	}
	now = now.Add(limits.CaptchaSpanSeconds * time.Second)
	if w := g.post(form(state, solved)); w.Code != 303 {
		t.Errorf("in the next span: got %d", w.Code)
	}
}

// A scanner that occupies all slots of tarpits does not prevent the verification of a visitor.
func TestTrapsTakeNoSlotsOfVerifications(t *testing.T) {
	g := newGate(t, `,"max_held":1,"max_held_per_address":1`)
	if !heldResponses.enter("tarpit", heldNetwork(clientAddress), 1, 1) {
		t.Fatal("a slot is taken")
	}
	defer heldResponses.leave("tarpit", heldNetwork(clientAddress))
	if w := g.post(form(g.state(g.stopped("/.env", "env-file")), solved)); w.Code != 303 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}
