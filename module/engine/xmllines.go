package engine

import (
	"regexp"
	"strings"
)

// The values of XML for a scan, which needs no order of them: texts and tags are separated by expressions that begin with a
// text, which package regexp finds fast.
var (
	xmlTagLine   = regexp.MustCompile(`\n ` + xmlOpen + `[^\n]*`)
	xmlValueLine = regexp.MustCompile(`\n ` + xmlOpen + `[^"'\n]*["'][^\n]*`)
	xmlValues    = regexp.MustCompile(`"([^"\n]*)"?|'([^'\n]*)'?|[^"'\n]+`)
)

// xmlAnyLines is xmlLines in another order.
func xmlAnyLines(body string) (lines string, isCut bool) {
	structured := xmlStructured(body)
	lines = xmlTagLine.ReplaceAllLiteralString(structured, "")
	if strings.ContainsAny(structured, `"'`) {
		tags := strings.Join(xmlValueLine.FindAllString(structured, -1), "")
		lines += xmlValues.ReplaceAllString(tags, "\n${1}${2}")
	}
	return xmlWhole(withoutEmptyLines(withoutBlankEnds(lines)), structured)
}
