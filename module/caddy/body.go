package guard

import "io"

// replay is a body that reads from whole and closes the original.
type replay struct {
	io.Reader
	io.Closer
}

func rejoin(whole io.Reader, original io.Closer) io.ReadCloser { return replay{whole, original} }
