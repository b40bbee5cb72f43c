package guard

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func TestEventOfABlockedRequest(t *testing.T) {
	site := start(t, `"response": {"mode": "json"}`)
	site.connect().get("/static/..%252f.env?a=\"b", "User-Agent: scan\"ner\t1", "X-Other: 1")
	lines := site.lines(site.events)
	if len(lines) != 1 {
		t.Fatalf("got %q", lines)
	}
	var event map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &event); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"type": "guard_block", "gateway": "caddy", "mode": "enforce", "client_ip": "127.0.0.1", "method": "GET", "host": "example.com",
		"path": "/static/..%252f.env", "request_uri": "/static/..%252f.env?a=\"b", "target": "path", "reason": "block_pattern_match",
		"action": "json", "status": 403.0, "user_agent": "scan\"ner%091",
	} {
		if event[name] != want {
			t.Errorf("%s: got %v, want %v", name, event[name], want)
		}
	}
	if event["rule_id"] == "" || event["pattern"] == "" || event["candidate"] == "" {
		t.Errorf("got %s", lines[0])
	}
}

// The decoy does not show the reference. The access log has it in every mode.
func TestReferenceInResponseEventAndAccessLog(t *testing.T) {
	for mode, isShown := range map[string]bool{"json": true, "fake_success": false} {
		site := newSite(t)
		site.extra = `"logs": {},`
		site.load(site.config(site.guardOf(`"response": {"mode": "` + mode + `"}`)))
		client := site.connect()
		client.send("GET /.env HTTP/1.1\r\nHost: example.com\r\n\r\n")
		_, header, body := client.answer("GET")
		var event struct{ Reference string }
		if err := json.Unmarshal([]byte(site.lines(site.events)[0]), &event); err != nil || len(event.Reference) != 10 {
			t.Fatalf("%s: got %q, %v", mode, event.Reference, err)
		}
		if isShown != (header.Get("X-Guard-Reference") == event.Reference) || isShown != strings.Contains(body, event.Reference) {
			t.Errorf("%s: got %v %q, the event has %s", mode, header, body, event.Reference)
		}
		if err := caddy.Stop(); err != nil { // writes the access log
			t.Fatal(err)
		}
		if log := strings.Join(site.lines(site.log), "\n"); !strings.Contains(log, `"guard_reference":"`+event.Reference+`"`) {
			t.Errorf("%s: %s is not in %s", mode, event.Reference, log)
		}
	}
}

func TestEventOfALimitNamesNoRule(t *testing.T) {
	site := start(t, ``)
	site.connect().get("/" + strings.Repeat("a", 5000))
	line := site.lines(site.events)[0]
	for _, want := range []string{`"reason":"limit_length"`, `"candidate":"","rule_id":"","pattern":""`, `"target":"path"`} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
}

func TestEventsGoToStandardOutput(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = write
	defer func() { os.Stdout = stdout }()
	site := newSite(t)
	site.load(site.config(`{"handler": "guard"}`))
	site.connect().expect("/.env", 403, "403 Forbidden\n")
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `{"type":"guard_block",`) {
		t.Errorf("got %q, %v", line, err)
	}
}

func TestNoEventsWithoutSecurityLog(t *testing.T) {
	site := start(t, `"security_log": false`)
	site.connect().expect("/.env", 403, "403 Forbidden\n")
	if _, err := os.Stat(site.events); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}

// The summary of the last second is written when Caddy stops.
func TestStopWritesTheSummary(t *testing.T) {
	site := start(t, ``)
	budget := eventBudget.PerSecond
	eventBudget.PerSecond = 0
	defer func() { eventBudget.PerSecond = budget }()
	client := site.connect()
	client.expect("/.env", 403, "403 Forbidden\n")
	client.expect("/.env", 403, "403 Forbidden\n")
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, line := range site.lines(site.events) {
		var summary struct {
			Type  string
			Count int
		}
		if err := json.Unmarshal([]byte(line), &summary); err != nil || summary.Type != "guard_block_summary" {
			t.Errorf("got %q, %v", line, err)
		}
		counted += summary.Count
	}
	if counted != 2 {
		t.Errorf("%d events counted", counted)
	}
}
