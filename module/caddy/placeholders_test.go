package guard

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// shown is a handler that responds with the placeholders.
const shown = `{"handler": "static_response", "body": "{http.guard.verdict}|{http.guard.reason}|{http.guard.rule}|{http.guard.target}|{http.guard.reference}"}`

func (s *site) bodyOf(line string) string {
	s.t.Helper()
	client := s.connect()
	client.send(line + " HTTP/1.1\r\nHost: example.com\r\n\r\n")
	_, _, body := client.answer("GET")
	return body
}

func TestPlaceholdersOfEachInspectedRequest(t *testing.T) {
	site := newSite(t)
	site.load(site.config(site.guardOf(`"mode": "detect", "check_query": true, "methods": ["GET"],
		"rules": [{"id": "files", "action": "allow", "pattern": "^/files/"}]`), shown))
	for line, want := range map[string]string{
		"GET /":                        "allowed|no_match|||",
		"PUT /.env":                    "allowed|method_not_inspected|||",
		"GET /files/.env":              "allowed|allow_pattern_match|files||",
		"GET /x?file=../../etc/passwd": "blocked|block_pattern_match|trav-enc-v|query|",
		"GET /.env":                    "blocked|block_pattern_match|env-file|path|",
	} {
		body := site.bodyOf(line)
		if !strings.HasPrefix(body, want) || strings.HasPrefix(want, allowed) && body != want {
			t.Errorf("%s: got %s, want %s", line, body, want)
		}
	}
	var event struct{ Reference string }
	body := site.bodyOf("GET /.git/config")
	lines := site.lines(site.events)
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &event); err != nil || !strings.HasSuffix(body, "|"+event.Reference) || event.Reference == "" {
		t.Errorf("got %s, the event has %q, %v", body, event.Reference, err)
	}
}

func TestAccessLogHasTheVerdictOfEachInspectedRequest(t *testing.T) {
	site := newSite(t)
	site.extra = `"logs": {},`
	site.load(site.config(site.guardOf(`"check_query": true`)))
	site.connect().get("/index.html")
	site.connect().get("/.env")
	if err := caddy.Stop(); err != nil { // writes the access log
		t.Fatal(err)
	}
	log := strings.Join(site.lines(site.log), "\n")
	for _, want := range []string{
		`"uri":"/index.html".*"guard_verdict":"allowed","guard_reason":"no_match"}`,
		`"uri":"/.env".*"guard_verdict":"blocked","guard_reason":"block_pattern_match","guard_rule":"env-file","guard_target":"path","guard_reference":"`,
	} {
		uri, fields, _ := strings.Cut(want, ".*")
		if !hasLine(log, uri, fields) {
			t.Errorf("no line has %s and %s in\n%s", uri, fields, log)
		}
	}
}

func TestAccessLogOfSeveralGuardsHasTheValuesOfThePlaceholders(t *testing.T) {
	site := newSite(t)
	site.extra = `"logs": {},`
	last := site.guardOf(`"mode": "detect", "security_log": false, "enable_default_patterns": false, "methods": ["*"],
		"rules": [
			{"id": "notes", "action": "allow", "pattern": "^/notes/"},
			{"id": "drafts", "action": "block", "pattern": "^/drafts/"}
		]`)
	site.load(site.config(site.guardOf(`"mode": "detect"`), last, shown))
	bodies := map[string]string{}
	for line, want := range map[string]string{
		"GET /.env":        "blocked|block_pattern_match|env-file|path|", // no rule of the last guard decides
		"GET /drafts/.env": "blocked|block_pattern_match|drafts|path|",
		"GET /notes/.env":  "allowed|allow_pattern_match|notes||", // this verdict has neither a target nor a reference
		"PUT /":            "allowed|method_not_inspected|||",     // neither guard decides, so the first has precedence
	} {
		bodies[line] = site.bodyOf(line)
		if !strings.HasPrefix(bodies[line], want) {
			t.Errorf("%s: got %s, want %s", line, bodies[line], want)
		}
	}
	if err := caddy.Stop(); err != nil { // writes the access log
		t.Fatal(err)
	}
	for line, logged := range accessFields(site.lines(site.log)) {
		if logged != bodies[line] {
			t.Errorf("%s: the access log has %s, the placeholders %s", line, logged, bodies[line])
		}
		delete(bodies, line)
	}
	if len(bodies) > 0 {
		t.Errorf("no line in the access log: %v", bodies)
	}
}

// accessFields returns the fields of the guard by request line, in the form of shown.
func accessFields(logLines []string) map[string]string {
	fields := map[string]string{}
	for _, text := range logLines {
		var entry struct {
			Request   struct{ Method, URI string }
			Verdict   string `json:"guard_verdict"`
			Reason    string `json:"guard_reason"`
			Rule      string `json:"guard_rule"`
			Target    string `json:"guard_target"`
			Reference string `json:"guard_reference"`
		}
		if json.Unmarshal([]byte(text), &entry) == nil && entry.Request.URI != "" {
			fields[entry.Request.Method+" "+entry.Request.URI] =
				strings.Join([]string{entry.Verdict, entry.Reason, entry.Rule, entry.Target, entry.Reference}, "|")
		}
	}
	return fields
}

func hasLine(text string, parts ...string) bool {
	for line := range strings.Lines(text) {
		found := 0
		for _, part := range parts {
			if strings.Contains(line, part) {
				found++
			}
		}
		if found == len(parts) {
			return true
		}
	}
	return false
}

func TestDurationsAreCounted(t *testing.T) {
	site := start(t, "")
	before := durationCount(t, site)
	for range 3 {
		site.connect().get("/")
	}
	if got := durationCount(t, site) - before; got != 3 {
		t.Errorf("got %d", got)
	}
}

func durationCount(t *testing.T, s *site) (count int) {
	t.Helper()
	_, text := s.ask("GET", "/metrics", "", nil)
	for line := range strings.Lines(text) {
		if _, err := fmt.Sscanf(line, "caddy_guard_duration_seconds_count %d", &count); err == nil {
			return count
		}
	}
	t.Fatalf("no count in %s", text)
	return 0
}
