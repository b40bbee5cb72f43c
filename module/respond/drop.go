package respond

import "net/http"

// silentDropMode sends nothing. The host ends the connection.
func silentDropMode(o *options) Answer {
	return func(w http.ResponseWriter, r *http.Request, _ *Blocked) { o.host.Drop(w, r) }
}
