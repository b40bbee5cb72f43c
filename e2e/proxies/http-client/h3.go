package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/quicvarint"
)

// Numbers of frames, streams and errors of HTTP/3 (RFC 9114).
const (
	frameData     = 0
	frameHeaders  = 1
	frameSettings = 4
	streamControl = 0
	noError       = 0x100
)

type http3Connection struct{ conn *quic.Conn }

func dialHTTP3(address string) (connection, error) {
	ctx, cancel := context.WithTimeout(context.Background(), exchangeTimeout)
	defer cancel()
	conn, err := quic.DialAddr(ctx, address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h3"}}, &quic.Config{})
	if err != nil {
		return nil, err
	}
	control, err := conn.OpenUniStream()
	if err != nil {
		return nil, err
	}
	// With empty settings, the server encodes headers without a dynamic table.
	if _, err := control.Write([]byte{streamControl, frameSettings, 0}); err != nil {
		return nil, err
	}
	go discardControl(conn)
	return &http3Connection{conn}, nil
}

func discardControl(conn *quic.Conn) {
	for {
		stream, err := conn.AcceptUniStream(conn.Context())
		if err != nil {
			return
		}
		go func() { _, _ = io.Copy(io.Discard, stream) }()
	}
}

func (c *http3Connection) close() { _ = c.conn.CloseWithError(noError, "") }

func (c *http3Connection) exchange(q *request) (*reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), exchangeTimeout)
	defer cancel()
	stream, err := c.conn.OpenStreamSync(ctx)
	if err != nil {
		return &reply{}, err
	}
	_ = stream.SetDeadline(time.Now().Add(exchangeTimeout))
	sent := make(chan struct{})
	go func() {
		// A write fails when the server responds early. The response then says more than this error.
		_, _ = stream.Write(frames(q))
		stream.Close()
		close(sent)
	}()
	answer, err := readReply(stream)
	if err != nil {
		stream.CancelWrite(noError)
	} else if stream.CancelRead(noError); len(answer.Fields) == 0 {
		err = errors.New("the stream ended without a response")
	}
	<-sent
	var reset *quic.StreamError
	if errors.As(err, &reset) {
		err = errReset{fmt.Sprintf("%#x", reset.ErrorCode)}
	}
	return answer, err
}

func frame(kind uint64, payload []byte) []byte {
	return append(quicvarint.Append(quicvarint.Append(nil, kind), uint64(len(payload))), payload...)
}

func frames(q *request) []byte {
	if len(q.Stream) > 0 {
		return q.Stream
	}
	var block bytes.Buffer
	encoder := qpack.NewEncoder(&block)
	for _, field := range q.Fields {
		_ = encoder.WriteField(qpack.HeaderField{Name: string(field[0]), Value: string(field[1])})
	}
	_ = encoder.Close()
	sent := frame(frameHeaders, block.Bytes())
	if len(q.Body) > 0 {
		sent = append(sent, frame(frameData, q.Body)...)
	}
	return sent
}

func readReply(stream *quic.Stream) (*reply, error) {
	answer := &reply{}
	reader := quicvarint.NewReader(stream)
	for {
		kind, err := quicvarint.Read(reader)
		if errors.Is(err, io.EOF) {
			return answer, nil
		}
		if err != nil {
			return answer, err
		}
		size, err := quicvarint.Read(reader)
		if err != nil {
			return answer, err
		}
		if size > largestReply || len(answer.Body) > largestReply {
			return answer, errors.New("the response is too long")
		}
		payload := make([]byte, size)
		if _, err := io.ReadFull(reader, payload); err != nil {
			return answer, err
		}
		if err := answer.addFrame(kind, payload); err != nil {
			return answer, err
		}
	}
}

func (r *reply) addFrame(kind uint64, payload []byte) error {
	if kind == frameData {
		r.Body = append(r.Body, payload...)
	}
	if kind != frameHeaders || len(r.Fields) > 0 {
		return nil
	}
	fields := [][2][]byte{}
	next := qpack.NewDecoder().Decode(payload)
	for {
		field, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		fields = append(fields, [2][]byte{[]byte(field.Name), []byte(field.Value)})
	}
	isInterim := len(fields) > 0 && fields[0][0][0] == ':' && bytes.HasPrefix(fields[0][1], []byte("1"))
	if !isInterim {
		r.Fields = fields
	}
	return nil
}
