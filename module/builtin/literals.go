package builtin

//go:generate go run github.com/request-guard/guard/cmd/literals literals_gen.go

// Literals are literals of which every text that a built-in rule matches holds one, by its pattern. They are kept because
// an interpreted program takes long to find them. A rule that has none here has changed since.
func Literals(pattern string) []string { return literals[pattern] }
