package engine

// WordBytes are the bytes of a word: a value of these bytes that does not end in a dot or a space. It has one reading, and it does not
// count towards the limit on values of a body.
const WordBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:,@. -"

var isWordByte = func() (is [256]bool) {
	for i := 0; i < len(WordBytes); i++ {
		is[WordBytes[i]] = true
	}
	return is
}()

// isWord reports whether a value is a word.
func (s *RuleSet) isWord(value []byte) bool {
	if s.steps != nil {
		return s.steps.IsWord(string(value))
	}
	for _, c := range value {
		if !isWordByte[c] {
			return false
		}
	}
	return len(value) > 0 && value[len(value)-1] != '.' && value[len(value)-1] != ' '
}
