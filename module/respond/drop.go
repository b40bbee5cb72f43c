package respond

import "net/http"

// silentDropMode sends nothing at all; how a connection ends without an answer is the proxy's business.
func silentDropMode(o *options) Answer {
	return func(w http.ResponseWriter, r *http.Request, _ *Blocked) { o.host.Drop(w, r) }
}
