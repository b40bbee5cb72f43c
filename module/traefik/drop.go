package traefik

import (
	"net/http"
)

// drop closes the connection of an HTTP/1 request without sending a byte. Traefik offers plugins no reset of an HTTP/2
// or HTTP/3 stream; such a request gets an empty 403.
func drop(w http.ResponseWriter, _ *http.Request) {
	if t, ok := w.(*wire); ok {
		t.drop()
		return
	}
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusForbidden)
		return
	}
	_ = connection.Close()
}
