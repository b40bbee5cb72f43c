package event

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/request-guard/guard/nonblock"
)

func TestFileAppendsAndFollowsRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at := time.Unix(1000, 0)
	f.now, f.checked = func() time.Time { return at }, at
	write := func(s string) {
		if _, err := f.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	write("one\n")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	write("two\n")
	at = at.Add(rotationCheckInterval)
	write("three\n")
	expectFile(t, path+".1", "before\none\ntwo\n")
	expectFile(t, path, "three\n")
}

func expectFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v; want %q", path, got, err, want)
	}
}

func TestAFileThatEndsInsideALineGetsItsNextEventOnANewLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, []byte("whole\nha"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, line := range []string{"one\n", "two\n"} {
		if n, err := f.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	expectFile(t, path, "whole\nha\none\ntwo\n")
}

// A pipe whose reader stops accepts only part of a line, like a full disk.
func TestALineThatWasCutOffIsEndedBeforeTheNextEvent(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f := &File{open: w, now: time.Now, checked: time.Now().Add(time.Hour)}
	go func() {
		_, _ = io.ReadFull(r, make([]byte, 1))
		_ = w.SetWriteDeadline(time.Unix(1, 0))
	}()
	if _, err := f.Write(make([]byte, 1<<20)); err == nil {
		t.Fatal("the pipe took the whole line")
	}
	rest := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		rest <- string(bytes.TrimLeft(all, "\x00"))
	}()
	_ = w.SetWriteDeadline(time.Time{})
	for _, line := range []string{"one\n", "two\n"} {
		if n, err := f.Write([]byte(line)); n != len(line) || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	w.Close()
	if got := <-rest; got != "\none\ntwo\n" {
		t.Errorf("got %q", got)
	}
}

func TestOpenFileRefusesADirectory(t *testing.T) {
	if _, err := OpenFile(t.TempDir()); err == nil {
		t.Error("a directory was opened")
	}
}

// Writing to a full pipe, or opening a pipe without a reader, would block.
func TestAPipeGetsNoEvents(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "events.jsonl")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFile(pipe); err == nil || !strings.Contains(err.Error(), " is a pipe or a terminal") {
		t.Fatalf("got %v", err)
	}
	reader.Close()
	if _, err := OpenFile(pipe); err == nil {
		t.Error("a pipe without a reader was opened")
	}
}

func TestAPipeInPlaceOfAFileGetsNoEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	f := bounded(t, path, 100)
	at := time.Now().Add(rotationCheckInterval)
	f.now = func() time.Time { return at }
	if err := errors.Join(os.Remove(path), exec.Command("mkfifo", path).Run()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("lost\n")); err == nil {
		t.Error("a line was written")
	}
	at = at.Add(rotationCheckInterval)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("one\n")); err != nil {
		t.Error(err)
	}
	expectFile(t, path, "one\n")
}

func TestNonBlockingIsTheFlagOfTheSystem(t *testing.T) {
	if got := nonblock.Flag(); got != syscall.O_NONBLOCK && runtime.GOOS != "windows" {
		t.Errorf("got %#x, want %#x", got, syscall.O_NONBLOCK)
	}
}

// In Caddy a request can outlive the log of its guard.
func TestAFileThatWasClosedIsNotOpenedAgain(t *testing.T) {
	f, err := OpenFile(filepath.Join(t.TempDir(), "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(rotationCheckInterval)
	f.now = func() time.Time { return at }
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("late\n")); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := f.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// bounded opens a file that is renamed before it exceeds this number of bytes.
func bounded(t *testing.T, path string, most int64) *File {
	t.Helper()
	f, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	f.most = most
	return f
}

func TestAFileThatReachesItsBoundIsRenamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := bounded(t, path, 12)
	for _, line := range []string{"one\n", "two\n", "three\n", "four\n"} {
		if _, err := f.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	expectFile(t, path, "four\n")
	expectFile(t, path+oldSuffix, "two\nthree\n")
}

func TestAFileThatWasTruncatedHasRoomAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	f := bounded(t, path, 8)
	for _, line := range []string{"one\n", "two\n"} {
		_, _ = f.Write([]byte(line))
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("three\n")); err != nil {
		t.Fatal(err)
	}
	expectFile(t, path, "three\n")
	if _, err := os.Stat(path + oldSuffix); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}

func TestAFileThatCannotBeRenamedStopsGrowing(t *testing.T) {
	folder := t.TempDir()
	target, path := filepath.Join(folder, "target"), filepath.Join(folder, "events.jsonl")
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	linked := bounded(t, path, 4)
	_, _ = linked.Write([]byte("one\n"))
	if _, err := linked.Write([]byte("two\n")); err == nil || err.Error() != path+" is a symbolic link to a file of 4 bytes: rotate that file" {
		t.Errorf("got %v", err)
	}
	expectFile(t, target, "one\n")

	plain := bounded(t, target, 4)
	// A folder with the target's name makes the rename fail.
	if err := os.MkdirAll(filepath.Join(target+oldSuffix, "kept"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := plain.Write([]byte("two\n")); err == nil || !strings.Contains(err.Error(), " has 4 bytes and cannot be renamed: ") {
			t.Errorf("got %v", err)
		}
	}
	expectFile(t, target, "one\n")
	if err := os.RemoveAll(target + oldSuffix); err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Write([]byte("two\n")); err != nil {
		t.Error(err)
	}
	expectFile(t, target, "two\n")
}

func TestADeviceHasNoBound(t *testing.T) {
	f := bounded(t, os.DevNull, 4)
	for range 3 {
		if _, err := f.Write([]byte("one\n")); err != nil {
			t.Error(err)
		}
	}
}
