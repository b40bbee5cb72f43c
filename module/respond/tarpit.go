package respond

import (
	"net/http"
	"time"
)

// tarpitMode keeps a scanner waiting: a byte now and then, each sent on its own.
func tarpitMode(o *options) Answer {
	delay := time.Duration(o.response.TarpitDelayMS) * time.Millisecond
	one := []byte(tarpitByte)
	return o.holding(o.response.TarpitMaxDurationSeconds, func(h *hold, r *http.Request, _ *Blocked) {
		isHead := r.Method == http.MethodHead
		if isHead && !h.pause(delay) {
			return
		}
		o.open(h.w, r, o.response.ContentType)
		for !isHead && h.flush() && h.pause(delay) && h.write(one) {
		}
	})
}
