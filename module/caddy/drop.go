package guard

import (
	"net/http"
	"time"
)

// drop ends a request without sending a byte. On HTTP/1 the server closes the connection. It would first wait for a
// body that the client withholds, so reading ends now. On HTTP/2 and HTTP/3 the stream is reset.
func drop(w http.ResponseWriter, _ *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	panic(http.ErrAbortHandler)
}
