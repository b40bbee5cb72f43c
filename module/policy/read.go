package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"
	"unicode/utf8"
)

// Load reads and checks a policy with keys in snake_case, the form of proxies. It returns no policy if there are problems.
func Load(text []byte) (*Policy, []Problem) {
	r := &reader{fieldOf: fieldOfSnakeCase}
	return r.load(text)
}

// LoadCamelCase reads guard.json like Load, with keys in camelCase. Paths of problems are in snake_case.
func LoadCamelCase(text []byte) (*Policy, []Problem) {
	r := &reader{fieldOf: fieldOfCamelCase, isFile: true}
	return r.load(text)
}

// reader checks the values of a file against the table of fields, and fills in defaults.
type reader struct {
	found   problems
	fieldOf func(table, key string) (string, *field) // returns the field of a key, and the key in snake_case
	isFile  bool                                     // the file is guard.json, with camelCase keys
	isLoose bool                                     // values may be written as texts
}

func (r *reader) load(text []byte) (*Policy, []Problem) {
	root, err := decodeJSON(text)
	if err != nil {
		r.found.add(Syntax, "", "expected JSON in UTF-8")
		return nil, r.found.list
	}
	tree, ok := r.readObject("", "", root)
	if !ok {
		r.found.add(WrongType, "", "expected an object")
		return nil, r.found.list
	}
	p := typedPolicy(tree)
	r.found.checkResponse("response", &p.Response)
	if p.BanList != nil && p.BanList.Response != nil {
		r.found.checkResponse("ban_list.response", p.BanList.Response)
	}
	r.found.checkIDs(p)
	r.found.checkPatternBytes(p)
	if len(r.found.list) > 0 {
		return nil, r.found.list
	}
	p.expandApplications()
	return p, nil
}

func decodeJSON(text []byte) (value any, err error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, fmt.Errorf("no JSON")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

func typedPolicy(tree map[string]any) *Policy {
	p := &Policy{}
	text, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil { // the table of fields and Policy disagree
		panic(err)
	}
	return p
}

// fileOnlyKeys are keys of guard.json that proxies do not have.
var fileOnlyKeys = []string{"$schema", "tcp"}

// readObject returns the valid members in snake_case, and the defaults of all others. It returns false if the value is
// not an object. table is the key in the table of fields.
func (r *reader) readObject(at, table string, value any) (map[string]any, bool) {
	members, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	validMembers := map[string]any{}
	for _, name := range sortedKeys(members) {
		if r.isFile && at == "" && has(fileOnlyKeys, name) {
			continue
		}
		key, f := name, fieldsByKey[KeyPath(table, "*")]
		if f == nil {
			key, f = r.fieldOf(table, name)
		}
		if f == nil {
			r.found.add(UnknownKey, childPath(at, key), r.unknownKeyMessage(table, name))
		} else if member, ok := r.readValue(childPath(at, key), f, members[name]); ok {
			validMembers[key] = member
		}
	}
	for _, f := range fieldsBelow[table] {
		if _, isThere := validMembers[lastKey(f.Key)]; !isThere {
			r.fillAbsent(at, f, validMembers)
		}
	}
	return validMembers, true
}

func (r *reader) unknownKeyMessage(table, name string) string {
	if r.found.isFull() {
		return ""
	}
	keys := KeysOf(table)
	if r.isFile {
		for i, key := range keys {
			keys[i] = camelCase(key)
		}
	}
	return UnknownKeyMessage(name, keys)
}

// fillAbsent fills in the default of an absent key, or reports an absent key that is required. An absent object whose
// keys are all optional becomes an object of defaults.
func (r *reader) fillAbsent(at string, f *field, members map[string]any) {
	key := lastKey(f.Key)
	switch {
	case f.Required:
		r.found.add(MissingKey, childPath(at, key), key+" is missing")
	case f.Kind == "object" && !needsKeys(f):
		object, _ := r.readObject(childPath(at, key), f.Key, map[string]any{})
		members[key] = object
	case f.Bool:
		members[key] = true
	case f.Int != 0:
		members[key] = f.Int
	case f.Text != "":
		members[key] = f.Text
	case f.List != nil:
		members[key] = f.List
	}
}

func needsKeys(f *field) bool {
	for _, inner := range fieldsBelow[f.Key] {
		if inner.Required {
			return true
		}
	}
	return false
}

var typeNames = map[string]string{
	"boolean": "true or false", "integer": "a whole number", "string": "text", "array": "a list", "object": "an object",
}

func (r *reader) readValue(at string, f *field, value any) (any, bool) {
	if r.isLoose {
		value = valueOfText(f, value)
	}
	if text, ok := value.(string); ok && f.Short != "" {
		value = map[string]any{f.Short: text}
	}
	result, ok := r.readKind(at, f, value)
	switch {
	case ok:
	case len(f.Choices) > 0:
		r.found.add(BadValue, at, "expected one of "+joinWords(f.Choices))
	default:
		r.found.add(WrongType, at, "expected "+typeNames[f.Kind])
	}
	return result, ok
}

func (r *reader) readKind(at string, f *field, value any) (any, bool) {
	switch f.Kind {
	case "boolean":
		b, ok := value.(bool)
		return b, ok
	case "integer":
		return r.readInteger(at, f, value)
	case "string":
		text, ok := value.(string)
		if ok {
			text = r.readText(at, f, text)
		}
		return text, ok
	case "array":
		return r.readList(at, f, value)
	}
	// Two statements, because Traefik's interpreter loses one of two returned values.
	members, ok := r.readObject(at, f.Key, value)
	return members, ok
}

const largestWhole = 1 << 53 // beyond this, languages parse a JSON number differently

func (r *reader) readInteger(at string, f *field, value any) (any, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return nil, false
	}
	x, err := number.Float64()
	if err != nil || x != math.Trunc(x) || math.Abs(x) >= largestWhole {
		return nil, false
	}
	n := int64(x)
	if n < int64(f.Min) || n > int64(f.Max) {
		r.found.add(OutOfRange, at, fmt.Sprintf("expected %d to %d, found %d", f.Min, f.Max, n))
		return 0, true
	}
	return n, true
}

// readList keeps the positions of its entries. An entry of a wrong type becomes empty.
func (r *reader) readList(at string, f *field, value any) (any, bool) {
	items, ok := value.([]any)
	if !ok {
		return nil, false
	}
	if len(items) < f.Min {
		r.found.add(OutOfRange, at, fmt.Sprintf("expected at least %d entries", f.Min))
	} else if len(items) > f.Max {
		r.found.add(OutOfRange, at, fmt.Sprintf("expected at most %d entries, found %d", f.Max, len(items)))
	}
	entries := make([]any, len(items))
	for i, item := range items {
		if entry, ok := r.readValue(entryPath(at, i), fieldsByKey[f.Key+"[]"], item); ok {
			entries[i] = entry
		}
	}
	if networkKeys[f.Key+"[]"] {
		entries = expandPresets(entries)
	}
	return entries, true
}

func sortedKeys(members map[string]any) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func fieldOfSnakeCase(table, key string) (string, *field) {
	return key, fieldsByKey[KeyPath(table, key)]
}

func fieldOfCamelCase(table, key string) (string, *field) {
	snake := snakeCase(key)
	if strings.Contains(key, "_") {
		return snake, nil
	}
	return snake, fieldsByKey[KeyPath(table, snake)]
}
