package policy

import (
	"encoding/json"
	"math"
	"strings"
)

// LoadUniversal reads and resolves guard.json, whose keys are in camelCase. Paths of problems are in snake_case.
func LoadUniversal(text []byte) (*Policy, []Problem) {
	r := &reader{found: &problems{}}
	root, ok := r.parse(text)
	if !ok {
		return nil, r.found.list
	}
	return r.load(root)
}

// load resolves the values of parse.
func (r *reader) load(root any) (*Policy, []Problem) {
	tree, ok := r.object("", "", root)
	if !ok {
		r.found.add(WrongType, "", "expected an object")
		return nil, r.found.list
	}
	var f File
	plain, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(plain, &f)
	}
	if err != nil { // the table of fields and File disagree
		panic(err)
	}
	return resolve(&f, r.found)
}

// reader converts the values of a file to those of File, and reports the others.
type reader struct {
	found   *problems
	isLoose bool // values may be texts, and keys in any case
}

// keysOfFiles are not for proxies.
var keysOfFiles = []string{"$schema", "tcp"}

// object keeps the members whose keys the table has below table, with values of the right type.
func (r *reader) object(at, table string, value any) (map[string]any, bool) {
	members, ok := value.([]member)
	if !ok {
		return nil, false
	}
	kept := map[string]any{}
	for _, m := range members {
		if at == "" && has(keysOfFiles, m.key) {
			continue
		}
		key, f := r.known(table, m.key)
		if f == nil {
			r.found.add(UnknownKey, dotted(at, key), "unknown key "+quoted(m.key))
			continue
		}
		if plain, ok := r.typed(dotted(at, key), f, m.value); ok {
			kept[key] = plain
		}
	}
	return kept, true
}

func (r *reader) known(table, key string) (string, *field) {
	if r.isLoose {
		return knownLoosely(table, key)
	}
	return known(table, key)
}

// known finds the field of a key in camelCase. Names of headers stay unchanged.
func known(table, key string) (string, *field) {
	if f := fieldsByKey[dotted(table, "*")]; f != nil {
		return key, f
	}
	snake := snakeCase(key)
	if strings.Contains(key, "_") {
		return snake, nil
	}
	return snake, fieldsByKey[dotted(table, snake)]
}

var typeNames = map[string]string{
	"boolean": "true or false", "integer": "a whole number", "string": "text", "array": "a list", "object": "an object",
}

func (r *reader) typed(at string, f *field, value any) (any, bool) {
	if r.isLoose {
		value = loosened(f, value)
	}
	plain, ok := r.plain(at, f, value)
	switch {
	case ok:
	case len(f.Choices) > 0:
		r.found.add(BadValue, at, "expected one of "+listed(f.Choices))
	default:
		r.found.add(WrongType, at, "expected "+typeNames[f.Kind])
	}
	return plain, ok
}

func (r *reader) plain(at string, f *field, value any) (any, bool) {
	switch f.Kind {
	case "boolean":
		b, ok := value.(bool)
		return b, ok
	case "integer":
		return whole(value)
	case "string":
		s, ok := value.(string)
		return s, ok
	case "array":
		return r.list(at, f, value)
	}
	members, ok := r.object(at, f.Key, value) // two statements: the interpreter of Traefik loses one of two returned values
	return members, ok
}

// list keeps the positions of its entries: those of a wrong type become empty.
func (r *reader) list(at string, f *field, value any) (any, bool) {
	items, ok := value.([]any)
	kept := make([]any, len(items))
	for i, item := range items {
		if plain, ok := r.typed(indexed(at, i), fieldsByKey[f.Key+"[]"], item); ok {
			kept[i] = plain
		}
	}
	return kept, ok
}

const largestWhole = 1 << 53 // beyond it, languages read a JSON number differently

func whole(value any) (any, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return nil, false
	}
	x, err := number.Float64()
	return int64(x), err == nil && x == math.Trunc(x) && math.Abs(x) < largestWhole
}

func dotted(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// snakeCase is the spelling of a camelCase key in the forms of the proxies.
func snakeCase(key string) string {
	var b strings.Builder
	for _, c := range key {
		if 'A' <= c && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
