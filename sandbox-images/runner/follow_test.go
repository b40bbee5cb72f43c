package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestFollowerWritesWholeLinesInOrder(t *testing.T) {
	var out bytes.Buffer
	f := &follower{path: filepath.Join(t.TempDir(), "events"), out: &out}
	f.step() // the file does not exist yet
	appendTo(t, f.path, "a\nb")
	f.step()
	if out.String() != "a\n" {
		t.Fatalf("%q", out.String())
	}
	appendTo(t, f.path, "c\n")
	f.step()
	f.step()
	if out.String() != "a\nbc\n" {
		t.Fatalf("%q", out.String())
	}
}

func TestFollowerKeepsTheFileSmallAndLosesNoLine(t *testing.T) {
	var out bytes.Buffer
	f := &follower{path: filepath.Join(t.TempDir(), "events"), out: &out}
	line := strings.Repeat("x", 4000) + "\n"
	lines := followedBytes/len(line) + 1
	appendTo(t, f.path, strings.Repeat(line, lines))
	f.step()
	appendTo(t, f.path, "last\n")
	f.step()
	if info, err := os.Stat(f.path); err != nil || info.Size() != int64(len("last\n")) {
		t.Fatalf("%v %v", info, err)
	}
	if got := strings.Count(out.String(), "\n"); got != lines+1 || !strings.HasSuffix(out.String(), "last\n") {
		t.Fatalf("%d lines of %d", got, lines+1)
	}
}

func TestFollowerDropsAnEndlessLine(t *testing.T) {
	var out bytes.Buffer
	f := &follower{path: filepath.Join(t.TempDir(), "events"), out: &out}
	appendTo(t, f.path, strings.Repeat("x", 4*lineBytes))
	f.step()
	if len(f.part) > lineBytes || out.Len() != 0 {
		t.Fatalf("%d bytes held, %d written", len(f.part), out.Len())
	}
}
