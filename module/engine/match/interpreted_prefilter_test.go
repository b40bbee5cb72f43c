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
	want, got := NewSet(len(matchers)), NewSet(len(matchers))
	for _, text := range []string{
		"", "/", "/.env", "/.ENV", ".env", "/a.KEY", "/a.key/b", "/wp-config.php.bak", "/x/..;/etc/passwd", "/%2e%2e/", "a~",
		"/static/app.js", "/backup.tar.gz", "../../proc/self", "C:/Windows/win.ini",
	} {
		if compiled.Scan([]byte(text), want) != interpreted.Scan([]byte(text), got) || !slices.Equal(got, want) {
			t.Errorf("%s: got %b, want %b", text, got, want)
		}
	}
}
