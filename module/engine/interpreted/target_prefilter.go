package interpreted

import (
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
)

// TargetPrefilter recognizes targets that cannot block a request: those with one reading and without a literal of a rule, and the
// commonTargets that no rule blocks.
type TargetPrefilter struct {
	// Find returns its text unchanged if the target between TargetStart and TargetEnd passes, otherwise a shorter text. It decides like
	// Passes, but needs a target of at most PrefilterBytes and, if queries are inspected, at most one question mark.
	Find       func(text string) string
	checkQuery bool
	common     map[string]bool // the commonTargets that pass
}

// commonTargets are requested on every site. They contain literals, so they are evaluated when the prefilter is made.
var commonTargets = []string{
	"/robots.txt", "/sitemap.xml", "/ads.txt", "/app-ads.txt", "/humans.txt", "/llms.txt", "/security.txt", "/manifest.json",
	"/browserconfig.xml", "/crossdomain.xml", "/wp-login.php", "/xmlrpc.php", "/admin", "/admin/", "/login.php", "/config.js",
	"/service-worker.js", "/.well-known/security.txt", "/.well-known/change-password", "/.well-known/openid-configuration",
}

// PrefilterBytes is the maximum length of a target that can pass. Such targets cannot reach a limit of the engine.
const PrefilterBytes = 512

// Marks of the start and the end of a target, which are those of a text in package match.
const (
	TargetStart = match.TextStart
	TargetEnd   = match.TextEnd
)

// NewTargetPrefilter makes the prefilter of a rule set. It returns nil where a rule requires no literal, so that no target can pass.
func NewTargetPrefilter(rules *engine.RuleSet, checkQuery bool) *TargetPrefilter {
	literals, areAll := rules.TargetLiterals()
	if !areAll {
		return nil
	}
	starts := []string{TargetStart}
	ends := []string{TargetEnd, "?"}
	if checkQuery {
		starts = append(starts, "?", "&", "=")
		ends = append(ends, "&", "=")
	}
	list := ambiguousTexts(checkQuery, ends)
	for _, literal := range literals {
		list = append(list, withEnds(literal, starts, ends)...)
	}
	common := map[string]bool{}
	var pairs []string
	for _, target := range commonTargets {
		if !rules.BlocksTarget(target) {
			whole := TargetStart + target + TargetEnd
			pairs = append(pairs, whole, whole) // first, so that the replacer finds no literal inside of a common target
			common[target] = true
		}
	}
	for _, text := range list {
		pairs = append(pairs, text, "")
	}
	find := strings.NewReplacer(pairs...).Replace
	if checkQuery {
		find = withoutBase64(find)
	}
	return &TargetPrefilter{Find: find, checkQuery: checkQuery, common: common}
}

func withoutBase64(find func(text string) string) func(text string) string {
	return func(text string) string {
		if base64Value.MatchString(text) {
			return ""
		}
		return find(text)
	}
}

// Passes returns true only if a target without control characters cannot block a request. Targets with upper-case letters do
// not pass.
func (p *TargetPrefilter) Passes(target string) bool {
	if len(target) > PrefilterBytes || p.checkQuery && strings.IndexByte(target, '?') != strings.LastIndexByte(target, '?') {
		return false
	}
	return len(p.Find(TargetStart+target+TargetEnd)) == len(TargetStart)+len(target)+len(TargetEnd)
}

// PassesInAnyCase is like Passes, but ignores the case of letters.
func (p *TargetPrefilter) PassesInAnyCase(target string) bool {
	lower := strings.ToLower(target)
	if lower != target && p.common[lower] {
		return false // a rule may match only the form with upper-case letters, which was not evaluated
	}
	if p.checkQuery && base64Value.MatchString(target+TargetEnd) {
		return false // base64 depends on the case of letters
	}
	return len(lower) == len(target) && p.Passes(lower) // the length differs if ToLower converts a letter such as the Kelvin sign to ASCII
}

// withEnds returns a literal with each of starts in place of TargetStart, and each of ends in place of TargetEnd.
func withEnds(literal string, starts, ends []string) []string {
	heads := []string{""}
	tails := []string{""}
	if strings.HasPrefix(literal, TargetStart) {
		heads, literal = starts, literal[len(TargetStart):]
	}
	if strings.HasSuffix(literal, TargetEnd) {
		tails = append(ends[:len(ends):len(ends)], "/") // for the readings without final slashes and without path info
		literal = literal[:len(literal)-len(TargetEnd)]
	}
	var list []string
	for _, head := range heads {
		for _, tail := range tails {
			list = append(list, head+literal+tail)
		}
	}
	return list
}

// ambiguousTexts returns texts with which a target may have several readings, and texts that the prefilter does not handle.
func ambiguousTexts(checkQuery bool, ends []string) []string {
	list := []string{"//", "/.", "./", "/("}
	for _, script := range engine.Scripts {
		list = append(list, "."+script+"/")
	}
	if checkQuery {
		list = append(list, "[file", "]file", "file[", "file]") // keys that servers read as file
	}
	for _, end := range ends {
		list = append(list, "."+end)
	}
	for c := 0; c < 256; c++ {
		b := string([]byte{byte(c)})
		if b != "/" {
			list = append(list, TargetStart+b) // the target is not a path
		}
		if isAmbiguous(byte(c)) || checkQuery && (c == '+' || c == '"') {
			list = append(list, b)
		}
	}
	return list
}

func isAmbiguous(c byte) bool {
	if c == TargetStart[0] || c == TargetEnd[0] {
		return false
	}
	return engine.IsSpecial(c) && c != '?' || c == ' ' || 'A' <= c && c <= 'Z'
}
