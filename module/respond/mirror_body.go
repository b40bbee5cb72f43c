package respond

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"

	"github.com/request-guard/guard/background"
)

// mirroredBody forwards a request body while the response is sent, and stops with the response. The transport gets a pipe, because
// it reads bodies in a goroutine that must not call interpreted code.
type mirroredBody struct {
	w        http.ResponseWriter
	body     io.ReadCloser
	reader   *io.PipeReader
	writer   *io.PipeWriter
	isEmpty  bool
	isShared bool        // the body is on the HTTP/1 connection of the response
	isRead   atomic.Bool // the whole body was read
	started  sync.Once
}

func newMirroredBody(w http.ResponseWriter, r *http.Request) *mirroredBody {
	reader, writer := io.Pipe()
	isEmpty := r.ContentLength == 0 || r.Body == nil
	return &mirroredBody{w: w, body: r.Body, reader: reader, writer: writer, isEmpty: isEmpty, isShared: respondsBeforeBody(w, r)}
}

// withTrace delays reading until the target is connected: a client that waits for 100 Continue sends no body to a dead target.
func (b *mirroredBody) withTrace(ctx context.Context) context.Context {
	if b.isEmpty {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(_ httptrace.GotConnInfo) {
		b.started.Do(func() {
			background.Go(b.pump)
			background.Go(func() { // ends the transport's read of the body, for which it would wait even after the deadline
				<-ctx.Done()
				b.stopReading()
			})
		})
	}})
}

const pumpBytes = 32 << 10

func (b *mirroredBody) pump() {
	buffer := make([]byte, pumpBytes)
	for {
		n, err := b.body.Read(buffer)
		if err == io.EOF {
			b.isRead.Store(true) // set before the target has received the last byte and responds
		}
		if n > 0 {
			if _, gone := b.writer.Write(buffer[:n]); gone != nil {
				return
			}
		}
		if err != nil {
			_ = b.writer.CloseWithError(err)
			return
		}
	}
}

// closeUnlessRead announces, before the head is sent, that the connection closes if the body was not read to its end.
func (b *mirroredBody) closeUnlessRead() {
	if b.isShared && !b.isRead.Load() {
		b.w.Header().Set("Connection", "close")
	}
}

// stopReading waits for a read in progress, because the server reuses the buffers of a connection after a panic.
func (b *mirroredBody) stopReading() {
	_ = b.reader.Close()
	if b.isShared && !b.isRead.Load() {
		_ = http.NewResponseController(b.w).SetReadDeadline(pastDeadline)
		_ = b.body.Close()
	}
}
