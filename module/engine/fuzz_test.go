package engine

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/request-guard/guard/internal/vectors"
	"github.com/request-guard/guard/limits"
)

// everything is a policy that inspects every part of a request.
const everything = `{
	"methods": ["*"], "check_query": true, "check_body": true, "check_headers": ["X-Original-URL"],
	"block_patterns": ["(?i)secret", "^/[0-9]+$"], "allow_patterns": ["^/secret/ok"]
}`

// slowRules decides one candidate with the standard library only: it tries each rule in order.
type slowRules struct {
	rules   []*rule
	regexps []*regexp.Regexp
}

const slowBytes = 500 // length of the longest candidate on which all expressions are tried: some take a microsecond for each byte

func slowly(s *RuleSet) *slowRules {
	slow := &slowRules{rules: s.rules}
	for _, r := range s.rules {
		slow.regexps = append(slow.regexps, regexp.MustCompile(r.pattern))
	}
	return slow
}

// decision returns the decision of the first rule that matches. If none matches the candidate, its shorter readings can block.
func (s *slowRules) decision(candidate, kind string) TracedCandidate {
	traced := s.firstMatch(candidate, kind)
	bare := strings.TrimRight(candidate, "/")
	readings := []string{bare}
	if kind == "path" {
		readings = append(readings, pathInfoFiles(bare)...)
	}
	for _, reading := range readings {
		if reading != "" && traced == (TracedCandidate{Candidate: candidate}) {
			traced.BlockedBy = s.firstMatch(reading, kind).BlockedBy
		}
	}
	return traced
}

// pathInfoFiles returns the starts of a path that end where fileEnd finds an end, computed segment by segment.
func pathInfoFiles(path string) (files []string) {
	segments := strings.Split(path, "/")
	for i, segment := range segments[:len(segments)-1] {
		if withExtension.MatchString(segment) && len(files) < limits.PathInfoFiles {
			files = append(files, strings.Join(segments[:i+1], "/"))
		}
	}
	return files
}

var withExtension = regexp.MustCompile(`(?i)\.(?:` + strings.Join(Scripts, "|") + `)$`)

func (s *slowRules) firstMatch(candidate, kind string) TracedCandidate {
	traced := TracedCandidate{Candidate: candidate}
	for i, r := range s.rules {
		if r.kinds&kindsOf([]string{kind}) == 0 || !s.regexps[i].MatchString(candidate) {
			continue
		}
		if r.allows {
			traced.ExcusedBy = r.id
		} else {
			traced.BlockedBy = r.id
		}
		break
	}
	return traced
}

func FuzzEvaluate(f *testing.F) {
	type test struct {
		Request struct{ Target, Body string }
	}
	for _, group := range vectors.Read[test](f, "verdicts", vectors.VerdictFiles...) {
		for _, test := range group.Tests {
			for _, contentType := range []string{"", "application/json", "text/xml", "multipart/form-data; boundary=b"} {
				f.Add(test.Request.Target, test.Request.Target, contentType, []byte(test.Request.Body))
			}
		}
	}
	rules := compiled(f, everything)
	slow := slowly(rules)
	f.Fuzz(func(t *testing.T, target, header, contentType string, body []byte) {
		request := &Request{Method: "POST", Target: target, Body: body, Header: map[string][]string{
			"X-Original-Url": {header}, "Content-Type": {contentType},
		}}
		trace := rules.Trace(request)
		if verdict := rules.Evaluate(request); verdict != trace.Verdict {
			t.Errorf("the verdict is %+v, with a trace %+v", verdict, trace.Verdict)
		}
		used := map[bool]int{} // candidate bytes; true: of the body, false: of the other targets
		for i := range trace.Targets {
			checkTarget(t, slow, &trace, i)
			for _, c := range trace.Targets[i].Candidates {
				used[trace.Targets[i].Kind == "body"] += len(c.Candidate)
			}
		}
		if used[false] > limits.RequestBytes || used[true] > limits.RequestBytes {
			t.Errorf("%v bytes of candidates", used)
		}
		checkPlain(t, target)
	})
}

// checkTarget checks the bounds of a target, and compares the decision on each candidate with slowRules.
func checkTarget(t *testing.T, slow *slowRules, trace *Trace, i int) {
	target := &trace.Targets[i]
	seen, size, isReached := map[string]bool{}, 0, true
	for _, got := range target.Candidates {
		size += len(got.Candidate)
		if !isPrintable([]byte(got.Candidate)) || seen[got.Candidate] {
			t.Errorf("candidate %q is repeated or not printable", got.Candidate)
		}
		seen[got.Candidate] = true
		if isReached && len(got.Candidate) <= slowBytes {
			if want := slow.decision(got.Candidate, target.Kind); got != want {
				t.Errorf("%s: got %+v, want %+v", target.Target, got, want)
			}
		}
		isReached = isReached && got.BlockedBy == ""
	}
	if size > limits.ViewBytes {
		t.Errorf("%d bytes of candidates in one view", size)
	}
	isLast := i == len(trace.Targets)-1
	if isBlocked := !isReached || target.Limit != ""; isBlocked && !isLast || isLast && isBlocked != trace.Verdict.Blocked {
		t.Errorf("target %d: %+v, verdict %+v", i, target, trace.Verdict)
	}
}

// checkPlain checks that the prefilter for plain values makes no difference.
func checkPlain(t *testing.T, text string) {
	value := []byte(text)
	if _, is64 := (&workspace{}).base64Text(value); is64 || !isPlain(value) || len(value) > limits.PathBytes {
		return
	}
	var v view
	if !v.addReadings(&workspace{}, value, false) || len(v.candidates) != 1 || !bytes.Equal(v.candidates[0], value) {
		t.Errorf("%q is not a plain value: %q", value, v.candidates)
	}
	if decoded := (&workspace{}).decode(value); !isSameMemory(decoded, value) {
		t.Errorf("%q is not a plain value: it decodes to %q", value, decoded)
	}
}
