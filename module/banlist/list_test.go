package banlist

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/internal/banfile"
	"github.com/request-guard/guard/limits"
)

// now is the time of the test, for files that were just written.
var now = time.Now().Unix()

// scene is a list whose file the test replaces.
type scene struct {
	t    *testing.T
	path string
	list *List
	said []string
}

func open(t *testing.T, text string) *scene {
	return openWith(t, ByCalls, text)
}

func openWith(t *testing.T, decode Decoder, text string) *scene {
	s := &scene{t: t, path: filepath.Join(t.TempDir(), "bans")}
	s.write(text)
	s.list = Open(s.path, decode, func(message string) { s.said = append(s.said, message) })
	return s
}

var decoders = map[string]Decoder{"bytewise": Bytewise, "by calls": ByCalls}

func (s *scene) write(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path+".new", []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(s.path+".new", s.path); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) has(address string) bool {
	table := s.list.Table()
	return table != nil && table.Has(netip.MustParseAddr(address))
}

var oneBan = banfile.Range{Start: "192.0.2.1", End: "192.0.2.1", Until: now + 3600}

func TestTheRangesOfAFileAreBanned(t *testing.T) {
	for name, decode := range decoders {
		t.Run(name, func(t *testing.T) { rangesAreBanned(t, decode) })
	}
}

func rangesAreBanned(t *testing.T, decode Decoder) {
	s := openWith(t, decode, banfile.Text(now, banfile.Range{Start: "::2", End: "::2", Until: now + 60}, oneBan, banfile.Range{Start: "198.51.100.0", End: "198.51.100.255", Until: now + 60},
		banfile.Range{Start: "203.0.113.9", End: "203.0.113.9", Until: now - 1}, banfile.Range{Start: "2001:db8::", End: "2001:db8::ffff:ffff:ffff:ffff", Until: now + 60}))
	for address, want := range map[string]bool{
		"192.0.2.1": true, "::ffff:192.0.2.1": true, "192.0.2.0": false, "192.0.2.2": false, "198.51.100.0": true,
		"198.51.100.77": true, "198.51.100.255": true, "198.51.101.0": false, "203.0.113.9": false, "::1": false, "::2": true, "::3": false,
		"2001:db8::": true, "2001:db8::1": true, "2001:db8:0:1::": false, "2001:db7:ffff::": false, "0.0.0.2": false,
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff": false,
	} {
		if s.has(address) != want {
			t.Errorf("%s: got %v", address, !want)
		}
	}
	if s.list.Table().Count() != 5 || len(s.said) > 0 {
		t.Errorf("%d ranges, said %q", s.list.Table().Count(), s.said)
	}
}

func TestABanEndsADayAfterItsFileWasWritten(t *testing.T) {
	s := open(t, banfile.Text(now-limits.BanListSeconds-1, banfile.Range{Start: "192.0.2.1", End: "192.0.2.1", Until: 0xffffffff}))
	if s.list.Table() == nil || s.has("192.0.2.1") {
		t.Error("the file was not read, or the ban holds")
	}
}

func TestAnEmptyListBansNobody(t *testing.T) {
	if s := open(t, banfile.Text(now)); s.list.Table() == nil || s.has("192.0.2.1") {
		t.Error("it was not read, or bans")
	}
}

