package respond

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// byPath lists for each path the decoy and a text that it must contain.
var byPath = []struct{ path, decoy, holds string }{
	{"/.env", "env", "APP_KEY=base64:"},
	{"/app/.ENV.production", "env", "APP_URL=https://example.com\n"},
	{"../../.env", "env", "DB_PASSWORD="},
	{"/.git/HEAD", "git-head", "ref: refs/heads/main\n"},
	{"/.git/refs/heads/main", "git-ref", ""},
	{"/x/.git/config", "git-config", "[remote \"origin\"]"},
	{"/.git/logs/HEAD", "git-log", "deploy@internal.test"},
	{"/phpinfo.php", "phpinfo", "<td>example.com</td>"},
	{"/info.php", "phpinfo", "<td>192.0.2.7</td>"},
	{"/wp-login.php", "wp-login", "action=\"/wp-login.php\""},
	{"/wp-config.php.bak", "wp-config", "DB_PASSWORD"},
	{"/actuator", "actuator", "https://example.com/actuator/env"},
	{"/actuator/env", "actuator-env", "SPRING_DATASOURCE_PASSWORD"},
	{"/actuator/health", "actuator-health", `{"status":"UP"}`},
	{"/backup/dump.sql", "sql", "INSERT INTO `users`"},
	{"/.aws/credentials", "aws-credentials", "aws_access_key_id = AKIA"},
	{"/.htpasswd", "htpasswd", "admin:$apr1$"},
	{"/.ssh/id_rsa", "private-key", "BEGIN RSA PRIVATE KEY"},
	{"/server.key", "private-key", "END RSA PRIVATE KEY"},
	{"/composer.json", "json", `{"status":"ok"}`},
	{"/backup.zip", "page", "It works!"},
	{"", "page", "It works!"},
}

// decoyFor returns the fake_success response for a path and a client address.
func decoyFor(t *testing.T, response, secret, path, client string) *httptest.ResponseRecorder {
	t.Helper()
	answer := New(resolved(t, response), []byte(secret), Host{})
	w := httptest.NewRecorder()
	answer(w, httptest.NewRequest("GET", "http://example.com/", nil), &Blocked{Path: path, Client: client})
	return w
}

func named(name string) decoy {
	for _, d := range decoys {
		if d.name == name {
			return d
		}
	}
	return decoy{}
}

func TestDecoySuitsThePath(t *testing.T) {
	for _, c := range byPath {
		t.Run(c.path, func(t *testing.T) {
			w := decoyFor(t, `{"mode":"fake_success"}`, "secret", c.path, clientAddress)
			if w.Code != 200 || w.Header().Get("Content-Type") != named(c.decoy).contentType || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("got %d %v", w.Code, w.Header())
			}
			if body := w.Body.String(); !strings.Contains(body, c.holds) || strings.Contains(body, "[[") || strings.Contains(body, "]]") {
				t.Errorf("got %s", body)
			}
		})
	}
}

func TestEveryDecoyIsReached(t *testing.T) {
	reached := map[string]bool{}
	for _, c := range byPath {
		reached[c.decoy] = true
	}
	for _, d := range decoys {
		if !reached[d.name] {
			t.Errorf("no path leads to %s", d.name)
		}
	}
}

func TestPlaceholdersAreKnown(t *testing.T) {
	for _, d := range decoys {
		for _, found := range regexp.MustCompile(`\[\[[^\]]*\]\]`).FindAllString(d.text, -1) {
			parts := placeholder.FindStringSubmatch(found)
			if parts == nil || parts[2] != "" && alphabets[parts[1]] == "" {
				t.Errorf("decoy %s: %s", d.name, found)
			}
		}
	}
}

func TestJSONDecoysAreJSON(t *testing.T) {
	for _, path := range []string{"/actuator", "/actuator/env", "/actuator/health", "/a.json"} {
		var v any
		if err := json.Unmarshal(decoyFor(t, `{"mode":"fake_success"}`, "secret", path, clientAddress).Body.Bytes(), &v); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestALeakedDecoyIdentifiesItsClient(t *testing.T) {
	body := func(secret, path, client string) string {
		return decoyFor(t, `{"mode":"fake_success"}`, secret, path, client).Body.String()
	}
	taken := body("secret", "/.env", "192.0.2.7")
	if taken != body("secret", "/.env", "192.0.2.7") {
		t.Error("the same client was given two decoys")
	}
	if taken == body("secret", "/.env", "192.0.2.8") || taken == body("other", "/.env", "192.0.2.7") {
		t.Error("two clients or two secrets have one decoy")
	}
	password := regexp.MustCompile(`DB_PASSWORD=(\w{24})\n`).FindStringSubmatch(taken)[1]
	if password != derive([]byte("secret"), "192.0.2.7", "database", "alnum", 24) || !strings.Contains(body("secret", "/wp-config.php~", "192.0.2.7"), password) {
		t.Errorf("%s cannot be traced", password)
	}
}

// The test pins the HMAC: after an update, the same secret must still identify decoys that were served earlier.
func TestDerivedValuesAreStable(t *testing.T) {
	if got := derive([]byte("secret"), "192.0.2.7", "commit", "hex", 6); got != "9e695a" {
		t.Errorf("got %s", got)
	}
	if long := derive([]byte("secret"), "", "x", "hex", 100); len(long) != 100 || !regexp.MustCompile(`^[0-9a-f]+$`).MatchString(long) {
		t.Errorf("got %s", long)
	}
}

func TestReflectedValuesAreEscaped(t *testing.T) {
	body := decoyFor(t, `{"mode":"fake_success"}`, "secret", `/<script>alert("1")</script>/phpinfo.php`, clientAddress).Body.String()
	if strings.Contains(body, "<script") || !strings.Contains(body, "/&lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;/phpinfo.php") {
		t.Errorf("got %s", body)
	}
}

func TestAForeignHostIsNotReflected(t *testing.T) {
	for host, want := range map[string]string{
		"example.com:8080": "example.com:8080", "[2001:db8::1]:80": "[2001:db8::1]:80", "EXAMPLE.com": "EXAMPLE.com",
		"": "localhost", "a<b": "localhost", "a b": "localhost", "é.example": "localhost", "a\nX=1": "localhost", strings.Repeat("a", 254): "localhost",
	} {
		if got := plainHost(host); got != want {
			t.Errorf("%q: got %s, want %s", host, got, want)
		}
	}
}

func TestOwnTypeAndStatusOfADecoy(t *testing.T) {
	w := decoyFor(t, `{"mode":"fake_success","content_type":"application/octet-stream","status_code":206}`, "secret", "/.env", clientAddress)
	if got := fmt.Sprint(w.Code) + " " + w.Header().Get("Content-Type"); got != "206 application/octet-stream" {
		t.Errorf("got %s", got)
	}
}
