package guard

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/request-guard/guard/policy"
)

// provisioned returns a guard without a server. keys are the members of its JSON form.
func provisioned(t testing.TB, keys string) *Guard {
	t.Helper()
	g := new(Guard)
	if err := json.Unmarshal([]byte("{"+keys+"}"), g); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	t.Cleanup(cancel)
	t.Cleanup(func() { _ = g.Cleanup() })
	if err := g.Provision(ctx); err != nil {
		t.Fatal(err)
	}
	return g
}

func request(method, target, contentType string, body io.Reader) *http.Request {
	r := httptest.NewRequest(method, target, body)
	r.Header.Set("Content-Type", contentType)
	return r
}

var passed = caddyhttp.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
	w.WriteHeader(http.StatusAccepted)
	return nil
})

// serve returns the status of the guard's response. passed is its next handler.
func serve(t testing.TB, g *Guard, r *http.Request) int {
	t.Helper()
	w := httptest.NewRecorder()
	if err := g.ServeHTTP(w, r, passed); err != nil {
		t.Fatal(err)
	}
	return w.Code
}

func TestJSONFormIsStrict(t *testing.T) {
	for keys, want := range map[string]string{
		`"enabeld": true`:               `enabeld: unknown key "enabeld"; did you mean "enabled"?`,
		`"blockPatterns": []`:           `blockPatterns: unknown key "blockPatterns"; did you mean "block_patterns"?`,
		`"response": {"modes": "json"}`: `response.modes: unknown key "modes"; did you mean "mode"?`,
		`"exceptions": [{"rules": ["trav-dotdot"], "path": "/", "hots": []}]`: `exceptions[0].hots: unknown key "hots"; did you mean "hosts"?`,
		`"x": 1, "y": 2`:                    "x: unknown key \"x\"\ny: unknown key \"y\"",
		`"enabled": "true"`:                 "enabled: expected true or false",
		`"enabled": null`:                   "enabled: expected true or false",
		`"methods": "GET"`:                  "methods: expected a list",
		`"methods": ["GET", 1]`:             "methods[1]: expected text",
		`"max_body_bytes": 1.5`:             "max_body_bytes: expected a whole number",
		`"max_body_bytes": 1e300`:           "max_body_bytes: expected a whole number",
		`"response": []`:                    "response: expected an object",
		`"response": {"headers": {"A": 1}}`: "response.headers.A: expected text",
		`"rules": [[]]`:                     "rules[0]: expected an object",
	} {
		if err := json.Unmarshal([]byte("{"+keys+"}"), new(Guard)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", keys, err, want)
		}
	}
}

func TestProvisionRefusesABadPolicy(t *testing.T) {
	for keys, want := range map[string]string{
		`"block_patterns": ["("]`:                          "block_patterns[0]: the group is not closed",
		`"allowed_ips": ["10.1"], "methods": []`:           "methods: expected at least 1 entries",
		`"secret": "${GUARD_TEST_ABSENT}"`:                 "secret: the environment variable GUARD_TEST_ABSENT is not set",
		`"security_log_file": "/nonexistent/guard/events"`: "/nonexistent/guard/events: no such file or directory",
	} {
		site := newSite(t)
		err := caddy.Load([]byte(site.config(`{"handler": "guard", `+keys+`}`)), true)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", keys, err, want)
		}
	}
	if references := poolSize(ruleSets) + poolSize(eventLogs); references != 0 {
		t.Errorf("%d entries are left in the pools", references)
	}
}

func TestTheSecretMayComeFromTheEnvironment(t *testing.T) {
	t.Setenv("GUARD_TEST_SECRET", "a secret from the environment")
	if got, err := policy.SecretBytes("${GUARD_TEST_SECRET}"); string(got) != "a secret from the environment" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := policy.SecretBytes("sixteen bytes or more"); string(got) != "sixteen bytes or more" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	t.Setenv("GUARD_TEST_SECRET", "too short")
	if _, err := policy.SecretBytes("${GUARD_TEST_SECRET}"); err == nil || !strings.Contains(err.Error(), "at least 16 bytes, found 9") {
		t.Errorf("a short secret from the environment: got %v", err)
	}
	first, _ := policy.SecretBytes("")
	second, _ := policy.SecretBytes("")
	if len(first) != 32 || string(first) != string(second) {
		t.Errorf("got %x and %x", first, second)
	}
}

func TestAFaultOfTheEngineFailsClosed(t *testing.T) {
	g := provisioned(t, ``)
	g.inspector.Rules = nil
	r := request("GET", "/clean", "", nil)
	if status := serve(t, g, r); status != http.StatusInternalServerError {
		t.Errorf("got %d", status)
	}
	detecting := provisioned(t, `"mode": "detect"`)
	detecting.inspector.Rules = nil
	if status := serve(t, detecting, r); status != http.StatusAccepted {
		t.Errorf("got %d", status)
	}
}

func TestDebugExplainsEachVerdict(t *testing.T) {
	site := start(t, `"debug": true`)
	client := site.connect()
	client.get("/clean%0a")
	client.get("/.env")
	log := strings.Join(site.lines(site.log), "\n")
	for _, want := range []string{`"msg":"evaluated","method":"GET","target":"/clean%0a","blocked":false,"reason":"no_match"`, `"blocked":true,"reason":"block_pattern_match"`} {
		if !strings.Contains(log, want) {
			t.Errorf("%s is not in %s", want, log)
		}
	}
}
