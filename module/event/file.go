package event

import (
	"os"
	"time"
)

// rotationCheck is the interval at which a file checks that its path still names it.
const rotationCheck = time.Second

// File appends to a path and reopens it after log rotation renamed the file. It is not safe for concurrent use: Log
// serializes.
type File struct {
	path    string
	open    *os.File
	checked time.Time
	now     func() time.Time
}

// OpenFile opens path for appending. It creates the file, readable for owner and group, when it does not exist.
func OpenFile(path string) (*File, error) {
	f := &File{path: path, now: time.Now}
	if err := f.reopen(); err != nil {
		return nil, err
	}
	return f, nil
}

// Write appends p with one call.
func (f *File) Write(p []byte) (int, error) {
	if now := f.now(); now.Sub(f.checked) >= rotationCheck {
		f.checked = now
		if !f.current() {
			if err := f.reopen(); err != nil {
				return 0, err
			}
		}
	}
	return f.open.Write(p)
}

// Close closes the file.
func (f *File) Close() error { return f.open.Close() }

// current reports whether the path still names the open file.
func (f *File) current() bool {
	named, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	held, err := f.open.Stat()
	return err == nil && os.SameFile(named, held)
}

func (f *File) reopen() error {
	opened, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	if f.open != nil {
		_ = f.open.Close()
	}
	f.open = opened
	f.checked = f.now()
	return nil
}
