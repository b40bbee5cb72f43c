package traefik

import (
	"net/http"
)

// drop closes the connection of an HTTP/1 request with no byte sent. Traefik gives a plugin no way to reset a stream of
// HTTP/2 or 3: there the answer is an empty 403.
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
