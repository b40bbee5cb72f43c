package builtin

//go:generate go run github.com/request-guard/guard/cmd/literals literals_gen.go

// Literals returns literals of which every text that a built-in rule matches holds at least one, by its pattern. They
// are generated because an interpreted program takes long to compute them. nil: the rule changed after the generation.
func Literals(pattern string) []string { return literals[pattern] }
