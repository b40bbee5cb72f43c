package guard

import "io"

type replay struct {
	io.Reader
	io.Closer
}

func rejoin(whole io.Reader, original io.Closer) io.ReadCloser { return replay{whole, original} }
