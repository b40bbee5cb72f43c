package traefik

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"
)

// TestCompiledRulesAreDroppedWithTheirLastGuard makes guards as reloads do, and keeps one of them.
func TestCompiledRulesAreDroppedWithTheirLastGuard(t *testing.T) {
	count := func() int {
		compiledIn.rules.mu.Lock()
		defer compiledIn.rules.mu.Unlock()
		return len(compiledIn.rules.sets)
	}
	construct := func(i int) http.Handler {
		c := Config{"blockPatterns": []any{fmt.Sprintf("^/reload-%d$", i)}, "securityLog": false}
		h, err := NewCompiled(context.Background(), http.NotFoundHandler(), &c, "test")
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	kept := construct(0)
	for i := range 10 {
		construct(i)
	}
	for began := time.Now(); count() > 1; time.Sleep(time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%d rule sets are kept, want 1", count())
		}
		runtime.GC()
	}
	if count() != 1 {
		t.Errorf("%d rule sets are kept, want that of the guard in use", count())
	}
	runtime.KeepAlive(kept)
}
