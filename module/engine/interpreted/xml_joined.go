package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

var xmlWithoutMarks = strings.NewReplacer(xmlLineFeed, "\n", xmlTab, "\v", xmlOpen, "")

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
