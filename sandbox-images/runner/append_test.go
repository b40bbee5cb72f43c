package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestAppendWritesOneConnectionAfterAnother(t *testing.T) {
	one := Append{Listen: freeAddress(t), File: filepath.Join(t.TempDir(), "events")}
	if err := openAppends([]Append{one}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"a\n", "b\n"} {
		conn, err := net.Dial("tcp", one.Listen)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, line)
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn) // returns when the write is done
		conn.Close()
	}
	got, err := os.ReadFile(one.File)
	if err != nil || !bytes.Equal(got, []byte("a\nb\n")) {
		t.Fatalf("%q %v", got, err)
	}
}
