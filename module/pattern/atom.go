package pattern

import (
	"regexp"
	"strings"

	"github.com/request-guard/guard/limits"
)

var assertions = []string{"^", "$", `\A`, `\z`, `\b`, `\B`}

// parseAtom parses an expression that a quantifier may follow. Assertions cannot be repeated.
func (p *parser) parseAtom() (e extent, repeatable bool) {
	if p.startsQuantifier() {
		return extent{product: 1}, false
	}
	for _, assertion := range assertions {
		if p.skip(assertion) {
			return leaf, false
		}
	}
	switch p.peek() {
	case '(':
		return p.parseGroup()
	case '[':
		p.parseClass()
	case '\\':
		p.parseEscape()
	default:
		p.at++
	}
	return leaf, true
}

func (p *parser) parseGroup() (e extent, repeatable bool) {
	at := p.at
	if !p.parseOpening() {
		return extent{product: 1}, false
	}
	if p.depth == limits.RegexNesting {
		p.refuse(tooDeep, at)
	}
	p.depth++
	e = p.parseAlternation()
	if !p.skip(")") {
		p.refuse(unclosedGroup, at)
	}
	p.depth--
	return e, true
}

// refusedOpenings are valid in some regular-expression engines. The first match gives the reason.
var refusedOpenings = []struct{ text, reason string }{
	{"(?=", lookaround},
	{"(?!", lookaround},
	{"(?<=", lookaround},
	{"(?<!", lookaround},
	{"(?<", namedGroup},
	{"(?'", namedGroup},
	{"(?P<", namedGroup},
	{"(?P=", backreference},
	{"(?#", comment},
	{"(*", verb},
}

var flagList = regexp.MustCompile(`^\(\?([ism]*)(?:-([ism]+))?([:)])`)

// parseOpening parses (, (?:, (?flags: or (?flags). The last one opens no group.
func (p *parser) parseOpening() (opensGroup bool) {
	at := p.at
	for _, opening := range refusedOpenings {
		if p.looksAt(opening.text) {
			p.refuse(opening.reason, at)
			return false
		}
	}
	if p.skip("(?:") || !p.looksAt("(?") && p.skip("(") {
		return true
	}
	match := flagList.FindStringSubmatch(p.source[at:])
	if match == nil || match[1]+match[2] == "" || hasRepeats(match[1]+match[2]) {
		p.refuse(badGroup, at)
		return false
	}
	p.at += len(match[0])
	return match[3] == ":"
}

func hasRepeats(flags string) bool {
	for i := range flags {
		if strings.IndexByte(flags[i+1:], flags[i]) >= 0 {
			return true
		}
	}
	return false
}
