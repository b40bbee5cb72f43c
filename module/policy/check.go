package policy

import (
	"fmt"
	"regexp"
)

// readText checks a text and returns it in the form that Policy needs.
func (r *reader) readText(at string, f *field, text string) string {
	if secretKeys[f.Key] {
		r.found.checkSecret(at, f, text)
		return text
	}
	for _, c := range []func(string) (string, string){f.checkBounds, f.checkChoice, f.checkForm, checks[f.Key]} {
		if c == nil {
			continue
		}
		if kind, message := c(text); kind != "" {
			r.found.add(kind, at, message)
		}
	}
	if networkKeys[f.Key] {
		return maskedNetwork(text)
	}
	return text
}

func (f *field) checkBounds(text string) (kind, message string) {
	if len(text) < f.Min {
		return OutOfRange, fmt.Sprintf("expected at least %d bytes, found %d", f.Min, len(text))
	}
	if f.Max > 0 && len(text) > f.Max {
		return OutOfRange, fmt.Sprintf("expected at most %d bytes, found %d", f.Max, len(text))
	}
	return "", ""
}

func (f *field) checkChoice(text string) (kind, message string) {
	if len(f.Choices) == 0 || has(f.Choices, text) {
		return "", ""
	}
	return BadValue, "expected one of " + joinWords(f.Choices) + ", found " + quoted(text)
}

var formExpressions = func() map[string]*regexp.Regexp {
	compiled := map[string]*regexp.Regexp{}
	for _, f := range fields {
		if f.Form != "" {
			compiled[f.Form] = regexp.MustCompile(f.Form)
		}
	}
	return compiled
}()

func (f *field) checkForm(text string) (kind, message string) {
	if f.Form == "" || formExpressions[f.Form].MatchString(text) {
		return "", ""
	}
	return BadValue, "expected " + formNames[f.Key] + ", found " + quoted(text)
}

const longestQuote = 60 // maximum bytes of a value in a message

// quoted returns a value of the file for a message: printable ASCII of bounded length.
func quoted(text string) string {
	if len(text) > longestQuote {
		return fmt.Sprintf("%+q...", text[:longestQuote])
	}
	return fmt.Sprintf("%+q", text)
}
