package engine

import (
	"bytes"
	"net/netip"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// inspect matches the candidates of a view and then applies its limit. It reports whether the request is blocked.
func (e *evaluation) inspect(target string, k kind, v *view) bool {
	e.traceTarget(target, k, v)
	if e.rules.steps != nil && !e.findSuspects(v, k) {
		e.allCustom = e.allCustom && len(v.candidates) == 0
		return v.limit != "" && !e.onlyExploits && e.inspectLimit(target, v.limit)
	}
	for i := 0; i < len(v.candidates); i++ {
		candidate := v.candidates[i]
		r := e.firstMatch(candidate, k)
		e.traceRule(i, r)
		if r == nil && !v.isWhole && k != headerKind && e.blocksShorter(target, k, i, candidate) {
			return true
		}
		if r != nil && !r.allows {
			return e.inspectMatch(target, candidate, r)
		}
		e.allCustom = e.allCustom && r != nil && r.isCustom
		if e.excusedBy == nil {
			e.excusedBy = r
		}
	}
	return v.limit != "" && !e.onlyExploits && e.inspectLimit(target, v.limit)
}

// blocksShorter inspects the readings of servers that ignore the end of a candidate. Flask and Tornado return /dump.sql for
// /dump.sql/. Apache and nginx run /shell.php for /shell.php/x, where /x is the path info.
func (e *evaluation) blocksShorter(target string, k kind, index int, candidate []byte) bool {
	bare := bytes.TrimRight(candidate, "/")
	if len(bare) > 0 && len(bare) < len(candidate) && e.blocksReading(target, k, index, bare) {
		return true
	}
	if k != pathKind {
		return false
	}
	file := fileEnd(bare, 0)
	for n := 0; file >= 0 && n < limits.PathInfoFiles; n++ {
		if e.blocksReading(target, k, index, bare[:file]) {
			return true
		}
		file = fileEnd(bare, file)
	}
	return false
}

// blocksReading reports whether a rule blocks a shorter reading of a candidate. index is the index of the candidate in its view.
func (e *evaluation) blocksReading(target string, k kind, index int, reading []byte) bool {
	r := e.firstMatch(reading, k)
	if r == nil || r.allows {
		return false
	}
	e.traceRule(index, r)
	return e.inspectMatch(target, reading, r)
}

// wholeCandidate is the length in bytes up to which events contain the whole candidate, so that Verdict.Place is not needed.
const wholeCandidate = 512

// inspectMatch blocks the request for a candidate that a rule matches. It returns true.
func (e *evaluation) inspectMatch(target string, candidate []byte, r *rule) bool {
	e.verdict = Verdict{
		Blocked: true, Reason: ReasonBlockPatternMatch, Target: target,
		Candidate: string(candidate), Rule: r.id, Pattern: r.pattern,
	}
	if len(candidate) > wholeCandidate {
		e.verdict.Place = r.matcher.Place(candidate)
	}
	return true
}

// inspectLimit blocks the request for a limit, which no rule excuses. It returns true.
func (e *evaluation) inspectLimit(target, reason string) bool {
	e.verdict = Verdict{Blocked: true, Reason: reason, Target: target}
	return true
}

// exceedLimit blocks the request for a limit that a target without candidates reached. It returns true.
func (e *evaluation) exceedLimit(target string, k kind, reason string) bool {
	e.traceTarget(target, k, &view{limit: reason})
	return e.inspectLimit(target, reason)
}

// findSuspects fills suspects with the rules that may match a candidate, and reports whether there are any. It searches
// all candidates together, which is faster in an interpreter.
func (e *evaluation) findSuspects(v *view, k kind) bool {
	e.suspects = e.rules.steps.Suspects(string(bytes.Join(v.candidates, []byte(match.LineEnd))), k == pathKind)
	return e.suspects.Next(0) >= 0
}

// firstMatch returns the first rule that matches a candidate: an allow rule, else a block rule.
func (e *evaluation) firstMatch(candidate []byte, k kind) *rule {
	if e.rules.steps == nil && !e.rules.prefilter.Scan(candidate, e.suspects) {
		return nil
	}
	for i := e.suspects.Next(0); i >= 0; i = e.suspects.Next(i + 1) {
		r := e.rules.rules[i]
		if r.kinds&k != 0 && (k != headerKind || r.hasHeader(e.header)) && r.matcher.Match(candidate) && e.isMet(r) && (r.allows || !e.isExcepted(i)) {
			return r
		}
	}
	return nil
}

// isExcepted reports whether rule i is excused or disabled. Exceptions are evaluated when the first rule would block.
func (e *evaluation) isExcepted(i int) bool {
	for _, id := range e.request.Excused {
		if id == e.rules.rules[i].id {
			return true
		}
	}
	if len(e.rules.exceptions) == 0 {
		return false
	}
	if e.excepted == nil {
		e.excepted = match.NewSet(len(e.rules.rules))
		host := hostName(e.request.Host)
		var client netip.Addr
		if e.rules.hasClients {
			client = e.rules.Client(e.request)
		}
		for _, x := range e.rules.exceptions {
			if x.appliesTo(host) && (x.clients.Empty() || x.clients.Contains(client)) && e.everyPathMatches(x.path) {
				e.excepted.AddAll(x.rules)
			}
		}
	}
	return e.excepted.Has(i)
}

func (x *exception) appliesTo(host string) bool {
	for _, h := range x.hosts {
		if host == h || strings.HasPrefix(h, "*.") && strings.HasSuffix(host, h[1:]) {
			return true
		}
	}
	return len(x.hosts) == 0
}

// everyPathMatches reports whether the pattern matches each candidate of each path in scope, and no limit ended their list.
func (e *evaluation) everyPathMatches(m *match.Matcher) bool {
	for i := e.scope; i < len(e.paths); i++ {
		if e.paths[i].limit != "" {
			return false
		}
		for _, candidate := range e.paths[i].candidates {
			if !m.Match(candidate) {
				return false
			}
		}
	}
	return true
}
