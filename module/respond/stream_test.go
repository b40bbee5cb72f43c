package respond

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"
)

func TestAnInfiniteStreamHasItsSizeAndDoesNotCompress(t *testing.T) {
	answer, _ := heldSite(t, `{"mode":"infinite_stream","stream_size_mb":2}`)
	client := connect(t, answer)
	res := client.begin("GET", "/.env")
	got := all(t, res.Body)
	if len(got) != 2<<20 || res.ContentLength != -1 || res.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("%d bytes, %v", len(got), res.Header)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(got)
	w.Close()
	if packed.Len() < len(got) {
		t.Errorf("compresses to %d", packed.Len())
	}
	if len(all(t, client.begin("GET", "/.env").Body)) != 2<<20 {
		t.Error("the connection is not reused")
	}
}

func TestAStreamThatEndsBeforeItsSizeAborts(t *testing.T) {
	answer, stop := heldSite(t, `{"mode":"infinite_stream","stream_size_mb":102400,"max_response_seconds":3600}`)
	res := connect(t, answer).begin("GET", "/.env")
	_, _ = io.ReadFull(res.Body, make([]byte, 100_000))
	stop()
	if _, err := io.Copy(io.Discard, res.Body); err == nil {
		t.Error("it looks complete")
	}
}
