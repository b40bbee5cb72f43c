package respond

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"net/http"
	"strconv"
)

const mebibyte = 1 << 20

// bomb is a gzip stream (RFC 1952) of zeros: a head, the same piece again and again, and an end.
type bomb struct {
	head, piece, tail []byte
	pieces            int // each inflates to a MiB
}

// newBomb makes the stream that inflates to so many MiB.
func newBomb(mebibytes int) *bomb {
	zeros := make([]byte, mebibyte)
	var deflated bytes.Buffer
	w, _ := flate.NewWriter(&deflated, flate.BestCompression) // the level is one of the package's
	_, _ = w.Write(zeros)
	_ = w.Flush() // ends at a whole byte, and refers to nothing before it: the piece can be repeated
	piece := bytes.Clone(deflated.Bytes())
	deflated.Reset()
	_ = w.Close()
	sum := uint32(0)
	for i := 0; i < mebibytes; i++ {
		sum = crc32.Update(sum, crc32.IEEETable, zeros)
	}
	tail := binary.LittleEndian.AppendUint32(deflated.Bytes(), sum)
	return &bomb{
		head:   []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255},
		piece:  piece,
		tail:   binary.LittleEndian.AppendUint32(tail, uint32(mebibytes)*mebibyte),
		pieces: mebibytes,
	}
}

func (b *bomb) size() int { return len(b.head) + b.pieces*len(b.piece) + len(b.tail) }

// gzipBombMode sends little that becomes much for whoever inflates it, also to clients that did not ask for gzip.
func gzipBombMode(o *options) Answer {
	bomb := newBomb(o.response.GzipBombMB)
	o.set(map[string]string{"Content-Encoding": "gzip", "Content-Length": strconv.Itoa(bomb.size())})
	return o.holding(o.response.MaxResponseSeconds, func(h *hold, r *http.Request, _ *Blocked) {
		o.open(h.w, r, o.response.ContentType)
		if r.Method != http.MethodHead && !bomb.send(h) {
			o.host.Drop(h.w, r) // in the middle: half of it must not pass for the whole
		}
	})
}

func (b *bomb) send(h *hold) bool {
	isSent := h.write(b.head)
	for i := 0; isSent && i < b.pieces; i++ {
		isSent = h.write(b.piece)
	}
	return isSent && h.write(b.tail) && h.flush()
}
