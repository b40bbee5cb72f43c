// Package event writes security events: one line of JSON for each request that was blocked, or would have been, up to a budget
// for each second.
package event

import (
	"crypto/rand"
	"encoding/base32"
	"time"
)

// Event is one verdict to report. Its values may come from the request verbatim; Line escapes them.
type Event struct {
	Time       time.Time
	Mode       string // "enforce" or "detect"
	ClientIP   string // empty: the peer has no address
	Method     string
	Host       string
	Path       string
	RequestURI string
	Target     string // "path", "query", "header:<name>" or "body"
	Candidate  string // empty: the reason is a limit
	Place      int    // offset of the start or the end of the match in Candidate; 0 for a short one
	RuleID     string
	Pattern    string
	Reason     string
	Action     string // the response mode
	Status     int    // 0: the mode sends no status
	UserAgent  string
	Reference  string // id that the response may show; set by Log.Write; empty: the event has no line, or newReference failed

	Overflow        string // empty: something else decided the verdict
	InspectedValues int
	InspectedBytes  int
}

const timestampFormat = "2006-01-02T15:04:05.000Z"

func (e *Event) kind() string {
	if e.Mode == "detect" {
		return typeDetected
	}
	return typeBlocked
}

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
