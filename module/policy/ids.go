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

// ruleIDs checks that ids are unique, and that references to rules name existing rules.
func (p place) ruleIDs(f *File) {
	known := map[string]bool{} // ids of block rules
	for _, r := range builtin.Rules {
		known[r.ID] = known[r.ID] || r.Action == "block"
	}
	for i, id := range f.DisabledRules {
		if _, ok := known[id]; !ok {
			p.report(BadValue, indexed("disabled_rules", i), "expected the id of a built-in rule, found "+quoted(id))
		}
	}
	p.customIDs(f.Rules, known)
	for i := range f.BlockPatterns {
		known[BlockID(i)] = true
	}
	for i, e := range f.Exceptions {
		for k, id := range e.Rules {
			if !known[id] {
				p.entry("exceptions", i).report(BadValue, indexed("rules", k), "expected the id of a block rule, found "+quoted(id))
			}
		}
	}
}

// customIDs checks the ids of custom rules and adds those of block rules to the known ones.
func (p place) customIDs(rules []RuleFile, known map[string]bool) {
	first := map[string]int{}
	for i, r := range rules {
		if r.ID == nil {
			continue
		}
		id := *r.ID
		if at, isRepeated := first[id]; isRepeated {
			p.entry("rules", i).report(Conflict, "id", fmt.Sprintf("rules[%d] has this id already", at))
		} else if _, isKnown := known[id]; isKnown {
			p.entry("rules", i).report(Conflict, "id", quoted(id)+" is the id of a built-in rule; take another")
		} else {
			first[id] = i
		}
	}
	for _, r := range rules {
		if r.ID != nil && r.Action != nil && *r.Action == "block" {
			known[*r.ID] = true
		}
	}
}
