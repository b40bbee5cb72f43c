// Package builtin has the built-in rules, generated from patterns.json, names and products of contract/policy.
package builtin

type Rule struct {
	ID      string
	Action  string   // "block" or "allow"
	Targets []string // kinds of target that the rule applies to: "path", "query", "body"
	Pattern string
	// Extended means that the rule applies only with builtin_rules extended.
	Extended bool
}
