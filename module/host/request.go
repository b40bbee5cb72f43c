package host

import (
	"net"
	"strings"

	"github.com/request-guard/guard/engine"
	"github.com/request-guard/guard/event"
	"github.com/request-guard/guard/respond"
)

// PeerAddress returns the address in a RemoteAddr such as 192.0.2.1:80 or [fe80::1%eth0]:80, without port and zone. It
// returns "" if the peer has no address.
func PeerAddress(remote string) string {
	address, _, err := net.SplitHostPort(remote)
	if err != nil {
		return ""
	}
	address, _, _ = strings.Cut(address, "%")
	return address
}

// ClientText returns the address of the client as text, or "" if it has none.
func ClientText(rules *engine.RuleSet, q *engine.Request) string {
	address := rules.Client(q)
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

func DescribeBlocked(q *engine.Request, v *engine.Verdict, client string) *respond.Blocked {
	path := v.Candidate
	if path == "" {
		path = event.PathOf(q.Target)
	}
	return &respond.Blocked{
		Reason: v.Reason, Path: path, Client: client, Rule: v.Rule, Pattern: v.Pattern, Target: q.Target, Excused: q.Excused,
	}
}
