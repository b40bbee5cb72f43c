package banlist

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/request-guard/guard/limits"
	"github.com/request-guard/guard/nonblock"
)

const (
	edgeBytes  = 22 // of the first line, and of the last one
	zeroRange  = "00000000000000000000000000000000\n00000000000000000000000000000000 00000000\n"
	rangeBytes = len(zeroRange)
	blockBytes = limits.BanListBlock * rangeBytes
	mostBytes  = 2*edgeBytes + limits.BanListRanges*rangeBytes
)

// A list is decoded in parts, which take up to a third of a millisecond in the plugin. A pause after each of them leaves the processors
// to requests. A list takes half a second.
const (
	partRanges = 437 // an eighth of a block; the interpreter divides constants wrongly
	partBytes  = partRanges * rangeBytes
	partPause  = time.Millisecond
)

var (
	firstLine = regexp.MustCompile(`^guard-bans 1 ([0-9a-f]{8})\n$`)
	lastLine  = regexp.MustCompile(`^end ([0-9a-f]{8}) ([0-9a-f]{8})\n$`)
)

var (
	errSize    = errors.New("it has a wrong size")
	errVersion = errors.New("its first line is another one: its version may be newer")
	errSum     = errors.New("its count or its checksum is wrong")
	errForm    = errors.New("a line has another form")
	errOrder   = errors.New("the ranges are not sorted, or overlap")
	errKind    = errors.New("it is not a regular file")
	errOlder   = errors.New("it is older")
)

// read returns the table of a file. It returns earlier if the file is the same, and refuses an older file before it reads its ranges.
func read(path string, earlier *Table, decode Decoder) (*Table, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock.Flag(), 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errKind
	}
	size := info.Size() - 2*edgeBytes
	if size < 0 || size > int64(mostBytes-2*edgeBytes) || size%int64(rangeBytes) != 0 {
		return nil, errSize
	}
	edges := make([]byte, 2*edgeBytes)
	if _, err := io.ReadFull(file, edges[:edgeBytes]); err != nil {
		return nil, err
	}
	if _, err := file.ReadAt(edges[edgeBytes:], edgeBytes+size); err != nil {
		return nil, err
	}
	first := firstLine.FindStringSubmatch(string(edges[:edgeBytes]))
	if first == nil {
		return nil, errVersion
	}
	written, err := strconv.ParseInt(first[1], 16, 64)
	if err != nil {
		return nil, err
	}
	table := &Table{written: written, edges: string(edges)}
	pause := partPause
	if earlier == nil {
		pause = 0
	} else if earlier.edges == table.edges {
		return earlier, nil
	} else if table.isOlder(earlier) {
		return nil, errOlder
	}
	if err := table.readRanges(file, int(size), decode, pause); err != nil {
		return nil, err
	}
	return table, nil
}

// readRanges reads size bytes of ranges and checks them, with a pause after each part.
func (t *Table) readRanges(file io.Reader, size int, decode Decoder, pause time.Duration) error {
	last := lastLine.FindStringSubmatch(t.edges[edgeBytes:])
	ranges, sum, err := readBlocks(file, size, t.edges[:edgeBytes], decode, pause)
	if err != nil {
		return err
	}
	if last == nil || last[1] != number(size/rangeBytes) || last[2] != sum {
		return errSum
	}
	t.narrow = newRows(ranges.narrow.String(), ipv4Bytes)
	t.wide = newRows(ranges.wide.String(), addressBytes)
	return nil
}

// readBlocks returns the ranges, and the checksum that begins with the first line. It reuses its buffers, because garbage of megabytes each
// second would double the memory of the proxy.
func readBlocks(file io.Reader, size int, first string, decode Decoder, pause time.Duration) (ranges *decoded, sum string, err error) {
	ranges = newDecoded(size / rangeBytes)
	sum = first
	buffer := make([]byte, blockBytes)
	left := size
	for { // without a first statement, because the interpreter does not keep what it assigns to a result
		block := buffer
		if left < blockBytes {
			block = buffer[:left]
		}
		if _, err := io.ReadFull(file, block); err != nil {
			return nil, "", err
		}
		sum = number(int(crc32.Update(crc32.ChecksumIEEE([]byte(sum)), crc32.IEEETable, block)))
		if err := ranges.addBlock(block, decode, pause); err != nil {
			return nil, "", err
		}
		if left -= len(block); left == 0 {
			return ranges, sum, nil
		}
	}
}

// addBlock decodes a block in parts, with a pause after each of them.
func (d *decoded) addBlock(block []byte, decode Decoder, pause time.Duration) error {
	for from := 0; from < len(block); from += partBytes {
		to := from + partBytes
		if to > len(block) {
			to = len(block)
		}
		rows := d.rows[:(to-from)/rangeBytes*rowBytes]
		if err := decode(d, rows, block[from:to]); err != nil {
			return err
		}
		if len(d.last) > 0 && !isBehind(d.last, rows) {
			return errOrder
		}
		d.last = append(d.last[:0], rows[len(rows)-rowBytes:]...)
		time.Sleep(pause)
	}
	return nil
}

func number(n int) string { return fmt.Sprintf("%08x", n) }
