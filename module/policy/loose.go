package policy

import (
	"encoding/json"
	"strconv"
	"strings"
)

// LoadLoose reads guard.json as Traefik passes it to a plugin. Labels convert every value to text, may write a list as one
// text, and lose the case of keys. Paths of problems are in camelCase.
func LoadLoose(values map[string]any) (*Policy, []Problem) {
	if values == nil {
		values = map[string]any{}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return nil, []Problem{{Kind: Syntax, Message: err.Error()}}
	}
	r := &reader{fieldOf: fieldOfAnyCase, isFile: true, isLoose: true}
	p, found := r.load(text)
	for i := range found {
		found[i].Path = camelCase(found[i].Path)
	}
	return p, found
}

// listMark begins a text that represents a list, and separates its entries, because many patterns contain commas.
const listMark = "\u2551"

// valueOfText returns the value that a text represents, if the type of the field is not text.
func valueOfText(f *field, value any) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	switch f.Kind {
	case "boolean":
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	case "integer":
		if _, err := strconv.Atoi(text); err == nil {
			return json.Number(text)
		}
	case "array":
		return entriesOfText(text)
	}
	return value
}

func entriesOfText(text string) any {
	if text == "" {
		return []any{}
	}
	separator := ","
	if strings.HasPrefix(text, listMark) {
		text = strings.TrimPrefix(text, listMark)
		separator = listMark
	}
	list := []any{}
	for _, entry := range strings.Split(text, separator) {
		list = append(list, entry)
	}
	return list
}

// looseKeys maps a camelCase path in lower case to the path of the field.
var looseKeys = func() map[string]string {
	index := make(map[string]string, len(fields))
	for i := range fields {
		index[loosePath(fields[i].Key)] = fields[i].Key
	}
	return index
}()

func loosePath(path string) string { return strings.ToLower(strings.ReplaceAll(path, "_", "")) }

func fieldOfAnyCase(table, key string) (string, *field) {
	path, ok := looseKeys[strings.ToLower(KeyPath(loosePath(table), key))]
	if !ok {
		return key, nil
	}
	return lastKey(path), fieldsByKey[path]
}

// camelCase returns the path of a problem as in guard.json. Names of headers stay unchanged.
func camelCase(path string) string {
	keys, header := path, ""
	if i := strings.Index(path, "response.headers"); i >= 0 {
		keys, header = path[:i], path[i:]
	}
	var b strings.Builder
	for i := 0; i < len(keys); i++ {
		if keys[i] == '_' && i+1 < len(keys) {
			i++
			b.WriteString(strings.ToUpper(keys[i : i+1]))
			continue
		}
		b.WriteByte(keys[i])
	}
	return b.String() + header
}

// snakeCase returns a camelCase key in snake_case.
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
