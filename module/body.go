package guard

import (
	"bytes"
	"io"
	"net/http"
)

// bodyPrefix reads at most limit bytes of the request's body and puts them back: the next handler reads the whole body,
// byte for byte, and the error that ended the reading, if one did.
func bodyPrefix(r *http.Request, limit int) []byte {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	prefix, err := io.ReadAll(io.LimitReader(r.Body, int64(limit)))
	rest := io.Reader(r.Body)
	if err != nil {
		rest = failed{err}
	}
	r.Body = body{io.MultiReader(bytes.NewReader(prefix), rest), r.Body}
	return prefix
}

// body reads from one place and closes another.
type body struct {
	io.Reader
	io.Closer
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
