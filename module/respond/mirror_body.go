package respond

import (
	"io"
	"net/http"
	"sync/atomic"
)

// mirroredBody is a request body that is read while the answer is sent, perhaps by a goroutine that is not done when the
// answer is: closing it does not wait for what the client withholds.
type mirroredBody struct {
	w        http.ResponseWriter
	body     io.Reader
	isShared bool        // with an answer on the same connection of HTTP/1
	isRead   atomic.Bool // to its end
	isClosed atomic.Bool
}

func newMirroredBody(w http.ResponseWriter, r *http.Request) *mirroredBody {
	return &mirroredBody{w: w, body: r.Body, isShared: answersFirst(w, r)}
}

func (b *mirroredBody) Read(p []byte) (int, error) {
	if b.isClosed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.body.Read(p)
	if err == io.EOF {
		b.isRead.Store(true)
	}
	return n, err
}

func (b *mirroredBody) Close() error {
	b.isClosed.Store(true)
	return nil
}

// closeUnlessRead announces, before the head is sent, that a connection closes on which the rest of the body would come.
func (b *mirroredBody) closeUnlessRead() {
	if b.isShared && !b.isRead.Load() {
		b.w.Header().Set("Connection", "close")
	}
}

// leave ends the reading of a body that nobody wants any more.
func (b *mirroredBody) leave() {
	b.isClosed.Store(true)
	if b.isShared && !b.isRead.Load() {
		_ = http.NewResponseController(b.w).SetReadDeadline(passed)
	}
}
