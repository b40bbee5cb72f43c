// Package engine decides whether a request is allowed or blocked: candidates of everything a policy inspects, matched
// against its rules. docs/engine.md has the algorithm and its reasons. Standard library only; it also runs interpreted.
package engine

// Request is what a proxy received. Nothing of it is changed or kept.
type Request struct {
	Method       string
	Target       string // raw, as it stood on the wire: never a decoded or cleaned path
	Rewritten    string // what a rewrite before the guard made of it
	HasRewritten bool
	Host         string // without port
	Peer         string // address of the TCP peer without port; empty: it has none (a Unix socket)
	Header       map[string][]string
	Body         []byte // at least as much as the policy inspects; nil: none
	// Excused are ids of rules that do not block this request, as if an exception named them. Limits still do.
	Excused []string
}

// Verdict says what becomes of a request and why.
type Verdict struct {
	Blocked   bool
	Reason    string // one of the Reason constants
	Target    string // "path", "query", "header:<name>" or "body"; empty: allowed
	Candidate string // what matched, printable ASCII; empty: a limit, or allowed
	Rule      string // id of the rule that blocked, or of the first that excused a candidate
	Pattern   string // of that rule
}

// Trace is a verdict with everything that led to it.
type Trace struct {
	Verdict Verdict
	Targets []TracedTarget // in the order in which they were inspected, up to the verdict
}

// TracedTarget is one value that was inspected.
type TracedTarget struct {
	Target     string
	Kind       string // "path", "query" or "body"
	Candidates []TracedCandidate
	Limit      string // reason code of the limit that ended them; empty: none
}

// TracedCandidate is a candidate with the id of the rule that spoke on it; empty: none, or it was not reached.
type TracedCandidate struct{ Candidate, ExcusedBy, BlockedBy string }
