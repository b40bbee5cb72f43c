package engine

import (
	"runtime"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine/match"
)

func compiledAsFirst(t testing.TB, file string) *RuleSet {
	t.Helper()
	rules, err := CompileAsFirst(loaded(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// TestTheFirstCompileAllocatesLittle counts bytes. Building the tables of the built-in rules allocated 200 MB, and kept 10 MB.
func TestTheFirstCompileAllocatesLittle(t *testing.T) {
	if bytes := allocatedBy(t, func() { compiledAsFirst(t, `{}`) }); bytes > 5<<20 {
		t.Errorf("%d bytes", bytes)
	}
}

func TestTheFirstRequestAllocatesNoTablesAfterTheyArePrepared(t *testing.T) {
	k := &Toolkit{Matcher: tableToolkit.Matcher, BuiltIn: tableToolkit.BuiltIn}
	var prepare func()
	k.Later = func(f func()) { prepare = f }
	rules, err := k.Compile(loaded(t, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	prepare()
	request := get(everyLiteral(compiled(t, `{}`)))
	if bytes := allocatedBy(t, func() { rules.Evaluate(request) }); bytes > 1<<20 {
		t.Errorf("%d bytes", bytes)
	}
}

// allocatedBy returns the number of bytes that f allocates.
func allocatedBy(t *testing.T, f func()) uint64 {
	compiled(t, `{}`)
	tableToolkit.prepareBuiltIn() // otherwise the goroutine of Later could do it meanwhile
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestPoliciesShareThePrefilterOfTheSameBuiltInRules(t *testing.T) {
	first := compiled(t, `{}`).prefilter
	for file, isShared := range map[string]bool{
		`{"mode": "detect", "allowed_ips": ["192.0.2.1"]}`: true,
		`{"disabled_rules": ["file-dump-1"]}`:              false,
		`{"block_patterns": ["secret"]}`:                   false,
		`{}`:                                               true,
	} {
		if got := compiled(t, file).prefilter == first; file != `{}` && got != isShared {
			t.Errorf("%s: got %v", file, got)
		}
		if first = compiled(t, `{}`).prefilter; first != compiled(t, `{}`).prefilter {
			t.Errorf("not shared after %s", file)
		}
	}
}

// everyLiteral returns a path with literals of as many rules as possible, of which no rule matches the whole. Its evaluation decodes
// the tables of all these rules.
func everyLiteral(rules *RuleSet) string {
	suspects, count := match.NewSet(len(rules.rules)), 0
	path := "/"
	for i, r := range rules.rules {
		for _, literal := range r.matcher.Literals() {
			literal = strings.NewReplacer(match.TextStart, "", match.TextEnd, "").Replace(literal)
			longer := path + literal + "!"
			if r.kinds&pathKind == 0 || strings.ContainsAny(longer, `%\?#`) || rules.matches(longer, suspects) || !suspects.Has(i) {
				continue
			}
			path = longer
			count++
			break
		}
	}
	return path
}

// matches sets suspects to the rules with a literal in a path, and reports whether one of them matches the path.
func (s *RuleSet) matches(path string, suspects match.Set) bool {
	s.prefilter.Scan([]byte(path), suspects)
	for i := suspects.Next(0); i >= 0; i = suspects.Next(i + 1) {
		if s.rules[i].kinds&pathKind != 0 && s.rules[i].matcher.Match([]byte(path)) {
			return true
		}
	}
	return false
}

func TestTheWorstFirstRequestIsDecidedLikeLaterOnes(t *testing.T) {
	request := get(everyLiteral(compiled(t, `{}`)))
	rules := compiledAsFirst(t, `{}`)
	suspects := match.NewSet(len(rules.rules))
	rules.prefilter.Scan([]byte(request.Target), suspects)
	count := 0
	for i := suspects.Next(0); i >= 0; i = suspects.Next(i + 1) {
		count++
	}
	if count < len(rules.rules)/2 {
		t.Errorf("%d suspects of %d", count, len(rules.rules))
	}
	if first, later := rules.Evaluate(request), rules.Evaluate(request); first != later {
		t.Errorf("got %+v, then %+v", first, later)
	}
}

// BenchmarkStart measures what a process does only once.
func BenchmarkStart(b *testing.B) {
	b.Run("first compile", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			compiledAsFirst(b, `{}`)
		}
	})
	b.Run("first compile with exploits", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			compiledAsFirst(b, `{"exploits": "all"}`)
		}
	})
	b.Run("worst first request", func(b *testing.B) {
		request := get(everyLiteral(compiled(b, `{}`)))
		b.ReportAllocs()
		for range b.N {
			b.StopTimer()
			rules := compiledAsFirst(b, `{}`)
			b.StartTimer()
			rules.Evaluate(request)
		}
	})
}
