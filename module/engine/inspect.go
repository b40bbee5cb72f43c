package engine

import (
	"bytes"
	"math"
	"strings"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// inspect matches the candidates of a view and then applies its limit. It reports whether the request is blocked.
func (e *evaluation) inspect(target string, k kind, v *view) bool {
	e.traceTarget(target, k, v)
	if e.matched != nil {
		e.keepMatched(v)
	}
	first := 0
	if e.areScanned = e.rules.interpreted != nil; e.areScanned {
		r, mayMatch := e.scanLines(v, k)
		if r != nil {
			v.split(0)
			e.traceRule(0, r)
			return e.inspectMatch(target, v.candidates[0], r)
		}
		if !mayMatch {
			e.allCustom = e.allCustom && len(v.candidates) == 0
			return v.limit != "" && e.inspectLimit(target, v.limit)
		}
		v.split(e.firstHit)
		first = e.firstHit
		e.allCustom = e.allCustom && first == 0
	}
	for i := first; i < len(v.candidates); i++ {
		candidate := v.candidates[i]
		r := e.firstMatch(candidate, k)
		e.traceRule(i, r)
		if r == nil && e.blocksShorter(target, k, i, candidate) {
			return true
		}
		if r != nil && !r.allows {
			return e.inspectMatch(target, candidate, r)
		}
		e.allCustom = e.allCustom && r != nil && r.isCustom
		if e.first == nil {
			e.first = r
		}
	}
	return v.limit != "" && e.inspectLimit(target, v.limit)
}

// blocksShorter inspects the readings of servers that ignore the end of a candidate. Flask, Django, Tornado and http-server return
// the file /dump.sql for /dump.sql/. lighttpd, PHP and WEBrick return it for /dump.sql/x: what follows a file in a path is its path
// info. A rule that excuses the candidate excuses these readings too, so that they can only block.
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

func (e *evaluation) blocksReading(target string, k kind, index int, reading []byte) bool {
	r := e.firstMatch(reading, k)
	if r == nil || r.allows {
		return false
	}
	e.traceRule(index, r)
	return e.inspectMatch(target, reading, r)
}

// wholeCandidate is the length up to which events hold a whole candidate, so that the place of the match does not matter.
const wholeCandidate = 512

// inspectMatch blocks the request for a candidate that a rule matches.
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

// inspectLimit blocks: no rule excuses a limit.
func (e *evaluation) inspectLimit(target, reason string) bool {
	e.verdict = Verdict{Blocked: true, Reason: reason, Target: target}
	return true
}

// scanLines finds the rules that match some candidate of a view; mayMatch is false when there are none. In an interpreter,
// one scan of all candidates is cheaper than a scan of each. It ends at a rule that blocks the first candidate, and returns
// that rule.
func (e *evaluation) scanLines(v *view, k kind) (blocks *rule, mayMatch bool) {
	all, whole := withShorterLines(v.lines, k), ""
	if v.isGathered || len(v.candidates) > 0 {
		whole = e.rules.interpreted.Whole(all)
	}
	if whole == "" {
		return nil, false
	}
	e.suspects = match.NewSet(len(e.rules.rules))
	isExcused, lines := false, match.NewLines(all)
	e.firstHit = math.MaxInt
	for i := e.rules.interpreted.Next(whole, 0); i >= 0; i = e.rules.interpreted.Next(whole, i+1) {
		r := e.rules.rules[i]
		if r.kinds&k == 0 {
			continue
		}
		at := lines.First(r.matcher)
		if at == 0 && !r.allows && !isExcused && !e.isExcepted(i) {
			return r, true
		}
		if at >= 0 {
			e.suspects.Add(i)
			e.firstHit = batchOf(e.firstHit, at)
			isExcused = isExcused || at == 0 && r.allows
			mayMatch = true
		}
	}
	if len(all) > len(v.lines) {
		e.firstHit = 0 // any candidate may match by a shorter reading
	}
	return nil, mayMatch
}

// firstMatch returns the first rule that matches a candidate: an allow rule, else a block rule.
func (e *evaluation) firstMatch(candidate []byte, k kind) *rule {
	if !e.areScanned && !e.rules.prefilter.Scan(candidate, e.suspects) {
		return nil
	}
	for i := e.suspects.Next(0); i >= 0; i = e.suspects.Next(i + 1) {
		r := e.rules.rules[i]
		if r.kinds&k != 0 && r.matcher.Match(candidate) && (r.allows || !e.isExcepted(i)) {
			return r
		}
	}
	return nil
}

// isExcepted evaluates the excused rules and the exceptions when the first rule would block, which most requests never
// reach.
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
		for _, x := range e.rules.exceptions {
			if x.concerns(host) && e.everyPathMatches(x.path) {
				e.excepted.AddAll(x.rules)
			}
		}
	}
	return e.excepted.Has(i)
}

func (x *exception) concerns(host string) bool {
	for _, h := range x.hosts {
		if host == h || strings.HasPrefix(h, "*.") && strings.HasSuffix(host, h[1:]) {
			return true
		}
	}
	return len(x.hosts) == 0
}

// everyPathMatches reports whether all readings of the paths are complete and match.
func (e *evaluation) everyPathMatches(m *match.Matcher) bool {
	for i := range e.paths {
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
