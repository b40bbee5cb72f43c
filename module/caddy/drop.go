package guard

import (
	"net/http"
	"time"
)

// drop sends no byte. It first stops reading, because the server would otherwise wait for a body that the client withholds.
func drop(w http.ResponseWriter, _ *http.Request) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0))
	panic(http.ErrAbortHandler)
}
