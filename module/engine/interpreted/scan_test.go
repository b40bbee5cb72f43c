package interpreted

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
)

// attacks are values that rules for bodies match, and near misses.
var attacks = []string{
	"../../etc/passwd", "/.env", "/etc/passwd", "c:/windows/win.ini", "/home/x/.ssh/id_rsa", "${jndi:ldap://x}", "wp-config.php.bak",
	"php://filter/x", "a/.git/config", "/var/log/auth.log", "backup.tar.gz", "config.txt", "/proc/self/environ", "a.b", "/a/b", "..a/..b",
	"c+d", "y./b.+", "y./b.+/", "y:$/b.+x", "y+/b", "y.+./b",
}

// spellings change a text as a client may. After each change, some server may still read the text.
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

// randomBody returns a body with an attack among harmless values.
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

// TestScansDecideWhatTheEngineDecides compares verdicts with and without scans.
func TestScansDecideWhatTheEngineDecides(t *testing.T) {
	const file = `{"methods": ["*"], "check_body": true, "block_patterns": ["%0[aAbB]x", "^a b$", "^.b$", "^c[^ ]d$", "y/b[.][^ ]", "y[^ ]/b"], "allow_patterns": ["^/var/"]}`
	rules, scanned := rulesOf(t, engine.Compile, file), rulesOf(t, Compile, file)
	r := rand.New(rand.NewSource(1))
	reasons := map[string]int{}
	const count = 10_000
	for range count {
		contentType, text := randomBody(r)
		q := &engine.Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {contentType}}, Body: text}
		want, got := rules.Evaluate(q), scanned.Evaluate(q)
		if got != want {
			t.Fatalf("%s: %q: got %+v, want %+v", contentType, text, got, want)
		}
		reasons[want.Reason]++
	}
	if reasons[engine.ReasonBlockPatternMatch] < count/4 || reasons[engine.ReasonNoMatch] < count/8 || reasons[engine.ReasonAllowPatternMatch] < count/100 {
		t.Errorf("the bodies do not test the scan: %v", reasons)
	}
}

// TestPlusesOfAFormAreScanned has values that a pattern matches only if a plus is not read as a space.
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
		for _, rules := range []*engine.RuleSet{rulesOf(t, engine.Compile, file), rulesOf(t, Compile, file)} {
			header := map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}
			v := rules.Evaluate(&engine.Request{Method: "POST", Target: "/", Header: header, Body: []byte(test.form)})
			if v.Reason != engine.ReasonBlockPatternMatch {
				t.Errorf("%s, %s: %+v", test.pattern, test.form, v)
			}
		}
	}
}

// TestAScanOverlooksNoOverflow compares verdicts with and without a scan, for a policy that blocks bodies of which a part was not
// inspected.
func TestAScanOverlooksNoOverflow(t *testing.T) {
	const file = `{"methods": ["*"], "check_body": true, "body_overflow": "block"}`
	rules, scanned := rulesOf(t, engine.Compile, file), rulesOf(t, Compile, file)
	r := rand.New(rand.NewSource(5))
	reasons := map[string]int{}
	for range 1500 {
		contentType, text := randomBody(r)
		switch r.Intn(8) {
		case 0:
			text = append(text, strings.Repeat(`&"?",`, r.Intn(limits.BodyValues*3))...)
		case 1:
			text = append(text, "&"+strings.Repeat("%25", r.Intn(8))+"41"...)
		case 2:
			text = append(text, strings.Repeat("%25a;b/", r.Intn(3000))...)
		}
		q := &engine.Request{Method: "POST", Target: "/", Header: map[string][]string{"Content-Type": {contentType}}, Body: text}
		want, got := rules.Evaluate(q), scanned.Evaluate(q)
		if got != want {
			t.Fatalf("%s: %.300q: got %+v, want %+v", contentType, text, got, want)
		}
		reasons[want.Reason+want.Overflow]++
	}
	for _, reason := range []string{engine.ReasonNoMatch, "limit_bodyvalues", "limit_bodyvalue", "limit_bodymalformed"} {
		if reasons[reason] < 2 {
			t.Errorf("only %v", reasons)
		}
	}
}
