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

// blocksAtOnce is the number of blocks per write: about 16 KiB, as in a stream.
const blocksAtOnce = 16

// bomb is a gzip stream (RFC 1952) of zeros: a head, one repeated block, and an end.
type bomb struct {
	head, tail []byte
	piece      []byte // blocksAtOnce blocks
	block      int    // bytes of a block, which inflates to one MiB
	blocks     int
}

// newBomb returns a stream that inflates to this many MiB.
func newBomb(mebibytes int) *bomb {
	zeros := make([]byte, mebibyte)
	var deflated bytes.Buffer
	w, _ := flate.NewWriter(&deflated, flate.BestCompression) // the level is valid
	_, _ = w.Write(zeros)
	_ = w.Flush() // ends at a whole byte and refers to no earlier data, so that the block can be repeated
	block := bytes.Clone(deflated.Bytes())
	deflated.Reset()
	_ = w.Close()
	sum := uint32(0)
	for i := 0; i < mebibytes; i++ {
		sum = crc32.Update(sum, crc32.IEEETable, zeros)
	}
	tail := binary.LittleEndian.AppendUint32(deflated.Bytes(), sum)
	return &bomb{
		head:   []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255},
		tail:   binary.LittleEndian.AppendUint32(tail, uint32(mebibytes)*mebibyte),
		piece:  bytes.Repeat(block, blocksAtOnce),
		block:  len(block),
		blocks: mebibytes,
	}
}

func (b *bomb) size() int { return len(b.head) + b.blocks*b.block + len(b.tail) }

// gzipBombMode sends the bomb even to clients that do not accept gzip. It sends at the rate of streams, because a
// response can have about one MiB.
func gzipBombMode(o *options) Answer {
	bomb := newBomb(o.response.GzipBombMB)
	o.setHeaders(map[string]string{"Content-Encoding": "gzip", "Content-Length": strconv.Itoa(bomb.size())})
	return o.holdingResponder(o.response.MaxResponseSeconds, func(h *hold, r *http.Request, _ *Blocked) {
		o.open(h.w, r, o.response.ContentType)
		if r.Method != http.MethodHead && !bomb.send(h) {
			o.host.Drop(h.w, r) // aborts, so that the partial response does not look complete
		}
	})
}

func (b *bomb) send(h *hold) bool {
	isSent := h.write(b.head)
	for left := b.blocks; isSent && left > 0; left -= blocksAtOnce {
		piece := b.piece
		if left < blocksAtOnce {
			piece = piece[:left*b.block]
		}
		isSent = h.writePaced(piece)
	}
	return isSent && h.write(b.tail) && h.flush()
}
