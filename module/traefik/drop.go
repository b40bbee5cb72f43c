package traefik

import (
	"net/http"
)

// drop closes an HTTP/1 connection without sending a byte. Traefik cannot reset a stream of HTTP/2 or HTTP/3, which gets a 403.
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
