package respond

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/request-guard/guard/limits"
)

// awaitsBody reports whether the server would first read an announced body, which a client may withhold.
func awaitsBody(r *http.Request) bool {
	return r.ProtoMajor == 1 && r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// respondsBeforeBody makes the server respond before it reads a body. It returns false if there is no body, or if the
// server cannot do so.
func respondsBeforeBody(w http.ResponseWriter, r *http.Request) bool {
	return awaitsBody(r) && http.NewResponseController(w).EnableFullDuplex() == nil
}

// mustClose reports whether the body is too long to read, or waits for 100 Continue (RFC 9110 10.1.1).
func mustClose(r *http.Request) bool {
	return r.ContentLength > limits.LingerBytes || r.Header.Get("Expect") != ""
}

const lingerTime = limits.LingerSeconds * time.Second

// linger sends the response and reads the body, so that the connection can be reused. A body that is too slow or too
// long ends the connection.
func (o *options) linger(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if control.Flush() != nil {
		return // the client disconnected
	}
	if r.Header.Get("Expect") != "" {
		_ = control.SetReadDeadline(pastDeadline)
		return
	}
	_ = control.SetReadDeadline(time.Now().Add(lingerTime))
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, limits.LingerBytes+1))
	if err == nil && n <= limits.LingerBytes {
		return
	}
	if mustClose(r) {
		_ = control.SetReadDeadline(pastDeadline)
		return
	}
	o.host.Drop(w, r)
}

// ratelimitMode responds like mode text, with Retry-After (RFC 9110 10.2.3, RFC 6585 4).
func ratelimitMode(o *options) Answer {
	o.headers["Retry-After"] = strconv.Itoa(o.response.RetryAfterSeconds)
	return textMode(o)
}

func redirectMode(o *options) Answer {
	o.headers["Location"] = o.response.RedirectURL
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) { o.send(w, r, b, "", "") }
}

func silentDropMode(o *options) Answer {
	return func(w http.ResponseWriter, r *http.Request, _ *Blocked) { o.host.Drop(w, r) }
}
