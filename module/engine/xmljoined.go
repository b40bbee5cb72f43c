package engine

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// What xmlElements does, on the lines of xmlStructured. Most documents have no element with text and other elements, which one
// search decides.
var (
	// xmlBlankTexts finds texts of blanks. Their lines then begin with a carriage return.
	xmlBlankTexts = regexp.MustCompile(`(?m)^\t((?:[ \t\r]|` + xmlLineFeed + `)*)$`)
	// xmlTextStarts removes blanks at the start of texts.
	xmlTextStarts = strings.NewReplacer(xmlBlanksAt("\n\t", "")...)
	// xmlOutline has one mark for each text, end, start and declaration, and one for the end of each empty element.
	xmlOutline  = strings.NewReplacer("\n\t", xmlAText, "\n "+xmlOpen+"/", xmlAnEnd, "\n "+xmlOpen+"!", xmlADeclaration, "\n "+xmlOpen, xmlAStart)
	onlyOutline = match.Keeping(xmlOutlineMarks)
	// xmlMixed finds a text before the start or after the end of an element.
	xmlMixed        = regexp.MustCompile(xmlAText + `[` + xmlAStart + xmlADeclaration + `]|[` + xmlAnEnd + xmlADeclaration + xmlAnEmptyEnd + `]` + xmlAText)
	xmlWithoutMarks = strings.NewReplacer(xmlLineFeed, "\n", xmlTab, "\v", xmlOpen, "")
)

const (
	xmlAText        = "\x01"
	xmlAnEnd        = "\x02"
	xmlAStart       = "\x03"
	xmlADeclaration = "\x04"
	xmlAnEmptyEnd   = "\x05"
	xmlOutlineMarks = xmlAText + xmlAnEnd + xmlAStart + xmlADeclaration + xmlAnEmptyEnd
)

// isMixedXML returns false only where no element has text and other elements.
func isMixedXML(lines string) bool {
	if strings.ContainsAny(lines, xmlOutlineMarks) {
		return true
	}
	lines = match.LineEnd + lines + match.LineEnd
	for round, before := 0, 0; len(lines) != before; round++ {
		if round == blankRounds {
			return true
		}
		before = len(lines)
		lines = xmlTextStarts.Replace(lines)
	}
	lines = strings.ReplaceAll(strings.ReplaceAll(lines, "\n\t\n", "\n"), "/>\n", xmlAnEmptyEnd+"\n")
	outline := onlyOutline(xmlOutline.Replace(lines))
	return xmlMixed.MatchString(strings.ReplaceAll(outline, xmlAText+xmlAnEmptyEnd, xmlAText))
}

// xmlNode is xmlElement.
type xmlNode struct {
	own                   []string
	filled, first, before int
}

// xmlJoiner is xmlElements.
type xmlJoiner struct {
	joined       []string
	isCut        bool
	used, filled int
	texts        []string
	open         []*xmlNode
}

// xmlJoined returns the joined texts with blanks at their ends.
func xmlJoined(lines string) (joined []string, isCut bool) {
	j := &xmlJoiner{}
	if !isMixedXML(lines) {
		return j.joined, false
	}
	lines = xmlBlankTexts.ReplaceAllString(lines, "\r${1}")
	for _, line := range strings.Split(lines, match.LineEnd) {
		switch {
		case line[0] != ' ':
			j.text(line)
		case strings.HasPrefix(line, " "+xmlOpen+"/"):
			j.end()
		case !strings.HasSuffix(line, "/>") && !strings.HasPrefix(line, " "+xmlOpen+"!"):
			j.open = append(j.open, &xmlNode{first: len(j.texts), before: j.filled})
		}
	}
	for len(j.open) > 0 {
		j.end()
	}
	return j.joined, j.isCut
}

func (j *xmlJoiner) text(line string) {
	if len(j.open) == 0 || len(line) == 1 {
		return
	}
	node := j.open[len(j.open)-1]
	node.own = append(node.own, line[1:])
	j.texts = append(j.texts, line[1:])
	if line[0] == '\t' {
		node.filled++
		j.filled++
	}
}

func (j *xmlJoiner) end() {
	if len(j.open) == 0 {
		return
	}
	node := j.open[len(j.open)-1]
	j.open = j.open[:len(j.open)-1]
	if node.filled > 1 {
		j.join(node.own)
	}
	if node.filled > 0 && j.filled-node.before > node.filled {
		j.join(j.texts[node.first:])
	}
}

func (j *xmlJoiner) join(texts []string) {
	if j.isCut {
		return
	}
	whole := strings.Join(texts, "")
	size, left := len(whole)-strings.Count(whole, "\v")-strings.Count(whole, xmlOpen), limits.XmlJoinedBytes-j.used
	if j.isCut = size > left; j.isCut {
		whole = xmlMarked.Replace(xmlWithoutMarks.Replace(whole)[:left])
	}
	j.used += size
	j.joined = append(j.joined, whole)
}
