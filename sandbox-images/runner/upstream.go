package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"
)

// Upstream follows a script: enough of a protocol to greet and to fail a login. It echoes other input.
type Upstream struct {
	Listen string `json:"listen"`
	// TakesProxy means that every connection must begin with a PROXY header, which is skipped.
	TakesProxy bool `json:"takesProxy,omitempty"`
	// TLS means that every connection begins with a handshake. The certificate is created at start.
	TLS bool `json:"tls,omitempty"`
	// Greeting is sent before the client sends anything.
	Greeting []byte  `json:"greeting,omitempty"`
	Replies  []Reply `json:"replies,omitempty"`
}

// Reply is sent when the client sends the text in When. The first matching reply counts.
type Reply struct {
	When []byte `json:"when"`
	Send []byte `json:"send"`
}

func openUpstreams(upstreams []Upstream) error {
	secure, err := tlsConfig(upstreams)
	if err != nil {
		return err
	}
	slots := make(chan struct{}, connections)
	for _, upstream := range upstreams {
		if err := listen(upstream.Listen, slots, upstream.handler(secure)); err != nil {
			return err
		}
	}
	return nil
}

func (u Upstream) handler(secure *tls.Config) func(net.Conn) {
	return func(conn net.Conn) {
		_ = conn.SetDeadline(time.Now().Add(exchangeTimeout))
		reader := bufio.NewReader(conn)
		if u.TakesProxy && skipProxyHeader(reader) != nil {
			return
		}
		u.connection(u.secured(conn, reader, secure))
	}
}

// connection responds until the client has closed its side. It then writes the last response before it returns.
func (u Upstream) connection(conn net.Conn, reader io.Reader) {
	if _, err := conn.Write(u.Greeting); err != nil {
		return
	}
	buffer := make([]byte, lineBytes)
	held := 0
	for {
		_ = conn.SetDeadline(time.Now().Add(exchangeTimeout))
		count, err := reader.Read(buffer[held:])
		held += count
		answer, isWhole := u.answer(buffer[:held])
		if isWhole || held == len(buffer) || err != nil {
			if _, failed := conn.Write(answer); failed != nil {
				return
			}
			held = 0
		}
		if err != nil {
			return
		}
	}
}

// answer returns the response to received bytes. isWhole is false when the bytes can be the start of a line of the
// script.
func (u Upstream) answer(received []byte) (answer []byte, isWhole bool) {
	isStart := false
	for _, reply := range u.Replies {
		if bytes.Contains(received, reply.When) {
			return reply.Send, true
		}
		isStart = isStart || bytes.HasPrefix(reply.When, received)
	}
	return received, !isStart
}

var (
	proxyTextStart   = []byte("PROXY ")
	proxyBinaryStart = []byte("\r\n\r\n\x00\r\nQUIT\n")
	errNoProxyHeader = errors.New("no PROXY header")
)

// skipProxyHeader reads a PROXY header of version 1 or 2, and nothing after it.
func skipProxyHeader(reader *bufio.Reader) error {
	start, err := reader.Peek(len(proxyBinaryStart))
	switch {
	case err != nil:
		return err
	case bytes.HasPrefix(start, proxyTextStart):
		_, err = reader.ReadSlice('\n')
		return err
	case !bytes.Equal(start, proxyBinaryStart):
		return errNoProxyHeader
	}
	head, err := reader.Peek(len(start) + 4)
	if err != nil {
		return err
	}
	_, err = reader.Discard(len(head) + int(binary.BigEndian.Uint16(head[len(head)-2:])))
	return err
}
