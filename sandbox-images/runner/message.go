package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var errTooLarge = errors.New("request is too large")

// framing is the information in a head about the end of its message.
type framing struct {
	length  int64
	chunked bool
	// close means that the connection closes after the response (RFC 9112 9.3).
	close          bool
	expectContinue bool
}

// readHead returns the bytes up to and including the empty line. It returns io.EOF only if there was no byte.
func readHead(r *bufio.Reader) ([]byte, error) {
	var head []byte
	for {
		line, err := r.ReadSlice('\n')
		head = append(head, line...)
		if len(head) > headBytes || errors.Is(err, bufio.ErrBufferFull) {
			return nil, errTooLarge
		}
		if errors.Is(err, io.EOF) && len(head) > 0 {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 && len(head) > 2 {
			return head, nil
		}
	}
}

// parseFraming reads only the version and the headers that framing needs.
func parseFraming(head []byte) (framing, error) {
	lines := strings.Split(string(head), "\n")
	result := framing{close: strings.HasSuffix(strings.TrimSpace(lines[0]), "HTTP/1.0")}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.ToLower(strings.TrimSpace(value))
		switch strings.ToLower(name) {
		case "content-length":
			length, err := strconv.ParseInt(value, 10, 64)
			if err != nil || length < 0 {
				return result, fmt.Errorf("bad Content-Length %q", value)
			}
			result.length = length
		case "transfer-encoding":
			result.chunked = strings.Contains(value, "chunked")
		case "connection":
			result.close = result.close || strings.Contains(value, "close")
		case "expect":
			result.expectContinue = value == "100-continue"
		}
	}
	return result, nil
}

// readBody appends the body to the head, including chunk framing and trailers.
func readBody(r *bufio.Reader, raw []byte, f framing) ([]byte, error) {
	if f.chunked {
		return readChunks(r, raw)
	}
	return readExactly(r, raw, f.length)
}

func readExactly(r *bufio.Reader, raw []byte, length int64) ([]byte, error) {
	if length > bodyBytes || int64(len(raw))+length > headBytes+bodyBytes {
		return nil, errTooLarge
	}
	start := len(raw)
	raw = append(raw, make([]byte, length)...)
	_, err := io.ReadFull(r, raw[start:])
	return raw, err
}

func readChunks(r *bufio.Reader, raw []byte) ([]byte, error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		raw = append(raw, line...)
		size, _, _ := strings.Cut(strings.TrimSpace(string(line)), ";")
		length, err := strconv.ParseUint(size, 16, 31)
		if err != nil {
			return nil, fmt.Errorf("bad chunk size %q", size)
		}
		if length == 0 {
			return readTrailers(r, raw)
		}
		if raw, err = readExactly(r, raw, int64(length)+2); err != nil {
			return nil, err
		}
	}
}

func readTrailers(r *bufio.Reader, raw []byte) ([]byte, error) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		raw = append(raw, line...)
		if len(raw) > headBytes+bodyBytes {
			return nil, errTooLarge
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			return raw, nil
		}
	}
}
