package respond

import (
	"math/rand"
	"net/http"
	"sync"
	"time"

	"github.com/request-guard/guard/limits"
)

// The noise is sent repeatedly. It is longer than the window of gzip, so that it does not compress.
const (
	noiseBytes = mebibyte
	noiseSeed  = 0x6775617264
	chunkBytes = 16 << 10
)

func newNoise() []byte {
	noise := make([]byte, noiseBytes)
	_, _ = rand.New(rand.NewSource(noiseSeed)).Read(noise) // never fails
	return noise
}

// infiniteStreamMode sends incompressible bytes. These responses and gzip bombs together are sent at the rate of streamPace.
func infiniteStreamMode(o *options) Answer {
	noise := newNoise()
	chunks := o.response.StreamSizeMB * (mebibyte / chunkBytes)
	return o.holdingResponder(o.response.MaxResponseSeconds, func(h *hold, r *http.Request, _ *Blocked) {
		o.open(h.w, r, o.response.ContentType)
		if r.Method == http.MethodHead {
			return
		}
		for i, at := 0, rand.Intn(noiseBytes/chunkBytes); i < chunks; i, at = i+1, at+1 {
			from := at * chunkBytes % noiseBytes
			if !h.writePaced(noise[from : from+chunkBytes]) {
				o.host.Drop(h.w, r) // aborts, so that the partial response does not look complete
				return
			}
		}
		h.flush()
	})
}

// writePaced writes bytes when streamPace grants them time. A client that leaves earlier gives its time back.
func (h *hold) writePaced(p []byte) bool {
	if !h.pause(streamPace.grant(len(p), time.Now())) {
		streamPace.giveBack(len(p))
		return false
	}
	return h.write(p)
}

// pace spreads the bytes of several responses over time. Responses get their time in the order of their calls of grant.
type pace struct {
	mu        sync.Mutex
	perSecond int
	free      time.Time // time at which all granted bytes have been sent
}

// streamPace bounds the rate of all policies together, like the ceiling of held requests.
var streamPace = &pace{perSecond: limits.StreamBytesPerSecond}

// grant reserves time for some bytes, and returns how long to wait before they are sent.
func (p *pace) grant(bytes int, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free.Before(now) {
		p.free = now
	}
	wait := p.free.Sub(now)
	p.free = p.free.Add(p.timeOf(bytes))
	return wait
}

// giveBack releases the time of granted bytes that are not sent.
func (p *pace) giveBack(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = p.free.Add(-p.timeOf(bytes))
}

func (p *pace) timeOf(bytes int) time.Duration {
	return time.Duration(bytes) * time.Second / time.Duration(p.perSecond)
}
