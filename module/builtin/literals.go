package builtin

//go:generate go run github.com/request-guard/guard/cmd/literals literals_gen.go

// Literals are two choices of literals of which every text that a rule matches holds at least one.
type Literals struct {
	InPaths []string // rare in paths and queries
	InProse []string // rare in values of bodies
}

// LiteralsOf returns the literals of a built-in rule by its pattern. They are generated because an interpreted program
// takes long to compute them. nil: the rule changed after the generation.
func LiteralsOf(pattern string) *Literals { return literals[pattern] }
