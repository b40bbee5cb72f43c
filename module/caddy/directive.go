package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/request-guard/guard/policy"
)

// directive parses a guard block into the JSON form of a policy. It records the position of each value for later errors.
type directive struct {
	*caddyfile.Dispenser
	places map[string]place // positions of values; the keys are their paths, such as rules[0].pattern
}

type place struct {
	file string
	line int
}

// parseSection parses a block of keys into an object. path is the path of the object in the policy, such as rules[0].
// table is its path in the table of fields, such as rules[].
func (d *directive) parseSection(object map[string]any, table, path string) error {
	names := directiveKeys(table)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := d.Val()
		at := slices.Index(names, name)
		if at < 0 {
			return d.Err(policy.UnknownKeyMessage(name, names))
		}
		key := policy.KeysOf(table)[at]
		if _, isThere := object[key]; isThere && policy.KindOf(policy.KeyPath(table, key)) != "array" {
			return d.Errf("duplicate key %q", name)
		}
		if err := d.parseValue(name, object, key, policy.KeyPath(table, key), policy.KeyPath(path, key)); err != nil {
			return err
		}
	}
	return nil
}

// directiveKeys returns the keys of a section as a Caddyfile spells them. The key of a list of sections is in the
// singular, such as rule for rules, because each entry has a separate block.
func directiveKeys(table string) []string {
	names := policy.KeysOf(table)
	for i, key := range names {
		if isListOfSections(policy.KeyPath(table, key)) {
			names[i] = strings.TrimSuffix(key, "s")
		}
	}
	return names
}

func isListOfSections(key string) bool { return policy.KindOf(key+"[]") == "object" }

// parseValue parses the arguments of a key into the object. field is the path of the key in the table of fields.
func (d *directive) parseValue(name string, object map[string]any, key, field, path string) (err error) {
	list, _ := object[key].([]any)
	if isListOfSections(field) {
		object[key], err = d.parseEntry(name, list, field, path)
		return err
	}
	d.recordPlace(path)
	switch kind := policy.KindOf(field); {
	case kind == "array":
		object[key], err = d.parseList(name, list, path)
	case policy.KindOf(field+".*") != "":
		object[key], err = d.parsePairs(path)
	case kind == "object":
		object[key], err = d.parseBlock(map[string]any{}, field, path)
	default:
		object[key], err = d.parseScalar(name, kind)
	}
	return err
}

// headKeys are the keys of a section whose value comes before the block.
var headKeys = []string{"id", "name"}

// parseEntry parses one section of a list.
func (d *directive) parseEntry(name string, list []any, field, path string) ([]any, error) {
	path = fmt.Sprintf("%s[%d]", path, len(list))
	d.recordPlace(path)
	section := map[string]any{}
	for _, key := range headKeys {
		if policy.KindOf(field+"[]."+key) == "" {
			continue
		}
		if !d.NextArg() {
			return nil, d.Errf("key %q needs a value", name)
		}
		section[key] = placeholderCharacters.Replace(d.Val())
		d.recordPlace(path + "." + key)
	}
	section, err := d.parseBlock(section, field+"[]", path)
	return append(list, section), err
}

// parseBlock parses an optional section in braces, which may be empty.
func (d *directive) parseBlock(object map[string]any, table, path string) (map[string]any, error) {
	if d.CountRemainingArgs() > 0 {
		return nil, d.ArgErr()
	}
	return object, d.parseSection(object, table, path)
}

func (d *directive) recordPlace(path string) { d.places[path] = place{d.File(), d.Line()} }
