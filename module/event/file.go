package event

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/nonblock"
)

// rotationCheckInterval is the interval at which a File checks whether log rotation has renamed it.
const rotationCheckInterval = time.Second

// oldSuffix is appended to the name of a full file. The renamed file replaces an earlier file with this suffix. Log
// rotation uses other names.
const oldSuffix = ".old"

// File appends to a path. It reopens the file after log rotation, and renames it at limits.EventFileBytes. Safe for concurrent use.
type File struct {
	path string
	now  func() time.Time
	most int64 // maximum number of bytes in the file

	mu      sync.Mutex
	open    *os.File
	closed  bool
	inLine  bool // the file ends with an incomplete line, because the process was killed or the disk was full
	size    int64
	checked time.Time
}

// OpenFile creates a missing file, readable for owner and group. It refuses pipes and terminals.
func OpenFile(path string) (*File, error) {
	f := &File{path: path, now: time.Now, most: limits.EventFileBytes}
	if err := f.reopen(); err != nil {
		return nil, err
	}
	return f, nil
}

// Write appends whole lines in one call. If the file ends inside a line, it first ends that line. After Close it fails and does
// not open the file again.
func (f *File) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); !f.closed && now.Sub(f.checked) >= rotationCheckInterval {
		f.checked = now
		if !f.isCurrent() {
			if err := f.reopen(); err != nil {
				return 0, err
			}
		}
	}
	if err := f.makeRoom(len(p)); err != nil {
		return 0, err
	}
	if f.inLine {
		if _, err := f.open.Write([]byte{'\n'}); err != nil {
			return 0, err
		}
		f.inLine = false
	}
	n, err := f.open.Write(p)
	f.inLine = n > 0 && p[n-1] != '\n'
	f.size += int64(n)
	return n, err
}

func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	return f.open.Close()
}

// makeRoom renames a regular file that n more bytes would make too large.
func (f *File) makeRoom(n int) error {
	if f.size+int64(n) <= f.most || f.closed {
		return nil
	}
	held, err := f.open.Stat()
	if err != nil {
		return err
	}
	if f.size = held.Size(); !held.Mode().IsRegular() || f.size+int64(n) <= f.most {
		return nil // it is a device, or the file was truncated
	}
	named, err := os.Lstat(f.path)
	if err == nil && named.Mode()&os.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link to a file of %d bytes: rotate that file", f.path, f.size)
	}
	if err == nil && os.SameFile(named, held) {
		if err := os.Rename(f.path, f.path+oldSuffix); err != nil {
			return fmt.Errorf("%s has %d bytes and cannot be renamed: %w", f.path, f.size, err)
		}
	}
	return f.reopen()
}

func (f *File) isCurrent() bool {
	named, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	held, err := f.open.Stat()
	return err == nil && os.SameFile(named, held)
}

func (f *File) reopen() error {
	opened, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|nonblock.Flag(), 0o640)
	if err != nil {
		return err
	}
	// A file without an end, such as a pipe, can block a write.
	size, err := opened.Seek(0, io.SeekEnd)
	if err != nil {
		_ = opened.Close()
		return fmt.Errorf("%s is a pipe or a terminal, which can block requests: name a file, or none for the standard output", f.path)
	}
	if f.open != nil {
		_ = f.open.Close()
	}
	f.open, f.size = opened, size
	f.inLine = endsInIncompleteLine(f.path, size)
	f.checked = f.now()
	return nil
}

// endsInIncompleteLine reports whether the last byte of a file is not a line feed. It returns false for an empty file, a
// device, whose size is 0, and a file that it may not read.
func endsInIncompleteLine(path string, size int64) bool {
	if size == 0 {
		return false
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock.Flag(), 0)
	if err != nil {
		return false
	}
	defer file.Close()
	last := []byte{'\n'}
	_, _ = file.ReadAt(last, size-1)
	return last[0] != '\n'
}
