package respond

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// hold is one response that is held open. ctx ends when the time is over, the client leaves or the host stops, also during a write.
type hold struct {
	w       http.ResponseWriter
	control *http.ResponseController
	ctx     context.Context
	cutOff  func(w http.ResponseWriter)
	leave   func() // decrements the counts of the ceiling

	mu      sync.Mutex
	writing bool // the current operation may wait for the client
	over    bool
}

// holdingResponder holds each request for at most this many seconds. At the ceiling it responds like mode text.
func (o *options) holdingResponder(seconds int, serve func(h *hold, r *http.Request, b *Blocked)) Answer {
	// A struct field: Traefik's interpreter mistakes the call of a local variable of this type for a generic function.
	past := struct{ answer Answer }{statusResponder(o, http.StatusForbidden)}
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		leave, ok := o.enterCeiling(b.Client)
		if !ok {
			past.answer(w, r, b)
			return
		}
		h, end := o.beginHold(w, r, time.Duration(seconds)*time.Second)
		h.leave = leave
		defer func() {
			end()
			h.leave()
		}()
		serve(h, r, b)
	}
}

// beginHold starts a hold; the caller must call end before the handler returns.
func (o *options) beginHold(w http.ResponseWriter, r *http.Request, bound time.Duration) (h *hold, end func()) {
	ctx, cancel := context.WithTimeout(r.Context(), bound)
	h = &hold{w: w, control: http.NewResponseController(w), ctx: ctx, cutOff: o.host.Cut}
	if h.cutOff != nil {
		context.AfterFunc(ctx, h.cutSoon) //guard:compiled Traefik gives no Cut.
	}
	forget := func() bool { return true }
	if o.host.Stopping != nil {
		forget = context.AfterFunc(o.host.Stopping, cancel)
		if o.host.Stopping.Err() != nil {
			cancel() // ends the hold before it sends a byte; AfterFunc would cancel later, in a goroutine
		}
	}
	return h, func() {
		h.mu.Lock()
		h.over = true
		h.mu.Unlock()
		forget()
		cancel()
	}
}

var pastDeadline = time.Unix(1, 0)

// cutEvery is the interval of cuts. They repeat, because a server may set its deadline between two writes.
const cutEvery = 100 * time.Millisecond

func (h *hold) cutSoon() { time.AfterFunc(cutEvery, h.cut) } //guard:compiled Traefik gives no Cut.

// cut ends a write that continues after its time.
func (h *hold) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	if h.writing {
		h.cutOff(h.w)
	}
	h.cutSoon()
}

// mayCut sets whether the next operation may be cut, and reports whether time remains for it.
func (h *hold) mayCut(writing bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writing = writing
	return h.ctx.Err() == nil
}

// write writes bytes to the client. Like flush and pause, it returns false when the response is over.
func (h *hold) write(p []byte) bool {
	if !h.mayCut(true) {
		return false
	}
	defer h.mayCut(false)
	_, err := h.w.Write(p)
	return err == nil
}

func (h *hold) flush() bool {
	if !h.mayCut(true) {
		return false
	}
	defer h.mayCut(false)
	err := h.control.Flush()
	return err == nil || errors.Is(err, http.ErrNotSupported) // a writer that supports no Flush does not buffer
}

func (h *hold) pause(delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-h.ctx.Done():
		return false
	}
}

// open sends the head of a response whose body follows in pieces. It does not read a body of the request, so an
// HTTP/1 connection with such a body ends with the response.
func (o *options) open(w http.ResponseWriter, r *http.Request, contentType string) {
	if respondsBeforeBody(w, r) {
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(pastDeadline)
	}
	o.setHead(w, contentType)
	w.WriteHeader(o.response.StatusCode)
}
