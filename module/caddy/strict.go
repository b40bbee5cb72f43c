package guard

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/request-guard/guard/host"
	"github.com/request-guard/guard/policy"
)

// UnmarshalJSON reads the JSON form. Unknown keys and wrong types are errors. It reports all of them, each with its
// path.
func (g *Guard) UnmarshalJSON(text []byte) error {
	var raw any
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	if problems := mismatches(raw, reflect.TypeFor[policy.File](), ""); len(problems) > 0 {
		return host.Join(problems)
	}
	return json.Unmarshal(text, &g.File)
}

// mismatches compares JSON with a Go type; path is the position of value.
func mismatches(value any, t reflect.Type, path string) []policy.Problem {
	switch t.Kind() {
	case reflect.Pointer:
		return mismatches(value, t.Elem(), path)
	case reflect.Struct:
		if object, ok := value.(map[string]any); ok {
			return sectionMismatches(object, t, path)
		}
	case reflect.Map:
		if object, ok := value.(map[string]any); ok {
			return eachMismatch(object, func(string) reflect.Type { return t.Elem() }, path)
		}
	case reflect.Slice:
		if list, ok := value.([]any); ok {
			return listMismatches(list, t.Elem(), path)
		}
	default:
		if isScalar(value, t.Kind()) {
			return nil
		}
	}
	return []policy.Problem{{Kind: policy.WrongType, Path: path, Message: "expected " + typeName(t.Kind())}}
}

func sectionMismatches(object map[string]any, t reflect.Type, path string) []policy.Problem {
	types := map[string]reflect.Type{}
	for i := range t.NumField() {
		types[jsonName(t.Field(i))] = t.Field(i).Type
	}
	return eachMismatch(object, func(name string) reflect.Type { return types[name] }, path, slices.Sorted(maps.Keys(types))...)
}

// eachMismatch compares the members of an object; typeOf returns nil for unknown keys.
func eachMismatch(object map[string]any, typeOf func(name string) reflect.Type, path string, known ...string) []policy.Problem {
	var problems []policy.Problem
	for _, name := range slices.Sorted(maps.Keys(object)) {
		at := name
		if path != "" {
			at = path + "." + name
		}
		if t := typeOf(name); t != nil {
			problems = append(problems, mismatches(object[name], t, at)...)
		} else {
			problems = append(problems, policy.Problem{Kind: policy.UnknownKey, Path: at, Message: unknownKey(name, known)})
		}
	}
	return problems
}

func listMismatches(list []any, t reflect.Type, path string) []policy.Problem {
	var problems []policy.Problem
	for i, entry := range list {
		problems = append(problems, mismatches(entry, t, fmt.Sprintf("%s[%d]", path, i))...)
	}
	return problems
}

func isScalar(value any, kind reflect.Kind) bool {
	switch v := value.(type) {
	case bool:
		return kind == reflect.Bool
	case string:
		return kind == reflect.String
	case float64:
		return kind == reflect.Int && v == math.Trunc(v) && math.Abs(v) <= math.MaxInt32
	}
	return false
}

func typeName(kind reflect.Kind) string {
	return map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.String: "text",
		reflect.Slice: "a list", reflect.Struct: "an object", reflect.Map: "an object",
	}[kind]
}
