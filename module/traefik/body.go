package traefik

import (
	"bytes"
	"io"
	"net/http"
)

// bodyPrefix reads at most limit bytes of the request's body and puts them back: the next handler reads the whole body,
// byte for byte. The error is that of a body that cannot be read.
//
// The new body has compiled types alone. net/http reads bodies in goroutines of its own, where nothing recovers a panic:
// one in a method of an interpreted type ends the process. Closing it does nothing; pass closes the original.
func bodyPrefix(r *http.Request, limit int) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	prefix, err := io.ReadAll(io.LimitReader(r.Body, int64(limit)))
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(prefix), r.Body))
	return prefix, nil
}
