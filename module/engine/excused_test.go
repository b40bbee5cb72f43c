package engine

import (
	"testing"
)

// An excused rule is off for its request; all other rules stay on.
func TestExcusedRules(t *testing.T) {
	rules := compiled(t, `{"block_patterns": ["^/a", "b$"], "allow_patterns": ["^/allowed"]}`)
	deep := "/a/%25252525252525252e"
	for _, c := range []struct {
		name, target string
		excused      []string
		want         string // id of the deciding rule, else the reason
	}{
		{"nothing is excused", "/ab", nil, "block[0]"},
		{"one rule", "/a", []string{"block[0]"}, ReasonNoMatch},
		{"the next rule still blocks", "/ab", []string{"block[0]"}, "block[1]"},
		{"both", "/ab", []string{"block[0]", "block[1]"}, ReasonNoMatch},
		{"another rule", "/a", []string{"env-file", "block[1]"}, "block[0]"},
		{"an unknown rule", "/a", []string{"", "block[7]"}, "block[0]"},
		{"one built-in rule of two", "/.env", []string{"env-file"}, "hidden-seg"},
		{"two of two", "/.env", []string{"hidden-seg", "env-file"}, ReasonNoMatch},
		{"a limit", deep, []string{"block[0]", "", ReasonLimitDecodeRounds}, ReasonLimitDecodeRounds},
		{"a rule that allows", "/allowed/b", []string{"allow[0]"}, "allow[0]"},
	} {
		got := rules.Evaluate(&Request{Method: "GET", Target: c.target, Excused: c.excused})
		said := got.Rule
		if said == "" {
			said = got.Reason
		}
		if said != c.want {
			t.Errorf("%s: got %+v, want %s", c.name, got, c.want)
		}
	}
}
