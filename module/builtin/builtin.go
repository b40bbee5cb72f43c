// Package builtin has the built-in rules, generated from patterns.json, names and products of contract/policy.
package builtin

//go:generate go run github.com/request-guard/guard/cmd/builtins .

// Literals has two lists of literals. Every text that a rule matches contains at least one literal of each list.
type Literals struct {
	InPaths []string // literals that are rare in paths and queries
	InProse []string // literals that are rare in values of bodies
}

// LiteralsOf returns the literals of a built-in rule by its pattern. It returns nil for other patterns, and if the pattern of a
// rule changed after the last go generate.
func LiteralsOf(pattern string) *Literals { return literals[pattern] }

// tables has the encoded tables of rules by their pattern. tables_gen.go sets it, which Traefik's interpreter does not load.
var tables map[string]string

// TablesOf returns the result of match.Matcher.Encode for a built-in rule by its pattern. It returns "" for other patterns, for rules
// that tables alone cannot decide, and if the pattern of a rule changed after the last go generate.
func TablesOf(pattern string) string { return tables[pattern] }

// bodies has the literals of patterns of bodies. bodies_gen.go sets it, which Traefik's interpreter does not load: it has no such rules.
var bodies map[string][]string

// LiteralsOfBody returns literals that are rare in values of bodies. Every text that a pattern of Rule.Body matches contains at least
// one of them. It returns nil if none are known.
func LiteralsOfBody(pattern string) []string { return bodies[pattern] }

// Application is the profile of an application: what it serves that built-in rules block.
type Application struct {
	Name     string
	BasePath string // default, without a final slash
	Passages []Passage
}

// Passage is an exception of an application. Path continues the pattern of the base path.
type Passage struct {
	Path  string
	Rules []string
}

type Rule struct {
	ID      string
	Action  string   // "block" or "allow"
	Targets []string // kinds of target that the rule applies to: "path", "query", "body"; with Exploits "path", "whole-query", "header:<name>"
	Pattern string
	// Extended means that the rule applies only with builtin_rules extended.
	Extended bool
	Exploits string   // the rule applies with this value of exploits and with those that contain it; empty: always
	Methods  []string // with Exploits: methods that the rule applies to, in upper case
	Query    []string // with Exploits: patterns, each of which a reading of the whole query must match
	Lines    []string // with Exploits: names and patterns, "name: pattern"; a line of each header must match
	Body     []string // with Exploits: patterns, each of which a reading of the body must match
}

// Preset is a set of networks with a name, which a list of networks may have in place of a network.
type Preset struct {
	Name     string
	IsEdge   bool // of a CDN or a load balancer, behind which many clients are
	Networks []string
}
