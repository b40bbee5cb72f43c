package engine

import (
	"regexp"
	"strings"
)

var (
	lineFolding        = regexp.MustCompile(`\r?\n[ \t]+`)
	dispositionLine    = regexp.MustCompile(`(?m)^[^!-~\n]*content-disposition[^!-~\n]*:.*`)
	typeLine           = regexp.MustCompile(`(?m)^[^!-~\n]*content-type[^!-~\n]*:.*`)
	nameParameterStart = regexp.MustCompile(`name([*0-9]*)[ \t]*=`)
)

// headerLines returns all header lines of a part that an expression finds. Some servers use the first line, some the
// last, and only some join a folded line.
func headerLines(head string, named *regexp.Regexp) []string {
	lines := linesOf(head, named)
	if strings.Contains(head, "\n ") || strings.Contains(head, "\n\t") {
		lines = append(lines, linesOf(lineFolding.ReplaceAllString(head, " "), named)...)
	}
	return lines
}

func linesOf(head string, named *regexp.Regexp) []string {
	var lines []string
	for _, at := range named.FindAllStringIndex(LowerText.Replace(head), -1) {
		line := head[at[0]:at[1]]
		if at[1] < len(head) {
			line = strings.TrimSuffix(line, "\r")
		}
		lines = append(lines, line)
	}
	return lines
}

// nameKind is the kind of a name in a Content-Disposition line. Names are inspected in the order of the constants.
type nameKind uint8

const (
	fieldName nameKind = iota
	fileName
	extendedFileName
	nameKinds
)

// nameParameter is a parameter whose value is a name.
type nameParameter struct {
	kind       nameKind
	isExtended bool   // the value may name a character set and a language (RFC 8187)
	text       string // the text of the line after the equals sign
}

// inspectNames inspects the names of fields, then of files, then extended names of files.
func (b *bodyInspection) inspectNames(parameters []nameParameter) {
	for k := fieldName; k < nameKinds; k++ {
		for _, p := range parameters {
			if p.kind == k && !b.inspectName(&p) {
				return
			}
		}
	}
}

func (b *bodyInspection) inspectName(p *nameParameter) bool {
	if !b.countOne() {
		return false
	}
	for _, value := range wordReadings(valueReadings(p.text, false)) {
		if !b.inspectNameText(p, value) || p.isExtended && !b.inspectNameText(p, extendedText(value)) {
			return false
		}
	}
	return true
}

var mayHaveFolder = regexp.MustCompile(`[/\\%]|[^\x00-\x7F]`)

// inspectNameText inspects a name. For the name of a file that may contain a folder, it also inspects filename=<name>,
// because the rules for uploads match this form.
func (b *bodyInspection) inspectNameText(p *nameParameter, name string) bool {
	return b.inspectUncounted([]byte(name)) && (p.kind == fieldName || !mayHaveFolder.MatchString(name) || b.inspectUncounted([]byte("filename="+name)))
}

// nameParameters returns the parameters that end in "name", also those inside quotation marks, because some servers
// ignore the marks.
func nameParameters(lines []string) []nameParameter {
	var parameters []nameParameter
	for _, line := range lines {
		lowered := LowerText.Replace(line)
		for _, at := range nameParameterStart.FindAllStringSubmatchIndex(lowered, -1) {
			isExtended := at[2] < at[3]
			parameters = append(parameters, nameParameter{kindOfName(lowered[:at[0]], isExtended), isExtended, line[at[1]:]})
		}
	}
	return parameters
}

// kindOfName returns the kind of a parameter that ends in "name". before is the text of the line before "name".
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
func isCharsetField(parameters []nameParameter) bool {
	for _, p := range parameters {
		for _, name := range wordReadings(valueReadings(p.text, false)) {
			if lower(name) == "_charset_" || p.isExtended && lower(extendedText(name)) == "_charset_" {
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

const (
	partName     = `(?:; *name=(?:"[^";=\\]*"|[\w.+-]+))?`
	partFileName = `; +filename=(?:"[^\t "\\](?:[^"]*[^"\\])?"|[\w.][\w.+-]*)`
	extendedName = `(?:; *filename\*=[\w-]+'[\w-]*'[\w.%!~+-]+)?`
)

var (
	// plainHead matches a head when every server reads each of its lines as one whole header.
	plainHead = regexp.MustCompile(`\A(?:[0-9A-Za-z-]+: [^\x00- \x7F][^\x00-\x08\n-\x1F\x7F]*(?:\r\n|\z))+\z`)
	// fileLine matches the Content-Disposition line of a file as browsers and libraries send it.
	fileLine = regexp.MustCompile(`\A[Cc]ontent-[Dd]isposition: (?:form-data|attachment)` + partName + partFileName + partName + extendedName + `\z`)
)

// isFile reports whether every server treats the part as a file. lines are the Content-Disposition lines of head. Some servers
// read the content as a field where the file name is unusual.
func isFile(head string, lines []string) bool {
	for _, line := range lines {
		if !fileLine.MatchString(line) {
			return false
		}
	}
	return len(lines) > 0 && plainHead.MatchString(head)
}
