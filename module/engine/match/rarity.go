package match

import (
	"sort"
	"strings"
)

// rarerLiterals returns the list that occurs in fewer texts: required, or the literals of begins. It returns nil if
// nearly every text contains a literal of the list.
func (x extractor) rarerLiterals(required []string, begins []text) []string {
	literals := literalsOf(begins)
	if required == nil || x.cost(literals) < x.cost(required) {
		required = literals
	}
	if x.cost(required) >= uselessCost {
		return nil
	}
	return required
}

func literalsOf(begins []text) []string {
	literals := make([]string, len(begins))
	for i, b := range begins {
		literals[i] = prefixOf(b.bytes, maxLiteralBytes)
	}
	return withoutLongerLiterals(literals)
}

func prefixOf(text string, n int) string {
	if len(text) > n {
		return text[:n]
	}
	return text
}

// withoutLongerLiterals returns the list without literals that contain another literal of the list.
func withoutLongerLiterals(literals []string) []string {
	sort.Slice(literals, func(i, k int) bool {
		a, b := literals[i], literals[k]
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	var kept []string
	shorter := 0 // number of literals in kept that are shorter than the current one: only these can be a part of it
	for i, literal := range literals {
		if i > 0 && len(literals[i-1]) < len(literal) {
			shorter = len(kept)
		}
		isRepeated := i > 0 && literals[i-1] == literal
		if !isRepeated && !containsAny(literal, kept[:shorter]) {
			kept = append(kept, literal)
		}
	}
	return kept
}

func containsAny(literal string, list []string) bool {
	for _, l := range list {
		if strings.Contains(literal, l) {
			return true
		}
	}
	return false
}

// uselessCost is the cost of a list of which every text contains a literal.
const uselessCost = 1

// cost estimates how many literals of a list a text contains, and adds a cost for the memory of each literal.
func (x extractor) cost(literals []string) float64 {
	const memory = 1e-4
	sum := 0.0
	for _, literal := range literals {
		sum += x.rate(literal) + memory
	}
	return sum
}

// rateInPaths estimates how often a path contains a literal. It assumes that a path has about 40 bytes and begins with a slash.
func rateInPaths(literal string) float64 {
	rest := strings.TrimPrefix(strings.TrimPrefix(literal, TextStart), TextEnd)
	if literal[:len(literal)-len(rest)] == TextStart {
		rest = strings.TrimPrefix(rest, "/")
	}
	if rest == "" {
		return uselessCost
	}
	rate := 40.0
	if len(rest) < len(literal) {
		rate = 1
	}
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case 'a' <= c && c <= 'z' || c == '/' || c == '.' || c == '-' || c == '_':
			rate /= 16
		case '0' <= c && c <= '9' || c == TextEnd[0]:
			rate /= 40
		default:
			rate /= 400
		}
	}
	return rate
}

// rateInProse estimates how often a value of a form or document contains a literal.
func rateInProse(literal string) float64 {
	rate, letters := 0.5, 0
	switch text := strings.Trim(literal, TextStart+TextEnd); {
	case text == "":
		return uselessCost
	case len(text) == 1 && text != "%" && literal[0] != TextStart[0]:
		return rate
	}
	for i := 0; i < len(literal); i++ {
		switch c := literal[i]; {
		case 'a' <= c && c <= 'z':
			if letters++; letters <= 6 {
				rate /= 2
			}
		case i > 0 && isPunctuation(literal[i-1]) && isPunctuation(c): // such as ../ and ://: punctuation often follows punctuation
			rate /= 2
		case c == '/' || c == '_':
			rate /= 30
			letters = 0
		case isPunctuation(c):
			rate /= 3
			letters = 0
		case '0' <= c && c <= '9' || c == TextStart[0] || c == TextEnd[0]:
			rate /= 10
		default:
			rate /= 100
		}
	}
	if rate < punctuationRate && strings.Trim(literal, commonPunctuation) == "" {
		return punctuationRate
	}
	return rate
}

// punctuationRate is the minimum rate of a literal that consists of common punctuation.
const punctuationRate = 0.05

const commonPunctuation = " ./:;,?!-_=&()<>'\""

func isPunctuation(c byte) bool { return strings.IndexByte(commonPunctuation, c) >= 0 }
