package main

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

const (
	defaultWindow = 65_535
	largeWindow   = 1 << 30
	frameBytes    = 16_384
)

type errReset struct{ code string }

func (e errReset) Error() string { return "the server has reset the stream: " + e.code }

func isReset(err error) bool { return errors.As(err, new(errReset)) }

type http2Connection struct {
	conn    net.Conn
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
	stream  uint32
	// Bytes that the server still accepts on the connection, and at first on each stream.
	window, streamWindow int64
	isLast               bool // no further request: the server has announced the end, or the last body was not sent whole
}

func dialHTTP2(address string, isTLS bool) (connection, error) {
	dialer := &net.Dialer{Timeout: exchangeTimeout}
	var conn net.Conn
	var err error
	if isTLS {
		conn, err = tls.DialWithDialer(dialer, "tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	} else {
		conn, err = dialer.Dial("tcp", address)
	}
	if err != nil {
		return nil, err
	}
	c := &http2Connection{conn: conn, window: defaultWindow, streamWindow: defaultWindow}
	c.encoder = hpack.NewEncoder(&c.block)
	c.framer = http2.NewFramer(conn, conn)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if _, err := conn.Write([]byte(http2.ClientPreface)); err != nil {
		return nil, err
	}
	settings := []http2.Setting{{ID: http2.SettingEnablePush, Val: 0}, {ID: http2.SettingInitialWindowSize, Val: largeWindow}}
	return c, errors.Join(c.framer.WriteSettings(settings...), c.framer.WriteWindowUpdate(0, largeWindow))
}

func (c *http2Connection) close() { c.conn.Close() }

// exchanging is the only active request on the connection.
type exchanging struct {
	*http2Connection
	q       *request
	answer  *reply
	unsent  []byte
	window  int64 // of the stream
	isWhole bool
}

func (c *http2Connection) exchange(q *request) (*reply, error) {
	_ = c.conn.SetDeadline(time.Now().Add(exchangeTimeout))
	if c.isLast {
		return &reply{}, errors.New("the server has announced the end of the connection")
	}
	c.stream += 2
	if c.stream == 2 {
		c.stream = 1
	}
	e := &exchanging{http2Connection: c, q: q, answer: &reply{}, unsent: q.Body, window: c.streamWindow}
	if err := e.writeHead(); err != nil {
		return e.answer, err
	}
	for !e.isWhole {
		if err := errors.Join(e.writeBody(), e.readFrame()); err != nil {
			return e.answer, err
		}
	}
	if len(e.unsent) > 0 { // the response arrived before the whole body was sent
		c.isLast = true
		_ = c.framer.WriteRSTStream(c.stream, http2.ErrCodeNo)
	}
	return e.answer, nil
}

func (e *exchanging) writeHead() error {
	e.block.Reset()
	for _, field := range e.q.Fields {
		_ = e.encoder.WriteField(hpack.HeaderField{Name: string(field[0]), Value: string(field[1])})
	}
	block := e.block.Bytes()
	first := block[:min(len(block), frameBytes)]
	err := e.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: e.stream, BlockFragment: first, EndStream: !e.q.HasBody, EndHeaders: len(first) == len(block),
	})
	for block = block[len(first):]; err == nil && len(block) > 0; {
		part := block[:min(len(block), frameBytes)]
		block = block[len(part):]
		err = e.framer.WriteContinuation(e.stream, len(block) == 0, part)
	}
	if err == nil && e.q.HasBody && len(e.unsent) == 0 {
		err = e.framer.WriteData(e.stream, true, nil)
	}
	return err
}

func (e *exchanging) writeBody() error {
	for len(e.unsent) > 0 {
		size := min(int64(len(e.unsent)), frameBytes, e.window, e.http2Connection.window)
		if size <= 0 {
			return nil
		}
		part := e.unsent[:size]
		e.unsent = e.unsent[size:]
		e.window -= size
		e.http2Connection.window -= size
		if err := e.framer.WriteData(e.stream, len(e.unsent) == 0, part); err != nil {
			return err
		}
	}
	return nil
}

func (e *exchanging) readFrame() error {
	frame, err := e.framer.ReadFrame()
	if err != nil {
		return err
	}
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		return e.applySettings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return e.framer.WritePing(true, f.Data)
		}
	case *http2.WindowUpdateFrame:
		if f.StreamID == 0 {
			e.http2Connection.window += int64(f.Increment)
		} else if f.StreamID == e.stream {
			e.window += int64(f.Increment)
		}
	case *http2.GoAwayFrame:
		e.isLast = true
		if f.LastStreamID < e.stream || f.ErrCode != http2.ErrCodeNo {
			return fmt.Errorf("the server has closed the connection: %s", f.ErrCode)
		}
	case *http2.RSTStreamFrame:
		if f.StreamID == e.stream {
			return errReset{f.ErrCode.String()}
		}
	case *http2.MetaHeadersFrame:
		e.addHead(f)
	case *http2.DataFrame:
		return e.addBody(f)
	}
	return nil
}

func (e *exchanging) applySettings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if size, ok := f.Value(http2.SettingInitialWindowSize); ok {
		e.window += int64(size) - e.streamWindow
		e.streamWindow = int64(size)
	}
	return e.framer.WriteSettingsAck()
}

func (e *exchanging) addHead(f *http2.MetaHeadersFrame) {
	if f.StreamID != e.stream || len(e.answer.Fields) > 0 {
		return
	}
	if status := f.PseudoValue("status"); len(status) == 3 && status[0] == '1' {
		return
	}
	for _, field := range f.Fields {
		e.answer.Fields = append(e.answer.Fields, [2][]byte{[]byte(field.Name), []byte(field.Value)})
	}
	e.isWhole = f.StreamEnded()
}

func (e *exchanging) addBody(f *http2.DataFrame) error {
	if size := uint32(len(f.Data())); size > 0 && f.StreamID == e.stream {
		e.answer.Body = append(e.answer.Body, f.Data()...)
		if len(e.answer.Body) > largestReply {
			return errors.New("the response is too long")
		}
		if err := e.framer.WriteWindowUpdate(0, size); err != nil {
			return err
		}
	}
	e.isWhole = f.StreamID == e.stream && f.StreamEnded()
	return nil
}