// TestRangesAcrossFamilies has ranges that begin or end outside of IPv4.
func TestRangesAcrossFamilies(t *testing.T) {
	all := banfile.Range{Start: "::", End: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", Until: now + 60}
	low, one := banfile.Range{Start: "::5", End: "::ffff:0.0.0.9", Until: now + 60}, oneBan
	high := banfile.Range{Start: "::ffff:255.255.255.250", End: "::1:0:0:5", Until: now + 60}
	for name, decode := range decoders {
		s := openWith(t, decode, banfile.Text(now, all))
		if !s.has("::") || !s.has("192.0.2.1") || !s.has("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff") {
			t.Errorf("%s: an address is not banned", name)
		}
		s = openWith(t, decode, banfile.Text(now, low, one, high))
		for address, want := range map[string]bool{
			"::4": false, "::5": true, "0.0.0.9": true, "0.0.0.10": false, "192.0.2.0": false, "192.0.2.1": true, "192.0.2.2": false,
			"255.255.255.249": false, "255.255.255.250": true, "::1:0:0:5": true, "::1:0:0:6": false,
		} {
			if s.has(address) != want {
				t.Errorf("%s: %s: got %v", name, address, !want)
			}
		}
		if s.list.Table().Count() != 3 {
			t.Errorf("%s: %d ranges", name, s.list.Table().Count())
		}
	}
}

func line(start, end string) string {
	return banfile.Lines(banfile.Range{Start: start, End: end, Until: now + 60})
}

// damagedFiles has files that no reader accepts. Each would ban 198.51.100.1.
func damagedFiles() map[string]string {
	first := fmt.Sprintf("guard-bans 1 %08x\n", now+1)
	good := banfile.Text(now+1, banfile.Range{Start: "198.51.100.1", End: "198.51.100.1", Until: now + 60})
	one, two := line("198.51.100.1", "198.51.100.1"), line("198.51.100.9", "198.51.100.9")
	return map[string]string{
		"nothing":               "",
		"a part of a line":      good[:60],
		"without its end":       good[:len(good)-edgeBytes],
		"another version":       banfile.Sealed(fmt.Sprintf("guard-bans 2 %08x\n", now+1), one, 1),
		"another count":         strings.Replace(good, "end 00000001", "end 00000002", 1),
		"another checksum":      good[:len(good)-9] + "00000000\n",
		"another digit":         strings.Replace(good, "c6336401\n", "c6336400\n", 1),
		"unsorted":              banfile.Sealed(first, two+one, 2),
		"twice":                 banfile.Sealed(first, one+one, 2),
		"overlapping":           banfile.Sealed(first, line("198.51.100.1", "198.51.100.9")+two, 2),
		"an end before a start": banfile.Sealed(first, line("198.51.100.9", "198.51.100.1"), 1),
		"capitals":              banfile.Sealed(first, strings.Replace(one, "ffff", "FFFF", 1), 1),
		"a shifted line end":    banfile.Sealed(first, strings.Replace(one, "\n0", "0\n", 1), 1),
		"words":                 banfile.Sealed(first, strings.Repeat("x", len(one)), 1),
		"HTML":                  "<!doctype html>" + strings.Repeat(" ", 104),
	}
}

func TestADamagedFileChangesNothing(t *testing.T) {
	for decoder, decode := range decoders {
		t.Run(decoder, func(t *testing.T) { damagedFilesChangeNothing(t, decode) })
	}
}

func damagedFilesChangeNothing(t *testing.T, decode Decoder) {
	for name, text := range damagedFiles() {
		s := openWith(t, decode, banfile.Text(now, oneBan))
		s.write(text)
		for range 3 {
			s.list.Look()
		}
		if !s.has("192.0.2.1") || s.has("198.51.100.1") || len(s.said) != 1 {
			t.Errorf("%s: the list changed, or said %q", name, s.said)
		}
		s.write(banfile.Text(now+2, banfile.Range{Start: "203.0.113.1", End: "203.0.113.1", Until: now + 60}))
		if s.list.Look(); !s.has("203.0.113.1") || s.has("192.0.2.1") {
			t.Errorf("%s: the next file was not read", name)
		}
	}
}

func TestAFileThatCannotBeUsed(t *testing.T) {
	huge := func(path string) error {
		file, err := os.Create(path)
		if err == nil {
			err = file.Truncate(1 << 30)
			_ = file.Close()
		}
		return err
	}
	for name, replace := range map[string]func(path string) error{
		"gone":               func(string) error { return nil },
		"a folder":           func(path string) error { return os.Mkdir(path, 0o755) },
		"a pipe":             makePipe,
		"a gigabyte":         huge,
		"a link to a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"a link to itself":   func(path string) error { return os.Symlink(path, path) },
		"older":              func(path string) error { return os.WriteFile(path, []byte(banfile.Text(now-1)), 0o644) },
	} {
		s := open(t, banfile.Text(now, oneBan))
		if err := os.Remove(s.path); err != nil {
			t.Fatal(err)
		}
		if err := replace(s.path); err != nil {
			t.Fatal(err)
		}
		s.list.Look()
		if s.list.Look(); !s.has("192.0.2.1") {
			t.Errorf("%s: the ban is gone", name)
		}
		if len(s.said) != 1 {
			t.Errorf("%s: said %q", name, s.said)
		}
	}
}

func TestAFaultThatComesAgainIsSaidAgain(t *testing.T) {
	s := open(t, banfile.Text(now, oneBan))
	for count := int64(1); count < 4; count++ {
		s.write("")
		s.list.Look()
		s.list.Look()
		s.write(banfile.Text(now+count, oneBan))
		s.list.Look()
		if len(s.said) != int(count) {
			t.Errorf("fault %d: said %q", count, s.said)
		}
	}
}

func TestAClockThatWasSetBackDoesNotKeepAList(t *testing.T) {
	s := open(t, banfile.Text(now+4000, oneBan))
	s.write(banfile.Text(now))
	if s.list.Look(); s.has("192.0.2.1") {
		t.Error("the list of the future stays in force")
	}
}

func TestALinkToAFileIsFollowed(t *testing.T) {
	s := open(t, banfile.Text(now, oneBan))
	link := filepath.Join(t.TempDir(), "bans")
	if err := os.Symlink(s.path, link); err != nil {
		t.Fatal(err)
	}
	if table := Open(link, Bytewise, func(message string) { t.Error(message) }).Table(); table == nil || table.Count() != 1 {
		t.Error("it was not read")
	}
}

// TestReplacedAllTheTime replaces the file while it is read.
func TestReplacedAllTheTime(t *testing.T) {
	s := open(t, banfile.Text(now, oneBan))
	texts := []string{largest(1), largest(2)}
	done := make(chan bool)
	go func() {
		defer close(done)
		for i := range 40 {
			s.write(texts[i%2])
		}
	}()
	for isDone := false; !isDone; {
		select {
		case <-done:
			isDone = true
		default:
		}
		s.list.Look()
	}
	said := slices.DeleteFunc(s.said, func(message string) bool { return strings.Contains(message, "it is older") })
	if s.list.Table().Count() != limits.BanListRanges || len(said) > 0 {
		t.Errorf("%d ranges, said %q", s.list.Table().Count(), said)
	}
}

// largest returns a file with the most ranges: every second address from 10.0.0.0 on.
func largest(written int64) string {
	var body strings.Builder
	for i := range limits.BanListRanges {
		digits := fmt.Sprintf("00000000000000000000ffff%08x", 10<<24+2*i)
		fmt.Fprintf(&body, "%s\n%s %08x\n", digits, digits, now+60)
	}
	return banfile.Sealed(fmt.Sprintf("guard-bans 1 %08x\n", now+written), body.String(), limits.BanListRanges)
}

func TestMoreRangesThanTheBoundAreRefused(t *testing.T) {
	text := largest(1)
	s := open(t, strings.Repeat("x", len(text)+rangeBytes))
	if s.list.Table() != nil || len(s.said) != 1 {
		t.Error("the file was read")
	}
}

// TestDecodersAgree compares them on files of more than one block, of which one byte is another one.
func TestDecodersAgree(t *testing.T) {
	text := largest(0)
	body := []byte(text[edgeBytes : len(text)-edgeBytes])
	alphabet := []byte("0123456789abcdefABCDEFg /:`@\n\x00\xff")
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		block := slices.Clone(body[:(1+random.IntN(200))*rangeBytes])
		at := random.IntN(len(block))
		if i > 0 { // the first one is valid
			block[at] = alphabet[random.IntN(len(alphabet))]
		}
		rows := map[string]string{}
		for name, decode := range decoders {
			d, decoded := &decoded{}, make([]byte, len(block)/rangeBytes*rowBytes)
			if err := decode(d, decoded, block); err != nil {
				rows[name] = err.Error()
			} else {
				rows[name] = string(decoded)
			}
		}
		if rows["bytewise"] != rows["by calls"] {
			t.Fatalf("byte %d is %q: bytewise %q, by calls %q", at, block[at], rows["bytewise"], rows["by calls"])
		}
	}
}

