package event

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

// summary is the line of a sum.
type summary struct {
	Type    string
	Gateway string
	Count   int
	Clients []struct {
		Client string
		Count  int
	}
	Others int
}

func summaryOf(t *testing.T, s *sum) (got summary) {
	t.Helper()
	line := s.line("traefik", time.Unix(1000, 0))
	if err := json.Unmarshal([]byte(line), &got); err != nil || len(line) > limits.EventBytes || !strings.HasSuffix(line, "}\n") {
		t.Fatalf("%v: %d bytes: %s", err, len(line), line)
	}
	return got
}

// addAll counts n events of a client.
func (s *sum) addAll(client string, n int) {
	for range n {
		e := example()
		e.ClientIP = client
		s.add(e)
	}
}

func TestASumNamesItsClients(t *testing.T) {
	s := &sum{}
	s.addAll("192.0.2.1", 3)
	s.addAll("2001:db8::1", 5)
	s.addAll("2001:db8:0:1::1", 1)
	s.addAll("2001:db8:0:1::2", 1)
	s.addAll("", 7)
	got := summaryOf(t, s)
	clients := fmt.Sprint(got.Clients)
	if clients != "[{2001:db8::1 5} {192.0.2.1 3} {2001:db8:0:1::/64 2}]" || got.Count != 17 || got.Others != 7 {
		t.Errorf("got %+v", got)
	}
	if got.Type != "guard_block_summary" || got.Gateway != "traefik" {
		t.Errorf("got %+v", got)
	}
}

func TestASumNamesTranslatedAddressesSeparately(t *testing.T) {
	s := &sum{}
	s.addAll("64:ff9b::c000:201", 2)
	s.addAll("64:ff9b::c000:202", 1)
	if got := fmt.Sprint(summaryOf(t, s).Clients); got != "[{64:ff9b::c000:201 2} {64:ff9b::c000:202 1}]" {
		t.Errorf("got %s", got)
	}
}

func TestDetectedRequestsCountForNoClient(t *testing.T) {
	s := &sum{}
	e := example()
	e.Mode = "detect"
	s.add(e)
	if got := summaryOf(t, s); got.Count != 1 || got.Others != 1 || len(got.Clients) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestASumOfManyClientsIsBounded(t *testing.T) {
	s := &sum{}
	for client := range 2 * limits.EventSumClients {
		s.addAll(fmt.Sprintf("2001:db8:ffff:%x::1", 0x1000+client), 1)
		s.addAll(fmt.Sprintf("2001:db8:ffff:%x::2", 0x1000+client), 1)
	}
	s.addAll("2001:db8:ffff:1000::3", 1_000_000)
	got := summaryOf(t, s)
	if len(s.byClient) != limits.EventSumClients || len(got.Clients) != limits.EventSumNames {
		t.Errorf("%d clients in memory, %d in the line", len(s.byClient), len(got.Clients))
	}
	if first := got.Clients[0]; first.Client != "2001:db8:ffff:1000::/64" || first.Count != 1_000_002 {
		t.Errorf("got %+v", first)
	}
	total := got.Others
	for _, c := range got.Clients {
		total += c.Count
	}
	if want := 4*limits.EventSumClients + 1_000_000; total != want || got.Count != want {
		t.Errorf("%d of %d events, want %d", total, got.Count, want)
	}
}

func TestASummaryNamesTheClientsOfItsSecond(t *testing.T) {
	c := newClocked(&Budget{PerSecond: 4})
	c.writeOf(t, "192.0.2.1", 12)
	c.at = c.at.Add(time.Second)
	c.timers[0]()
	written := len(c.out.lines) - 1
	want := fmt.Sprintf(`"count":%d,"clients":[{"client":"192.0.2.1","count":%d}],"others":0}`+"\n", 12-written, 12-written)
	if got := c.out.lines[written]; !strings.HasSuffix(got, want) {
		t.Errorf("got %s want %s", got, want)
	}
	if !reflect.DeepEqual(c.suppressed, sum{}) {
		t.Errorf("left: %+v", c.suppressed)
	}
}
