package engine

import "testing"

// TestLinesOfBrowsersNeedNoScanOfAllRules guards the cost of exploits: all: the scan of one line takes as long as that of a path.
func TestLinesOfBrowsersNeedNoScanOfAllRules(t *testing.T) {
	lines := map[string]string{
		"user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"accept":     "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"referer":    "https://shop.example/products/shoes?sort=price",
		"cookie":     "session=5f2c1d3e9a; theme=dark",
		"connection": "keep-alive",
	}
	s := compiled(t, `{"exploits": "all"}`)
	inspected := 0
	for i := range s.lines {
		h := &s.lines[i]
		line, isSent := lines[h.name]
		if !isSent {
			continue
		}
		inspected++
		if h.filter == nil || !isLineClean(h.filter, line) {
			t.Errorf("%s: %s", h.name, line)
		}
	}
	if inspected != len(lines) {
		t.Errorf("%d of %d headers", inspected, len(lines))
	}
}
