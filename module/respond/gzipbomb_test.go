package respond

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"
)

func TestAGzipBombInflatesToItsSize(t *testing.T) {
	for _, size := range []int{1, 3, 10} {
		answer, _ := heldSite(t, fmt.Sprintf(`{"mode":"gzip_bomb","gzip_bomb_mb":%d}`, size))
		client := connect(t, answer)
		res := client.begin("GET", "/.env")
		sent := all(t, res.Body)
		if res.Header.Get("Content-Encoding") != "gzip" || res.ContentLength != int64(len(sent)) || len(sent) > size*2048 {
			t.Errorf("got %v, %d bytes", res.Header, len(sent))
		}
		reader, err := gzip.NewReader(bufio.NewReader(bytes.NewReader(sent)))
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, reader); n != int64(size)<<20 || err != nil {
			t.Errorf("%d MiB: %d bytes, %v", size, n, err)
		}
		if got := client.begin("HEAD", "/.env").ContentLength; got != res.ContentLength {
			t.Errorf("HEAD says %d", got)
		}
	}
}