func TestBytewiseDecodingAllocatesNothing(t *testing.T) {
	body := []byte(largest(0)[edgeBytes : edgeBytes+partBytes])
	d := newDecoded(limits.BanListBlock)
	d.narrow.Grow(12 * limits.BanListBlock * (2*ipv4Bytes + untilBytes)) // for each run
	if got := testing.AllocsPerRun(10, func() {
		if err := Bytewise(d, d.rows, body); err != nil {
			t.Fatal(err)
		}
	}); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestOverlappingBlocksAreRefused(t *testing.T) {
	text := largest(1)
	body := text[edgeBytes : len(text)-edgeBytes]
	for name, decode := range decoders {
		first := fmt.Sprintf("guard-bans 1 %08x\n", now+1)
		block := body[:blockBytes]
		s := openWith(t, decode, banfile.Sealed(first, block+block[blockBytes-rangeBytes:], limits.BanListBlock+1))
		if s.list.Table() != nil || len(s.said) != 1 || !strings.Contains(s.said[0], "overlap") {
			t.Errorf("%s: the file was read, or said %q", name, s.said)
		}
	}
}

// BenchmarkRead reads the largest list, without pauses.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bans")
	if err := os.WriteFile(path, []byte(largest(0)), 0o644); err != nil {
		b.Fatal(err)
	}
	for name, decode := range decoders {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := read(path, nil, decode); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestACleanClientAllocatesNothing(t *testing.T) {
	s := openWith(t, Bytewise, largest(0))
	table, clean := s.list.Table(), netip.MustParseAddr("10.2.3.5")
	if table.Has(clean) || !table.Has(netip.MustParseAddr("10.2.3.4")) {
		t.Fatal("the wrong address is banned")
	}
	if got := testing.AllocsPerRun(100, func() { table.Has(clean) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkHas(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bans")
	if err := os.WriteFile(path, []byte(largest(0)), 0o644); err != nil {
		b.Fatal(err)
	}
	table := Open(path, Bytewise, func(string) {}).Table()
	b.ReportAllocs()
	for i := range b.N {
		table.Has(netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i >> 3), byte(i*5) | 1}))
	}
}
