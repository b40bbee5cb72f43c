package engine

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine/match"
	"github.com/request-guard/guard/limits"
)

// attacks are values that rules for bodies match, and near misses.
var attacks = []string{
	"../../etc/passwd", "/.env", "/etc/passwd", "c:/windows/win.ini", "/home/x/.ssh/id_rsa", "${jndi:ldap://x}", "wp-config.php.bak",
	"php://filter/x", "a/.git/config", "/var/log/auth.log", "backup.tar.gz", "config.txt", "/proc/self/environ", "a.b", "/a/b", "..a/..b",
	"c+d", "y./b.+", "y./b.+/", "y:$/b.+x", "y+/b", "y.+./b",
}

// spellings change a text as a client may: servers undo each of them.
var spellings = []func(r *rand.Rand, text string) string{
	func(r *rand.Rand, text string) string { return text },
	func(r *rand.Rand, text string) string {
		return encodedSome(r, text, func(c byte) string { return fmt.Sprintf("%%%02x", c) })
	},
	func(r *rand.Rand, text string) string {
		return encodedSome(r, text, func(c byte) string { return fmt.Sprintf("%%u%04X", c) })
	},
	func(r *rand.Rand, text string) string {
		return encodedSome(r, text, func(c byte) string { return string([]byte{0xC0 | c>>6, 0x80 | c&0x3F}) })
	},
	func(r *rand.Rand, text string) string {
		return encodedSome(r, text, func(c byte) string { return string(rune(0xFEE0) + rune(c)) })
	},
	func(r *rand.Rand, text string) string {
		return encodedSome(r, text, func(c byte) string { return string([]byte{c, "\x01\n\v\x7f"[r.Intn(4)]}) })
	},
	func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "/", `\`) },
	func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "e", `\e`) },
	func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "/", "//") },
	func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "/", "/x/../") },
	func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "/", "/./") },
	func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "/", ";x=1/") },
	func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "/", ". /") },
	func(r *rand.Rand, text string) string {
		return text + []string{".", " ", "::$DATA", "?x", "#", "\x00.png", ":$x", ". .", "+"}[r.Intn(9)]
	},
	func(_ *rand.Rand, text string) string { return strings.ToUpper(text) },
}

// encodedSome encodes about a quarter of the characters.
func encodedSome(r *rand.Rand, text string, encode func(c byte) string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] < 0x80 && r.Intn(4) == 0 {
			b.WriteString(encode(text[i]))
		} else {
			b.WriteByte(text[i])
		}
	}
	return b.String()
}

func disguised(r *rand.Rand) string {
	text := attacks[r.Intn(len(attacks))]
	for n := r.Intn(4); n > 0; n-- {
		text = spellings[r.Intn(len(spellings))](r, text)
	}
	return text
}

var honestValues = []string{"", "a b", "A sentence, with a comma.", "https://example.org/a?b=c#d", "caf\xc3\xa9", "50%", "1+1", "C;D", "...", "x\ny"}

// randomBody hides a value among others.
func randomBody(r *rand.Rand) (contentType string, body []byte) {
	var values []string
	for n := r.Intn(4); n > 0; n-- {
		values = append(values, honestValues[r.Intn(len(honestValues))])
	}
	values = slices.Insert(values, r.Intn(len(values)+1), disguised(r))
	switch r.Intn(7) {
	case 0:
		return "application/x-www-form-urlencoded", []byte("a=" + strings.Join(values, []string{"&b=", "&", "=", "+&"}[r.Intn(4)]))
	case 1:
		text, _ := json.Marshal(values) // values are strings
		return "application/json", text
	case 2:
		return "application/json", []byte(encodedSome(r, `{"`+strings.Join(values, `" : "`)+`"}`, func(c byte) string { return fmt.Sprintf(`\u%04x`, c) }))
	case 3:
		return "application/json", []byte(`\"` + strings.Join(values, []string{`","`, `\"`, `"`, `\`}[r.Intn(4)]))
	case 4:
		return "text/xml", []byte("<a>" + strings.Join(values, []string{"</a><a>", "<!-- -->", "&", "\n<b/>"}[r.Intn(4)]) + "</a>")
	case 5:
		return "text/xml", []byte(encodedSome(r, `<a b="`+strings.Join(values, `" b="`)+`"/>`, func(c byte) string { return fmt.Sprintf("&#x%x;", c) }))
	}
	return "multipart/form-data; boundary=b", []byte("--b\r\nContent-Disposition: form-data; name=a\r\n\r\n" +
		strings.Join(values, "\r\n--b\r\nContent-Disposition: form-data; name=b\r\n\r\n") + "\r\n--b--")
}

// missed returns a body that the scan of a whole body finds clear and the compiled engine does not allow without a rule;
// "": none was found. blocked and clear count the bodies of each kind.
func missed(t *testing.T, seed int64, count int) (body string, blocked, clear int) {
	t.Helper()
	const file = `{"methods": ["*"], "check_body": true, "block_patterns": ["%0[aAbB]x", "^a b$", "^.b$", "^c[^ ]d$", "y/b[.][^ ]", "y[^ ]/b"], "allow_patterns": ["^/var/"]}`
	rules, scanned := compiled(t, file), interpretedRules(t, file)
	r := rand.New(rand.NewSource(seed))
	for range count {
		contentType, text := randomBody(r)
		q := &Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {contentType}}, Body: text}
		b := &bodyInspection{evaluation: newEvaluation(scanned, q), types: contentTypes(q.Header)}
		b.formats = resolved(formatsOf(b.types), text)
		v := rules.Evaluate(q)
		if v.Reason != ReasonNoMatch {
			blocked++
		}
		if !b.isClear(text) {
			continue
		}
		if v.Reason != ReasonNoMatch {
			return fmt.Sprintf("%s: %q: %+v", contentType, text, v), blocked, clear
		}
		clear++
	}
	return "", blocked, clear
}

// TestPlusesOfAFormAreScanned has values that a pattern matches only where a plus is a plus.
func TestPlusesOfAFormAreScanned(t *testing.T) {
	for _, test := range []struct{ pattern, form string }{
		{`^c[^ ]d$`, "a=c+d"},
		{`q[+]z`, "a=q+z"},
		{`y/b[.][^ ]`, "a=y./b.+"},
		{`y/b[.][^ ]`, "a=y./b.+&b=1"},
		{`y/b[.][^ ]`, "a=y./b.+/x"},
		{`y/b[.][^ ]`, "a=y./b.+."},
		{`y/b[.][^ ]`, "a=y./b.+:$x"},
		{`y/b[.][^ ]`, "a=y./b.%2b%2b;c"},
		{`y/b[.][^ ]`, "y./b.+"},
	} {
		file := fmt.Sprintf(`{"methods": ["*"], "check_body": true, "enable_default_patterns": false, "block_patterns": [%q]}`, test.pattern)
		for _, rules := range []*RuleSet{compiled(t, file), interpretedRules(t, file)} {
			header := map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}
			v := rules.Evaluate(&Request{Method: "POST", Target: "/", Header: header, Body: []byte(test.form)})
			if v.Reason != ReasonBlockPatternMatch {
				t.Errorf("%s, %s: %+v", test.pattern, test.form, v)
			}
		}
	}
}

// TestAScanOverlooksNoOverflow compares the verdicts where a part that was not inspected blocks.
func TestAScanOverlooksNoOverflow(t *testing.T) {
	const file = `{"methods": ["*"], "check_body": true, "body_overflow": "block"}`
	rules, scanned := compiled(t, file), interpretedRules(t, file)
	r := rand.New(rand.NewSource(5))
	reasons := map[string]int{}
	for range 3000 {
		contentType, text := randomBody(r)
		switch r.Intn(8) {
		case 0:
			text = append(text, strings.Repeat(`&"?",`, r.Intn(limits.BodyValues*3))...)
		case 1:
			text = append(text, "&"+strings.Repeat("%25", r.Intn(8))+"41"...)
		case 2:
			text = append(text, strings.Repeat("%25a;b/", r.Intn(3000))...)
		}
		q := &Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {contentType}}, Body: text}
		want, got := rules.Evaluate(q), scanned.Evaluate(q)
		if got != want {
			t.Fatalf("%s: %.300q: got %+v, want %+v", contentType, text, got, want)
		}
		reasons[want.Reason+want.Overflow]++
	}
	for _, reason := range []string{ReasonNoMatch, "limit_bodyvalues", "limit_bodyvalue", "limit_bodymalformed"} {
		if reasons[reason] < 4 {
			t.Errorf("only %v", reasons)
		}
	}
}

func interpretedRules(t *testing.T, file string) *RuleSet {
	t.Helper()
	rules, err := CompileInterpreted(compiled(t, file).policy)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestABodyThatIsClearMatchesNoRule(t *testing.T) {
	const count = 20_000
	body, blocked, clear := missed(t, 1, count)
	if body != "" {
		t.Fatalf("found clear: %s", body)
	}
	if blocked < count/4 || clear < count/20 {
		t.Errorf("%d bodies match a rule, %d are clear: the bodies do not test the scan", blocked, clear)
	}
}

// TestAFaultOfTheScanIsFound breaks one step of the scan after the other.
func TestAFaultOfTheScanIsFound(t *testing.T) {
	markers := map[string]*func(string) string{
		"percents": &markedPercents, "cuts": &markedCuts, "controls": &markedControls, "backslashes": &markedBackslashes,
		"segments": &markedSegments, "semicolons": &markedSemicolons, "tails": &markedTails, "pluses": &markedPluses,
	}
	for name, marker := range markers {
		t.Run("without "+name, func(t *testing.T) {
			whole := *marker
			defer func() { *marker = whole }()
			*marker = func(lines string) string { return lines }
			if body, _, _ := missed(t, 2, 60_000); body == "" {
				t.Error("no body shows the fault")
			}
		})
	}
	replacers := map[string]**strings.Replacer{
		"folds": &textFolds, "escapes": &textPercents, "control characters": &textControls, "JSON escapes": &jsonLined,
		"line ends": &asLine, "escaped pairs": &escapedBytes,
	}
	for name, replacer := range replacers {
		t.Run("without "+name, func(t *testing.T) {
			whole := *replacer
			defer func() { *replacer = whole }()
			*replacer = strings.NewReplacer()
			if name == "JSON escapes" {
				*replacer = strings.NewReplacer(append([]string{`\u`, `\\u`}, append(jsonLineQuotes(), jsonQuotes()...)...)...)
			}
			if body, _, _ := missed(t, 2, 60_000); body == "" {
				t.Error("no body shows the fault")
			}
		})
	}
	t.Run("without literals", func(t *testing.T) {
		search := match.NewLineSearch(match.NewProsePrefilter(nil))
		search.Add("/etc/passwd")
		if len(search.Matched()) > 0 {
			t.Error("a search without patterns finds something")
		}
	})
}
