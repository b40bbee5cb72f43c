package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/request-guard/guard/policy"
)

// directive parses the tokens of a guard block into the JSON form of a policy, and records the position of each value.
// The policy is checked later; errors then name the line.
type directive struct {
	*caddyfile.Dispenser
	places map[string]place // by the path of the value, such as rules[0].pattern
}

type place struct {
	file string
	line int
}

// section parses a block of keys into an object. table is the key of the object in the table of fields, path is its
// path in the policy. A key that the object already has is a duplicate.
func (d *directive) section(object map[string]any, table, path string) error {
	names := names(table)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := d.Val()
		at := slices.Index(names, name)
		if at < 0 {
			return d.Err(policy.Unknown(name, names))
		}
		key := policy.KeysOf(table)[at]
		if _, isThere := object[key]; isThere && policy.KindOf(below(table, key)) != "array" {
			return d.Errf("duplicate key %q", name)
		}
		if err := d.value(name, object, key, below(table, key), below(path, key)); err != nil {
			return err
		}
	}
	return nil
}

// names returns the keys of a section in the directive. In place of a list of sections, the directive has a block for
// each entry, with the name of the list in the singular: rule for rules.
func names(table string) []string {
	names := policy.KeysOf(table)
	for i, key := range names {
		if isListOfSections(below(table, key)) {
			names[i] = strings.TrimSuffix(key, "s")
		}
	}
	return names
}

func isListOfSections(key string) bool { return policy.KindOf(key+"[]") == "object" }

func below(outer, key string) string {
	if outer == "" {
		return key
	}
	return outer + "." + key
}

// value parses the arguments of a key into the object. field is the key in the table of fields.
func (d *directive) value(name string, object map[string]any, key, field, path string) (err error) {
	list, _ := object[key].([]any)
	if isListOfSections(field) {
		object[key], err = d.entry(name, list, field, path)
		return err
	}
	d.mark(path)
	switch kind := policy.KindOf(field); {
	case kind == "array":
		object[key], err = d.list(name, list, path)
	case policy.KindOf(field+".*") != "":
		object[key], err = d.pairs(path)
	case kind == "object":
		object[key], err = d.block(map[string]any{}, field, path)
	default:
		object[key], err = d.scalar(name, kind)
	}
	return err
}

// entry parses one section of a list. The id of a rule comes before its block.
func (d *directive) entry(name string, list []any, field, path string) ([]any, error) {
	path = fmt.Sprintf("%s[%d]", path, len(list))
	d.mark(path)
	section := map[string]any{}
	if policy.KindOf(field+"[].id") != "" {
		id, err := d.word(name)
		if err != nil {
			return nil, err
		}
		section["id"] = id
		d.mark(path + ".id")
	}
	section, err := d.block(section, field+"[]", path)
	return append(list, section), err
}

// block parses an optional section in braces, which may be empty.
func (d *directive) block(object map[string]any, table, path string) (map[string]any, error) {
	if d.CountRemainingArgs() > 0 {
		return nil, d.ArgErr()
	}
	return object, d.section(object, table, path)
}

func (d *directive) mark(path string) { d.places[path] = place{d.File(), d.Line()} }
