package event

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

func example() *Event {
	return &Event{
		Time: time.Date(2026, 11, 21, 1, 2, 3, 4_000_000, time.FixedZone("", 3600)), Mode: "enforce", ClientIP: "192.0.2.1",
		Method: "GET", Host: "example.com", Path: "/.env", RequestURI: "/.env?a=1", Target: "path", Candidate: "/.env",
		RuleID: "env-file", Pattern: `(?i)/\.env`, Reason: "block_pattern_match", Action: "text", Status: 403, UserAgent: "curl/8",
		Reference: "7K3QF2M9TD",
	}
}

func TestLineHoldsTheFieldsInOrder(t *testing.T) {
	want := `{"type":"guard_block","timestamp":"2026-11-21T00:02:03.004Z","gateway":"caddy","mode":"enforce","client_ip":"192.0.2.1",` +
		`"method":"GET","host":"example.com","path":"/.env","request_uri":"/.env?a=1","target":"path","candidate":"/.env",` +
		`"rule_id":"env-file","pattern":"(?i)/\\.env","reason":"block_pattern_match","action":"text","status":403,"user_agent":"curl/8",` +
		`"reference":"7K3QF2M9TD"}` + "\n"
	if got := string(example().Line("caddy")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLineOfABodyThatWasNotInspectedCompletely(t *testing.T) {
	e := example()
	e.Reason, e.Overflow, e.InspectedValues, e.InspectedBytes = "limit_body", "values", 1024, 2048
	want := `"status":403,"user_agent":"curl/8","reference":"7K3QF2M9TD","overflow":"values","inspected_values":1024,"inspected_bytes":2048}` + "\n"
	if got := string(e.Line("caddy")); !strings.HasSuffix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e.UserAgent = strings.Repeat("a", 2*limits.EventBytes)
	if got := e.Line("caddy"); len(got) != limits.EventBytes || !json.Valid(got) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

func TestLineOfADetectingGuard(t *testing.T) {
	e := example()
	e.Mode = "detect"
	if got := string(e.Line("caddy")); !strings.HasPrefix(got, `{"type":"guard_detect",`) || !strings.Contains(got, `"mode":"detect"`) {
		t.Errorf("got %s", got)
	}
}

func TestLineEscapesValuesOfTheRequest(t *testing.T) {
	e := example()
	e.UserAgent = "a\"b\\c\n\x00\x7f\xff\u2028"
	line := e.Line("caddy")
	if !strings.Contains(string(line), `"user_agent":"a\"b\\c%0A%00%7F%FF%E2%80%A8"`) {
		t.Errorf("got %s", line)
	}
	for i, c := range line[:len(line)-1] {
		if c < 0x20 || c > 0x7E {
			t.Errorf("byte %d is %#x", i, c)
		}
	}
}

func TestLineAlwaysFits(t *testing.T) {
	for _, filler := range []string{"a", `"`, "\xff", "\\a\x01"} {
		for _, n := range []int{0, 1, 200, 1000, 3600, 5000, 40000} {
			e := example()
			long := strings.Repeat(filler, n)
			e.Host, e.Path, e.RequestURI, e.Candidate, e.UserAgent, e.Target = long, long, long, long, long, "header:"+long
			checkLine(t, e)
			e = example()
			e.UserAgent = long
			checkLine(t, e)
		}
	}
}

func checkLine(t *testing.T, e *Event) {
	t.Helper()
	line := e.Line("caddy")
	if len(line) > limits.EventBytes || bytes.Count(line, []byte("\n")) != 1 {
		t.Errorf("%d bytes, %d newlines", len(line), bytes.Count(line, []byte("\n")))
	}
	var got map[string]any
	if err := json.Unmarshal(line, &got); err != nil || len(got) != 18 {
		t.Errorf("%d members, %v: %s", len(got), err, line)
	}
}

func TestLineCutsOnlyLongValues(t *testing.T) {
	e := example()
	e.RequestURI = "/" + strings.Repeat("a", 9000)
	e.UserAgent = strings.Repeat("b", 1000)
	line := string(e.Line("caddy"))
	if len(line) != limits.EventBytes || !strings.Contains(line, strings.Repeat("b", 1000)+`","reference":"7K3QF2M9TD"}`) || !strings.Contains(line, `"host":"example.com"`) {
		t.Errorf("%d bytes: %s", len(line), line)
	}
}

func TestCutNeverSplitsAnEscape(t *testing.T) {
	for cut := range 10 {
		got := cutEscaped("\xffa\"\xfe\xfd\xfc", 0, cut+3)
		if want := []string{"...", "...", "...", "%FF...", "%FFa...", "%FFa...", `%FFa\"...`, `%FFa\"...`, `%FFa\"...`, `%FFa\"%FE...`}[cut]; got != want {
			t.Errorf("cut %d: got %s, want %s", cut, got, want)
		}
	}
}

func TestCutKeepsTheMatchAndMarksWhatIsMissing(t *testing.T) {
	for _, before := range []int{0, 10, 1000, 2990, 20000} {
		for _, after := range []int{0, 10, 1500, 20000} {
			for _, filler := range []string{"a/", `"\\`} {
				e := example()
				e.Candidate = "/" + strings.Repeat(filler, before/2) + "/.env" + strings.Repeat(filler, after/2)
				e.Place = 1 + before/2*len(filler) + len("/.env")
				e.Path, e.RequestURI = e.Candidate, e.Candidate
				var got struct{ Path, Candidate string }
				if err := json.Unmarshal(e.Line("caddy"), &got); err != nil {
					t.Fatal(err)
				}
				isCut := got.Candidate != e.Candidate
				if !strings.Contains(got.Candidate, "/.env") || isCut != strings.Contains(got.Candidate, "...") {
					t.Errorf("%d bytes before the match, %d after it: %s", before, after, got.Candidate)
				}
				if got.Path != e.Path && (!strings.HasSuffix(got.Path, "...") || !strings.HasPrefix(e.Path, got.Path[:20])) {
					t.Errorf("path: %s", got.Path)
				}
				if len(e.Line("caddy")) > limits.EventBytes {
					t.Errorf("%d bytes", len(e.Line("caddy")))
				}
			}
		}
	}
}
