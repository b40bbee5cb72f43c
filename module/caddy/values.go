package guard

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// written replaces two characters that a Caddyfile cannot hold everywhere: a brace that would begin a placeholder, and
// a backquote inside backquotes.
var written = strings.NewReplacer("{guard.brace}", "{", "{guard.backquote}", "`")

// word reads the only argument of a key.
func (d *directive) word(row key) (string, error) {
	if !d.NextArg() {
		return "", d.Errf("key %q needs a value", row.name)
	}
	text := written.Replace(d.Val())
	if d.CountRemainingArgs() > 0 {
		return "", d.Errf("key %q takes one value; quote it if it has spaces", row.name)
	}
	return text, nil
}

func (d *directive) scalar(row key, v reflect.Value) error {
	text, err := d.word(row)
	if err != nil {
		return err
	}
	switch v.Kind() {
	case reflect.Bool:
		if text != "true" && text != "false" {
			return d.Errf("key %q: expected true or false, found %+q", row.name, text)
		}
		v.SetBool(text == "true")
	case reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return d.Errf("key %q: expected a whole number, found %+q", row.name, text)
		}
		v.SetInt(int64(n))
	default:
		v.SetString(text)
	}
	return nil
}

// list appends the arguments. A repeated key continues its list.
func (d *directive) list(row key, v reflect.Value, path string) error {
	if d.CountRemainingArgs() == 0 {
		return d.Errf("key %q needs at least one value", row.name)
	}
	for d.NextArg() {
		d.mark(fmt.Sprintf("%s[%d]", path, v.Len()))
		v.Set(reflect.Append(v, reflect.ValueOf(written.Replace(d.Val()))))
	}
	return nil
}

// pairs reads a block of names and values: the response headers.
func (d *directive) pairs(v reflect.Value, path string) error {
	if d.CountRemainingArgs() > 0 {
		return d.ArgErr()
	}
	v.Set(reflect.MakeMap(v.Type()))
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := reflect.ValueOf(written.Replace(d.Val()))
		if v.MapIndex(name).IsValid() {
			return d.Errf("duplicate header %+q", name.String())
		}
		d.mark(path + "." + name.String())
		text, err := d.word(key{name: name.String()})
		if err != nil {
			return err
		}
		v.SetMapIndex(name, reflect.ValueOf(text))
	}
	return nil
}
