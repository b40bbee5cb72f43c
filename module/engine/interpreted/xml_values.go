package interpreted

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

// Marks in XML, with which each value becomes a line. A mark is a vertical tab and one character.
const (
	xmlLineFeed  = "\vn"
	xmlTab       = "\vv" // replaces a vertical tab
	xmlOpen      = "\v0" // is written after each <
	xmlTagStart  = "\v1"
	xmlTagEnd    = "\v2"
	xmlDataStart = "\v3"
	xmlDataEnd   = "\v4"
	xmlInside    = "\v5" // is written before the content of an instruction
	xmlAmpersand = "\v6" // replaces a decoded ampersand
	xmlDecoded   = "\v7" // is written before any other decoded character
)

var (
	xmlMarked = strings.NewReplacer("\n", xmlLineFeed, "\v", xmlTab, "<", "<"+xmlOpen)
	// xmlMarkup has these groups: the content of an instruction, the content of CDATA, and a tag or declaration.
	xmlMarkup = regexp.MustCompile(`(?s)<(?:` + xmlOpen + `!--.*?(?:-->|$)|` + xmlOpen + `\?(.*?)(?:\?>|$)|` +
		xmlOpen + `!\[CDATA\[(.*?)(?:\]\]>|$)|(` + xmlOpen + xmlInTag + `))`)
	// xmlStructure puts each tag on a line that begins with a space, and each text on one that begins with a tab.
	xmlStructure = strings.NewReplacer(xmlTagStart+xmlTagEnd, "", xmlDataStart+xmlDataEnd, "", xmlTagStart, "\n ", xmlTagEnd, "\n\t")
	xmlData      = regexp.MustCompile(`(?s)` + xmlDataStart + `(.*?)` + xmlDataEnd)
	xmlDataMarks = strings.NewReplacer(xmlDataStart, "", xmlDataEnd, "")
	// xmlQuoted matches the whole line of a text or, in the line of a tag, a value or the text between values.
	xmlQuoted = regexp.MustCompile(`(?m)^\t(.*)$|"([^"\n]*)"?|'([^'\n]*)'?|[^"'\n]+`)
	xmlEnds   = regexp.MustCompile(`(?m)^(?:[ \t\r]|` + xmlLineFeed + `)+|(?:[ \t\r]|` + xmlLineFeed + `)+$`)
	// xmlASCIIDecoder decodes references to ASCII characters without leading zeros; XMLReference finds all others.
	xmlASCIIDecoder = strings.NewReplacer(xmlASCII()...)
	xmlUnmarked     = strings.NewReplacer(xmlOpen, "", xmlDecoded, "", xmlAmpersand, "&", xmlLineFeed, "\v\v", xmlTab, "\v\f")
	// unambiguousXML matches markup that every parser reads alike. The caller appends a NUL to the body.
	unambiguousXML = regexp.MustCompile(`(?s)<!--(?:[^-]|-[^-])*-?-->|<\?.*?(?:\?>|\x00)|<!\[CDATA\[.*?(?:\]\]>|\x00)|` +
		`<[^ \t\r\n<>"'=!?](?:[^"'<>=]*=[ \t\r\n]*(?:"[^"]*"|'[^']*'))*[^"'<>=]*>`)
	xmlDeclared = regexp.MustCompile(`(?m)^` + xmlInside + `xml.*?encoding(?:[ \t\r]|` + xmlLineFeed + `)*=(?:[ \t\r]|` + xmlLineFeed + `)*["']([^"'\n]*)`)
)

const xmlInTag = `(?:[^"'<>]|"[^"]*(?:"|$)|'[^']*(?:'|$))*>?`

// xmlASCII returns the arguments of a replacer that decodes references to ASCII characters. A mark before each decoded
// character keeps it out of other references.
func xmlASCII() []string {
	var pairs []string
	for name, character := range engine.XMLNames {
		pairs = append(pairs, name, xmlForm(character))
	}
	for c := 0; c < 0x80; c++ {
		form, decimal, hex := xmlForm(string(rune(c))), fmt.Sprintf("&#%d;", c), fmt.Sprintf("%x;", c)
		pairs = append(pairs, decimal, form)
		for _, start := range []string{"&#x", "&#X"} {
			pairs = append(pairs, start+hex, form, start+strings.ToUpper(hex), form)
		}
	}
	return pairs
}

