package interpreted

import (
	"math/rand"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine"
)

// targetPieces are joined to targets. Many of these pass the prefilter, and one piece makes many others fail it.
var targetPieces = strings.Split("/ / / / . ? & = = a b B - _ ; % %2e %2F + # : \\ ~ $ \xe2\x84\xaa \xff  0 7 static app "+
	"index.html env .env .git etc passwd .php .key .gz .zip sql backup config. .config c:/ http:// ../ x/y user api v1 "+
	"secret id_rsa wp-config .log proc/ .db image.png file= FILE= file[]= [file]= +file= %66ile= passwd", " ")

func randomTarget(r *rand.Rand) string {
	var b strings.Builder
	if r.Intn(16) > 0 {
		b.WriteByte('/')
	}
	for n := r.Intn(9); n > 0; n-- {
		b.WriteString(targetPieces[r.Intn(len(targetPieces))])
	}
	return b.String()
}

const randomTargets = 200_000

func TestTargetPrefilterPassesNothingThatIsBlocked(t *testing.T) {
	for name, file := range map[string]string{
		"defaults":        `{"check_query": false}`,
		"query":           `{"check_query": true}`,
		"custom patterns": `{"check_query": true, "block_patterns": ["^/user$", "a=b$", "^app", "(?i)STATIC", "x\\?y"], "allow_patterns": ["^/api"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			rules := rulesOf(t, Compile, file)
			prefilter, random, passing := NewTargetPrefilter(rules, strings.Contains(file, `"check_query": true`)), rand.New(rand.NewSource(1)), 0
			for range randomTargets {
				target := randomTarget(random)
				if !prefilter.PassesInAnyCase(target) {
					continue
				}
				passing++
				if v := rules.Evaluate(&engine.Request{Method: "GET", Target: target}); v.Blocked {
					t.Fatalf("%q passes the prefilter and is blocked: %+v", target, v)
				}
			}
			if passing < randomTargets/100 {
				t.Errorf("only %d of %d passed", passing, randomTargets)
			}
		})
	}
}

func TestTargetPrefilterHasLimits(t *testing.T) {
	prefilter := NewTargetPrefilter(rulesOf(t, Compile, `{}`), false)
	for target, want := range map[string]bool{
		"/" + strings.Repeat("a", PrefilterBytes-1): true,
		"/" + strings.Repeat("a", PrefilterBytes):   false,
		"/assets/style.css?v=1":                     true,
		"/Assets/Style.css":                         true,
		"":                                          false,
		"*":                                         false,
		"a:/x":                                      false,
		"/caf\xc3\xa9":                              false,
		"/\xe2\x84\xaa":                             false, // the Kelvin sign, whose lower case is k
		"/a.?x":                                     false,
	} {
		if got := prefilter.PassesInAnyCase(target); got != want {
			t.Errorf("%.40q: got %t, want %t", target, got, want)
		}
	}
}

func TestNoTargetPrefilterWhereARuleRequiresNoLiteral(t *testing.T) {
	if NewTargetPrefilter(rulesOf(t, Compile, `{"block_patterns": ["^/[0-9]+$"]}`), false) != nil {
		t.Error("a prefilter without a literal of this pattern")
	}
}

func TestTargetPrefilterPassesCommonTargetsUnlessARuleBlocksThem(t *testing.T) {
	defaults := NewTargetPrefilter(rulesOf(t, Compile, `{}`), false)
	custom := NewTargetPrefilter(rulesOf(t, Compile, `{"block_patterns": ["^/config", "XML", "[.]TXT$"]}`), false)
	for target, want := range map[string][2]bool{
		"/config.js": {true, false}, "/robots.txt": {true, true}, "/robots.txt?": {false, false}, "/ROBOTS.TXT": {false, false}, "/a/robots.txt": {false, false},
		"/sitemap.xml": {true, true}, "/SITEMAP.XML": {false, false}, "/ads.txt": {true, true}, "/ADS.TXT": {false, false},
	} {
		if got := [2]bool{defaults.PassesInAnyCase(target), custom.PassesInAnyCase(target)}; got != want {
			t.Errorf("%s: got %t, want %t", target, got, want)
		}
	}
}

// The literal of this rule is a whole path, which only a reading of these targets has.
func TestTargetPrefilterPassesNoPathWithRoutes(t *testing.T) {
	prefilter := NewTargetPrefilter(rulesOf(t, Compile, `{"enable_default_patterns": false, "block_patterns": ["^/q$"]}`), false)
	for _, target := range []string{"/index.php/q", "/(s(x))/q"} {
		if prefilter.Passes(target) {
			t.Errorf("%s passes", target)
		}
	}
	if !prefilter.Passes("/products/42") {
		t.Error("/products/42 does not pass")
	}
}
