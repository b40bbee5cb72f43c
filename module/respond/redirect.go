package respond

import (
	"fmt"
	"net/http"
	"strings"
)

// redirectMode sends the scanner elsewhere, with an empty body.
func redirectMode(o *options) Answer {
	o.headers["Location"] = asciiURL(o.response.RedirectURL)
	return func(w http.ResponseWriter, r *http.Request, _ *Blocked) { o.send(w, r, "", "") }
}

// asciiURL percent-encodes what a header field must not carry: bytes beyond ASCII (RFC 3986 2.1).
func asciiURL(url string) string {
	var ascii strings.Builder
	for i := 0; i < len(url); i++ {
		if url[i] < 0x80 {
			ascii.WriteByte(url[i])
			continue
		}
		fmt.Fprintf(&ascii, "%%%02X", url[i])
	}
	return ascii.String()
}
