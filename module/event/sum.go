package event

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/request-guard/guard/address"
	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/limits"
)

// sum counts events without a line, in total and for a bounded number of clients.
type sum struct {
	count    int
	byClient map[string]*clientSum // the keys are networks of clients
}

type clientSum struct {
	name  string // the address of the client, or its network after events of two addresses
	count int
}

// add counts an event. Only blocked requests count for a client, because readers of the sum may ban it. Requests of banned clients
// do not: their bans would never end.
func (s *sum) add(e *Event) {
	s.count++
	if e.Mode == "detect" || e.Reason == engine.ReasonBanned || e.ClientIP == "" {
		return
	}
	network := address.NetworkOf(e.ClientIP, address.ClientBits)
	c := s.byClient[network]
	switch {
	case c == nil && len(s.byClient) >= limits.EventSumClients:
		return
	case c == nil:
		if s.byClient == nil {
			s.byClient = map[string]*clientSum{}
		}
		c = &clientSum{name: e.ClientIP}
		s.byClient[network] = c
	case c.name != e.ClientIP:
		c.name = network
	}
	c.count++
}

// line renders the sum as one line of JSON, newline included, in at most limits.EventBytes bytes.
func (s *sum) line(gateway string, now time.Time) string {
	clients := make([]*clientSum, 0, len(s.byClient))
	for _, c := range s.byClient {
		clients = append(clients, c)
	}
	sort.Slice(clients, func(i, j int) bool {
		if clients[i].count != clients[j].count {
			return clients[i].count > clients[j].count
		}
		return clients[i].name < clients[j].name
	})
	if len(clients) > limits.EventSumNames {
		clients = clients[:limits.EventSumNames]
	}
	others := s.count
	named := make([]string, len(clients))
	for i, c := range clients {
		others -= c.count
		named[i] = fmt.Sprintf(clientFormat, jsonEscaper.Replace(c.name), c.count)
	}
	return fmt.Sprintf(summaryFormat, now.UTC().Format(timestampFormat), gateway, s.count, strings.Join(named, ","), others)
}
