package guard

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const handlers = "/config/apps/http/servers/site/routes/0/handle"

func (s *site) ask(method, path, body string, header http.Header) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, "http://"+s.admin+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header = header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := transport.RoundTrip(r)
	for deadline := time.Now().Add(patience); err != nil && method != "POST" && time.Now().Before(deadline); {
		res, err = transport.RoundTrip(r) // a reload, even a failed one, also replaces the admin server
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, string(text)
}

func TestPatchReplacesARunningPolicy(t *testing.T) {
	site := start(t, ``)
	site.connect().expect("/private/x", 200, "GET /private/x ")
	current, _ := site.ask("GET", handlers+"/0", "", nil)
	match := http.Header{"If-Match": {current.Header.Get("Etag")}}
	stricter := site.guardOf(`"block_patterns": ["^/private/"], "response": {"mode": "json", "body": "{}"}`)
	if res, text := site.ask("PATCH", handlers+"/0", stricter, match); res.StatusCode != 200 {
		t.Fatalf("got %d %s", res.StatusCode, text)
	}
	site.reconnect().expect("/private/x", 403, "{}")
	if res, _ := site.ask("PATCH", handlers+"/0", site.guardOf(``), match); res.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("an outdated If-Match got %d", res.StatusCode)
	}
	site.reconnect().expect("/private/x", 403, "{}")
}

func TestABadPolicyIsRefusedAndTheOldOneStays(t *testing.T) {
	site := start(t, `"block_patterns": ["^/private/"]`)
	for keys, want := range map[string]string{
		`"blok_patterns": []`:            `blok_patterns: unknown key \"blok_patterns\"; did you mean \"block_patterns\"?`,
		`"block_patterns": ["(?=x)"]`:    "block_patterns[0]: lookaround is not allowed",
		`"response": {"mode": "teapot"}`: "response.mode: expected one of json, html",
	} {
		res, text := site.ask("PATCH", handlers+"/0", site.guardOf(keys), nil)
		if res.StatusCode != 500 || !strings.Contains(text, want) {
			t.Errorf("got %d %s, want %s", res.StatusCode, text, want)
		}
	}
	site.reconnect().expect("/private/x", 403, "403 Forbidden\n")
}

// Caddy's admin API appends the body of a POST to the list of handlers. A guard after the last handler never runs.
func TestPostAppendsInsteadOfReplacing(t *testing.T) {
	site := start(t, ``)
	if res, text := site.ask("POST", handlers+"/0", site.guardOf(`"block_patterns": ["^/private/"]`), nil); res.StatusCode != 200 {
		t.Fatalf("got %d %s", res.StatusCode, text)
	}
	_, text := site.ask("GET", handlers, "", nil)
	var list []struct{ Handler string }
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) != 3 || list[2].Handler != "guard" {
		t.Fatalf("got %s, %v", text, err)
	}
	site.reconnect().expect("/private/x", 200, "GET /private/x ")
}

func TestMetricsCountVerdicts(t *testing.T) {
	verdictCounts.Reset()
	site := start(t, `"block_patterns": ["^/private/"], "allowed_ips": ["192.0.2.1"], "trusted_proxies": ["127.0.0.1"], "response": {"mode": "json"}`)
	client := site.connect()
	client.get("/clean")
	client.get("/clean")
	client.get("/robots.txt")
	client.get("/private/x")
	client.get("/private/x", "X-Forwarded-For: 192.0.2.1")
	_, text := site.ask("GET", "/metrics", "", nil)
	for _, want := range []string{
		`caddy_guard_verdicts_total{action="",mode="enforce",reason="no_match",rule="",verdict="allowed"} 2`,
		`caddy_guard_verdicts_total{action="",mode="enforce",reason="allowed_ip",rule="",verdict="allowed"} 1`,
		`caddy_guard_verdicts_total{action="",mode="enforce",reason="allow_pattern_match",rule="allow-root-standard",verdict="allowed"} 1`,
		`caddy_guard_verdicts_total{action="json",mode="enforce",reason="block_pattern_match",rule="block[0]",verdict="blocked"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is missing in:\n%s", want, grep(text, "caddy_guard"))
		}
	}
}

// A reload does not reset the counters.
func TestMetricsOutliveAReload(t *testing.T) {
	verdictCounts.Reset()
	site := start(t, ``)
	site.connect().get("/.env")
	site.load(site.config(site.guardOf(`"debug": false`)))
	site.reconnect().get("/.env")
	if _, text := site.ask("GET", "/metrics", "", nil); !strings.Contains(text, `rule="env-file",verdict="blocked"} 2`) {
		t.Errorf("got %s", grep(text, "caddy_guard"))
	}
}

func grep(text, word string) string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

func TestTheAdminAPIHidesSecrets(t *testing.T) {
	t.Setenv("GUARD_TEST_KEY", "key from the environment")
	for keys, want := range map[string]string{
		`"secret": "0123456789 in clear", "response": {"mode": "captcha", "captcha": {"provider": "turnstile", "site_key": "public", "secret_key": "private in clear"}}`: `{"response":{"captcha":{"provider":"turnstile","secret_key":"(hidden)","site_key":"public"},"mode":"captcha"},"secret":"(hidden)"`,
		`"secret": "${GUARD_TEST_KEY}", "response": {"mode": "captcha", "captcha": {"provider": "turnstile", "site_key": "public", "secret_key": "${GUARD_TEST_KEY}"}}`:  `"secret_key":"${GUARD_TEST_KEY}","site_key":"public"},"mode":"captcha"},"secret":"${GUARD_TEST_KEY}"`,
	} {
		site := start(t, keys)
		_, text := site.ask("GET", "/guard/policies", "", nil)
		if strings.Contains(text, "in clear") || !strings.Contains(text, want) {
			t.Errorf("got %s, want %s", text, want)
		}
		if _, config := site.ask("GET", handlers+"/0", "", nil); strings.Contains(config, "hidden") {
			t.Errorf("the configuration that Caddy loads again changed: %s", config)
		}
	}
}

func TestTheAdminAPIReturnsTheLivePolicies(t *testing.T) {
	site := start(t, `"block_patterns": ["^/private/"]`)
	_, text := site.ask("GET", "/guard/policies", "", nil)
	if !strings.Contains(text, `"block_patterns":["^/private/"]`) {
		t.Errorf("the policy is missing: %s", text)
	}
	if res, _ := site.ask("PATCH", handlers+"/0", site.guardOf(`"block_patterns": ["^/other/"]`), nil); res.StatusCode != 200 {
		t.Fatalf("got %d", res.StatusCode)
	}
	_, text = site.ask("GET", "/guard/policies", "", nil)
	if !strings.Contains(text, `^/other/`) {
		t.Errorf("the new policy is missing: %s", text)
	}
	if res, _ := site.ask("DELETE", "/guard/policies", "", nil); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("DELETE got %d", res.StatusCode)
	}
}
