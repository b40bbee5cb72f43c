package respond

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// hold is one answer that takes its time. ctx ends with the time that the policy gives it, with the client, or with the
// host; whatever is being written then is cut off, so that nobody holds an answer open by not reading it.
type hold struct {
	w       http.ResponseWriter
	control *http.ResponseController
	ctx     context.Context
	cutOff  func(w http.ResponseWriter)
	leave   func() // gives back the place below the ceiling

	mu      sync.Mutex
	writing bool // what is under way may wait for the client
	over    bool
}

// holding serves a mode that holds requests open, each for at most so many seconds and all of them below the ceiling;
// past it the answer is that of mode text.
func (o *options) holding(seconds int, serve func(h *hold, r *http.Request, b *Blocked)) Answer {
	// A field, because the interpreter of Traefik takes a call of a local variable of this type for one of a generic function.
	past := struct{ answer Answer }{plain(o, http.StatusForbidden)}
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) {
		leave, ok := o.enter(b.Client)
		if !ok {
			past.answer(w, r, b)
			return
		}
		h, end := o.begin(w, r, time.Duration(seconds)*time.Second)
		h.leave = leave
		defer func() {
			end()
			h.leave()
		}()
		serve(h, r, b)
	}
}

// begin gives a hold of a request; end must be called before the handler returns.
func (o *options) begin(w http.ResponseWriter, r *http.Request, bound time.Duration) (h *hold, end func()) {
	ctx, cancel := context.WithTimeout(r.Context(), bound)
	h = &hold{w: w, control: http.NewResponseController(w), ctx: ctx, cutOff: o.host.Cut}
	if h.cutOff != nil {
		context.AfterFunc(ctx, h.cutSoon) //guard:compiled Traefik gives no Cut.
	}
	forget := func() bool { return true }
	if o.host.Stopping != nil {
		forget = context.AfterFunc(o.host.Stopping, cancel)
		if o.host.Stopping.Err() != nil {
			cancel() // before anything is sent
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

// passed is a deadline that has passed.
var passed = time.Unix(1, 0)

// cutEvery is how long an answer has to end by itself, and then how long after a cut the next one comes: a server may set
// a deadline of its own between two writes.
const cutEvery = 100 * time.Millisecond

func (h *hold) cutSoon() { time.AfterFunc(cutEvery, h.cut) } //guard:compiled Traefik gives no Cut.

// cut ends a write that goes on after its time.
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

// mayCut says whether what comes now may be cut off, and whether there is time for it.
func (h *hold) mayCut(writing bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.writing = writing
	return h.ctx.Err() == nil
}

// write sends bytes, and flush what was written; false: the answer is over.
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
	return err == nil || errors.Is(err, http.ErrNotSupported) // such a writer sends at once
}

// pause waits; false: the answer is over.
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

// open sends the head of an answer that is written bit by bit. What the client has not sent of its body is not read: the
// connection of HTTP/1 ends with the answer.
func (o *options) open(w http.ResponseWriter, r *http.Request, contentType string) {
	if answersFirst(w, r) {
		w.Header().Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(passed)
	}
	o.head(w, contentType)
	w.WriteHeader(o.response.StatusCode)
}
