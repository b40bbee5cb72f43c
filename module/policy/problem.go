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

// Problem is one thing that is wrong with a file.
type Problem struct {
	Kind    string
	Path    string // of the key in snake_case, such as rules[0].pattern; empty: the file as a whole
	Message string // a clause: what was expected. It may quote the file, escaped
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// problems collects findings: the first at each path says enough, the others mostly follow from it.
type problems struct {
	list   []Problem
	seen   map[string]bool
	opaque []string // paths of values whose type is wrong: nothing is known below them
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

// place is an object of the file: at is its path there, table its path in the table of fields.
// Both end where a key can be appended.
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
