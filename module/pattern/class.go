package pattern

import "regexp"

// escapeReasons has specific reasons for escapes that some regular-expression engines support.
var escapeReasons = map[byte]string{
	'p': unicodeClass,
	'P': unicodeClass,
	'X': unicodeClass,
	'Q': quoting,
	'E': quoting,
	'g': backreference,
	'k': backreference,
}

var hexEscape = regexp.MustCompile(`^x(?:[2-6][0-9A-Fa-f]|7[0-9A-Ea-e])`)

// parseEscape parses an escape that matches c or, with isClass, several characters.
func (p *parser) parseEscape() (c byte, isClass bool) {
	at := p.at
	p.at++
	letter := p.peek()
	switch {
	case letter == 0:
		p.refuse(danglingEscape, at)
	case letter == 'x':
		return p.parseHex(at), false
	case isClassLetter(letter):
		p.at++
		return 0, true
	case isPunctuation(letter):
		p.at++
		return letter, false
	case '0' <= letter && letter <= '9':
		p.refuse(backreference, at)
	default:
		p.refuse(escapeReason(letter), at)
	}
	return 0, false
}

func isClassLetter(c byte) bool {
	switch c {
	case 'd', 'D', 'w', 'W', 's', 'S':
		return true
	}
	return false
}

func isPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

func escapeReason(letter byte) string {
	if reason, ok := escapeReasons[letter]; ok {
		return reason
	}
	return badEscape
}

func (p *parser) parseHex(at int) byte {
	match := hexEscape.FindString(p.source[p.at:])
	if match == "" {
		p.refuse(badHex, at)
		return 0
	}
	p.at += len(match)
	return digit(match[1])<<4 | digit(match[2])
}

func digit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

var posixClass = regexp.MustCompile(
	`^\[:(?:alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit):\]`)

func (p *parser) parseClass() {
	open := p.at
	p.at++
	p.skip("^")
	if p.looksAt("]") {
		p.refuse(emptyClass, open)
		return
	}
	for start := p.at; p.refusal == nil && !p.skip("]"); {
		if p.peek() == 0 {
			p.refuse(unclosedClass, open)
			return
		}
		if p.startsRange() && p.at > start {
			p.refuse(strayHyphen, p.at)
			return
		}
		p.parseMembers()
	}
}

// startsRange reports whether a hyphen at the cursor makes a range. A hyphen before the closing bracket does not.
func (p *parser) startsRange() bool { return p.looksAt("-") && !p.looksAt("-]") }

func (p *parser) parseMembers() {
	isHyphen := p.looksAt("-")
	c, isClass := p.parseMember()
	if !p.startsRange() {
		return
	}
	if isHyphen {
		p.refuse(strayHyphen, p.at-1)
		return
	}
	p.parseRange(c, isClass)
}

func (p *parser) parseMember() (c byte, isClass bool) {
	if p.peek() == '\\' {
		return p.parseEscape()
	}
	if p.looksAt("[:") || p.looksAt("[.") || p.looksAt("[=") {
		name := posixClass.FindString(p.source[p.at:])
		if name == "" {
			p.refuse(badPosixClass, p.at)
		}
		p.at += len(name)
		return 0, true
	}
	c = p.peek()
	p.at++
	return c, false
}

func (p *parser) parseRange(first byte, firstIsClass bool) {
	hyphen := p.at
	p.at++
	switch p.peek() {
	case 0:
		return // the class is not closed; the error is reported at its bracket
	case '-':
		p.refuse(strayHyphen, p.at)
		return
	}
	last, lastIsClass := p.parseMember()
	if firstIsClass || lastIsClass {
		p.refuse(classInRange, hyphen)
	} else if first > last {
		p.refuse(reversedRange, hyphen)
	}
}
