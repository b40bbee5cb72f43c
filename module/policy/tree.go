package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

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

// value reads one value of a valid text. Objects become lists of members, so that repeated keys are detected.
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
	list := []member{}
	seen := map[string]bool{}
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
