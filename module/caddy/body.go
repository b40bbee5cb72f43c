package guard

import (
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
	r.Body = &replay{ReadCloser: r.Body, unread: prefix, err: err}
	return prefix
}

// replay is a body whose beginning has been read already.
type replay struct {
	io.ReadCloser
	unread []byte
	err    error
}

func (b *replay) Read(p []byte) (int, error) {
	if len(b.unread) > 0 {
		n := copy(p, b.unread)
		b.unread = b.unread[n:]
		return n, nil
	}
	if b.err != nil {
		return 0, b.err
	}
	return b.ReadCloser.Read(p)
}
