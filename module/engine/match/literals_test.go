package match

import (
	"slices"
	"testing"

	"github.com/request-guard/guard/builtin"
)

func TestRequiredLiterals(t *testing.T) {
	for source, want := range map[string][]string{
		`secret`:                    {"secret"},
		`(?i)SeCReT`:                {"secret"},
		`\.(?:key|pem)$`:            {".key\x02", ".pem\x02"},
		`^/internal/`:               {"/interna"},
		`^/`:                        nil, // every path begins with a slash
		`(?:^|/)\.env`:              {"\x01.env", "/.env"},
		`[^/]*\.htaccess[^/]*`:      {".htacces"},
		`wp-(?:config|login)\.php`:  {"wp-confi", "wp-login"},
		`a{2,}b`:                    {"aaa", "aab"},
		`x{5}`:                      {"xxxx"},
		`(?:passwd)?`:               nil,
		`(?:shadow)*`:               nil,
		`(?:shadow)+`:               {"shadow"},
		`passwd|.`:                  nil,
		`passwd|shadow`:             {"passwd", "shadow"},
		`[0-9]+`:                    nil,
		`(?:etc|usr)/[a-z]+/passwd`: {"/passwd"},
		``:                          nil,
		`^$`:                        nil,
		`\bunion\b`:                 {"union"},
	} {
		if got := matcher(t, source).literals; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

func TestEachBuiltInRuleRequiresLiterals(t *testing.T) {
	for _, rule := range builtin.Rules {
		if matcher(t, rule.Pattern).literals == nil {
			t.Errorf("%s would be tried on every request", rule.ID)
		}
	}
}
