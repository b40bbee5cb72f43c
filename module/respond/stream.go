package respond

import (
	"math/rand"
	"net/http"
	"time"
)

// noise is sent repeatedly, from a different offset for each request. It is longer than the window of gzip, so that it
// does not compress. It is made once, because making it costs more than sending it.
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

// infiniteStreamMode sends incompressible bytes, together with all other such responses at the rate of streamPace.
func infiniteStreamMode(o *options) Answer {
	noise := newNoise()
	chunks := o.response.StreamSizeMB * (mebibyte / chunkBytes)
	return o.holding(o.response.MaxResponseSeconds, func(h *hold, r *http.Request, _ *Blocked) {
		o.open(h.w, r, o.response.ContentType)
		if r.Method == http.MethodHead {
			return
		}
		for i, at := 0, rand.Intn(noiseBytes/chunkBytes); i < chunks; i, at = i+1, at+1 {
			from := at * chunkBytes % noiseBytes
			if !h.paced(noise[from : from+chunkBytes]) {
				o.host.Drop(h.w, r) // aborts: a part must not look complete
				return
			}
		}
		h.flush()
	})
}

// paced writes bytes when streamPace has time for them. A client that leaves before does not use up that time, so that
// short requests delay no other stream.
func (h *hold) paced(p []byte) bool {
	if !h.pause(streamPace.grant(len(p), time.Now())) {
		streamPace.giveBack(len(p))
		return false
	}
	return h.write(p)
}
