package respond

import (
	"io"
	"net/http"
	"strconv"
	"strings"
)

// referencePlaceholder is in pages, where a note replaces it, and in notes, where the reference replaces it.
const referencePlaceholder = "[[reference]]"

// send writes a response with a complete body. HEAD gets the same headers and no body (RFC 9110 9.3.2).
func (o *options) send(w http.ResponseWriter, r *http.Request, b *Blocked, contentType, body string) {
	o.setHead(w, contentType)
	if o.showsReference && b.Reference != "" {
		w.Header().Set(referenceHeader, b.Reference)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if !respondsBeforeBody(w, r) {
		o.write(w, r, body)
		return
	}
	if mustClose(r) {
		w.Header().Set("Connection", "close")
	}
	o.write(w, r, body)
	o.linger(w, r)
}

func (o *options) write(w http.ResponseWriter, r *http.Request, body string) {
	w.WriteHeader(o.response.StatusCode)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, body) // ignore the error: the client may have disconnected
	}
}

// setHead sets the headers of a response. Headers of the mode and blockedHeaders override those of the policy.
func (o *options) setHead(w http.ResponseWriter, contentType string) {
	h := w.Header()
	for name, value := range o.headers {
		h[name] = []string{value}
	}
	for name, value := range blockedHeaders {
		h[name] = []string{value}
	}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
}

func (o *options) setHeaders(headers map[string]string) {
	for name, value := range headers {
		o.headers[name] = value
	}
}

// noteWithReference returns the part of a page that has the reference: note with the reference, or "" without one.
func (o *options) noteWithReference(note string, b *Blocked) string {
	if !o.showsReference || b.Reference == "" {
		return ""
	}
	return strings.Replace(note, referencePlaceholder, b.Reference, 1)
}

// statusLine returns the status as text: "403 Forbidden".
func statusLine(status int) string {
	text, ok := statusNames[status]
	if !ok {
		text = unnamedStatus
	}
	return strconv.Itoa(status) + " " + text
}

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
