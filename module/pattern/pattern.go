// Package pattern checks patterns against the grammar that RE2, Go and PCRE all read in the same way (docs/engine.md).
// The reasons and offsets are those of contract/regex.
package pattern

import (
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/request-guard/guard/limits"
)

// Error says why a pattern is refused.
type Error struct {
	Offset int // bytes from 0
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at offset %d)", e.Reason, e.Offset) }

// Check returns nil or an *Error. The empty pattern is one, and matches everything.
func Check(source string) error {
	p := &parser{source: source}
	p.whole()
	if p.refusal != nil {
		return p.refusal
	}
	return nil
}

// Parse checks a pattern and returns the tree that Go's own parser makes of it.
func Parse(source string) (*syntax.Regexp, error) {
	if err := Check(source); err != nil {
		return nil, err
	}
	return syntax.Parse(source, syntax.Perl)
}

// parser walks over a pattern. Its first refusal ends the walk, because nothing is left to read.
type parser struct {
	source  string
	at      int
	depth   int // open groups
	refusal *Error
}

// extent is how large a part of a pattern becomes when an engine compiles it.
type extent struct {
	size    int // characters, assertions and branches with the counts written out
	product int // of the nested counts on the way to a leaf, at most
}

var leaf = extent{size: 1, product: 1}

func (p *parser) refuse(reason string, at int) {
	if p.refusal == nil {
		p.refusal = &Error{Offset: at, Reason: reason}
	}
	p.at = len(p.source)
}

func (p *parser) looksAt(text string) bool { return strings.HasPrefix(p.source[p.at:], text) }

func (p *parser) take(text string) bool {
	if !p.looksAt(text) {
		return false
	}
	p.at += len(text)
	return true
}

// peek is the next byte, or 0 at the end: no pattern contains 0.
func (p *parser) peek() byte {
	if p.at == len(p.source) {
		return 0
	}
	return p.source[p.at]
}

func (p *parser) whole() {
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
	e := p.alternation()
	if p.at < len(p.source) {
		p.refuse(unopenedGroup, p.at)
	}
	if e.size > limits.RegexSize {
		p.refuse(tooLarge, 0)
	}
}

func (p *parser) alternation() extent {
	e := p.sequence()
	for p.take("|") {
		e = e.plus(p.sequence())
	}
	return e
}

func (e extent) plus(other extent) extent {
	return extent{size: e.size + other.size, product: larger(e.product, other.product)}
}

// larger stands for max, which interpreters of Go lack.
func larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func (p *parser) sequence() extent {
	e := extent{product: 1}
	for p.peek() != 0 && p.peek() != '|' && p.peek() != ')' {
		e = e.plus(p.quantified())
	}
	e.size = larger(e.size, 1)
	return e
}
