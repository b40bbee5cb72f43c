package engine

import "strings"

// WantsBody says whether the verdict about a request without its body may change with it. A proxy then reads the body and
// evaluates again; every other body it leaves alone, so that streams flow and nobody can make it wait.
func (s *RuleSet) WantsBody(r *Request, v Verdict) bool {
	if v.Blocked || !s.policy.CheckBody || v.Reason != ReasonNoMatch && v.Reason != ReasonAllowPatternMatch {
		return false
	}
	for _, contentType := range r.Header["Content-Type"] {
		return isInspected(contentType)
	}
	return false
}

func isInspected(contentType string) bool {
	name, _, _ := strings.Cut(contentType, ";")
	name = lower(strings.Trim(name, " \t"))
	switch name {
	case "application/x-www-form-urlencoded", "application/json", "multipart/form-data":
		return true
	}
	return strings.HasSuffix(name, "+json")
}