func xmlForm(character string) string {
	if character == "&" {
		return xmlAmpersand
	}
	return xmlDecoded + xmlMarked.Replace(character)
}

// structureXML returns the tags and texts of a body, each on a line. It joins the texts before and after a section.
func structureXML(body string) string {
	marked := xmlMarked.Replace(strings.TrimPrefix(body, engine.ByteOrderMark))
	lines := "\t" + xmlStructure.Replace(xmlMarkup.ReplaceAllString(marked, xmlTagStart+"${3}"+xmlTagEnd+xmlDataStart+"${2}"+xmlDataEnd))
	if !strings.Contains(lines, xmlDataStart) {
		return lines
	}
	if strings.Contains(lines, "&") {
		lines = xmlData.ReplaceAllStringFunc(lines, func(section string) string { return strings.ReplaceAll(section, "&", "&amp;") })
	}
	return xmlDataMarks.Replace(lines)
}

// rawXMLValues returns the values in lines of structureXML, each on a line. It decodes no references.
func rawXMLValues(lines string) string {
	return withoutEmptyLines(withoutBlankEnds(xmlQuoted.ReplaceAllString(lines, "\n${1}${2}${3}")))
}

func withoutBlankEnds(lines string) string { return xmlEnds.ReplaceAllLiteralString(lines, "") }

func withoutEmptyLines(lines string) string {
	for strings.Contains(lines, "\n\n") {
		lines = strings.ReplaceAll(lines, "\n\n", "\n")
	}
	return strings.Trim(lines, "\n")
}

// xmlLines returns the values of a body, each on a line, and whether the last one is cut.
func xmlLines(body string) (lines string, isCut bool) {
	structured := structureXML(body)
	all := dereferencedLines(rawXMLValues(structured))
	if inner := xmlInnerTexts(structured); inner != "" {
		all += match.LineEnd + inner
	}
	joined, isLastCut := xmlJoined(structured)
	if joined != "" {
		all += match.LineEnd + dereferencedLines(joined)
	}
	return all, isLastCut
}

func dereferencedLines(lines string) string {
	if strings.Contains(lines, "&") {
		lines = xmlASCIIDecoder.Replace(lines)
		if strings.Contains(lines, "&#") {
			lines = engine.XMLReference.ReplaceAllStringFunc(lines, func(reference string) string { return xmlMarked.Replace(engine.Dereference(reference)) })
		}
	}
	return xmlUnmarked.Replace(lines)
}

func xmlValues(body string) (values []string, isCut bool) {
	lines, isLastCut := xmlLines(body)
	if lines == "" {
		return nil, isLastCut
	}
	all := strings.Split(lines, match.LineEnd)
	if strings.Contains(lines, "\v") {
		for i, value := range all {
			all[i] = lineEndRestorer.Replace(value)
		}
	}
	return all, isLastCut
}

// isXML reports whether every parser finds the same values in a body.
func isXML(body string) bool {
	if strings.Contains(body, "\x00") || !strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(body, engine.ByteOrderMark), engine.XMLBlanks), "<") {
		return false
	}
	other := unambiguousXML.ReplaceAllLiteralString(body+"\x00", "")
	if strings.Contains(other, "<") || !strings.HasSuffix(other, "\x00") {
		return false
	}
	if strings.Contains(body, "&") && strings.Contains(engine.XMLReference.ReplaceAllLiteralString(rawXMLValues(structureXML(body)), ""), "&") {
		return false
	}
	return !strings.Contains(body, "encoding") || !declaresUnknownEncoding(body)
}

func declaresUnknownEncoding(body string) bool {
	instructions := xmlMarkup.ReplaceAllString(xmlMarked.Replace(body), "\n"+xmlInside+"${1}\n")
	for _, found := range xmlDeclared.FindAllStringSubmatch(instructions, -1) {
		if !engine.IsASCIICharset(found[1]) {
			return true
		}
	}
	return false
}
