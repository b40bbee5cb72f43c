package engine

// WantsBody reports whether the body of the request may change the verdict v, which was made without it. A proxy then
// reads the body and evaluates again. It does not read other bodies, so that streams flow and a client cannot make it
// wait.
func (s *RuleSet) WantsBody(r *Request, v Verdict) bool {
	mayChange := v.Reason == ReasonNoMatch || v.Reason == ReasonAllowPatternMatch
	return s.policy.CheckBody && mayChange && len(formatsOf(contentTypes(r.Header))) > 0
}
