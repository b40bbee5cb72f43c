package engine

// Trace decides a request and returns every step.
func (s *RuleSet) Trace(r *Request) Trace {
	if reason := s.uninspected(r); reason != "" {
		return Trace{Verdict: Verdict{Reason: reason}}
	}
	t := &Trace{}
	e := newEvaluation(s, r)
	e.trace = t
	t.Verdict = e.run()
	e.release()
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

func (e *evaluation) traceLimit(target string, k kind, reason string) {
	if e.trace != nil {
		e.trace.Targets = append(e.trace.Targets, TracedTarget{Target: target, Kind: k.String(), Limit: reason})
	}
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
