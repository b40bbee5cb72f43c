package match

import (
	"slices"
	"testing"

	"github.com/request-guard/guard/builtin"
)

func TestInterpretedPrefilterFindsWhatPrefilterFinds(t *testing.T) {
	var matchers []*Matcher
	for _, rule := range builtin.Rules {
		matchers = append(matchers, matcher(t, rule.Pattern))
	}
	matchers = append(matchers, matcher(t, "[0-9]+"))
	compiled, interpreted := NewPrefilter(matchers), NewInterpretedPrefilter(matchers)
	want := NewSet(len(matchers))
	for _, text := range []string{
		"", "/", "/.env", "/.ENV", ".env", "/a.KEY", "/a.key/b", "/wp-config.php.bak", "/x/..;/etc/passwd", "/%2e%2e/", "a~",
		"/static/app.js", "/backup.tar.gz", "../../proc/self", "C:/Windows/win.ini",
	} {
		compiled.Scan([]byte(text), want)
		got := NewSet(len(matchers))
		whole := interpreted.Whole(text)
		for i := interpreted.Next(whole, 0); i >= 0; i = interpreted.Next(whole, i+1) {
			got.Add(i)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %b, want %b", text, got, want)
		}
	}
}
