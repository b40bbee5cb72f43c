package respond

import "net/http"

// redirectMode redirects, with an empty body.
func redirectMode(o *options) Answer {
	o.headers["Location"] = o.response.RedirectURL
	return func(w http.ResponseWriter, r *http.Request, b *Blocked) { o.send(w, r, b, "", "") }
}
