package policy

import "strings"

// field is the contract of one key. At most one of the defaults is set.
type field struct {
	Key      string // path in snake_case
	Kind     string // type in JSON
	Required bool
	Bool     bool // default of a boolean
	Int      int  // default of an integer
	Text     string
	List     []string
	Min, Max int      // of a number, of the bytes of a text, or of the entries of a list; Max 0: no bound
	Choices  []string // empty: any value
	Form     string   // a regular expression for the whole text; empty: any
	Short    string   // a key of an object as whose text the object may be written; empty: none
}

// Mode is a row of the table of response modes.
type Mode struct {
	Name        string
	StatusCode  int    // default; 0: the mode sends no status
	StatusCodes []int  // valid values; none: any status with a body
	ContentType string // default; empty: depends on the response
	Holds       bool   // the mode holds requests open, and max_held bounds them
	// ShowsReference reports whether the response shows the reference of the event.
	ShowsReference bool
}

// captchaKey is a key of the captcha that only some providers support.
type captchaKey struct {
	Key       string
	Providers []string
}

var fieldsByKey = func() map[string]*field {
	index := make(map[string]*field, len(fields))
	for i := range fields {
		index[fields[i].Key] = &fields[i]
	}
	return index
}()

// fieldsBelow has the fields of each object by the key of the object. The policy has the empty key.
var fieldsBelow = func() map[string][]*field {
	index := map[string][]*field{}
	for i := range fields {
		f := &fields[i]
		if key := lastKey(f.Key); key != "*" && !strings.HasSuffix(key, "[]") {
			table := strings.TrimSuffix(strings.TrimSuffix(f.Key, key), ".")
			index[table] = append(index[table], f)
		}
	}
	return index
}()

func lastKey(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// KindOf returns the JSON type of a key of the table, such as rules[].id or response.headers.*, or "" for an unknown
// key.
func KindOf(key string) string {
	if f := fieldsByKey[key]; f != nil {
		return f.Kind
	}
	return ""
}

// KeysOf returns the keys of an object in the order of the table. table is the key of the object, or "" for the policy.
func KeysOf(table string) []string {
	var keys []string
	for _, f := range fieldsBelow[table] {
		keys = append(keys, lastKey(f.Key))
	}
	return keys
}

func ModeOf(name string) (Mode, bool) {
	for _, m := range Modes {
		if m.Name == name {
			return m, true
		}
	}
	return Mode{}, false
}

// allowsStatus reports whether a response of the mode can have this status. A mode that sends no status ignores it.
func (m Mode) allowsStatus(status int) bool {
	if len(m.StatusCodes) > 0 {
		return hasInt(m.StatusCodes, status)
	}
	return m.StatusCode == 0 || !hasInt(bodilessStatuses, status)
}

func hasInt(list []int, n int) bool {
	for _, item := range list {
		if item == n {
			return true
		}
	}
	return false
}

func has(list []string, text string) bool {
	for _, item := range list {
		if item == text {
			return true
		}
	}
	return false
}
