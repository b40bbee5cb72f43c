package engine

import (
	"bytes"
	"regexp"
)

// eachXMLValue yields attribute values, literals of declarations and texts between tags, then the texts in literals, then the
// joined texts of elements. It is not a parser, because each parser refuses other bodies.
func eachXMLValue(body []byte, yield func(value []byte, isCut bool) bool) {
	s := &xmlScan{yield: func(raw []byte) bool { return yield(dereferenced(raw), false) }}
	s.scan(body)
	for _, literal := range s.literals {
		for _, text := range innerTexts(literal) {
			s.isDone = s.isDone || !yield(text, false)
		}
	}
	joined, isCut := s.elements.Joined()
	for i, raw := range joined {
		if s.isDone || !yield(dereferenced(raw), isCut && i == len(joined)-1) {
			return
		}
	}
}

// isXML reports whether every parser finds the same values. A document type and references to other entities can change them.
func isXML(body []byte) bool {
	s := &xmlScan{yield: func(raw []byte) bool {
		return bytes.IndexByte(XMLReference.ReplaceAllLiteral(raw, nil), '&') < 0
	}}
	s.scan(body)
	return s.isClear && !s.isDone
}

var (
	xmlEncoding = regexp.MustCompile(`encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']*)`)
	// xmlAssignment matches the text before a value in a tag: it has one equals sign, at its end.
	xmlAssignment = regexp.MustCompile(`^[^=]*=[ \t\r\n]*$`)
)

const (
	XMLBlanks = " \t\r\n"
	// ByteOrderMark may precede the text of a body.
	ByteOrderMark = "\xEF\xBB\xBF"
)

// xmlScan yields values without blanks at their ends. It does not decode references.
type xmlScan struct {
	yield   func(raw []byte) bool
	rest    []byte // the part of the body that is not scanned yet
	isClear bool   // every parser finds the same values
	isDone  bool   // yield returned false

	literals [][]byte // literals of declarations
	elements XMLElements
}

// scan yields the values of a body, which may begin with a byte order mark. It joins the texts before and after a section.
func (s *xmlScan) scan(body []byte) {
	s.rest = bytes.TrimPrefix(body, []byte(ByteOrderMark))
	s.isClear = bytes.IndexByte(body, 0) < 0 && bytes.HasPrefix(bytes.TrimLeft(s.rest, XMLBlanks), []byte("<"))
	var text []byte
	for !s.isDone {
		open := bytes.IndexByte(s.rest, '<')
		if open < 0 {
			s.addText(joinTexts(text, s.rest))
			return
		}
		text = joinTexts(text, s.rest[:open])
		s.rest = s.rest[open:]
		if section, isSection := s.skipSection(); isSection {
			text = joinTexts(text, section)
			continue
		}
		s.addText(text)
		text = nil
		tag := s.rest
		s.scanTag()
		s.addElement(tag[:len(tag)-len(s.rest)])
	}
}

func (s *xmlScan) addText(raw []byte) {
	s.elements.Text(raw)
	s.yieldValue(raw)
}

func (s *xmlScan) addElement(tag []byte) {
	switch {
	case bytes.HasPrefix(tag, []byte("</")):
		s.elements.End()
	case bytes.HasPrefix(tag, []byte("<!")) || bytes.HasSuffix(tag, []byte("/>")):
	default:
		s.elements.Start()
	}
}

// joinTexts returns text followed by more. It copies only if both have bytes.
func joinTexts(text, more []byte) []byte {
	if len(text) == 0 {
		return more[:len(more):len(more)] // so that append does not write to the body
	}
	return append(text, more...)
}

func (s *xmlScan) yieldValue(raw []byte) {
	if raw = bytes.Trim(raw, XMLBlanks); len(raw) > 0 && !s.isDone {
		s.isDone = !s.yield(raw)
	}
}

var xmlSections = [][2]string{{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}}

// skipSection skips a section at the start of rest. It returns the text of CDATA, which belongs to the surrounding text.
func (s *xmlScan) skipSection() (text []byte, isSection bool) {
	if len(s.rest) < 2 || s.rest[1] != '!' && s.rest[1] != '?' {
		return nil, false // fast path for most tags
	}
	for kind, marks := range xmlSections {
		inside, found := bytes.CutPrefix(s.rest, []byte(marks[0]))
		if !found {
			continue
		}
		inside, rest, isEnded := bytes.Cut(inside, []byte(marks[1]))
		s.rest = rest
		s.isClear = s.isClear && isEnded
		switch kind {
		case 0:
			s.isClear = s.isClear && !bytes.Contains(inside, []byte("--"))
		case 1:
			s.isClear = s.isClear && !hasUnknownEncoding(inside)
		case 2:
			return bytes.ReplaceAll(inside, []byte("&"), []byte("&amp;")), true
		}
		return nil, true
	}
	return nil, false
}

// hasUnknownEncoding reports whether an XML declaration names an encoding outside of asciiCharsets: ASCII text may then have
// other bytes.
func hasUnknownEncoding(instruction []byte) bool {
	if !bytes.HasPrefix(instruction, []byte("xml")) {
		return false
	}
	found := xmlEncoding.FindSubmatch(instruction)
	return found != nil && !IsASCIICharset(string(found[1]))
}

// scanTag yields the values in the tag at the start of rest, and the literals in a declaration: servers read the file that an
// external entity names. The next tag ends a declaration, so the internal subset of a document type is scanned like the body.
func (s *xmlScan) scanTag() {
	isDeclaration := bytes.HasPrefix(s.rest, []byte("<!"))
	s.rest = s.rest[1:]
	s.isClear = s.isClear && !isDeclaration && bytes.IndexAny(s.rest, " \t\r\n<>\"'=") != 0
	for !s.isDone {
		at := bytes.IndexAny(s.rest, "\"'<>")
		if at < 0 {
			s.rest = nil
			s.isClear = false
			return
		}
		outside, mark := s.rest[:at], s.rest[at]
		if mark == '<' {
			s.rest = s.rest[at:]
			s.isClear = false
			return
		}
		s.rest = s.rest[at+1:]
		if mark == '>' {
			s.isClear = s.isClear && bytes.IndexByte(outside, '=') < 0
			return
		}
		s.isClear = s.isClear && xmlAssignment.Match(outside)
		raw, rest, isClosed := bytes.Cut(s.rest, []byte{mark})
		s.rest = rest
		s.isClear = s.isClear && isClosed
		if isDeclaration {
			s.literals = append(s.literals, raw)
		}
		s.yieldValue(raw)
	}
}
