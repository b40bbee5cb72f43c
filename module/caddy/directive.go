package guard

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// directive reads the tokens of a guard block into a policy file, and records the position of each value. The policy
// is checked later, and errors name the line.
type directive struct {
	*caddyfile.Dispenser
	places map[string]place // by path of the value, such as rules[0].pattern
}

type place struct {
	file string
	line int
}

// section reads a block of keys into the struct v. prefix precedes its keys in a path. A key that v already has is a
// duplicate in the block.
func (d *directive) section(v reflect.Value, prefix string) error {
	keys := keysOf(v.Type())
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := d.Val()
		row, ok := keys[name]
		if !ok {
			return d.Err(unknownKey(name, slices.Sorted(maps.Keys(keys))))
		}
		field := v.Field(row.field)
		if !field.IsZero() && field.Kind() != reflect.Slice {
			return d.Errf("duplicate key %q", name)
		}
		if err := d.value(row, field, prefix+row.json); err != nil {
			return err
		}
	}
	return nil
}

// value reads the arguments of a key into v, whose path is path.
func (d *directive) value(row key, v reflect.Value, path string) error {
	if row.entry {
		return d.entry(row, v, path)
	}
	d.mark(path)
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		return d.block(v, path)
	case reflect.Map:
		return d.pairs(v, path)
	case reflect.Slice:
		return d.list(row, v, path)
	}
	return d.scalar(row, v)
}

// entry reads one section of a list. The id of a rule precedes its block.
func (d *directive) entry(row key, list reflect.Value, path string) error {
	path = fmt.Sprintf("%s[%d]", path, list.Len())
	d.mark(path)
	section := reflect.New(list.Type().Elem()).Elem()
	if id := section.FieldByName("ID"); id.IsValid() {
		text, err := d.word(row)
		if err != nil {
			return err
		}
		id.Set(reflect.ValueOf(&text))
		d.mark(path + ".id")
	}
	if err := d.block(section, path); err != nil {
		return err
	}
	list.Set(reflect.Append(list, section))
	return nil
}

// block reads a section in braces, which may be empty or absent.
func (d *directive) block(v reflect.Value, path string) error {
	if d.CountRemainingArgs() > 0 {
		return d.ArgErr()
	}
	return d.section(v, path+".")
}

// mark records the position of the value at path.
func (d *directive) mark(path string) { d.places[path] = place{d.File(), d.Line()} }
