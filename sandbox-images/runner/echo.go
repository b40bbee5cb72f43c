package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// echo is the backend of a sandbox. It returns the exact bytes of a request, which net/http would show only parsed.
type echo struct {
	slots  chan struct{}
	bodies chan struct{}
}

func newEcho() *echo {
	return &echo{slots: make(chan struct{}, connections), bodies: make(chan struct{}, largeBodies)}
}

func (e *echo) connection(conn net.Conn) {
	reader := bufio.NewReaderSize(conn, lineBytes)
	for {
		_ = conn.SetDeadline(time.Now().Add(exchangeTimeout))
		last, err := e.exchange(conn, reader)
		if err != nil {
			refuse(conn, err)
		}
		if err != nil || last {
			return
		}
	}
}

// exchange responds to one request; last means that the connection closes after it.
func (e *echo) exchange(conn io.Writer, reader *bufio.Reader) (last bool, err error) {
	raw, err := readHead(reader)
	if err != nil {
		return true, err
	}
	method, _, _ := strings.Cut(string(raw[:min(len(raw), 64)]), " ")
	frame, err := parseFraming(raw)
	if err != nil {
		return true, err
	}
	last = frame.close || len(e.slots) > connections/2
	if frame.chunked || frame.length > 0 {
		e.bodies <- struct{}{}
		defer func() { <-e.bodies }()
		if raw, err = receiveBody(conn, reader, raw, frame); err != nil {
			return true, err
		}
	}
	return last, answer(conn, method, raw, last)
}

func receiveBody(conn io.Writer, reader *bufio.Reader, raw []byte, frame framing) ([]byte, error) {
	if frame.expectContinue {
		if _, err := io.WriteString(conn, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return nil, err
		}
	}
	return readBody(reader, raw, frame)
}

// answer sends plain text without sniffing, so that a browser does not run content that the response reflects.
func answer(conn io.Writer, method string, raw []byte, last bool) error {
	ending := ""
	if last {
		ending = "Connection: close\r\n"
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\n"+
		"Content-Length: %d\r\n%s\r\n", len(raw), ending)
	parts := net.Buffers{[]byte(head)}
	if method != "HEAD" {
		parts = append(parts, raw)
	}
	_, err := parts.WriteTo(conn)
	return err
}

// refuse responds to a malformed request. It sends no response when the peer has disconnected.
func refuse(conn io.Writer, err error) {
	var network net.Error
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network) {
		return
	}
	status := "400 Bad Request"
	if errors.Is(err, errTooLarge) {
		status = "413 Content Too Large"
	}
	text := err.Error() + "\n"
	fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		status, len(text), text)
}
