package guard

import (
	"maps"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func entries(pool *caddy.UsagePool) map[any]any {
	found := map[any]any{}
	pool.Range(func(key, value any) bool { found[key] = value; return true })
	return found
}

func poolSize(pool *caddy.UsagePool) int { return len(entries(pool)) }

func TestGuardsWithTheSameRulesShareThem(t *testing.T) {
	a := provisioned(t, `"block_patterns": ["^/x"]`)
	b := provisioned(t, `"block_patterns": ["^/x"], "response": {"mode": "json"}, "mode": "detect", "debug": true, "security_log": false, "secret": "0123456789abcdef"`)
	c := provisioned(t, `"block_patterns": ["^/y"]`)
	if a.rules != b.rules || a.rules == c.rules {
		t.Error("rule sets are not shared by their content")
	}
	if n, _ := ruleSets.References(a.rules.key); n != 2 {
		t.Errorf("%d references", n)
	}
}

func TestRuleSetsAreFreed(t *testing.T) {
	g := provisioned(t, `"block_patterns": ["^/freed"]`)
	key := g.rules.key
	if err := g.Cleanup(); err != nil {
		t.Fatal(err)
	}
	if _, ok := ruleSets.References(key); ok {
		t.Error("the rule set is still there")
	}
	*g = Guard{} // the test has already cleaned it up
}

// A reload compiles only changed policies, and the last stop frees everything.
func TestReloadKeepsRuleSetsAndStopFreesThem(t *testing.T) {
	site := newSite(t)
	guards := []string{site.guardOf(`"block_patterns": ["^/x"]`), site.guardOf(`"check_query": true`), site.guardOf(`"block_patterns": ["^/x"]`)}
	site.load(site.config(guards...))
	before := entries(ruleSets)
	site.load(site.config(guards...))
	after := entries(ruleSets)
	if len(before) != 2 || !maps.Equal(before, after) || poolSize(eventLogs) != 1 {
		t.Errorf("%v and %v, %d logs", before, after, poolSize(eventLogs))
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if poolSize(ruleSets) != 0 || poolSize(eventLogs) != 0 {
		t.Errorf("%d rule sets and %d logs are left", poolSize(ruleSets), poolSize(eventLogs))
	}
}

func TestNoGoroutineOfTheGuardIsLeft(t *testing.T) {
	site := start(t, `"methods": ["*"], "check_body": true, "response": {"mode": "silent_drop"}`)
	for range 20 {
		client := site.connect()
		client.expect("/clean", 200, "GET /clean ")
		client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
		client.expectEnd(t)
	}
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		stacks := guardGoroutines()
		if len(stacks) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left:\n%s", strings.Join(stacks, "\n\n"))
		}
	}
}

// guardGoroutines returns the stacks that contain the guard, except that of the test.
func guardGoroutines() []string {
	dump := make([]byte, 1<<20)
	dump = dump[:runtime.Stack(dump, true)]
	var stacks []string
	for _, stack := range strings.Split(string(dump), "\n\n")[1:] {
		if strings.Contains(stack, "request-guard/guard") && !strings.Contains(stack, "testing.tRunner") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
