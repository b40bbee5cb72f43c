package guard

import (
	"net/http"
	"time"
)

// drop ends a request without sending a byte. On HTTP/1 it closes the connection. It stops reading first, because the
// server would otherwise wait for a body that the client withholds. On HTTP/2 and HTTP/3 it resets the stream.
func drop(w http.ResponseWriter, _ *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	panic(http.ErrAbortHandler)
}
