package event

import (
	"fmt"
	"testing"
	"time"

	"github.com/request-guard/guard/limits"
)

// clock is the current time of a budget. A test spends lines at that time.
type clock struct {
	*Budget
	at time.Time
}

func newClock() *clock { return &clock{NewBudget(), time.Unix(1000, 0)} }

// spendAll returns how many of n events of a client get a line.
func (c *clock) spendAll(client string, n int) int {
	written := 0
	for range n {
		if c.spend(client, c.at) {
			written++
		}
	}
	return written
}

func TestAFloodHidesNoOtherClient(t *testing.T) {
	c := newClock()
	flood := c.spendAll("192.0.2.1", 100_000)
	if least, most := limits.EventsPerSecond/3, limits.EventsPerSecond-limits.EventsForNewClients; flood < least || flood >= most {
		t.Errorf("%d lines of the flood", flood)
	}
	if got := c.spendAll("192.0.2.2", 40); got != 40 {
		t.Errorf("%d lines of another client", got)
	}
}

func TestClientsThatFloodTogetherHaveEqualShares(t *testing.T) {
	c := newClock()
	written := map[int]int{}
	for range 10_000 {
		for client := range 20 {
			written[client] += c.spendAll(fmt.Sprintf("192.0.2.%d", client), 1)
		}
	}
	for client, n := range written {
		if n < 40 || n > 50 {
			t.Errorf("%d lines of client %d", n, client)
		}
	}
	if got := c.spendAll("198.51.100.1", 2); got < 1 {
		t.Error("no line is left for a new client")
	}
}

func TestNewClientsHaveTheirPart(t *testing.T) {
	c := newClock()
	for client := range 50 {
		c.spendAll(fmt.Sprintf("192.0.2.%d", client), 1)
		c.spendAll(fmt.Sprintf("192.0.2.%d", client), 1000)
	}
	written := 0
	for client := range 1000 {
		written += c.spendAll(fmt.Sprintf("198.51.%d.%d", client/250, client%250), 1)
	}
	if written != limits.EventsPerSecond-c.shared-50 || written < limits.EventsForNewClients-50 {
		t.Errorf("%d lines of new clients, %d shared lines", written, c.shared)
	}
	if c.used != limits.EventsPerSecond {
		t.Errorf("%d lines", c.used)
	}
}

func TestTheAddressesOfAnIPv6NetworkAreOneClient(t *testing.T) {
	c := newClock()
	written := 0
	for host := range 10_000 {
		written += c.spendAll(fmt.Sprintf("2001:db8:0:1::%x", host), 1)
	}
	if most := limits.EventsPerSecond - limits.EventsForNewClients; written >= most {
		t.Errorf("%d lines", written)
	}
	if got := c.spendAll("2001:db8:0:2::1", 40); got != 40 {
		t.Errorf("%d lines of another network", got)
	}
}

func TestTheBudgetOfASecondIsBoundedWhateverItsClients(t *testing.T) {
	c := newClock()
	written := 0
	for client := range 100_000 {
		written += c.spendAll(fmt.Sprintf("10.%d.%d.%d", client>>16, client>>8&255, client&255), 1)
	}
	if written != limits.EventsPerSecond || len(c.byClient) > limits.EventsPerSecond {
		t.Errorf("%d lines, %d clients in memory", written, len(c.byClient))
	}
	c.at = c.at.Add(time.Second)
	if got := c.spendAll("192.0.2.1", 5); got != 5 {
		t.Errorf("%d lines in the next second", got)
	}
}

func TestClientsWithoutAnAddressAreOneClient(t *testing.T) {
	c := newClock()
	if got := c.spendAll("", 10_000); got >= limits.EventsPerSecond-limits.EventsForNewClients {
		t.Errorf("%d lines", got)
	}
}
