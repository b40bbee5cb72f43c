package respond

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/policy"
)

// patience is how long a test waits. Only a broken test reaches it.
const patience = 20 * time.Second

// until waits for a condition.
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
	for _, count := range Held() {
		total += count
	}
	return total
}

func nothingIsHeld(t *testing.T) {
	t.Helper()
	until(t, "nothing is held", func() bool { return heldNow() == 0 })
}

// holdingHost is a host that can stop.
func holdingHost(t *testing.T) (host Host, stop func()) {
	stopping, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	return Host{
		Stopping: stopping,
		Drop:     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		Cut:      func(w http.ResponseWriter) { _ = http.NewResponseController(w).SetWriteDeadline(passed) },
	}, stop
}

func heldSite(t *testing.T, response string) (answer Answer, stop func()) {
	t.Helper()
	host, stop := holdingHost(t)
	answer = New(resolved(t, response), []byte("a secret of the tests"), host)
	t.Cleanup(func() { stop(); nothingIsHeld(t) })
	return answer, stop
}

// begin sends a request and reads the head of the response.
func (w *wire) begin(method, target string) *http.Response {
	w.t.Helper()
	w.send(fmt.Sprintf("%s %s HTTP/1.1\r\nHost: example.com\r\n\r\n", method, target))
	return w.opening(method)
}

func (w *wire) opening(method string) *http.Response {
	w.t.Helper()
	_ = w.conn.SetReadDeadline(time.Now().Add(patience))
	res, err := http.ReadResponse(w.read, &http.Request{Method: method})
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

func all(t *testing.T, body io.Reader) []byte {
	t.Helper()
	got, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const quickTarpit = `{"mode":"tarpit","tarpit_delay_ms":10,"tarpit_max_duration_seconds":1}`
const longTarpit = `{"mode":"tarpit","tarpit_delay_ms":10,"tarpit_max_duration_seconds":3600`

func TestATarpitSendsByteByByteAndEnds(t *testing.T) {
	answer, _ := heldSite(t, quickTarpit)
	client := connect(t, answer)
	client.send("GET /.env HTTP/1.1\r\nHost: example.com\r\n\r\n")
	var head bytes.Buffer
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		line, err := client.read.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		head.WriteString(line)
	}
	for _, want := range []string{"HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Cache-Control: no-store\r\n", "Content-Type: text/plain; charset=utf-8\r\n"} {
		if !strings.Contains(head.String(), want) {
			t.Errorf("no %q in %q", want, head.String())
		}
	}
	if Held()["tarpit"] != 1 {
		t.Errorf("held: %v", Held())
	}
	bytesSent := 0
	for line := ""; line != "0\r\n"; {
		var err error
		if line, err = client.read.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if line == "1\r\n" {
			bytesSent++
		}
	}
	if rest := all(t, client.read); string(rest) != "\r\n" || bytesSent < 2 || bytesSent > 100 {
		t.Errorf("%d bytes, then %q", bytesSent, rest)
	}
}

// Further data of a client is not read, and does not prevent the end.
func TestATarpitOfAClientThatSendsMore(t *testing.T) {
	answer, stop := heldSite(t, longTarpit+`}`)
	client := connect(t, answer)
	client.begin("GET", "/.env")
	client.send("GET /.env HTTP/1.1\r\nHost: a\r\n\r\n")
	client.conn.Close()
	nothingIsHeld(t)
	client = client.again()
	res := client.begin("GET", "/.env")
	client.send("GET /.env HTTP/1.1\r\nHost: a\r\n\r\n")
	_, _ = io.ReadFull(res.Body, make([]byte, 3))
	stop()
	all(t, res.Body)
}

func TestATarpitOfHTTP10HasNoChunks(t *testing.T) {
	answer, _ := heldSite(t, quickTarpit)
	client := connect(t, answer)
	client.send("GET /.env HTTP/1.0\r\n\r\n")
	if body := all(t, client.opening("GET").Body); len(body) < 2 || strings.Trim(string(body), ".") != "" {
		t.Errorf("got %q", body)
	}
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

// A client that reads nothing is cut off at the time bound, and when the host stops.
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

func TestAStreamThatEndsBeforeItsSizeAborts(t *testing.T) {
	answer, stop := heldSite(t, `{"mode":"infinite_stream","stream_size_mb":102400,"max_response_seconds":3600}`)
	res := connect(t, answer).begin("GET", "/.env")
	_, _ = io.ReadFull(res.Body, make([]byte, 100_000))
	stop()
	if _, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Error("it looks complete")
	}
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
	c := &ceiling{byMode: map[string]int{}, byNetwork: map[string]int{}}
	steps := []struct {
		client   string
		max, per int
		ok       bool
	}{
		{"2001:db8::1", 9, 2, true}, {"2001:db8::2", 9, 2, true}, {"2001:db8:0:0:ffff::3", 9, 2, false},
		{"2001:db8:0:1::1", 9, 2, true}, {"192.0.2.1", 9, 1, true}, {"192.0.2.1", 9, 1, false}, {"192.0.2.2", 5, 1, true},
		{"192.0.2.3", 5, 1, false}, {"", 6, 1, true}, {"", 9, 1, false},
	}
	for _, s := range steps {
		if got := c.enter("tarpit", networkOf(s.client), s.max, s.per); got != s.ok {
			t.Errorf("%+v: got %v", s, got)
		}
	}
	for _, client := range []string{"2001:db8::9", "2001:db8::9", "2001:db8:0:1::9", "192.0.2.1", "192.0.2.2", ""} {
		c.leave("tarpit", networkOf(client))
	}
	if c.total != 0 || c.byMode["tarpit"] != 0 || len(c.byNetwork) != 0 {
		t.Errorf("left: %+v", c)
	}
}

func TestHeldNamesEveryModeThatHolds(t *testing.T) {
	for _, mode := range policy.Modes {
		if _, ok := Held()[mode.Name]; ok != mode.Holds {
			t.Errorf("%s: %v", mode.Name, ok)
		}
	}
}

func TestAGzipBombInflatesToItsSize(t *testing.T) {
	for _, size := range []int{1, 3, 10} {
		answer, _ := heldSite(t, fmt.Sprintf(`{"mode":"gzip_bomb","gzip_bomb_mb":%d}`, size))
		client := connect(t, answer)
		res := client.begin("GET", "/.env")
		sent := all(t, res.Body)
		if res.Header.Get("Content-Encoding") != "gzip" || res.ContentLength != int64(len(sent)) || len(sent) > size*2048 {
			t.Errorf("got %v, %d bytes", res.Header, len(sent))
		}
		reader, err := gzip.NewReader(bufio.NewReader(bytes.NewReader(sent)))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, reader); n != int64(size)<<20 || err != nil {
			t.Errorf("%d MiB: %d bytes, %v", size, n, err)
		}
		if got := client.begin("HEAD", "/.env").ContentLength; got != res.ContentLength {
			t.Errorf("HEAD says %d", got)
		}
	}
}

func TestAnInfiniteStreamHasItsSizeAndDoesNotCompress(t *testing.T) {
	answer, _ := heldSite(t, `{"mode":"infinite_stream","stream_size_mb":2}`)
	client := connect(t, answer)
	res := client.begin("GET", "/.env")
	got := all(t, res.Body)
	if len(got) != 2<<20 || res.ContentLength != -1 || res.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("%d bytes, %v", len(got), res.Header)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(got)
	w.Close()
	if packed.Len() < len(got) {
		t.Errorf("compresses to %d", packed.Len())
	}
	if len(all(t, client.begin("GET", "/.env").Body)) != 2<<20 {
		t.Error("the connection is not reused")
	}
}
