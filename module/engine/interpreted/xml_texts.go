package interpreted

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

var (
	xmlDeclaration  = regexp.MustCompile(`(?m)^ ` + xmlOpen + `![^\n]*`)
	xmlInnerLine    = regexp.MustCompile(`(?m)^[^"'<>\n]*["'<>].*$`)
	xmlInnerLines   = strings.NewReplacer(`"`, match.LineEnd, "'", match.LineEnd, "<", match.LineEnd, ">", match.LineEnd)
	xmlWithoutMarks = strings.NewReplacer(xmlLineFeed, "\n", xmlTab, "\v", xmlOpen, "")
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

// xmlJoined returns the joined texts of elements, each on a line, from the result of structureXML, and whether the last one is cut.
func xmlJoined(structured string) (lines string, isCut bool) {
	e := &engine.XMLElements{}
	for _, line := range strings.Split(structured, match.LineEnd) {
		switch {
		case line[0] != ' ' && len(line) == 1:
		case line[0] != ' ':
			e.Text([]byte(xmlWithoutMarks.Replace(line[1:])))
		case strings.HasPrefix(line, " "+xmlOpen+"/"):
			e.End()
		case !strings.HasSuffix(line, "/>") && !strings.HasPrefix(line, " "+xmlOpen+"!"):
			e.Start()
		}
	}
	texts, isLastCut := e.Joined()
	joined := make([]string, len(texts))
	for i, text := range texts {
		joined[i] = xmlMarked.Replace(string(text))
	}
	return strings.Join(joined, match.LineEnd), isLastCut
}
