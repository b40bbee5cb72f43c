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
	e.run()
	v := e.verdict
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
	decision
	buffers      workspace
	paths        []view    // paths of the target, of its start before white space, and of the rewritten target; then that of a header
	queries      []string  // queries of the same targets that are not empty
	value        view      // the value under inspection
	wholeQueries view      // readings of the whole queries
	bodies       view      // readings of the body for conditions
	suspects     match.Set // rules that may match the current candidates
	lineSuspects match.Set // headers of rules whose lines a rule may match
	bodySuspects match.Set // numbers of the rules whose conditions the body may meet
}

// decision is the part of an evaluation that keeps no memory for the next request.
type decision struct {
	rules     *RuleSet
	request   *Request
	scope     int       // the first of the paths by which exceptions apply: 0 or, for a header, the index of its path
	header    string    // the header of custom rules under inspection
	excepted  match.Set // rules that exceptions disable in this scope; nil: not computed yet
	excusedBy *rule     // the first rule that excused a candidate
	allCustom bool      // every candidate of this scope so far was excused by a custom rule
	trace     *Trace    // nil: no trace was requested
	verdict   Verdict

	onlyExploits    bool // only rules with conditions block
	hasReadings     bool // wholeQueries is filled
	hasBodies       bool // bodies is filled
	hasBodySuspects bool // bodySuspects is filled
	isConditional   bool // a rule matched whose conditions were not met
	needsBody       bool // a rule matched that needs the body, which was not read
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
	e.bodies.reset()
	if cap(e.buffers.kept)+cap(e.buffers.scratch) > keptBytes {
		e.buffers = workspace{}
	}
	e.buffers.kept, e.buffers.scratch, e.buffers.used, e.buffers.has64 = e.buffers.kept[:0], e.buffers.scratch[:0], 0, false
	for i := range e.queries {
		e.queries[i] = ""
	}
	e.paths, e.queries = e.paths[:0], e.queries[:0]
	e.decision = decision{}
	evaluations.Put(e)
}

// run sets the verdict. It inspects the paths, queries, headers of custom rules, other headers and the body in this order, until one of
// them blocks the request. If custom rules excused all candidates of the paths, only headers with another path are inspected after them.
func (e *evaluation) run() {
	if e.isRepeated() {
		e.allow()
		return
	}
	e.readTarget(e.request.Target)
	if !e.isPrintablePath() {
		if end := whiteSpaceIn(e.request.Target); end >= 0 {
			e.readTarget(e.request.Target[:end])
		}
	}
	if e.request.HasRewritten {
		e.readTarget(e.request.Rewritten)
	}
	for i := range e.paths {
		if e.inspect("path", pathKind, &e.paths[i]) {
			return
		}
	}
	isExcused := e.allCustom
	if !isExcused {
		if len(e.queries) > 0 && e.inspectQueries() {
			return
		}
		e.keepTarget()
		if len(e.rules.lines) > 0 && e.inspectLines() {
			return
		}
	}
	if e.onlyExploits {
		e.verdict.Reason = ReasonMethodNotInspected
	} else if !e.inspectHeaders(isExcused) && (isExcused || !e.rules.policy.CheckBody || !e.inspectBody()) {
		e.allow()
	}
}

func (e *evaluation) readTarget(target string) {
	path, query, _ := splitTarget(target)
	e.readPath(path, limits.PathBytes)
	if query != "" {
		e.queries = append(e.queries, query)
	}
}

// isPrintablePath returns true only if the first of the paths is the whole target and printable.
func (e *evaluation) isPrintablePath() bool {
	return e.paths[0].isWhole && e.paths[0].size == len(e.request.Target)
}

func (e *evaluation) inspectQueries() bool {
	if e.inspectWholeQueries() {
		return true
	}
	if e.onlyExploits || !e.rules.policy.CheckQuery {
		return false
	}
	for _, query := range e.queries {
		if !e.isQueryClean(query) && e.blocksQuery(query) {
			return true
		}
	}
	return false
}

func (e *evaluation) blocksQuery(query string) bool {
	isBlocked, _ := e.inspectQuery("query", query, 0)
	return isBlocked
}

// allow sets the verdict on a request that nothing blocks.
func (e *evaluation) allow() {
	e.verdict.Reason, e.verdict.IsConditional = ReasonNoMatch, e.isConditional
	if r := e.excusedBy; r != nil {
		e.verdict.Reason, e.verdict.Rule, e.verdict.Pattern = ReasonAllowPatternMatch, r.id, r.pattern
	}
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
	e.run()
	isBlocked := e.verdict.Blocked || e.isConditional
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
