package engine

// WantsBody says whether the verdict v about a request without its body may change with it. A proxy then reads the body and
// evaluates again; every other body it leaves alone, so that streams flow and nobody can make it wait.
func (s *RuleSet) WantsBody(r *Request, v Verdict) bool {
	mayChange := v.Reason == ReasonNoMatch || v.Reason == ReasonAllowPatternMatch
	return s.policy.CheckBody && mayChange && len(formatsOf(bodyTypes(r.Header))) > 0
}
