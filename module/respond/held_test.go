package respond

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/request-guard/guard/policy"
)

func until(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !isTrue(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func heldNow() int {
	total := 0
	for _, count := range HeldByMode() {
		total += count
	}
	return total
}

func nothingIsHeld(t *testing.T) {
	t.Helper()
	until(t, "nothing is held", func() bool { return heldNow() == 0 })
}

func holdingHost(t *testing.T) (host Host, stop func()) {
	stopping, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	return Host{
		Stopping: stopping,
		Drop:     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		Cut:      func(w http.ResponseWriter) { _ = http.NewResponseController(w).SetWriteDeadline(pastDeadline) },
	}, stop
}

func heldSite(t *testing.T, response string) (answer Answer, stop func()) {
	t.Helper()
	host, stop := holdingHost(t)
	answer = New(resolved(t, response), []byte("a secret of the tests"), host)
	t.Cleanup(func() { stop(); nothingIsHeld(t) })
	return answer, stop
}

func TestAHeldResponseToHeadHasNoBody(t *testing.T) {
	for mode, length := range map[string]bool{
		quickTarpit: false, `{"mode":"infinite_stream"}`: false, `{"mode":"gzip_bomb"}`: true,
	} {
		answer, _ := heldSite(t, mode)
		client := connect(t, answer)
		for range 2 {
			res := client.begin("HEAD", "/.env")
			if res.StatusCode != 200 || (res.ContentLength >= 0) != length {
				t.Errorf("%s: got %s, %d", mode, res.Status, res.ContentLength)
			}
		}
	}
}

func TestADisconnectEndsAHeldRequest(t *testing.T) {
	for name, response := range map[string]string{
		"tarpit": longTarpit + `}`,
		"stream": `{"mode":"infinite_stream","stream_size_mb":102400,"max_response_seconds":3600}`,
		"bomb":   `{"mode":"gzip_bomb","gzip_bomb_mb":1024,"max_response_seconds":3600}`,
	} {
		t.Run(name, func(t *testing.T) {
			answer, _ := heldSite(t, response)
			client := connect(t, answer)
			client.begin("GET", "/.env")
			client.conn.Close()
			nothingIsHeld(t)
		})
	}
}

// A client that reads nothing is cut off at the time limit, and when the host stops.
func TestAClientThatReadsNothingIsCutOff(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		answer, _ := heldSite(t, `{"mode":"infinite_stream","stream_size_mb":102400,"max_response_seconds":1}`)
		client := connect(t, answer)
		client.begin("GET", "/.env")
		nothingIsHeld(t)
	})
	t.Run("by the host", func(t *testing.T) {
		answer, stop := heldSite(t, `{"mode":"infinite_stream","stream_size_mb":102400,"max_response_seconds":3600}`)
		client := connect(t, answer)
		client.begin("GET", "/.env")
		stop()
		nothingIsHeld(t)
	})
}

func TestAHostThatStopsEndsHeldRequests(t *testing.T) {
	answer, stop := heldSite(t, longTarpit+`}`)
	client := connect(t, answer)
	res := client.begin("GET", "/.env")
	stop()
	all(t, res.Body)
	if res = client.again().begin("GET", "/.env"); len(all(t, res.Body)) != 0 {
		t.Error("a host that stops holds another request")
	}
}

func TestBeyondTheCeilingTheResponseIsText(t *testing.T) {
	answer, _ := heldSite(t, longTarpit+`,"max_held":2,"max_held_per_address":2,"status_code":207,"headers":{"X-Guard":"1"}}`)
	site := connect(t, answer)
	if res := site.begin("GET", "/.env"); res.StatusCode != 207 {
		t.Fatal(res.Status)
	}
	second := site.again()
	second.begin("GET", "/.env")
	third := site.again()
	status, header, body := third.request("GET", "/.env")
	if status != 403 || body != "403 Forbidden\n" || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("X-Guard") != "1" {
		t.Errorf("got %d %v %q", status, header, body)
	}
	second.conn.Close()
	until(t, "one is held", func() bool { return heldNow() == 1 })
	if res := third.begin("GET", "/.env"); res.StatusCode != 207 {
		t.Errorf("got %s", res.Status)
	}
}

func TestTheCeilingCountsNetworks(t *testing.T) {
	c := newCeiling()
	steps := []struct {
		client   string
		max, per int
		ok       bool
	}{
		{"2001:db8::1", 9, 2, true}, {"2001:db8:0:1::2", 9, 2, true}, {"2001:db8:0:ff:ffff::3", 9, 2, false},
		{"2001:db8:0:100::1", 9, 2, true}, {"192.0.2.1", 9, 1, true}, {"192.0.2.1", 9, 1, false}, {"192.0.2.2", 5, 1, true},
		{"192.0.2.3", 5, 1, false}, {"", 6, 1, true}, {"", 9, 1, false},
	}
	for _, s := range steps {
		if got := c.enter("tarpit", heldNetwork(s.client), s.max, s.per); got != s.ok {
			t.Errorf("%+v: got %v", s, got)
		}
	}
	for _, client := range []string{"2001:db8::9", "2001:db8::9", "2001:db8:0:100::9", "192.0.2.1", "192.0.2.2", ""} {
		c.leave("tarpit", heldNetwork(client))
	}
	if c.total != 0 || c.byMode["tarpit"] != 0 || len(c.byNetwork) != 0 {
		t.Errorf("left: %+v", c)
	}
}

func TestHeldNamesEveryModeThatHolds(t *testing.T) {
	for _, mode := range policy.Modes {
		if _, ok := HeldByMode()[mode.Name]; ok != mode.Holds {
			t.Errorf("%s: %v", mode.Name, ok)
		}
	}
}
