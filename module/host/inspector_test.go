package host

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/request-guard/guard/policy"
)

func TestBodyPrefixIsBounded(t *testing.T) {
	i := &Inspector{
		Policy: &policy.Policy{MaxBodyBytes: 4},
		Rejoin: func(whole io.Reader, _ io.Closer) io.ReadCloser { return io.NopCloser(whole) },
	}
	r, _ := http.NewRequest("POST", "/", strings.NewReader("0123456789"))
	if got, err := i.bodyPrefix(r); string(got) != "01234" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := io.ReadAll(r.Body); string(got) != "0123456789" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	none, _ := http.NewRequest("GET", "/", nil)
	tunnel, _ := http.NewRequest("CONNECT", "/", strings.NewReader("0"))
	if hasBody(none) || hasBody(tunnel) || !hasBody(r) {
		t.Errorf("has a body: %v, a tunnel: %v, %v", hasBody(none), hasBody(tunnel), hasBody(r))
	}
}

func TestAnnouncedBodyNeedsOneBuffer(t *testing.T) {
	const length = 1000
	text := strings.Repeat("a", length)
	for announced, most := range map[int64]int{length: length + bytes.MinRead, -1: 4 * length, 1: 4 * length, 1 << 40: 4 * length} {
		got, err := readAll(strings.NewReader(text), announced)
		if string(got) != text || err != nil || cap(got) > most {
			t.Errorf("announced %d: got %d bytes in %d, %v", announced, len(got), cap(got), err)
		}
	}
}

func TestPeerAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[2001:db8::1]:80": "2001:db8::1", "[fe80::1%eth0]:80": "fe80::1", "@": "", "": "",
	} {
		if got := PeerAddress(remote); got != want {
			t.Errorf("%s: got %q, want %q", remote, got, want)
		}
	}
}
