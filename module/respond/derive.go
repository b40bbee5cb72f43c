package respond

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// derive returns n characters that look random without the secret. They depend on the client's address and the label, so an
// operator can find the client that received a leaked value.
func derive(secret []byte, address, label, alphabet string, n int) string {
	characters := alphabets[alphabet]
	out := make([]byte, 0, n+sha256.Size)
	for block := uint32(0); len(out) < n; block++ {
		for _, b := range digest(secret, address, label, block) {
			out = append(out, characters[int(b)%len(characters)])
		}
	}
	return string(out[:n])
}

// digest returns HMAC-SHA-256 over the parts, each ended by a zero byte, and the block number.
func digest(secret []byte, address, label string, block uint32) []byte {
	mac := hmac.New(sha256.New, secret)
	for _, part := range []string{"decoy", address, label} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	var number [4]byte
	binary.BigEndian.PutUint32(number[:], block)
	mac.Write(number[:])
	return mac.Sum(nil)
}
