package engine

import (
	"strings"
)

// Gate recognises targets that no rule and no limit can block, whatever else the request is: those that are read in one way
// only and hold no literal that a rule requires. It is one call of the standard library, for interpreted programs.
type TargetPrefilter struct {
	// Find makes a text shorter that is a target between TargetStart and TargetEnd and not clear. For targets of at most
	// PrefilterBytes, with one question mark at most where queries are checked, it says all that Passes does.
	Find       func(text string) string
	checkQuery bool
	common     map[string]bool // of commonTargets, those that are clear
}

// commonTargets are asked for everywhere all the time, and hold literals of rules that they do not match.
var commonTargets = []string{
	"/robots.txt", "/sitemap.xml", "/ads.txt", "/app-ads.txt", "/humans.txt", "/llms.txt", "/security.txt", "/manifest.json",
	"/browserconfig.xml", "/crossdomain.xml", "/wp-login.php", "/xmlrpc.php", "/admin", "/admin/", "/login.php", "/config.js",
	"/service-worker.js", "/.well-known/security.txt", "/.well-known/change-password", "/.well-known/openid-configuration",
}

// PrefilterBytes bounds the targets that a gate is asked about: no limit of the engine is reached below it.
const PrefilterBytes = 512

// Ends of a target, as the literals of package match have them.
const (
	TargetStart = "\x01"
	TargetEnd   = "\x02"
)

// Gate makes the gate of a rule set; nil: a rule requires no literal, so that no target is clear at a glance.
func (s *RuleSet) TargetPrefilter() *TargetPrefilter {
	starts := []string{TargetStart}
	ends := []string{TargetEnd, "?"}
	if s.policy.CheckQuery {
		starts = append(starts, "?", "&", "=")
		ends = append(ends, "&", "=")
	}
	list := ambiguousTexts(s.policy.CheckQuery, ends)
	for _, r := range s.rules {
		if r.allows || !s.concernsTargets(r) {
			continue // what nothing blocks needs no excuse
		}
		literals := r.matcher.Literals()
		if literals == nil {
			return nil
		}
		for _, literal := range literals {
			list = append(list, placed(literal, starts, ends)...)
		}
	}
	common := map[string]bool{}
	var pairs []string
	for _, target := range commonTargets {
		if e := newEvaluation(s, &Request{Target: target}); !e.run().Blocked {
			whole := TargetStart + target + TargetEnd
			pairs = append(pairs, whole, whole) // first, so that nothing in it is found
			common[target] = true
		}
	}
	for _, text := range list {
		pairs = append(pairs, text, "")
	}
	return &TargetPrefilter{Find: strings.NewReplacer(pairs...).Replace, checkQuery: s.policy.CheckQuery, common: common}
}

func (s *RuleSet) concernsTargets(r *rule) bool {
	return r.kinds&pathKind != 0 || s.policy.CheckQuery && r.kinds&queryKind != 0
}

// Passes says that a target is clear. Letters in upper case are not. The target has no control characters, which net/http
// refuses.
func (p *TargetPrefilter) Passes(target string) bool {
	if len(target) > PrefilterBytes || p.checkQuery && strings.IndexByte(target, '?') != strings.LastIndexByte(target, '?') {
		return false
	}
	return len(p.Find(TargetStart+target+TargetEnd)) == len(TargetStart)+len(target)+len(TargetEnd)
}

// PassesInAnyCase says the same for letters in either case.
func (p *TargetPrefilter) PassesInAnyCase(target string) bool {
	lower := strings.ToLower(target)
	if lower != target && p.common[lower] {
		return false // it was evaluated as it stands
	}
	return len(lower) == len(target) && p.Passes(lower) // other lengths have letters that only Unicode takes for ASCII
}

// placed are the texts that a literal is in a target, of which its path and its values are parts.
func placed(literal string, starts, ends []string) []string {
	heads := []string{""}
	tails := []string{""}
	if strings.HasPrefix(literal, TargetStart) {
		heads, literal = starts, literal[len(TargetStart):]
	}
	if strings.HasSuffix(literal, TargetEnd) {
		tails, literal = ends, literal[:len(literal)-len(TargetEnd)]
	}
	var list []string
	for _, head := range heads {
		for _, tail := range tails {
			list = append(list, head+literal+tail)
		}
	}
	return list
}

// unclear are the texts that make more than one reading possible, as isPlain has them, or that are not what a gate expects.
func ambiguousTexts(checkQuery bool, ends []string) []string {
	list := []string{"//", "/.", "./"}
	for _, end := range ends {
		list = append(list, "."+end)
	}
	for c := 0; c < 256; c++ {
		b := string([]byte{byte(c)})
		if b != "/" {
			list = append(list, TargetStart+b) // an absolute form
		}
		if isAmbiguous(byte(c)) || checkQuery && c == '+' {
			list = append(list, b)
		}
	}
	return list
}

func isAmbiguous(c byte) bool {
	if c == TargetStart[0] || c == TargetEnd[0] {
		return false
	}
	return byteClass[c] == special && c != '?' || byteClass[c] == space || 'A' <= c && c <= 'Z'
}
