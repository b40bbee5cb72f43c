package builtin

import "testing"

func TestLiteralsAreThoseOfTheRules(t *testing.T) {
	for _, r := range Rules {
		if LiteralsOf(r.Pattern) == nil {
			t.Errorf("rule %s has changed: run go generate ./builtin", r.ID)
		}
	}
	if len(literals) > len(Rules) {
		t.Error("literals of removed rules are left: run go generate ./builtin")
	}
}
