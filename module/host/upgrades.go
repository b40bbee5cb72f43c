package host

import (
	"fmt"
	"net/http"

	"github.com/request-guard/guard/engine"
)

// MaySwitch reports whether a request can leave HTTP/1 on its connection: by an upgrade (RFC 9110 7.8), or as a tunnel. The next
// handler of such a request needs KeepsConnection.
func MaySwitch(r *http.Request) bool {
	return r.Header["Upgrade"] != nil || r.Method == http.MethodConnect
}

// Switch is what becomes of a request that may switch its connection.
type Switch struct {
	// Refused is the protocol that the policy does not allow; "" if there is none.
	Refused string
	// Ends is true for a tunnel that the policy does not allow, because a CONNECT has no meaning without its tunnel. Other
	// requests continue without the protocol.
	Ends bool
}

// KeepsConnection removes the protocols from r that the policy does not allow. tunnel is the protocol that a CONNECT opens. A guard
// that only detects changes nothing.
func (i *Inspector) KeepsConnection(r *http.Request, q *engine.Request, tunnel string) Switch {
	if i.Rules.IsExempt(q) {
		return Switch{}
	}
	isEnforced := i.Policy.Mode != ModeDetect
	if r.Method == http.MethodConnect && !i.Rules.AllowsUpgrade(tunnel) {
		return Switch{Refused: tunnel, Ends: isEnforced}
	}
	refused := i.Rules.RefusedUpgrade(r.Header)
	if refused != "" && isEnforced {
		i.Rules.RemoveUpgrades(r.Header)
	}
	return Switch{Refused: refused}
}

// DescribeUpgrade returns the line for a proxy's log about a protocol that the policy does not allow. A proxy writes it once in a
// process, because every client can send such requests. key is the spelling of allowUpgrades in this proxy.
func (i *Inspector) DescribeUpgrade(refused, key string) string {
	outcome := "was removed from a request"
	if i.Policy.Mode == ModeDetect {
		outcome = "would be removed from a request"
	}
	return fmt.Sprintf("the protocol %+q %s: %s does not have it. Further ones are not logged", refused, outcome, key)
}
