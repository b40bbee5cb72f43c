package respond

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
)

// statusClientGone is the status that nginx, Caddy and Traefik log for a client that disconnected.
const statusClientGone = 499

// BrokenBody returns the status for a request whose body cannot be read. Such a request is not passed on.
func BrokenBody(ctx context.Context, err error) int {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return http.StatusRequestTimeout
	}
	var connection *net.OpError
	if ctx.Err() != nil || errors.As(err, &connection) {
		return statusClientGone
	}
	return http.StatusBadRequest
}
