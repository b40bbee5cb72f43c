package builtin

import "testing"

func TestLiteralsAreThoseOfTheRules(t *testing.T) {
	for _, r := range Rules {
		if LiteralsOf(r.Pattern) == nil {
			t.Errorf("rule %s has changed: run go generate ./builtin", r.ID)
		}
	}
	if len(literals) > len(Rules) || len(tables) > len(Rules) {
		t.Error("literals or tables of removed rules are left: run go generate ./builtin")
	}
}
