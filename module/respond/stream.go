package respond

import (
	"math/rand"
	"net/http"
)

// noise is sent again and again, from another place in it for each request: longer than the window of gzip, so that it
// does not compress, and made once, since making it costs more than sending it.
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

// infiniteStreamMode sends bytes for which a scanner finds no use.
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
			if !h.write(noise[from : from+chunkBytes]) {
				o.host.Drop(h.w, r) // in the middle: half of it must not pass for the whole
				return
			}
		}
		h.flush()
	})
}
