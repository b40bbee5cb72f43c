package match

import "strings"

// Prefilter finds the patterns that may match a text in one pass. It is an automaton of their literals (Aho and Corasick, 1975).
type Prefilter struct {
	width      uint32     // entries of a row: one for each class
	start      uint32     // state after the start of the text
	root       uint32     // state in which no literal has begun
	accepting  uint32     // the first state in which a literal ends; all higher states are such states
	fromStart  byteSet    // the bytes that lead from start to another state than root, and those outside of printable ASCII
	fromRoot   byteSet    // the same from root
	endsInRoot bool       // no literal ends with a text that leads to root
	class      [256]uint8 // class of each byte; both cases of a letter have the same class
	next       []uint32   // a state is the index of its row's first entry
	marks      []Set      // for each state from accepting on: the patterns of the literals that end there
	always     Set        // patterns that require no literal
}

// byteSet is a set of bytes in half a line of a processor's cache.
type byteSet [4]uint64

func (b *byteSet) has(c byte) bool { return b[c>>6]>>(c&63)&1 != 0 }

func NewPrefilter(matchers []*Matcher) *Prefilter {
	s := &Prefilter{always: NewSet(len(matchers))}
	trie := newTrie(len(matchers))
	for i, m := range matchers {
		if m.literals == nil {
			s.always.Add(i)
		}
		for _, literal := range m.literals {
			trie.add(strings.ReplaceAll(literal, "+", " "), i)
		}
	}
	trie.linkSuffixes()
	s.compile(trie)
	return s
}

// Scan fills suspects with the patterns that may match a text of printable ASCII, and reports whether there are any.
// suspects must have room for all patterns.
func (s *Prefilter) Scan(text []byte, suspects Set) bool {
	copy(suspects, s.always)
	s.AddSuspects(text, suspects)
	return suspects.Next(0) >= 0
}

// AddSuspects adds the patterns that require a literal and may match a text of printable ASCII.
func (s *Prefilter) AddSuspects(text []byte, suspects Set) {
	class, next, accepting := &s.class, s.next, s.accepting
	state := s.start
	for _, c := range text {
		state = next[state+uint32(class[c])]
		if state >= accepting {
			suspects.AddAll(s.marks[(state-accepting)/s.width])
		}
	}
	state = next[state+uint32(class[TextEnd[0]])]
	if state >= accepting {
		suspects.AddAll(s.marks[(state-accepting)/s.width])
	}
}

// IsClean returns true only for printable ASCII without a literal. A text in which few bytes begin a literal needs few rows, which are
// rarely in the caches of the processor.
func (s *Prefilter) IsClean(text []byte) bool {
	state := s.start
	if len(text) > 0 && !s.fromStart.has(text[0]) {
		state = s.root
		text = text[1:]
	}
	for _, c := range text {
		if state == s.root && !s.fromRoot.has(c) {
			continue
		}
		if state = s.Step(state, c); c < firstByte || c > lastByte || state >= s.accepting {
			return false
		}
	}
	return state == s.root && s.endsInRoot || !s.HasLiteralAtEnd(state)
}

// departures returns the bytes that lead from a state to another one than root, and those outside of printable ASCII.
func (s *Prefilter) departures(state uint32) (bytes byteSet) {
	for c := range s.class {
		if c < firstByte || c > lastByte || s.Step(state, byte(c)) != s.root {
			bytes[c>>6] |= 1 << (c & 63)
		}
	}
	return bytes
}

func (s *Prefilter) Start() uint32 { return s.start }

// Step returns the state after the next byte of a text, which is printable ASCII.
func (s *Prefilter) Step(state uint32, c byte) uint32 { return s.next[state+uint32(s.class[c])] }

// HasLiteral reports whether a text contains a literal. highest is the highest state after any byte of the text.
func (s *Prefilter) HasLiteral(highest uint32) bool { return highest >= s.accepting }

// HasLiteralAtEnd reports whether a text ends in a literal with TextEnd. state is the state after its last byte.
func (s *Prefilter) HasLiteralAtEnd(state uint32) bool {
	return s.Step(state, TextEnd[0]) >= s.accepting
}

// HasPatternWithoutLiteral reports whether some pattern requires no literal, so that any text may match.
func (s *Prefilter) HasPatternWithoutLiteral() bool { return s.always.Next(0) >= 0 }

func (s *Prefilter) compile(t *trie) {
	classes := s.classifyBytes(t)
	s.numberStates(t)
	s.next = make([]uint32, uint32(len(t.nodes))*s.width)
	for _, n := range t.nodes {
		row := s.next[n.state : n.state+s.width]
		if n.suffix != nil {
			copy(row, s.next[n.suffix.state:]) // the suffix is closer to the root, so its row is already complete
		}
		for _, child := range n.children {
			row[classes[child.last]] = child.state
		}
	}
	s.root = t.nodes[0].state
	s.start = s.next[s.root+uint32(classes[TextStart[0]])]
	s.fromStart = s.departures(s.start)
	s.fromRoot = s.departures(s.root)
	s.endsInRoot = !s.HasLiteralAtEnd(s.root)
}

// numberStates assigns states to the nodes of the trie. Nodes with marks get the highest states.
func (s *Prefilter) numberStates(t *trie) {
	count := uint32(0)
	for _, withMarks := range []bool{false, true} {
		if withMarks {
			s.accepting = count * s.width
		}
		for _, n := range t.nodes {
			if (n.marks != nil) != withMarks {
				continue
			}
			n.state = count * s.width
			count++
			if withMarks {
				s.marks = append(s.marks, n.marks)
			}
		}
	}
}

// classifyBytes assigns a class to each byte that occurs in a literal, and class 0 to all other bytes.
func (s *Prefilter) classifyBytes(t *trie) map[byte]uint8 {
	classes := map[byte]uint8{}
	for _, n := range t.nodes[1:] {
		if _, isKnown := classes[n.last]; !isKnown {
			class := uint8(len(classes) + 1)
			classes[n.last] = class
			s.class[n.last] = class
			s.class[strings.ToUpper(string(rune(n.last)))[0]] = class
		}
	}
	s.class['+'] = s.class[' '] // a plus in a form is a space
	s.width = uint32(len(classes) + 1)
	return classes
}
