package guard

import (
	"fmt"
	"strconv"
	"strings"
)

// placeholderCharacters replaces placeholders for characters that a Caddyfile cannot contain everywhere: a brace that would begin
// a placeholder, a backquote inside backquotes, and a backslash before a brace.
var placeholderCharacters = strings.NewReplacer("{guard.brace}", "{", "{guard.backquote}", "`", "{guard.backslash}", `\`)

func (d *directive) parseWord(name string) (string, error) {
	if !d.NextArg() {
		return "", d.Errf("key %q needs a value", name)
	}
	text := placeholderCharacters.Replace(d.Val())
	if d.CountRemainingArgs() > 0 {
		return "", d.Errf("key %q takes one value; quote it if it has spaces", name)
	}
	return text, nil
}

func (d *directive) parseScalar(name, kind string) (any, error) {
	text, err := d.parseWord(name)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "boolean":
		if text != "true" && text != "false" {
			return nil, d.Errf("key %q: expected true or false, found %+q", name, text)
		}
		return text == "true", nil
	case "integer":
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, d.Errf("key %q: expected a whole number, found %+q", name, text)
		}
		return n, nil
	}
	return text, nil
}

// parseList appends to the list, because a repeated key continues it.
func (d *directive) parseList(name string, list []any, path string) ([]any, error) {
	if d.CountRemainingArgs() == 0 {
		return nil, d.Errf("key %q needs at least one value", name)
	}
	for d.NextArg() {
		d.recordPlace(fmt.Sprintf("%s[%d]", path, len(list)))
		list = append(list, placeholderCharacters.Replace(d.Val()))
	}
	return list, nil
}

func (d *directive) parsePairs(path string) (map[string]string, error) {
	if d.CountRemainingArgs() > 0 {
		return nil, d.ArgErr()
	}
	pairs := map[string]string{}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := placeholderCharacters.Replace(d.Val())
		if _, isThere := pairs[name]; isThere {
			return nil, d.Errf("duplicate header %+q", name)
		}
		d.recordPlace(path + "." + name)
		text, err := d.parseWord(name)
		if err != nil {
			return nil, err
		}
		pairs[name] = text
	}
	return pairs, nil
}
