package interpreted

import (
	"strings"
	"testing"

	"github.com/request-guard/guard/engine/match"
)

func searchFor(source string, literals ...string) *search {
	m := match.NewExpression(source, literals)
	literalsOf := func(_ *match.Matcher) []string { return literals }
	return &search{
		places:  map[*match.Matcher]int{m: 0},
		filters: []*prefilter{newPrefilter([]*match.Matcher{m}, ignoredAfterValues, literalsOf)},
	}
}

func TestScanTriesEachBatchOfSuspects(t *testing.T) {
	long := strings.Repeat("x\n", batchBytes/2)
	s := &scan{patterns: searchFor("evil", "evil"), found: map[string]bool{}, suspects: []string{long, long, "evil"}}
	s.matchSuspects()
	if len(s.found) != 1 || !s.found["evil"] {
		t.Errorf("got %v", s.found)
	}
}

func TestScanCountsAValueWithoutAPlusOnce(t *testing.T) {
	got := scanValues(searchFor("evil", "evil"), []string{"a+b", "plain"}, true, true)
	if want := len("a+b") + len("a b") + len("plain"); got.Size != want {
		t.Errorf("got %d bytes, want %d", got.Size, want)
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

func TestScanCountsNoWordThatEndsInADotOrASpace(t *testing.T) {
	if got := countNotWords("word\nend.\nend \na/b\nmid.dle"); got != 3 {
		t.Errorf("got %d", got)
	}
}
