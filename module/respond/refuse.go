package respond

import (
	"net/http"
	"strconv"
)

// Refuse responds to a request that has no verdict. The guard writes this response itself, because the error handling of a proxy
// may forward the request without inspection.
func Refuse(w http.ResponseWriter, r *http.Request, status int) {
	h := w.Header()
	for name, value := range blockedHeaders {
		h.Set(name, value)
	}
	for name, value := range textHeaders {
		h.Set(name, value)
	}
	body := statusLine(status) + "\n"
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close")
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(body)) // ignore the error: the client may have disconnected
	}
}
