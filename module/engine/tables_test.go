package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestAPolicyBeyondTheTablesLoadsAndDecides has patterns whose tables together exceed limits.TableEntries: a policy that the engines
// in Lua and TypeScript load must load here too.
func TestAPolicyBeyondTheTablesLoadsAndDecides(t *testing.T) {
	const count = 40
	var patterns []string
	for i := range count {
		patterns = append(patterns, fmt.Sprintf("(?:a|b)*a(?:a|b){13}-%d$", i))
	}
	list, err := json.Marshal(patterns)
	if err != nil {
		t.Fatal(err)
	}
	rules := compiled(t, `{"block_patterns": `+string(list)+`}`)
	for i := range count {
		id := fmt.Sprintf("block[%d]", i)
		if v := rules.Evaluate(&Request{Method: "GET", Target: "/" + strings.Repeat("ab", 8) + fmt.Sprintf("-%d", i)}); v.Rule != id {
			t.Errorf("%s: got %+v", id, v)
		}
	}
	if v := rules.Evaluate(&Request{Method: "GET", Target: "/" + strings.Repeat("b", 16) + "-1"}); v.Blocked {
		t.Errorf("got %+v", v)
	}
}
