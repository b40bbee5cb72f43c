package guard

import (
	"reflect"
	"strings"
)

// key is one key of the policy as the directive form writes it.
type key struct {
	name  string // as the directive writes it
	json  string // as JSON writes it
	field int    // of the struct that holds it
	entry bool   // the directive is one entry of a list and may stand many times: rule for rules
}

// keysOf is the table of a section's keys in the directive form: those of the JSON form, so that neither knows a key that
// the other lacks. Lists of sections are written entry by entry, under their name in the singular.
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
