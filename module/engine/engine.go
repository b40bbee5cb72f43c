// Package engine decides whether a request is allowed or blocked. It matches the possible readings of each inspected value, its
// candidates, against the rules of a policy (docs/engine.md).
package engine

import "github.com/request-guard/guard/banlist"

// Request is a request as the guard in a proxy receives it. The engine does not change it, and keeps no reference to it.
type Request struct {
	Method       string
	Target       string // raw, not decoded; only Traefik passes a cleaned one
	Rewritten    string // the target after a rewrite that ran before the guard
	HasRewritten bool
	Host         string // as sent, with its port
	Peer         string // address of the TCP peer without port; empty for a Unix socket
	// Header has canonical keys, as net/http makes them from all names that clients send.
	Header map[string][]string
	Body   []byte // the whole body, or one byte more than the policy inspects; nil: there is none, or it was not read
	// Excused has ids of rules that do not block this request, as if an exception named them. Limits still block it.
	Excused []string
	// Bans is the ban list when the request arrived; nil: the policy has none, or it was never read.
	Bans *banlist.Table
}

// Verdict is the decision on a request, with its reason.
type Verdict struct {
	Blocked   bool
	Reason    string // one of the Reason constants
	Target    string // "path", "query", "header:<name>" or "body"; empty for allowed requests
	Candidate string // candidate or shorter reading that Rule matched, printable ASCII; empty for limits and allowed requests
	Rule      string // id of the rule that blocked, or of the first rule that excused a candidate
	Pattern   string // pattern of Rule
	Place     int    // byte offset of the start or the end of the match; events keep the part around it. 0 for a short candidate

	// IsConditional: the same target may be blocked with another method.
	IsConditional bool
	// NeedsBody: a rule about an exploit may block the request with its body, which was not read.
	NeedsBody bool

	// Set with reason limit_body.
	Overflow        string // one of the Overflow constants
	InspectedBytes  int
	InspectedValues int
}

type Trace struct {
	Verdict Verdict
	Targets []TracedTarget // in the order in which they were inspected, up to the verdict
}

type TracedTarget struct {
	Target     string
	Kind       string // "path", "query", "body" or "header"
	Candidates []TracedCandidate
	Limit      string // reason code of the limit that was reached; empty: none
}

// TracedCandidate has the id of the rule that decided the candidate or a shorter reading of it.
type TracedCandidate struct{ Candidate, ExcusedBy, BlockedBy string }

func (s *RuleSet) Trace(r *Request) Trace {
	reason := s.bypassReason(r)
	onlyExploits := reason == ReasonMethodNotInspected && s.isExploitable(r)
	if reason != "" && !onlyExploits {
		return Trace{Verdict: Verdict{Blocked: reason == ReasonBanned, Reason: reason}}
	}
	t := &Trace{}
	e := newEvaluation(s, r)
	e.trace = t
	e.onlyExploits = onlyExploits
	t.Verdict = e.decide()
	return *t
}

func (e *evaluation) traceTarget(target string, k kind, v *view) {
	if e.trace == nil {
		return
	}
	traced := make([]TracedCandidate, len(v.candidates))
	for i, candidate := range v.candidates {
		traced[i].Candidate = string(candidate)
	}
	e.trace.Targets = append(e.trace.Targets, TracedTarget{Target: target, Kind: k.String(), Candidates: traced, Limit: v.limit})
}

// traceRule records the rule that decided a candidate of the last target.
func (e *evaluation) traceRule(candidate int, r *rule) {
	if e.trace == nil || r == nil {
		return
	}
	traced := &e.trace.Targets[len(e.trace.Targets)-1].Candidates[candidate]
	if r.allows {
		traced.ExcusedBy = r.id
	} else {
		traced.BlockedBy = r.id
	}
}
