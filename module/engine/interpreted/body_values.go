package interpreted

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine"
)

const (
	aBackslash = "\x00" // replaces an escaped backslash; JSON has no control characters in strings
	aQuote     = "\x01" // replaces an escaped quotation mark
)

var (
	jsonHidden   = strings.NewReplacer(`\\`, aBackslash, `\"`, aQuote)
	jsonRestored = strings.NewReplacer(aBackslash, `\\`, aQuote, `\"`)
	firstEquals  = regexp.MustCompile(`([^&=]*)=([^&]*)`)
	filePairs    = regexp.MustCompile(`((?:\A|&)` + engine.FileKey + `)([^&]*)`)
	formText     = regexp.MustCompile(`[^&]+`)
)

// jsonValues returns the keys and strings of JSON that are not empty. It returns false where the body is not JSON.
func jsonValues(body string) (values []string, isFound bool) {
	if !json.Valid([]byte(body)) {
		return nil, false
	}
	var all []string
	parts := strings.Split(jsonHidden.Replace(body), `"`)
	for i := 1; i < len(parts); i += 2 {
		value := parts[i]
		if strings.ContainsAny(value, aBackslash+aQuote+`\`) {
			value = string(engine.UnescapeJSON([]byte(jsonRestored.Replace(value))))
		}
		if value != "" {
			all = append(all, value)
		}
	}
	return all, true
}

// formValues returns the keys and values of the pairs between &, and file=<value> for the key file, then those of the pairs that
// engine.SemicolonPairs returns.
func formValues(body string) []string {
	if more := engine.SemicolonPairs(body); more != "" {
		body += "&" + more
	}
	withPairs := filePairs.ReplaceAllString(body, "$1$2&=file=$2") // the next step removes the first equals sign of each pair
	return formText.FindAllString(firstEquals.ReplaceAllString(withPairs, "$1&$2"), -1)
}

func isWord(value string) bool {
	return strings.Trim(value, engine.WordBytes) == "" && value != "" && !endsInDotOrSpace(value)
}
