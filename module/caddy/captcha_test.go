package guard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// captchaSite starts a site with a captcha that the token "good" always solves. keys are further members of the guard.
func captchaSite(t *testing.T, keys string) *site {
	t.Helper()
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"success":%v}`, r.PostFormValue("response") == "good" && r.PostFormValue("secret") == "key")
	}))
	t.Cleanup(provider.Close)
	t.Setenv("GUARD_TEST_CAPTCHA", "key")
	return start(t, keys+fmt.Sprintf(`"response": {"mode": "captcha", "captcha": {"provider": "captcha-b", "site_key": "k",
		"secret_key": "${GUARD_TEST_CAPTCHA}", "verify_url": %q}}`, provider.URL))
}

var stateOf = regexp.MustCompile(`name="state" value="([^"]*)"`)

// solve posts the page at a target and returns the cookie, or "".
func (w *wire) solve(target, token string, headers ...string) string {
	w.t.Helper()
	status, page := w.get(target, headers...)
	found := stateOf.FindStringSubmatch(page)
	if status != 403 || found == nil {
		w.t.Fatalf("no challenge: %d %s", status, page)
	}
	form := url.Values{"state": {found[1]}, "h-captcha-response": {token}}.Encode()
	w.send("POST /.guard/captcha HTTP/1.1\r\nHost: example.com\r\n")
	for _, header := range headers {
		w.send(header + "\r\n")
	}
	w.send(fmt.Sprintf("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", len(form), form))
	status, header, _ := w.answer("POST")
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	if (status == 303) != (cookie != "") || status == 303 && header.Get("Location") != target {
		w.t.Errorf("got %d %v", status, header)
	}
	return cookie
}

// The guard serves captchaPath although only GET is inspected, and a pass gives access to the backend.
func TestCaptchaLeadsThrough(t *testing.T) {
	site := captchaSite(t, `"block_patterns": ["^/private/"], `)
	client := site.connect()
	cookie := client.solve("/private/x?a=1", "good")
	client.expect("/private/x?a=1", 200, "GET /private/x?a=1 ", "Cookie: "+cookie)
	if client.solve("/private/x", "bad") != "" {
		t.Error("a bad token gives a pass")
	}
	client.send("GET /.guard/captcha HTTP/1.1\r\nHost: example.com\r\n\r\n")
	if status, header, _ := client.answer("GET"); status != 405 || header.Get("Allow") != "POST" {
		t.Errorf("got %d %v", status, header)
	}
	if lines := site.lines(site.events); len(lines) != 2 { // the two challenges; requests that passed have no event
		t.Errorf("events: %q", lines)
	}
}

// A pass excuses the rule that blocked. Other rules and limits still apply, including those for the body.
func TestAPassDoesNotExcuseOtherRules(t *testing.T) {
	client := captchaSite(t, `"methods": ["*"], "check_body": true, "check_query": true, "block_patterns": ["^/private/"], `).connect()
	cookie := "Cookie: " + client.solve("/private/x", "good")
	post := func(body string) int {
		client.send(fmt.Sprintf("POST /private/x HTTP/1.1\r\nHost: example.com\r\n%s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", cookie, len(body), body))
		status, _, _ := client.answer("POST")
		return status
	}
	if got := []int{post("a=1"), post("a=../../etc/passwd"), post("a=1")}; fmt.Sprint(got) != "[200 403 200]" {
		t.Errorf("got %v", got)
	}
	for target, want := range map[string]int{"/private/x?a=1": 200, "/private/x?a=/etc/passwd": 403, "/private/.env": 403, "/private/" + strings.Repeat("a", 5000): 403} {
		if got, body := client.get(target, cookie); got != want {
			t.Errorf("%.40s: got %d %s", target, got, body)
		}
	}
}

// Behind a trusted proxy, a pass is bound to the forwarded address.
func TestAPassIsBoundToTheClientBehindAProxy(t *testing.T) {
	client := captchaSite(t, `"block_patterns": ["^/private/"], "trusted_proxies": ["127.0.0.1"], `).connect()
	cookie := "Cookie: " + client.solve("/private/x", "good", "X-Forwarded-For: 192.0.2.1")
	client.expect("/private/x", 200, "GET /private/x ", cookie, "X-Forwarded-For: 192.0.2.1")
	if status, _ := client.get("/private/x", cookie, "X-Forwarded-For: 192.0.2.2"); status != 403 {
		t.Errorf("got %d", status)
	}
}

// captchaPath is an ordinary path of the site when the guard only detects or has no captcha.
func TestCaptchaPathIsOrdinaryWithoutACaptcha(t *testing.T) {
	response := `"enable_default_patterns": false, "response": {"mode": "captcha", "captcha": {"provider": "hcaptcha", "site_key": "k", "secret_key": "s"}}`
	for name, keys := range map[string]string{
		"detecting": `"mode": "detect", ` + response, "disabled": `"enabled": false, ` + response, "without a key": strings.Replace(response, `, "secret_key": "s"`, "", 1),
	} {
		t.Run(name, func(t *testing.T) { start(t, keys).connect().expect("/.guard/captcha", 200, "GET /.guard/captcha ") })
	}
}

// The raw target of the client selects captchaPath. A rewrite before the guard does not change that.
func TestCaptchaPathIsThatOfTheClient(t *testing.T) {
	site := newSite(t)
	site.before = `{"handler": "rewrite", "uri": "/.guard/captcha"}`
	site.load(site.config(site.guardOf(`"enable_default_patterns": false, "response": {"mode": "captcha", "captcha": {"provider": "hcaptcha", "site_key": "k", "secret_key": "s"}}`)))
	site.connect().expect("/x", 200, "GET /.guard/captcha ")
}

func TestAMissingKeyOfTheProviderIsAnError(t *testing.T) {
	site := start(t, ``)
	_, text := site.ask("PATCH", handlers+"/0", site.guardOf(`"response": {"mode": "captcha", "captcha": {"provider": "hcaptcha", "site_key": "k", "secret_key": "${GUARD_TEST_UNSET}"}}`), nil)
	if want := "response.captcha.secret_key: the environment variable GUARD_TEST_UNSET is not set"; !strings.Contains(text, want) {
		t.Errorf("got %s, want %s", text, want)
	}
}

// The log reports a provider that does not respond, without the key.
func TestAProviderThatIsDownIsInTheLog(t *testing.T) {
	provider := httptest.NewServer(http.NotFoundHandler())
	provider.Close()
	site := start(t, fmt.Sprintf(`"response": {"mode": "captcha", "captcha": {"provider": "hcaptcha", "site_key": "k", "secret_key": "the key of the test", "verify_url": %q}}`, provider.URL))
	client := site.connect()
	client.solve("/.env", "good")
	client.solve("/.env", "good")
	log := strings.Join(site.lines(site.log), "\n")
	if n := strings.Count(log, "captcha solutions cannot be verified, so no visitor passes"); n != 1 || strings.Contains(log, "the key of the test") {
		t.Errorf("%d times in:\n%s", n, log)
	}
}
