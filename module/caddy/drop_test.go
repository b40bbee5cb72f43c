package guard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// patience is how long a test waits for an immediate result. Caddy itself waits a minute for a withheld body.
const patience = 20 * time.Second

func TestSilentDropSendsNothing(t *testing.T) {
	site := start(t, `"methods": ["*"], "response": {"mode": "silent_drop"}`)
	for name, request := range map[string]string{
		"GET":                     "GET /.env HTTP/1.1\r\nHost: a\r\n\r\n",
		"HEAD":                    "HEAD /.env HTTP/1.1\r\nHost: a\r\n\r\n",
		"HTTP/1.0":                "GET /.env HTTP/1.0\r\n\r\n",
		"POST with withheld body": "POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
		"POST with half a chunk":  "POST /.env HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"POST that waits":         "POST /.env HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n",
		"pipelined":               "GET /.env HTTP/1.1\r\nHost: a\r\n\r\nGET /.env HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			client := site.connect()
			client.send(request)
			client.expectEnd(t)
		})
	}
}

// expectEnd expects the end of the connection without a byte before it. If the server has not read all bytes of the
// test, the end can be a reset.
func (w *wire) expectEnd(t *testing.T) {
	t.Helper()
	_ = w.conn.SetReadDeadline(time.Now().Add(patience))
	got, err := io.ReadAll(w.read)
	var timeout net.Error
	if len(got) != 0 || errors.As(err, &timeout) && timeout.Timeout() {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSilentDropAfterAnAllowedRequest(t *testing.T) {
	client := start(t, `"response": {"mode": "silent_drop"}`).connect()
	client.expect("/clean", 200, "GET /clean ")
	client.send("GET /.env HTTP/1.1\r\nHost: a\r\n\r\n")
	client.expectEnd(t)
}

// On HTTP/2 only the stream ends; the connection stays open.
func TestSilentDropResetsAStream(t *testing.T) {
	site := start(t, `"response": {"mode": "silent_drop"}`)
	dialled := 0
	transport := &http.Transport{Protocols: new(http.Protocols), DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		dialled++
		return new(net.Dialer).DialContext(ctx, network, site.address)
	}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: patience}
	for range 3 {
		if res, err := client.Get("http://example.com/.env"); err == nil {
			t.Errorf("got %s", res.Status)
		}
		res, err := client.Get("http://example.com/clean")
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(res.Body); res.ProtoMajor != 2 || string(body) != "GET /clean " {
			t.Errorf("got %s %q", res.Proto, body)
		}
		res.Body.Close()
	}
	if dialled != 1 {
		t.Errorf("%d connections", dialled)
	}
}
