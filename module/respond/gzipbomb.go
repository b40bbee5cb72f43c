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

// bomb is a gzip stream (RFC 1952) of zeros: a head, one piece repeated, and an end.
type bomb struct {
	head, piece, tail []byte
	pieces            int // each inflates to a MiB
}

// newBomb makes a stream that inflates to this many MiB.
func newBomb(mebibytes int) *bomb {
	zeros := make([]byte, mebibyte)
	var deflated bytes.Buffer
	w, _ := flate.NewWriter(&deflated, flate.BestCompression) // the level is valid
	_, _ = w.Write(zeros)
	_ = w.Flush() // ends at a whole byte and has no references to earlier data, so the piece can be repeated
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

// gzipBombMode sends a small body that inflates to a large one, also to clients that do not accept gzip.
func gzipBombMode(o *options) Answer {
	bomb := newBomb(o.response.GzipBombMB)
	o.set(map[string]string{"Content-Encoding": "gzip", "Content-Length": strconv.Itoa(bomb.size())})
	return o.holding(o.response.MaxResponseSeconds, func(h *hold, r *http.Request, _ *Blocked) {
		o.open(h.w, r, o.response.ContentType)
		if r.Method != http.MethodHead && !bomb.send(h) {
			o.host.Drop(h.w, r) // aborts: a part must not look complete
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
