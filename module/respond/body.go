package respond

import (
	"io"
	"net/http"
	"time"

	"github.com/request-guard/guard/limits"
)

// awaitsBody reports whether the request announces a body on an HTTP/1 connection. The server would read the body
// before it sends a response, and would wait for a client that withholds it.
func awaitsBody(r *http.Request) bool {
	return r.ProtoMajor == 1 && r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// answersFirst makes the server send the response before it reads a body that the request announces. It returns false
// where there is no body, or where the server cannot do this.
func answersFirst(w http.ResponseWriter, r *http.Request) bool {
	return awaitsBody(r) && http.NewResponseController(w).EnableFullDuplex() == nil
}

// closesAfter reports whether the remaining body is too long to read, or is not sent before the client is asked for it
// (RFC 9110 10.1.1). The response then announces that the connection closes.
func closesAfter(r *http.Request) bool {
	return r.ContentLength > limits.LingerBytes || r.Header.Get("Expect") != ""
}

const lingering = limits.LingerSeconds * time.Second

// linger sends what was written and reads the remaining body, so that the connection can be reused. Where the body
// does not end in time, the connection closes.
func (o *options) linger(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if control.Flush() != nil {
		return // the client disconnected
	}
	if r.Header.Get("Expect") != "" {
		_ = control.SetReadDeadline(passed)
		return
	}
	_ = control.SetReadDeadline(time.Now().Add(lingering))
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, limits.LingerBytes+1))
	if err == nil && n <= limits.LingerBytes {
		return
	}
	if closesAfter(r) {
		_ = control.SetReadDeadline(passed)
		return
	}
	o.host.Drop(w, r)
}
