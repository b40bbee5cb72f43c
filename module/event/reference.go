package event

import (
	"crypto/rand"
	"encoding/base32"
)

var referenceEncoding = base32.NewEncoding(referenceAlphabet).WithPadding(base32.NoPadding)

// referenceBytes is the number of bytes that encode to at least referenceCharacters, of five bits each.
const referenceBytes = (referenceCharacters*5 + 7) / 8

// newReference returns a random reference, or "" when the system has no random bytes.
func newReference() string {
	random := make([]byte, referenceBytes)
	if _, err := rand.Read(random); err != nil {
		return ""
	}
	return referenceEncoding.EncodeToString(random)[:referenceCharacters]
}
