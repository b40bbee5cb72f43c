package event

import (
	"net/http"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/policy"
)

// Describe returns the event of a verdict. In mode detect, it has the action and the status of mode enforce.
func Describe(p *policy.Policy, r *http.Request, q *engine.Request, v *engine.Verdict, client string) *Event {
	response := p.ResponseTo(v.Reason == engine.ReasonBanned)
	return &Event{
		Mode:       p.Mode,
		ClientIP:   client,
		Method:     q.Method,
		Host:       r.Host,
		Path:       PathOf(q.Target),
		RequestURI: q.Target,
		Target:     v.Target,
		Candidate:  v.Candidate,
		Place:      v.Place,
		RuleID:     v.Rule,
		Pattern:    v.Pattern,
		Reason:     v.Reason,
		Action:     response.Mode,
		Status:     response.StatusCode,
		UserAgent:  r.UserAgent(),

		Overflow:        v.Overflow,
		InspectedValues: v.InspectedValues,
		InspectedBytes:  v.InspectedBytes,
	}
}

// PathOf returns a target up to its first ?.
func PathOf(target string) string {
	path, _, _ := strings.Cut(target, "?")
	return path
}
