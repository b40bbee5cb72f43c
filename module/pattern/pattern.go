// Package pattern checks patterns against the grammar that RE2, Go and PCRE interpret identically (docs/engine.md).
// Reasons and offsets equal those of contract/regex.
package pattern

import (
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/request-guard/guard/limits"
)

type Error struct {
	Offset int // bytes from 0
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at offset %d)", e.Reason, e.Offset) }

// Check returns nil or an *Error. The empty pattern is valid and matches everything.
func Check(source string) error {
	p := &parser{source: source}
	p.parseWhole()
	if p.refusal != nil {
		return p.refusal
	}
	return nil
}

// Bytes returns the length of a pattern with its counts expanded: x{2,5} counts as xxx?x?x?. A refused pattern counts as written.
func Bytes(source string) int {
	if strings.IndexByte(source, '{') < 0 {
		return len(source) // fast path: parsing takes long in the interpreter
	}
	p := &parser{source: source}
	p.parseWhole()
	if p.refusal != nil {
		return len(source)
	}
	return len(source) + p.added
}

// Parse checks a pattern and returns the syntax tree of Go's parser.
func Parse(source string) (*syntax.Regexp, error) {
	if err := Check(source); err != nil {
		return nil, err
	}
	return syntax.Parse(source, syntax.Perl)
}

// parser parses a pattern. Its first refusal ends the parsing.
type parser struct {
	source  string
	at      int
	depth   int // number of open groups
	added   int // bytes that the counts so far add when they are expanded
	refusal *Error
}

// extent is the size of a part of a pattern after a regular-expression engine has compiled it.
type extent struct {
	size    int // characters, classes, assertions and empty sequences, after all counts are expanded
	product int // largest product of the nested counts down to a leaf
}

var leaf = extent{size: 1, product: 1}

func (p *parser) refuse(reason string, at int) {
	if p.refusal == nil {
		p.refusal = &Error{Offset: at, Reason: reason}
	}
	p.at = len(p.source)
}

func (p *parser) looksAt(text string) bool { return strings.HasPrefix(p.source[p.at:], text) }

func (p *parser) skip(text string) bool {
	if !p.looksAt(text) {
		return false
	}
	p.at += len(text)
	return true
}

// peek returns the next byte, or 0 at the end: no pattern contains 0.
func (p *parser) peek() byte {
	if p.at == len(p.source) {
		return 0
	}
	return p.source[p.at]
}

func (p *parser) parseWhole() {
	for i := 0; i < len(p.source); i++ {
		if p.source[i] < 0x20 || p.source[i] > 0x7e {
			p.refuse(notPrintable, i)
			return
		}
	}
	if len(p.source) > limits.RegexBytes {
		p.refuse(tooLong, limits.RegexBytes)
		return
	}
	e := p.parseAlternation()
	if p.at < len(p.source) {
		p.refuse(unopenedGroup, p.at)
	}
	if e.size > limits.RegexSize {
		p.refuse(tooLarge, 0)
	}
}

func (p *parser) parseAlternation() extent {
	e := p.parseSequence()
	for p.skip("|") {
		e = e.plus(p.parseSequence())
	}
	return e
}

func (e extent) plus(other extent) extent {
	return extent{size: e.size + other.size, product: larger(e.product, other.product)}
}

// larger replaces max, which Traefik's interpreter lacks.
func larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func (p *parser) parseSequence() extent {
	e := extent{product: 1}
	for p.peek() != 0 && p.peek() != '|' && p.peek() != ')' {
		e = e.plus(p.parseQuantified())
	}
	e.size = larger(e.size, 1)
	return e
}
