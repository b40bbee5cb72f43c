package interpreted

import (
	"math/big"
	"math/bits"
	"regexp/syntax"
	"strconv"
	"strings"
)

// places is a set of positions in a text: a number with a bit for each byte, the highest bit for the first byte. A bit
// is the position after its byte. One operation tries a part of an expression at all positions (Cameron et al., Bitwise
// Data Parallelism in Regular Expression Matching, 2014).
type places = *big.Int

// placesOf finds the places of classes. A class is a string with a digit for each ASCII character: 1 for a member.
type placesOf struct {
	all       places
	bits      []places          // for each bit of a byte, the highest first: the places of the bytes in which it is set
	classes   map[string]places // the places of the classes that were needed so far
	registers []places          // registers of programs; the first has all places except the last, after which there is no line
	scratch   places            // temporary number of computePlaces, reused to avoid garbage
	isMore    bool              // the last result may have places where no match begins
}

const asciiBits = 7

var bigOne = big.NewInt(1)

func newPlacesOf(text string) *placesOf {
	p := &placesOf{classes: map[string]places{}, scratch: new(big.Int)}
	for _, digits := range bitExtractors {
		p.bits = append(p.bits, placesFromDigits(digits(text)))
	}
	p.all = new(big.Int).Lsh(bigOne, uint(len(text)))
	p.all.Sub(p.all, bigOne)
	p.registers = []places{new(big.Int).Sub(p.all, bigOne)}
	return p
}

// bitExtractors has a function for each bit of a byte, the highest first. The function returns this bit of each byte of a text as a digit.
var bitExtractors = func() (all []func(text string) string) {
	for shift := asciiBits - 1; shift >= 0; shift-- {
		all = append(all, bitDigit(shift))
	}
	return all
}()

func bitDigit(shift int) func(text string) string {
	var pairs []string
	for c := 0; c < 1<<asciiBits; c++ {
		pairs = append(pairs, string(rune(c)), strconv.Itoa(c>>shift&1))
	}
	return strings.NewReplacer(pairs...).Replace
}

// mostDigits bounds the digits of one conversion to a number, because a conversion takes quadratic time.
const mostDigits = 1 << 14

func placesFromDigits(digits string) places {
	n := new(big.Int).Lsh(bigOne, uint(len(digits))) // allocates memory for all digits once
	n.SetInt64(0)
	for len(digits) > 0 {
		some := digits
		if len(some) > mostDigits {
			some = digits[:mostDigits]
		}
		digits = digits[len(some):]
		low, _ := new(big.Int).SetString(some, 2) // cannot fail: some consists of 0 and 1
		n.Or(n.Lsh(n, uint(len(some))), low)
	}
	return n
}

// placesOfClass returns the places of a class. class can also be a part of a class: the digits of all characters with
// the same high bits.
func placesOfClass(p *placesOf, class string) places {
	if found := p.classes[class]; found != nil {
		return found
	}
	found := computePlaces(p, class)
	p.classes[class] = found
	return found
}

func computePlaces(p *placesOf, class string) places {
	half := len(class) / 2
	switch low, high := class[:half], class[half:]; {
	case class == afterLineEnd:
		return new(big.Int).Lsh(placesOfClass(p, lineEndClass), 1)
	case class == atWordBoundary:
		word := placesOfClass(p, wordClass)
		found := new(big.Int).Lsh(word, 1)
		return found.Xor(found, word)
	case class == notAtWordBoundary:
		return new(big.Int).AndNot(p.all, placesOfClass(p, atWordBoundary))
	case class == "0":
		return new(big.Int)
	case class == "1":
		return p.all
	case low == high:
		return placesOfClass(p, low)
	default:
		bit := p.bits[asciiBits+1-bits.Len(uint(len(class)))]
		found := new(big.Int).And(bit, placesOfClass(p, high))
		return found.Or(found, p.scratch.AndNot(placesOfClass(p, low), bit))
	}
}

// Special classes, whose places also depend on the byte after the place. afterLineEnd has the places before a line end.
const (
	afterLineEnd      = "$"
	atWordBoundary    = "b"
	notAtWordBoundary = "B"
)

// assertions has a class for each assertion: its places are those where the assertion is true.
var assertions = map[syntax.Op]string{
	syntax.OpBeginText:      lineEndClass,
	syntax.OpBeginLine:      lineEndClass,
	syntax.OpEndText:        afterLineEnd,
	syntax.OpEndLine:        afterLineEnd,
	syntax.OpWordBoundary:   atWordBoundary,
	syntax.OpNoWordBoundary: notAtWordBoundary,
	syntax.OpNoMatch:        emptyClass,
}
