package engine

import (
	"sync"

	"github.com/request-guard/guard/banlist"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

func (s *RuleSet) Evaluate(r *Request) Verdict {
	reason := s.bypassReason(r)
	if reason == ReasonMethodNotInspected && s.isExploitable(r) {
		return s.evaluateExploits(r)
	}
	if reason != "" {
		return Verdict{Blocked: reason == ReasonBanned, Reason: reason}
	}
	return newEvaluation(s, r).decide()
}

// decide returns the verdict and releases the evaluation.
func (e *evaluation) decide() Verdict {
	v := e.run()
	v.NeedsBody = e.needsBody
	e.release()
	return v
}

// bypassReason returns the reason why a request is decided without inspection, or "" if the request is inspected.
func (s *RuleSet) bypassReason(r *Request) string {
	switch {
	case !s.policy.Enabled:
		return ReasonDisabled
	case s.IsBanned(r):
		return ReasonBanned
	case s.methods != nil && !s.methods[r.Method] && !s.methods[upper(r.Method)]:
		return ReasonMethodNotInspected
	case !s.allowed.Empty() && s.allowed.Contains(s.Client(r)):
		return ReasonAllowedIp
	}
	return ""
}

// IsBanned reports whether a ban of the client is in force.
func (s *RuleSet) IsBanned(r *Request) bool {
	return r.Bans != nil && s.policy.Enabled && s.BansClient(r.Bans, r.Peer, r.Header)
}

// BansClient is IsBanned for an enabled policy. It allocates nothing.
func (s *RuleSet) BansClient(bans *banlist.Table, peer string, header map[string][]string) bool {
	client := s.clientOf(peer, header)
	return client.IsValid() && bans.Has(client) && !s.allowed.Contains(client)
}

// evaluation is the state of one evaluation. It is pooled, so that most requests allocate nothing.
type evaluation struct {
	rules     *RuleSet
	request   *Request
	buffers   workspace
	paths     []view    // paths of the target, of its start before white space, and of the rewritten target; then that of a header
	scope     int       // the first of the paths by which exceptions apply: 0 or, for a header, the index of its path
	value     view      // the value under inspection
	header    string    // the header of custom rules under inspection
	suspects  match.Set // rules that may match the current candidates
	excepted  match.Set // rules that exceptions disable in this scope; nil: not computed yet
	excusedBy *rule     // the first rule that excused a candidate
	allCustom bool      // every candidate of this scope so far was excused by a custom rule
	trace     *Trace    // nil: no trace was requested
	verdict   Verdict   // verdict on a blocked request

	onlyExploits  bool     // only rules with conditions block
	wholeQueries  view     // readings of the whole queries
	hasQueries    bool     // wholeQueries is filled
	isConditional bool     // a rule matched whose conditions were not met
	bodies        [][]byte // readings of the body for conditions; nil: not made
	needsBody     bool     // a rule matched that needs the body, which was not read
}

var evaluations = sync.Pool{New: func() any { return &evaluation{} }}

func newEvaluation(s *RuleSet, r *Request) *evaluation {
	e, _ := evaluations.Get().(*evaluation)
	e.rules, e.request, e.allCustom = s, r, true
	e.suspects = e.suspects.WithSize(len(s.rules))
	return e
}

const keptBytes = 2 * limits.RequestBytes // bytes of buffers that the pool keeps; larger buffers are released

func (e *evaluation) release() {
	for i := range e.paths {
		e.paths[i].reset()
	}
	e.value.reset()
	e.wholeQueries.reset()
	if cap(e.buffers.kept)+cap(e.buffers.scratch) > keptBytes {
		e.buffers = workspace{}
	}
	buffers := workspace{kept: e.buffers.kept[:0], scratch: e.buffers.scratch[:0]}
	*e = evaluation{buffers: buffers, paths: e.paths[:0], value: e.value, wholeQueries: e.wholeQueries, suspects: e.suspects}
	evaluations.Put(e)
}

// run inspects the paths, queries, headers of custom rules, other headers and the body in this order, until one of them blocks the
// request. If custom rules excused all candidates of the paths, only headers with another path are inspected after them.
func (e *evaluation) run() Verdict {
	path, query, _ := splitTarget(e.request.Target)
	e.readPath(path, limits.PathBytes)
	queries := [3]string{query}
	if end := whiteSpaceIn(e.request.Target); end >= 0 {
		path, queries[1], _ = splitTarget(e.request.Target[:end])
		e.readPath(path, limits.PathBytes)
	}
	if e.request.HasRewritten {
		path, queries[2], _ = splitTarget(e.request.Rewritten)
		e.readPath(path, limits.PathBytes)
	}
	for i := range e.paths {
		if e.inspect("path", pathKind, &e.paths[i]) {
			return e.verdict
		}
	}
	isExcused := e.allCustom
	if !isExcused && e.inspectWholeQueries() {
		return e.verdict
	}
	for _, query := range queries {
		if query != "" && !isExcused && !e.onlyExploits && e.rules.policy.CheckQuery && !e.isQueryClean(query) && e.blocksQuery(query) {
			return e.verdict
		}
	}
	if !isExcused && e.inspectLines() {
		return e.verdict
	}
	if e.onlyExploits {
		return Verdict{Reason: ReasonMethodNotInspected}
	}
	if e.inspectHeaders(isExcused) || !isExcused && e.rules.policy.CheckBody && e.inspectBody() {
		return e.verdict
	}
	return e.allowVerdict()
}

func (e *evaluation) blocksQuery(query string) bool {
	isBlocked, _ := e.inspectQuery("query", query, 0)
	return isBlocked
}

func (e *evaluation) allowVerdict() Verdict {
	if e.excusedBy == nil {
		return Verdict{Reason: ReasonNoMatch, IsConditional: e.isConditional}
	}
	r := e.excusedBy
	return Verdict{Reason: ReasonAllowPatternMatch, Rule: r.id, Pattern: r.pattern, IsConditional: e.isConditional}
}

func (e *evaluation) readPath(path string, longest int) {
	if len(e.paths) < cap(e.paths) {
		e.paths = e.paths[:len(e.paths)+1]
	} else {
		e.paths = append(e.paths, view{})
	}
	e.read(&e.paths[len(e.paths)-1], e.buffers.keepText(path), longest, pathKind)
}

// read fills an empty view with the candidates of a value of a kind.
func (e *evaluation) read(v *view, value []byte, longest int, k kind) {
	if e.rules.steps != nil {
		v.readBySteps(&e.buffers, e.rules.steps, string(value), longest, k == pathKind)
	} else {
		v.read(&e.buffers, value, longest, k == pathKind)
	}
}

func (e *evaluation) inspectValue(target string, k kind, value []byte, longest int) bool {
	e.value.reset()
	e.read(&e.value, value, longest, k)
	return e.inspect(target, k, &e.value)
}

// Candidates returns the candidates of the path of a raw target, and the reason code of the limit that was reached.
func (s *RuleSet) Candidates(target string) (candidates []string, limit string) {
	path, _, _ := splitTarget(target)
	return s.pathCandidates(path)
}

func (s *RuleSet) pathCandidates(path string) (candidates []string, limit string) {
	e := newEvaluation(s, nil)
	e.read(&e.value, e.buffers.keepText(path), limits.PathBytes, pathKind)
	candidates = make([]string, len(e.value.candidates))
	limit = e.value.limit
	for i, candidate := range e.value.candidates {
		candidates[i] = string(candidate)
	}
	e.release()
	return candidates, limit
}

// TargetLiterals returns literals in lower case, with TextStart and TextEnd of package match. Every target that a block rule
// for paths, whole queries or inspected queries matches contains at least one of them. It returns false if one of these rules requires no
// literal.
func (s *RuleSet) TargetLiterals() (literals []string, areComplete bool) {
	for _, r := range s.rules {
		if r.allows || r.kinds&(pathKind|wholeQueryKind) == 0 && (!s.policy.CheckQuery || r.kinds&queryKind == 0) {
			continue // the rule cannot block, or is not applied to targets
		}
		required := r.matcher.Literals()
		if required == nil {
			return nil, false
		}
		if r.kinds&wholeQueryKind != 0 {
			required = withoutMarks(required)
		}
		literals = append(literals, required...)
	}
	return literals, true
}

// BlocksTarget reports whether a request with this target, without headers and body, is blocked if its method is inspected, or may be
// blocked with some method.
func (s *RuleSet) BlocksTarget(target string) bool {
	e := newEvaluation(s, &Request{Target: target})
	isBlocked := e.run().Blocked || e.isConditional
	e.release()
	return isBlocked
}

// WantsBody reports whether the body may change the verdict v, which was made without the body. It returns false for
// streams, because they may never end, unless a rule about an exploit names the request.
func (s *RuleSet) WantsBody(r *Request, v Verdict) bool {
	if v.NeedsBody {
		return true
	}
	mayChange := v.Reason == ReasonNoMatch || v.Reason == ReasonAllowPatternMatch
	return s.policy.CheckBody && mayChange && len(formatsOf(r.Header["Content-Type"])) > 0
}
