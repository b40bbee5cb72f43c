package guard

import (
	"bytes"
	"io"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/request-guard/guard/respond"
)

// bodyPrefix reads at most limit bytes of the request's body and puts them back: the next handler reads the whole body,
// byte for byte. The error is that of a body that cannot be read.
func bodyPrefix(r *http.Request, limit int) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	prefix, err := io.ReadAll(io.LimitReader(r.Body, int64(limit)))
	if err != nil {
		return nil, caddyhttp.Error(respond.BrokenBody(r.Context(), err), err) // keeps the status of an error that has one
	}
	r.Body = &replay{Reader: io.MultiReader(bytes.NewReader(prefix), r.Body), Closer: r.Body}
	return prefix, nil
}

// replay is a body whose beginning has been read already.
type replay struct {
	io.Reader
	io.Closer
}
