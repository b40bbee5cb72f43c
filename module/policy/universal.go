package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// LoadUniversal reads guard.json, whose keys are in camelCase, and resolves it. Paths of problems are in snake_case.
func LoadUniversal(text []byte) (*Policy, []Problem) {
	r := &reader{found: &problems{}}
	root, ok := r.parse(text)
	if !ok {
		return nil, r.found.list
	}
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

// reader turns the values of a file into those that File takes, and reports the others.
type reader struct{ found *problems }

// member is a key of an object, in the order of the file.
type member struct {
	key   string
	value any
}

func (r *reader) parse(text []byte) (any, bool) {
	if !utf8.Valid(text) || !json.Valid(text) {
		r.found.add(Syntax, "", "expected JSON in UTF-8")
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := r.value(decoder, "")
	if err == nil {
		_, err = decoder.Token()
	}
	return value, errors.Is(err, io.EOF) && len(r.found.list) == 0
}

// value reads one value of a valid text. Objects become lists of members, so that a repeated key is seen.
func (r *reader) value(decoder *json.Decoder, path string) (any, error) {
	token, err := decoder.Token()
	switch token {
	case json.Delim('{'):
		return r.members(decoder, path)
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			item, err := r.value(decoder, indexed(path, len(list)))
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err = decoder.Token()
		return list, err
	}
	return token, err
}

func (r *reader) members(decoder *json.Decoder, path string) (any, error) {
	list, seen := []member{}, map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		at := dotted(path, snakeCase(key))
		if seen[key] {
			r.found.add(Syntax, at, "this key is there already")
		}
		seen[key] = true
		item, err := r.value(decoder, at)
		if err != nil {
			return nil, err
		}
		list = append(list, member{key, item})
	}
	_, err := decoder.Token()
	return list, err
}

// keysOfFiles mean nothing to a proxy.
var keysOfFiles = []string{"$schema", "tcp"}

// object keeps the members whose keys the table knows below table, and whose values have the type it says.
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
		key, f := known(table, m.key)
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

// known finds the field of a key in camelCase. Names of headers stay as they are.
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
	return r.object(at, f.Key, value)
}

// list keeps the places of its entries: those of a wrong type are left empty.
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

const largestWhole = 1 << 53 // beyond it a JSON number has no one value everywhere

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
