package main

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
)

var mailbox = Upstream{
	Greeting: []byte("+OK\r\n"),
	Replies: []Reply{
		{When: []byte("USER a\r\n"), Send: []byte("+OK\r\n")},
		{When: []byte("PASS b\r\n"), Send: []byte("-ERR\r\n")},
	},
}

func TestUpstreamResponses(t *testing.T) {
	for _, test := range []struct {
		received, answer string
		isWhole          bool
	}{
		{"USER a\r\n", "+OK\r\n", true},
		{"PROXY TCP4 192.0.2.1\r\nPASS b\r\n", "-ERR\r\n", true},
		{"USER", "USER", false},
		{"NOOP\r\n", "NOOP\r\n", true},
	} {
		answer, isWhole := mailbox.answer([]byte(test.received))
		if string(answer) != test.answer || isWhole != test.isWhole {
			t.Errorf("%q: %q %v", test.received, answer, isWhole)
		}
	}
}

func TestUpstreamGreetsAndEchoesOverARealConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go serve(listener, make(chan struct{}, 1), mailbox.handler(nil))
	for range 2 { // the only slot is free again
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte("whatever it is"))
		_ = conn.(*net.TCPConn).CloseWrite()
		text, err := io.ReadAll(conn)
		conn.Close()
		if err != nil || string(text) != "+OK\r\nwhatever it is" {
			t.Errorf("%q, %v", text, err)
		}
	}
}

func TestSkipProxyHeader(t *testing.T) {
	for header, isHeader := range map[string]bool{
		"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n":             true,
		"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c123456789012": true,
		"\r\n\r\n\x00\r\nQUIT\n\x20\x00\x00\x00":             true,
		"GET / HTTP/1.1\r\n":                                 false,
		"short":                                              false,
	} {
		reader := bufio.NewReader(strings.NewReader(header + "rest"))
		err := skipProxyHeader(reader)
		if (err == nil) != isHeader {
			t.Errorf("%q: %v", header, err)
		}
		if rest, _ := io.ReadAll(reader); isHeader && string(rest) != "rest" {
			t.Errorf("%q leaves %q", header, rest)
		}
	}
}

func TestUpstreamUsesTLSAfterAProxyHeader(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	upstream := Upstream{TLS: true, TakesProxy: true}
	config, err := tlsConfig([]Upstream{upstream})
	if err != nil {
		t.Fatal(err)
	}
	go serve(listener, make(chan struct{}, 1), upstream.handler(config))
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n")
	client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10})
	_, _ = io.WriteString(client, "hello")
	got := make([]byte, 5)
	if _, err := io.ReadFull(client, got); err != nil || string(got) != "hello" {
		t.Fatalf("%q %v", got, err)
	}
}
