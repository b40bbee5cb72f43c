package policy

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/request-guard/guard/limits"
)

// Kinds of problems. All languages use the same names.
const (
	Syntax     = "syntax"
	UnknownKey = "unknown_key"
	MissingKey = "missing_key"
	WrongType  = "wrong_type"
	OutOfRange = "out_of_range"
	BadValue   = "bad_value"
	BadRegex   = "bad_regex"
	BadAddress = "bad_address"
	Conflict   = "conflict"
)

type Problem struct {
	Kind    string
	Path    string // path of the key in snake_case, such as rules[0].pattern; empty: the whole file
	Message string // a clause with the expected value; it may quote the file, escaped
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// problems collects problems. It keeps only the first at each path, because others mostly follow from it.
type problems struct {
	list []Problem
	seen map[string]bool
}

func (p *problems) isFull() bool { return len(p.list) == limits.FileProblems }

func (p *problems) add(kind, path, message string) {
	if p.seen[path] || p.isFull() {
		return
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[path] = true
	p.list = append(p.list, Problem{Kind: kind, Path: path, Message: message})
}

// KeyPath returns the path of a key in the table of fields.
func KeyPath(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}

var plainKey = regexp.MustCompile(`^[$A-Za-z_][\w$-]*$`)

// childPath returns the path of a key in the file.
func childPath(at, key string) string {
	if plainKey.MatchString(key) && len(key) <= longestQuote {
		return KeyPath(at, key)
	}
	return at + "[" + quoted(key) + "]"
}

func entryPath(key string, index int) string { return key + "[" + strconv.Itoa(index) + "]" }

func joinWords(words []string) string { return strings.Join(words, ", ") }
