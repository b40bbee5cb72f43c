package respond

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// A policy does not accept a state or pass of a policy on the same host whose captcha has other settings.
func TestPoliciesThatDifferShareNeitherStatesNorPasses(t *testing.T) {
	weak, strict := newGateWith(t, `"pass_minutes":1440`, ""), newGateWith(t, `"pass_minutes":1,"site_key":"another"`, "")
	page := strict.stopped("/admin/.env", "env-file")
	weak.refused("a state of the strict policy", weak.post(form(strict.state(page), solved)), "", "/")
	if len(weak.provider.requests) != 0 {
		t.Errorf("the provider was asked %q", weak.provider.requests)
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

func TestASolutionForAnotherHostIsReportedOnce(t *testing.T) {
	g := newGate(t, "")
	g.provider.instead = text(200, `{"success":true,"hostname":"elsewhere.example"}`)
	state := g.state(g.stopped("/.env", "env-file"))
	for range 2 {
		g.refused("a solution for another host", g.post(form(state, solved)), "env-file", "/.env")
	}
	if len(g.reports) != 1 || !strings.Contains(g.reports[0], "set hostnames") || strings.Contains(g.reports[0], "elsewhere") {
		t.Errorf("reports: %q", g.reports)
	}
}

// The vectors captcha-compared cover the other conditions on a solution.
func TestASolutionForAnotherActionOpensNothing(t *testing.T) {
	g := newGateWith(t, `"action":"guard"`, "")
	state := g.state(g.stopped("/.env", "env-file"))
	g.refused("no action", g.post(form(state, solved)), "env-file", "/.env")
	g.provider.instead = text(200, `{"success":true,"action":"guard"}`)
	if code := g.post(form(state, solved)).Code; code != 303 {
		t.Errorf("got %d", code)
	}
}

func TestThePageNamesTheAction(t *testing.T) {
	g := newGateWith(t, `"action":"guard-1"`, "")
	if body := g.stopped("/.env", "env-file").Body.String(); !strings.Contains(body, `data-sitekey="k" data-action="guard-1"></div>`) {
		t.Errorf("got %s", body)
	}
}
