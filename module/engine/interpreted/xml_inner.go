package interpreted

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

var (
	xmlDeclaration = regexp.MustCompile(`(?m)^ ` + xmlOpen + `![^\n]*`)
	xmlInnerLine   = regexp.MustCompile(`(?m)^[^"'<>\n]*["'<>].*$`)
	xmlInnerLines  = strings.NewReplacer(`"`, match.LineEnd, "'", match.LineEnd, "<", match.LineEnd, ">", match.LineEnd)
	// xmlRemarked restores the marks of line feeds and vertical tabs that xmlUnmarked replaced.
	xmlRemarked = strings.NewReplacer("\v\v", xmlLineFeed, "\v\f", xmlTab)
)

// dereferencedMarks decodes the references in lines, and keeps the marks of line feeds and vertical tabs.
func dereferencedMarks(lines string) string { return xmlRemarked.Replace(dereferencedLines(lines)) }

// xmlInnerTexts returns the texts in the literals of declarations, each on a line, from the result of structureXML.
func xmlInnerTexts(structured string) string {
	if !strings.Contains(structured, " "+xmlOpen+"!") {
		return ""
	}
	lines := dereferencedMarks(rawXMLValues(strings.Join(xmlDeclaration.FindAllString(structured, -1), match.LineEnd)))
	for round := 1; round < limits.DecodeRounds && strings.Contains(lines, "&"); round++ {
		lines = dereferencedMarks(lines)
	}
	inner := xmlInnerLines.Replace(strings.Join(xmlInnerLine.FindAllString(lines, -1), match.LineEnd))
	return xmlUnmarked.Replace(withoutEmptyLines(withoutBlankEnds(inner)))
}
