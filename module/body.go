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
	r.Body = &body{from: io.MultiReader(bytes.NewReader(prefix), rest), sent: r.Body}
	return prefix
}

// body reads from one place and closes another. It has methods of its own because an embedded interface loses them to the
// other field when the interpreter hands it to compiled code.
type body struct {
	from io.Reader
	sent io.Closer
}

func (b *body) Read(p []byte) (int, error) { return b.from.Read(p) }

func (b *body) Close() error { return b.sent.Close() }

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }
