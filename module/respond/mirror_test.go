package respond

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// mirrored returns a client of a guard that mirrors to a honeypot with this handler.
func mirrored(t *testing.T, handler http.HandlerFunc, more string) *wire {
	t.Helper()
	honeypot := httptest.NewServer(handler)
	t.Cleanup(honeypot.Close)
	return mirroredTo(t, honeypot.URL, more)
}

func mirroredTo(t *testing.T, url, more string) *wire {
	t.Helper()
	answer, _ := heldSite(t, fmt.Sprintf(`{"mode":"proxy","proxy_url":%q%s}`, url, more))
	return connect(t, answer)
}

func TestTheTargetOfAMirroredRequestNamesNoOtherHost(t *testing.T) {
	m := &mirror{}
	m.target, _ = m.target.Parse("http://pot.example:8080")
	for target, want := range map[string]string{
		"/.env": "/.env", "//other.example/.env": "//other.example/.env", "http://other.example/.env?a": "/.env?a",
		"http://other.example": "/", "http://other.example?a=b": "/?a=b", "/a://b/?": "/a://b/?", "*": "*", "//a|b%zz": "//a%7Cb%25zz",
	} {
		u := m.targetURL(target)
		if got := u.RequestURI(); got != want || u.Host != "pot.example:8080" || u.Scheme != "http" {
			t.Errorf("%s: got %s at %s", target, got, u.Host)
		}
	}
	m.target, _ = m.target.Parse("https://pot.example/base/")
	if got := m.targetURL("/.env").RequestURI(); got != "/base/.env" {
		t.Errorf("got %s", got)
	}
}

func TestBothSidesOfAMirrorStream(t *testing.T) {
	client := mirrored(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.EnableFullDuplex()
		lines := bufio.NewScanner(r.Body)
		_ = control.Flush()
		for lines.Scan() {
			fmt.Fprintf(w, "%s!", lines.Text())
			_ = control.Flush()
		}
	}, "")
	client.send("POST /.env HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
	res := client.opening("POST")
	for _, line := range []string{"one", "two"} {
		client.send("4\r\n" + line + "\n\r\n")
		echo := make([]byte, 4)
		if _, err := io.ReadFull(res.Body, echo); err != nil || string(echo) != line+"!" {
			t.Fatalf("got %q, %v", echo, err)
		}
	}
	client.send("0\r\n\r\n")
	if rest := all(t, res.Body); len(rest) != 0 {
		t.Errorf("got %q", rest)
	}
}

func TestALoopIsDetected(t *testing.T) {
	client := mirrored(t, func(http.ResponseWriter, *http.Request) { t.Error("mirrored again") }, "")
	client.send("GET /.env HTTP/1.1\r\nHost: a\r\nX-Guard-Proxied: 1\r\n\r\n")
	if status, _, body := client.answer("GET"); status != 508 || body != "508 Loop Detected\n" {
		t.Errorf("got %d %q", status, body)
	}
	client.send("CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n")
	if status, _, _ := client.answer("GET"); status != 403 {
		t.Errorf("CONNECT: got %d", status)
	}
}

func TestAMirroredResponseEndsInTimeAndWithItsClient(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}
	for name, leave := range map[string]bool{"in time": false, "with its client": true} {
		t.Run(name, func(t *testing.T) {
			more := `,"max_response_seconds":1`
			if leave {
				more = ""
			}
			client := mirrored(t, endless, more)
			client.begin("GET", "/.env")
			if HeldByMode()["proxy"] != 1 {
				t.Errorf("held: %v", HeldByMode())
			}
			if leave {
				client.conn.Close()
			}
			nothingIsHeld(t)
		})
	}
}
