package guard

import (
	"net/http"
	"time"
)

// drop ends a request with no byte sent. On HTTP/1 the server closes the connection; it would first wait for a body that
// the client withholds, so reading ends now. On HTTP/2 and 3 the stream is reset.
func drop(w http.ResponseWriter, _ *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	panic(http.ErrAbortHandler)
}
