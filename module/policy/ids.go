package policy

import (
	"fmt"
	"strconv"

	"github.com/request-guard/guard/builtin"
)

// BlockID is the id of an entry of block_patterns.
func BlockID(index int) string { return "block[" + strconv.Itoa(index) + "]" }

// AllowID is the id of an entry of allow_patterns.
func AllowID(index int) string { return "allow[" + strconv.Itoa(index) + "]" }

// checkIDs checks that ids are unique, and that references to rules name existing rules.
func (p *problems) checkIDs(policy *Policy) {
	isBlockRule := map[string]bool{} // ids of rules; true for block rules
	for _, r := range builtin.Rules {
		isBlockRule[r.ID] = isBlockRule[r.ID] || r.Action == "block"
	}
	for i, id := range policy.DisabledRules {
		if _, ok := isBlockRule[id]; !ok {
			p.add(BadValue, entryPath("disabled_rules", i), "expected the id of a built-in rule, found "+quoted(id))
		}
	}
	p.checkCustomIDs(policy.Rules, isBlockRule)
	for i := range policy.BlockPatterns {
		isBlockRule[BlockID(i)] = true
	}
	for i, e := range policy.Exceptions {
		for k, id := range e.Rules {
			if !isBlockRule[id] {
				p.add(BadValue, entryPath(entryPath("exceptions", i)+".rules", k), "expected the id of a block rule, found "+quoted(id))
			}
		}
	}
}

// checkCustomIDs checks the ids of custom rules and adds those of block rules to isBlockRule.
func (p *problems) checkCustomIDs(rules []Rule, isBlockRule map[string]bool) {
	first := map[string]int{}
	for i, r := range rules {
		at := entryPath("rules", i) + ".id"
		if earlier, isRepeated := first[r.ID]; isRepeated {
			p.add(Conflict, at, fmt.Sprintf("rules[%d] has this id already", earlier))
		} else if _, isKnown := isBlockRule[r.ID]; isKnown {
			p.add(Conflict, at, quoted(r.ID)+" is the id of a built-in rule; take another")
		} else if r.ID != "" {
			first[r.ID] = i
		}
	}
	for _, r := range rules {
		if r.ID != "" && r.Action == "block" {
			isBlockRule[r.ID] = true
		}
	}
}
