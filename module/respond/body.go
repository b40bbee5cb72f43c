package respond

import (
	"io"
	"net/http"
	"time"

	"github.com/request-guard/guard/limits"
)

// awaitsBody says whether the request announces a body on a connection of HTTP/1. The server would read it before it
// sends an answer, and so would wait for a client that withholds it.
func awaitsBody(r *http.Request) bool {
	return r.ProtoMajor == 1 && r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// answersFirst has the server send the answer before it reads a body that the request announces. false: it announces
// none, or the server cannot.
func answersFirst(w http.ResponseWriter, r *http.Request) bool {
	return awaitsBody(r) && http.NewResponseController(w).EnableFullDuplex() == nil
}

// closesAfter says whether the rest of the body is more than is worth reading, or is not sent before it is asked for
// (RFC 9110 10.1.1). The answer then says that the connection closes.
func closesAfter(r *http.Request) bool {
	return r.ContentLength > limits.LingerBytes || r.Header.Get("Expect") != ""
}

const lingering = limits.LingerSeconds * time.Second

// linger sends what was written and reads what is left of the body: a connection that a client goes on with must stand
// before the next request. Where the body does not end in time, the connection closes.
func (o *options) linger(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if control.Flush() != nil {
		return // the client is gone
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
