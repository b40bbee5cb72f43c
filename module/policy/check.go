package policy

import (
	"fmt"
	"regexp"
)

// check returns the problem of a text; an empty kind: none.
type check func(text string) (kind, message string)

func (p place) flag(key string, value *bool) bool {
	if value == nil {
		return p.field(key).Bool
	}
	return *value
}

func (p place) number(key string, value *int) int {
	f := p.field(key)
	if value == nil {
		return f.Int
	}
	if *value < f.Min || *value > f.Max {
		p.report(OutOfRange, key, fmt.Sprintf("expected %d to %d, found %d", f.Min, f.Max, *value))
	}
	return *value
}

func (p place) text(key string, value *string, checks ...check) string {
	f := p.field(key)
	if value == nil {
		if f.Required {
			p.report(MissingKey, key, key+" is missing")
		}
		return f.Text
	}
	p.examine(key, f, *value, checks)
	return *value
}

// examine reports the problems of a text at key.
func (p place) examine(key string, f *field, value string, checks []check) {
	for _, c := range append([]check{f.bounds, f.choice, f.form}, checks...) {
		if kind, message := c(value); kind != "" {
			p.report(kind, key, message)
		}
	}
}

// texts checks a list and each of its entries.
func (p place) texts(key string, values []string, checks ...check) []string {
	f := p.field(key)
	if values == nil {
		if f.Required {
			p.report(MissingKey, key, key+" is missing")
		}
		return f.List
	}
	p.length(key, len(values))
	entries := p.field(key + "[]")
	for i, value := range values {
		p.examine(indexed(key, i), entries, value, checks)
	}
	return values
}

// length checks the number of entries of a list.
func (p place) length(key string, n int) {
	f := p.field(key)
	if n < f.Min {
		p.report(OutOfRange, key, fmt.Sprintf("expected at least %d entries", f.Min))
	}
	if f.Max > 0 && n > f.Max {
		p.report(OutOfRange, key, fmt.Sprintf("expected at most %d entries, found %d", f.Max, n))
	}
}

func (f *field) bounds(text string) (kind, message string) {
	if len(text) < f.Min {
		return OutOfRange, fmt.Sprintf("expected at least %d bytes, found %d", f.Min, len(text))
	}
	if f.Max > 0 && len(text) > f.Max {
		return OutOfRange, fmt.Sprintf("expected at most %d bytes, found %d", f.Max, len(text))
	}
	return "", ""
}

func (f *field) choice(text string) (kind, message string) {
	if len(f.Choices) == 0 || has(f.Choices, text) {
		return "", ""
	}
	return BadValue, "expected one of " + listed(f.Choices) + ", found " + quoted(text)
}

var forms = func() map[string]*regexp.Regexp {
	compiled := map[string]*regexp.Regexp{}
	for _, f := range fields {
		if f.Form != "" {
			compiled[f.Form] = regexp.MustCompile(f.Form)
		}
	}
	return compiled
}()

// formNames describe the expressions of the table.
var formNames = map[string]string{
	"rules[].id":           "lower-case words joined by - _ or .",
	"exceptions[].hosts[]": "a host name, or *.suffix",
	"methods[]":            `an HTTP method, or "*" for all`,
}

func (f *field) form(text string) (kind, message string) {
	if f.Form == "" || forms[f.Form].MatchString(text) {
		return "", ""
	}
	return BadValue, "expected " + formNames[f.Key] + ", found " + quoted(text)
}

const longestQuote = 60 // bytes of a value that a message quotes

// quoted returns a value of the file for a message: printable ASCII of bounded length.
func quoted(text string) string {
	if len(text) > longestQuote {
		return fmt.Sprintf("%+q...", text[:longestQuote])
	}
	return fmt.Sprintf("%+q", text)
}
