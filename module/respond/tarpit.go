package respond

import (
	"net/http"
	"time"
)

// tarpitMode sends a byte at intervals. The first comes with the head, which a handler that encodes responses may hold back.
func tarpitMode(o *options) Answer {
	delay := time.Duration(o.response.TarpitDelayMS) * time.Millisecond
	bound := time.Duration(o.response.TarpitMaxDurationSeconds) * time.Second
	one := []byte(tarpitByte)
	return o.holdingResponder(o.response.TarpitMaxDurationSeconds, func(h *hold, r *http.Request, _ *Blocked) {
		end := time.Now().Add(bound)
		if r.Method == http.MethodHead {
			if h.pause(delay) {
				o.open(h.w, r, o.response.ContentType)
			}
			return
		}
		if r.ProtoMajor == 1 {
			h.w.Header().Set("Connection", "close")
		}
		o.open(h.w, r, o.response.ContentType)
		if !h.write(one) || !h.flush() || o.dripDetached(h, r, delay, end) {
			return
		}
		for h.pause(delay) && h.write(one) && h.flush() {
		}
	})
}
