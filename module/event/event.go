// Package event writes security events: one line of JSON for each request that was blocked, or would have been.
package event

import (
	"strconv"
	"time"
)

// Event is one verdict worth reporting. Values may come straight from the request: Line escapes them.
type Event struct {
	Time       time.Time
	Mode       string // "enforce" or "detect"
	ClientIP   string // empty: the peer has no address
	Method     string
	Host       string
	Path       string
	RequestURI string
	Target     string // "path", "query", "header:<name>" or "body"
	Candidate  string // empty: a limit spoke, no rule
	RuleID     string
	Pattern    string
	Reason     string
	Action     string // the response mode
	Status     int    // 0: the mode sends no status
	UserAgent  string
}

const timestampFormat = "2006-01-02T15:04:05.000Z"

// field is one member of the line; bare values (numbers) are written as they are and never cut.
type field struct {
	name, value string
	bare        bool
}

// fields gives the members in the order of the line: readers may rely on it.
func (e *Event) fields(gateway string) []field {
	return []field{
		{name: "type", value: e.kind()},
		{name: "timestamp", value: e.Time.UTC().Format(timestampFormat)},
		{name: "gateway", value: gateway},
		{name: "mode", value: e.Mode},
		{name: "client_ip", value: e.ClientIP},
		{name: "method", value: e.Method},
		{name: "host", value: e.Host},
		{name: "path", value: e.Path},
		{name: "request_uri", value: e.RequestURI},
		{name: "target", value: e.Target},
		{name: "candidate", value: e.Candidate},
		{name: "rule_id", value: e.RuleID},
		{name: "pattern", value: e.Pattern},
		{name: "reason", value: e.Reason},
		{name: "action", value: e.Action},
		{name: "status", value: strconv.Itoa(e.Status), bare: true},
		{name: "user_agent", value: e.UserAgent},
	}
}

func (e *Event) kind() string {
	if e.Mode == "detect" {
		return "guard_detect"
	}
	return "guard_block"
}
