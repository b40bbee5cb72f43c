package respond

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

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
	if HeldByMode()["tarpit"] != 1 {
		t.Errorf("held: %v", HeldByMode())
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

// A client that sends more data does not keep a tarpit from ending.
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
