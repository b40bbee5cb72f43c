package engine

import (
	"regexp"
	"strings"
)

// Headers of a part, and the names in its Content-Disposition lines, in each way that some server reads them.

var (
	folding         = regexp.MustCompile(`\r?\n[ \t]+`)
	dispositionLine = regexp.MustCompile(`(?m)^content-disposition[ \t]*:.*`)
	typeLine        = regexp.MustCompile(`(?m)^content-type[ \t]*:.*`)
	nameParameter   = regexp.MustCompile(`name([*0-9]*)[ \t]*=`)
)

// headerLines returns all lines of a head that an expression finds in lower case. Servers use the first or the last, and
// only some join a folded line.
func headerLines(head string, named *regexp.Regexp) []string {
	lines := linesOf(head, named)
	if strings.Contains(head, "\n ") || strings.Contains(head, "\n\t") {
		lines = append(lines, linesOf(folding.ReplaceAllString(head, " "), named)...)
	}
	return lines
}

func linesOf(head string, named *regexp.Regexp) []string {
	var lines []string
	for _, at := range named.FindAllStringIndex(lowerText.Replace(head), -1) {
		line := head[at[0]:at[1]]
		if at[1] < len(head) {
			line = strings.TrimSuffix(line, "\r")
		}
		lines = append(lines, line)
	}
	return lines
}

// nameKind is what a name refers to. Names are inspected in this order.
type nameKind uint8

const (
	fieldName nameKind = iota
	fileName
	extendedFileName
	nameKinds
)

// nameMention is a parameter with a name as its value.
type nameMention struct {
	kind       nameKind
	isExtended bool
	text       string // after the equals sign
}

func allMentions(lines []string) []nameMention {
	var mentions []nameMention
	for _, line := range lines {
		mentions = append(mentions, mentionsOf(line)...)
	}
	return mentions
}

// inspectNames inspects the names of fields, then of files, then extended names of files.
func (b *bodyInspection) inspectNames(mentions []nameMention) {
	for k := fieldName; k < nameKinds; k++ {
		for _, m := range mentions {
			if m.kind == k && !b.inspectName(&m) {
				return
			}
		}
	}
}

// inspectName returns false when the inspection is done.
func (b *bodyInspection) inspectName(m *nameMention) bool {
	if !b.charge() {
		return false
	}
	for _, value := range valueReadings(m.text, false) {
		if !b.text([]byte(value)) || m.isExtended && !b.text([]byte(extendedText(value))) {
			return false
		}
	}
	return true
}

// mentionsOf finds parameters wherever they occur, because some servers ignore quotation marks.
func mentionsOf(line string) []nameMention {
	var mentions []nameMention
	lowered := lowerText.Replace(line)
	for _, at := range nameParameter.FindAllStringSubmatchIndex(lowered, -1) {
		isExtended := at[2] < at[3]
		mentions = append(mentions, nameMention{kindOfName(lowered[:at[0]], isExtended), isExtended, line[at[1]:]})
	}
	return mentions
}

// kindOfName is the kind of a parameter whose name is "name" after this text.
func kindOfName(before string, isExtended bool) nameKind {
	switch {
	case !strings.HasSuffix(before, "file"):
		return fieldName
	case isExtended:
		return extendedFileName
	}
	return fileName
}

// isCharsetField reports whether a part is the field in which a form names the character set of its parts (RFC 7578 4.6).
func isCharsetField(mentions []nameMention) bool {
	for _, m := range mentions {
		for _, name := range valueReadings(m.text, false) {
			if lower(name) == "_charset_" || m.isExtended && lower(extendedText(name)) == "_charset_" {
				return true
			}
		}
	}
	return false
}

// extendedText returns the text after the character set and the language of an extended value (RFC 8187).
func extendedText(value string) string {
	_, rest, _ := strings.Cut(value, "'")
	_, text, _ := strings.Cut(rest, "'")
	return text
}

var (
	quotedText   = regexp.MustCompile(`([^*])="([^"]?)[^"]*"[ \t]*;`)
	characterSet = regexp.MustCompile(`\*=[0-9a-z_-]*'[0-9a-z_-]*'`)
	fullName     = regexp.MustCompile(`;[ \t]*filename=[^; \t]`)
	emptyName    = regexp.MustCompile(`;[ \t]*filename[*0-9]*[ \t]*=[ \t\n\v\f\r]*;`)
)

// areFiles reports whether every server takes the part with these lines for a file: each line has a non-empty file
// name, and no quotation mark or backslash in a place that servers read in different ways. The content of all other
// parts is inspected.
func areFiles(lines []string) bool {
	for _, line := range lines {
		line = lowerText.Replace(line)
		if !strings.Contains(line, "filename=") || strings.Contains(line, `\"`) {
			return false
		}
		bare := characterSet.ReplaceAllString(quotedText.ReplaceAllString(line+";", "$1=$2;"), "*=")
		if strings.ContainsAny(bare, `"'\`) || !fullName.MatchString(bare) || emptyName.MatchString(bare) {
			return false
		}
	}
	return len(lines) > 0
}
