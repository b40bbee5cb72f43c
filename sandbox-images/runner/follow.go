package main

import (
	"bytes"
	"io"
	"os"
	"time"
)

// follower copies lines from a file to the output while the guard appends to the file.
type follower struct {
	path string
	out  io.Writer
	file *os.File
	// read is the offset up to which the file was read. part is an incomplete line.
	read int64
	part []byte
}

func followFiles(paths []string, out io.Writer) {
	for _, path := range paths {
		go (&follower{path: path, out: out}).run()
	}
}

func (f *follower) run() {
	for ; ; time.Sleep(followInterval) {
		f.step()
	}
}

// step copies the lines since the last step. It ignores errors: the file may not exist yet.
func (f *follower) step() {
	if f.file == nil {
		file, err := os.Open(f.path)
		if err != nil {
			return
		}
		f.file = file
	}
	buffer := make([]byte, lineBytes)
	for {
		count, err := f.file.Read(buffer)
		f.read += int64(count)
		f.write(buffer[:count])
		if err != nil {
			break
		}
	}
	// The tmpfs is small. Lines that are appended between the last read and the truncation are lost; only a flood can cause that.
	if f.read > followedBytes && os.Truncate(f.path, 0) == nil {
		_, _ = f.file.Seek(0, io.SeekStart)
		f.read = 0
	}
}

// write writes whole lines, each with one call, because the proxy writes to the same stream.
func (f *follower) write(chunk []byte) {
	f.part = append(f.part, chunk...)
	for {
		end := bytes.IndexByte(f.part, '\n') + 1
		if end == 0 {
			break
		}
		_, _ = f.out.Write(f.part[:end])
		f.part = f.part[end:]
	}
	if len(f.part) > lineBytes {
		f.part = nil // not a line of the guard, whose lines have at most 4 KiB
	}
}
