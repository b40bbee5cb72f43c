package main

import (
	"encoding/base64"
	"strings"
	"testing"
)

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestRun(t *testing.T) {
	in := strings.Join([]string{
		`{"policies":[{},{"methods":["POST"],"checkBody":true,"checkHeaders":["X-Original-URL"]}]}`,
		`{"q":0,"t":"` + base64Of("/static/..%252f.env") + `"}`,
		`{"q":0,"t":"` + base64Of("/index.html") + `","m":"POST"}`,
		`{"q":1,"t":"` + base64Of("/") + `","m":"POST","h":[["x_original_url","` + base64Of("/.git/config") + `"]]}`,
		`{"q":1,"t":"` + base64Of("/") + `","m":"POST","h":[["content-type","` + base64Of("application/json") + `"]],"b":"` +
			base64Of(`{"a":"../../etc/passwd"}`) + `","r":"` + base64Of("/b") + `"}`,
		`{"q":0,"t":"` + base64Of("/"+strings.Repeat("a", 5000)) + `"}`,
	}, "\n")
	want := []string{
		`{"c":["/static/..%252f.env","/static/..%2f.env","/static/../.env","/.env"],"l":"","v":["blocked","block_pattern_match","path","/static/..%252f.env","trav-enc",""]}`,
		`{"c":["/index.html"],"l":"","v":["allowed","method_not_inspected","","","",""]}`,
		`{"c":[],"l":"","v":["blocked","block_pattern_match","header:x-original-url","/.git/config","hidden-seg",""]}`,
		`{"c":[],"l":"","v":["blocked","block_pattern_match","body","../../etc/passwd","trav-enc-v",""]}`,
		`{"c":[],"l":"limit_length","v":["blocked","limit_length","path","","",""]}`,
	}
	for name, k := range map[string]kind{"compiled": compiled, "interpreted": inPlugin} {
		var out strings.Builder
		if err := run(strings.NewReader(in), &out, k); err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			if line != want[i] {
				t.Errorf("%s, line %d: got %s, want %s", name, i+1, line, want[i])
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "reading the policies",
		"{":                              "reading the policies",
		`{"policies":[{"metods":[]}]}`:   `policies[0]: [metods: unknown key "metods"; did you mean "methods"?]`,
		`{"policies":[]}` + "\n{}":       "line 2: there is no policy 0",
		`{"policies":[{}]}` + "\n{\"t\"": "line 2:",
		`{"policies":[{}]}` + "\n" + `{"t":"Lw==","h":[["a","?"]]}`: `line 2: header "a"`,
	} {
		err := run(strings.NewReader(in), &strings.Builder{}, compiled)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}
