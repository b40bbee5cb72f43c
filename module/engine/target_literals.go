package engine

// TargetLiterals returns literals of which every target that a rule blocks holds at least one, in lower case and with the ends of
// package match. It returns false where a rule requires none.
func (s *RuleSet) TargetLiterals() (literals []string, areAll bool) {
	var all []string
	for _, r := range s.rules {
		if r.allows || r.kinds&pathKind == 0 && (!s.policy.CheckQuery || r.kinds&queryKind == 0) {
			continue // an allow rule cannot block
		}
		required := r.matcher.Literals()
		if required == nil {
			return nil, false
		}
		all = append(all, required...)
	}
	return all, true
}

// BlocksTarget reports whether a request with only a target is blocked.
func (s *RuleSet) BlocksTarget(target string) bool {
	e := newEvaluation(s, &Request{Target: target})
	isBlocked := e.run().Blocked
	e.release()
	return isBlocked
}
