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

// mirroredBody passes a request body on while the answer is sent, and perhaps is not done when the answer is: to end it
// takes no time, whatever the client withholds. The transport gets a pipe, because it reads bodies in a goroutine of its
// own, which must not call what Traefik interprets.
type mirroredBody struct {
	w        http.ResponseWriter
	body     io.ReadCloser
	reader   *io.PipeReader
	writer   *io.PipeWriter
	isEmpty  bool
	isShared bool        // with an answer on the same connection of HTTP/1
	isRead   atomic.Bool // to its end
	started  sync.Once
}

func newMirroredBody(w http.ResponseWriter, r *http.Request) *mirroredBody {
	reader, writer := io.Pipe()
	isEmpty := r.ContentLength == 0 || r.Body == nil
	return &mirroredBody{w: w, body: r.Body, reader: reader, writer: writer, isEmpty: isEmpty, isShared: answersFirst(w, r)}
}

// traced gives a context for the transport in which the body is read from the client as soon as there is a connection to
// the target: a client that waits to be asked for its body (RFC 9110 10.1.1) is not asked for a dead target.
func (b *mirroredBody) traced(ctx context.Context) context.Context {
	if b.isEmpty {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(_ httptrace.GotConnInfo) {
		b.started.Do(func() {
			background.Go(b.pump)
			background.Go(func() { // the transport waits for what it reads, also when there is no more time
				<-ctx.Done()
				b.leave()
			})
		})
	}})
}

const pumpBytes = 32 << 10

// pump copies the body into the pipe.
func (b *mirroredBody) pump() {
	buffer := make([]byte, pumpBytes)
	for {
		n, err := b.body.Read(buffer)
		if err == io.EOF {
			b.isRead.Store(true) // before the target has the last byte and answers
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

// closeUnlessRead announces, before the head is sent, that a connection closes on which the rest of the body would come.
func (b *mirroredBody) closeUnlessRead() {
	if b.isShared && !b.isRead.Load() {
		b.w.Header().Set("Connection", "close")
	}
}

// leave ends the reading of a body that nobody wants any more. The server reuses the buffers of a connection after a panic,
// so that nothing may read from it then: Close waits for a read that is under way.
func (b *mirroredBody) leave() {
	_ = b.reader.Close()
	if b.isShared && !b.isRead.Load() {
		_ = http.NewResponseController(b.w).SetReadDeadline(passed)
		_ = b.body.Close()
	}
}
