package respond

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// The state of one policy, and the pass for it, are nothing to another policy on the same host.
func TestPoliciesThatDifferShareNeitherStatesNorPasses(t *testing.T) {
	weak, strict := newGateWith(t, `"pass_minutes":1440`, ""), newGateWith(t, `"pass_minutes":1,"site_key":"another"`, "")
	page := strict.stopped("/admin/.env", "env-file")
	weak.refused("a state of the strict policy", weak.post(form(strict.state(page), solved)), "", "/")
	if len(weak.provider.asked) != 0 {
		t.Errorf("the provider was asked %q", weak.provider.asked)
	}
	cookie := weak.post(form(weak.state(weak.stopped("/weak/.env", "env-file")), solved)).Result().Cookies()[0]
	if cookie.MaxAge != 86_400 {
		t.Fatalf("got %v", cookie)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.AddCookie(cookie)
	if !weak.Excuses(r, clientAddress, "env-file", blockPattern) || strict.Excuses(r, clientAddress, "env-file", blockPattern) {
		t.Error("a pass of the weak policy opens the strict one")
	}
	cookie.Name = strict.signer.passName(ruleOf("env-file", blockPattern))
	r = httptest.NewRequest("GET", "/", nil)
	r.AddCookie(cookie)
	if strict.Excuses(r, clientAddress, "env-file", blockPattern) {
		t.Error("it does under the name of another cookie")
	}
}

func TestAVerificationIsComparedWithThePolicy(t *testing.T) {
	for _, c := range []struct {
		keys, answer string
		isSolved     bool
	}{
		{``, `"hostname":"example.com"`, true},
		{``, `"hostname":"EXAMPLE.com"`, true},
		{``, `"hostname":"www.example.com"`, false},
		{``, `"hostname":"example.org"`, false},
		{``, `"hostname":""`, true},
		{``, `"action":"any","score":0.1`, true},
		{`"site_key":"1x00000000000000000000AA"`, `"hostname":"elsewhere.example"`, true},
		{`"hostnames":["www.example.com","Example.ORG"]`, `"hostname":"example.org"`, true},
		{`"hostnames":["example.org"]`, `"hostname":"example.com"`, false},
		{`"hostnames":["example.org"]`, `"action":""`, false},
		{`"site_key":"1x00000000000000000000AA","hostnames":["example.org"]`, `"hostname":"example.com"`, false},
		{`"provider":"hcaptcha"`, `"hostname":"not-provided"`, true},
		{`"provider":"captcha-b","hostnames":["example.org"]`, `"hostname":"not-provided"`, false},
		{`"provider":"captcha-b","hostnames":["example.org"]`, `"hostname":"example.org"`, true},
		{`"provider":"captcha-c"`, `"hostname":"example.org"`, false},
		{`"action":"guard"`, `"action":"guard"`, true},
		{`"action":"guard"`, `"action":"Guard"`, false},
		{`"action":"guard"`, `"hostname":"example.com"`, false},
		{`"provider":"recaptcha","min_score_percent":70`, `"score":0.7`, true},
		{`"provider":"recaptcha","min_score_percent":57`, `"score":0.57`, true},
		{`"provider":"recaptcha","min_score_percent":70`, `"score":0.69`, false},
		{`"provider":"recaptcha","min_score_percent":1`, `"hostname":"example.com"`, false},
	} {
		t.Run(c.keys+" "+c.answer, func(t *testing.T) {
			g := newGateWith(t, c.keys, "")
			g.provider.instead = text(200, `{"success":true,`+c.answer+`}`)
			solution := form(g.state(g.stopped("/.env", "env-file")), "")
			solution.Set(g.Captcha.provider.tokenField, solved)
			for range 2 {
				if got := g.post(solution).Code == 303; got != c.isSolved {
					t.Errorf("got %v", got)
				}
			}
			if len(g.reports) > 1 || len(g.reports) == 1 && !strings.Contains(g.reports[0], "set hostnames") {
				t.Errorf("reports: %q", g.reports)
			}
		})
	}
}

func TestThePageNamesTheAction(t *testing.T) {
	g := newGateWith(t, `"action":"guard-1"`, "")
	if body := g.stopped("/.env", "env-file").Body.String(); !strings.Contains(body, `data-sitekey="k" data-action="guard-1"></div>`) {
		t.Errorf("got %s", body)
	}
}
