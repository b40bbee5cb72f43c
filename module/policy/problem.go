package policy

import (
	"strconv"
	"strings"
)

// Kinds of problem, the same in every language.
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

// Problem is one error in a file.
type Problem struct {
	Kind    string
	Path    string // of the key in snake_case, such as rules[0].pattern; empty: the whole file
	Message string // a clause that says what was expected. It may quote the file, escaped
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// problems collects findings. It keeps the first at each path, because others mostly follow from it.
type problems struct {
	list   []Problem
	seen   map[string]bool
	opaque []string // paths of values with a wrong type: nothing below them is checked
}

func (p *problems) add(kind, path, message string) {
	if p.seen[path] || p.isOpaque(path) {
		return
	}
	if kind == WrongType {
		p.opaque = append(p.opaque, path)
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[path] = true
	p.list = append(p.list, Problem{Kind: kind, Path: path, Message: message})
}

func (p *problems) isOpaque(path string) bool {
	for _, outer := range p.opaque {
		if strings.HasPrefix(path, outer+".") || strings.HasPrefix(path, outer+"[") {
			return true
		}
	}
	return false
}

// place is an object of the file: at is its path there, table its path in the table of fields. A key can be appended
// to both.
type place struct {
	found     *problems
	at, table string
}

func (p place) inside(key string) place {
	return place{found: p.found, at: p.at + key + ".", table: p.table + key + "."}
}

func (p place) entry(key string, index int) place {
	return place{found: p.found, at: p.at + indexed(key, index) + ".", table: p.table + key + "[]."}
}

func (p place) field(key string) *field { return fieldsByKey[p.table+key] }

func (p place) report(kind, key, message string) { p.found.add(kind, p.at+key, message) }

func indexed(key string, index int) string { return key + "[" + strconv.Itoa(index) + "]" }

func listed(words []string) string { return strings.Join(words, ", ") }
