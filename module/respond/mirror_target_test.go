package respond

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
)

// badTargets respond in ways that a client must not receive.
var badTargets = map[string]struct {
	answer string
	more   string
	status int
}{
	"closes":             {"", "", 502},
	"is not HTTP":        {"SSH-2.0-x\r\n", "", 502},
	"has no end of head": {"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 70_000), "", 502},
	"changes protocol":   {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "", 502},
	"sends status 000":   {"HTTP/1.1 000 None\r\nContent-Length: 2\r\n\r\nhi", "", 502},
	"sends status 099":   {"HTTP/1.1 099 None\r\nContent-Length: 2\r\n\r\nhi", "", 502},
	"has no final head":  {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 3000) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "", 502},
	"says nothing":       {"wait", `,"max_response_seconds":1`, 504},
}

func TestABadTarget(t *testing.T) {
	for name, c := range badTargets {
		t.Run(name, func(t *testing.T) {
			client := mirroredTo(t, "http://"+speaker(t, c.answer), c.more)
			for range 2 {
				client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
				status, header, body := client.answer("POST")
				if status != c.status || body != statusLine(c.status)+"\n" || header.Get("Cache-Control") != "no-store" {
					t.Errorf("got %d %v %q", status, header, body)
				}
				client = client.again()
			}
		})
	}
}

// speaker starts a server that sends some bytes on every connection and closes it. With "wait" it sends nothing until
// the end of the test.
func speaker(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { close(done); listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if answer == "wait" {
					<-done
					return
				}
				_, _ = conn.Read(make([]byte, 1024))
				_, _ = io.WriteString(conn, answer)
			}()
		}
	}()
	return listener.Addr().String()
}

// reportsOf returns the reports of the guard about a target that fails twice.
func reportsOf(t *testing.T, address string) (reports []string) {
	t.Helper()
	host, _ := holdingHost(t)
	host.Report = func(message string) { reports = append(reports, message) }
	client := connect(t, New(resolved(t, fmt.Sprintf(`{"mode":"proxy","proxy_url":"http://%s"}`, address)), nil, host))
	for range 2 {
		if status, _, _ := client.request("GET", "/.env"); status != 502 {
			t.Errorf("got %d", status)
		}
	}
	return reports
}

func TestAnUnreachableTarget(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	if reports := reportsOf(t, listener.Addr().String()); len(reports) != 1 || !strings.Contains(reports[0], listener.Addr().String()) {
		t.Errorf("reports: %q", reports)
	}
}

func TestATargetWithoutAFinalStatusIsReportedOnce(t *testing.T) {
	address := speaker(t, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
	if reports := reportsOf(t, address); len(reports) != 1 || !strings.Contains(reports[0], "status 101") {
		t.Errorf("reports: %q", reports)
	}
}

func TestAStatusWithoutAMeaningIsMirrored(t *testing.T) {
	for _, want := range []int{600, 999} {
		client := mirroredTo(t, "http://"+speaker(t, fmt.Sprintf("HTTP/1.1 %d Odd\r\nContent-Length: 2\r\n\r\nhi", want)), "")
		if status, _, body := client.request("GET", "/.env"); status != want || body != "hi" {
			t.Errorf("got %d %q", status, body)
		}
	}
}

// A client that withholds its body waits for the target only until the time limit.
func TestAWithheldBodyDoesNotHoldAMirrorLonger(t *testing.T) {
	for _, answer := range []string{"", "wait"} {
		client := mirroredTo(t, "http://"+speaker(t, answer), `,"max_response_seconds":1`)
		client.send("POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
		res := client.opening("POST")
		if body := all(t, res.Body); res.StatusCode != 504 || string(body) != "504 Gateway Timeout\n" || !res.Close {
			t.Errorf("%q: got %s %q", answer, res.Status, body)
		}
	}
}

func TestABrokenResponseDoesNotLookComplete(t *testing.T) {
	for name, head := range map[string]string{
		"length": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
		"chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			res := mirroredTo(t, "http://"+speaker(t, head), "").begin("GET", "/.env")
			if got, err := io.ReadAll(res.Body); string(got) != "half" || err == nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
