package guard

import (
	"reflect"
	"strings"
)

// key is one key of the policy in the directive form.
type key struct {
	name  string // in the directive
	json  string // in JSON
	field int    // of the struct that holds it
	entry bool   // the directive is one entry of a list and may be repeated: rule for rules
}

// keysOf returns the keys of a section in the directive form. They derive from the JSON form, so that both have the
// same keys. Lists of sections are written entry by entry, under their name in the singular.
func keysOf(section reflect.Type) map[string]key {
	keys := map[string]key{}
	for i := range section.NumField() {
		row := key{json: jsonName(section.Field(i)), field: i, entry: isListOfSections(section.Field(i).Type)}
		row.name = row.json
		if row.entry {
			row.name = strings.TrimSuffix(row.json, "s")
		}
		keys[row.name] = row
	}
	return keys
}

func jsonName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

func isListOfSections(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}
