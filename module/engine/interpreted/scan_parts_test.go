package interpreted

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

func searchFor(source string, literals ...string) *search {
	m := match.NewExpression(source, literals)
	literalsOf := func(_ *match.Matcher) []string { return literals }
	return &search{
		matchers: []*match.Matcher{m},
		indexes:  map[*match.Matcher]int{m: 0},
		filters:  []*prefilter{newPrefilter([]*match.Matcher{m}, ignoredAfterValues, literalsOf)},
	}
}

func TestScanReadsTextsUntilTheirCandidatesReachTheLimit(t *testing.T) {
	var texts []string
	for i := range 100 {
		texts = append(texts, strings.Repeat("a", batchBytes-2)+fmt.Sprintf("%02d", i))
	}
	clean, isClean := scanTexts(searchFor("evil", "evil"), texts)
	if !isClean || len(clean) != limits.RequestBytes/batchBytes+1 {
		t.Errorf("got %d texts", len(clean))
	}
}

func TestScanReturnsSizesAndLimits(t *testing.T) {
	long := strings.Repeat("a", limits.ViewBytes/2+1)
	texts := []string{"a/b", "evil", "a//b", "%2525252525252541", long + "%41"}
	clean, isClean := scanTexts(searchFor("evil", "evil"), texts)
	want := map[string]engine.Scanned{
		"a/b":  {Size: len("a/b")},
		"a//b": {Size: len("a//b") + len("a/b")},
		// Each round of decoding removes two bytes.
		"%2525252525252541": {Size: 17 + 15 + 13 + 11 + 9 + 7, Limit: engine.ReasonLimitDecodeRounds},
		long + "%41":        {Size: len(long) + 3, Limit: engine.ReasonLimitCandidates},
	}
	if isClean || !maps.Equal(clean, want) {
		t.Errorf("got %v, want %v", clean, want)
	}
}

func TestScanFindsLiteralsInConsecutiveLines(t *testing.T) {
	patterns := searchFor("^(?:evil|bad)$", match.TextStart+"evil"+match.TextEnd, match.TextStart+"bad"+match.TextEnd)
	if clean, _ := scanTexts(patterns, []string{"evil", "bad"}); len(clean) > 0 {
		t.Errorf("got %v", clean)
	}
}

func TestScanIsNotCleanAfterTooManyMatches(t *testing.T) {
	var texts []string
	for i := range mostMatches + 2 {
		texts = append(texts, fmt.Sprintf("evil%d", i))
	}
	if clean, isClean := scanTexts(searchFor("evil", "evil"), texts); isClean || len(clean) > 0 {
		t.Errorf("got %d clean texts", len(clean))
	}
}

func TestScanIgnoresSlashesBehindALiteralAtTheEnd(t *testing.T) {
	f := searchFor(`\.env$`, ".env\n").filters[0]
	for _, value := range []string{"x.env", "x.env/", "x.env//", "x.env///"} {
		if !strings.Contains(f.marked(match.LineEnd+value+match.LineEnd), literalMark) {
			t.Errorf("%s has no mark", value)
		}
	}
}
