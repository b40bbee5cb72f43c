package engine

import "regexp"

// parameterStyle is how a header writes its parameters (RFC 9110 5.6.6).
type parameterStyle struct {
	parameter *regexp.Regexp // name, quoted value, bare value
	escape    *regexp.Regexp // an escaped byte of a quoted value
}

var (
	contentTypeStyle = parameterStyle{
		parameter: regexp.MustCompile(`;[ \t]*([A-Za-z0-9*_-]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;"\t\n\v\f\r ]*))`),
		escape:    regexp.MustCompile(`\\(.)`),
	}
	// dispositionStyle takes a value whose closing quote is missing, and the backslashes that browsers forget to escape.
	dispositionStyle = parameterStyle{
		parameter: regexp.MustCompile(`;[ \t]*([A-Za-z*]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^;"\t\n\v\f\r ]*))`),
		escape:    regexp.MustCompile(`\\(["\\])`),
	}
)

// parse finds the parameters by their names in lower case; of several of one name the first counts.
func (p *parameterStyle) parse(text []byte) map[string][]byte {
	parameters := map[string][]byte{}
	for _, found := range p.parameter.FindAllSubmatch(text, -1) {
		name := lower(string(found[1]))
		if _, isKnown := parameters[name]; isKnown {
			continue
		}
		parameters[name] = found[3]
		if len(found[2]) > 0 {
			parameters[name] = p.escape.ReplaceAll(found[2], []byte("$1"))
		}
	}
	return parameters
}
