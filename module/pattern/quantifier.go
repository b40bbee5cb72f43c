package pattern

import (
	"regexp"
	"strconv"

	"github.com/request-guard/guard/limits"
)

const unbounded = -1

// countExpression matches counts without leading zeros, because RE2 reads a{01} as text.
var countExpression = regexp.MustCompile(`^\{(0|[1-9][0-9]*)(?:(,)(0|[1-9][0-9]*)?)?\}`)

func (p *parser) startsQuantifier() bool {
	switch p.peek() {
	case '{', '*', '+', '?':
		return true
	}
	return false
}

func (p *parser) parseQuantified() extent {
	start, added := p.at, p.added
	e, repeatable := p.parseAtom()
	at := p.at
	bytes := at - start + p.added - added
	if !p.startsQuantifier() {
		return e
	}
	least, most := p.parseQuantifier()
	if !repeatable {
		p.refuse(nothingToRepeat, at)
	}
	if p.startsQuantifier() {
		p.refuse(repeatedQuantifier, p.at)
	}
	n := copies(least, most)
	e = extent{size: n * e.size, product: n * e.product}
	if e.product > limits.RegexRepeat {
		p.refuse(largeProduct, at)
	}
	if e.size > limits.RegexSize {
		p.refuse(tooLarge, at)
	}
	p.added += addedBytes(least, most, bytes)
	return e
}

// addedBytes returns the bytes that expanding the counts adds. bytes is the expanded length of the repeated part.
func addedBytes(least, most, bytes int) int {
	more := copies(least, most) - 1
	if most == unbounded || least == most {
		return more * bytes
	}
	optional := most - larger(1, least)
	return more*bytes + optional
}

// copies returns the number of copies into which RE2 expands a repeat: five for x{2,5}, three for x{3,}, one for x*.
func copies(least, most int) int {
	if most == unbounded {
		return larger(1, least)
	}
	return larger(1, most)
}

// parseQuantifier parses *, +, ?, {n}, {n,} or {n,m}. A following ? does not change whether a text matches.
func (p *parser) parseQuantifier() (least, most int) {
	switch {
	case p.skip("*"):
		least, most = 0, unbounded
	case p.skip("+"):
		least, most = 1, unbounded
	case p.skip("?"):
		least, most = 0, 1
	default:
		least, most = p.parseBraces()
	}
	p.skip("?")
	return least, most
}

func (p *parser) parseBraces() (least, most int) {
	at := p.at
	match := countExpression.FindStringSubmatch(p.source[at:])
	if match == nil {
		p.refuse(badQuantifier, at)
		return 0, 1
	}
	p.at += len(match[0])
	least = parseCount(match[1])
	most = least
	if match[2] != "" {
		most = unbounded
	}
	if match[3] != "" {
		most = parseCount(match[3])
	}
	if larger(least, most) > limits.RegexRepeat {
		p.refuse(largeQuantifier, at)
		return 0, 1
	}
	if most != unbounded && least > most {
		p.refuse(reversedQuantifier, at)
	}
	return least, most
}

// parseCount returns the value of digits, or limits.RegexRepeat + 1 for every larger value.
func parseCount(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > limits.RegexRepeat {
		return limits.RegexRepeat + 1
	}
	return n
}
